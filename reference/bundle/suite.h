// The manifest of a suite: SUITE/suite.json (schemas/suite.schema.json).
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"

namespace cts {

// Whether the text is a valid id: two parts "operator/case" of lower-case letters, digits and the
// characters ._+-, where neither part begins with a dot. Ids are checked by this function in
// addition to the schema, since an id becomes a path.
bool IsCaseId(std::string_view id);

// A part (shard) of a suite: every `of`-th case in the manifest's order, beginning with case
// `index` (counted from 1). Similar cases are neighbours in the manifest, so every shard gets a
// similar share of slow cases. A shard that was balanced by run time (run --balance) is a list of
// cases instead.
struct Shard {
  int index = 1;
  int of = 1;
  // The SHA-256 of the report with the run times, and the positions of the shard's cases in
  // ascending order. Both are empty for a shard that was not balanced.
  std::string balanced_by = {};
  std::vector<size_t> positions = {};

  bool Has(size_t position) const {
    if (!balanced_by.empty()) {
      return std::binary_search(positions.begin(), positions.end(), position);
    }
    return position % static_cast<size_t>(of) == static_cast<size_t>(index - 1);
  }
  bool operator==(const Shard&) const = default;
};
// Parses "2/4", the second of four shards. An error unless 1 <= `index` <= `of`.
StatusOr<Shard> ParseShard(std::string_view text);

// The name and version of the program that made the current suites. The version changes only when a
// generated suite changes, and not with every release.
inline constexpr std::string_view kSuiteGenerator = "tensor-cts 0.2.0";

struct SuiteEntry {
  std::string id;                       // "conv2d/..."; also the folder of the bundle
  std::string op;                       // "CONV2D"
  std::string outcome;                  // "valid", "error", or "sealed"
  std::string digest;                   // BundleDigest of the bundle's files
  std::vector<std::string> conditions;  // ids of the conditions that the case tests
  // Only for a valid case: the fraction of output elements at which the checker would detect a
  // trivial result (all zero, all saturated, all equal).
  std::optional<double> teeth;
  // Only for an error case: the id of a legal case that one change turns into this case. Empty if
  // the recipe requests no such legal case.
  std::string neighbour;
};

struct Suite {
  std::string name;  // the name of the recipe
  std::string edition, level, generator;
  uint64_t seed = 0;
  std::vector<SuiteEntry> cases;  // sorted by id
  std::string digest;             // SuiteDigest of the cases
  std::string recipe;             // JSON that fits schemas/recipe.schema.json
  std::string answers;  // for a blind suite: the SHA-256 of the file with its sealed answers

  const SuiteEntry* Find(std::string_view id) const;
};

// BundleDigest is the SHA-256 of the paths, lengths and bytes of the files, in the given order.
// SuiteDigest is the SHA-256 of the ids and digests of the cases, in the given order.
struct BundleFile;
class Sha256Stream;
void AddToBundleDigest(std::string_view path, std::string_view bytes, Sha256Stream* stream);
std::string BundleDigest(const std::vector<BundleFile>& files);
std::string SuiteDigest(const std::vector<SuiteEntry>& cases);

// SuiteEntryToJson returns one element of "cases" in suite.json. SuiteEntryFromJson reads such an
// element, which the schema must have accepted.
Json SuiteEntryToJson(const SuiteEntry& entry);
SuiteEntry SuiteEntryFromJson(const Json& json);

Json SuiteToJson(const Suite& suite);

// The greatest accepted size of a suite.json, in bytes: enough for about a million cases.
inline constexpr uint64_t kMaxSuiteJson = 512 << 20;

// Reads SUITE/suite.json. Checks that the ids are sorted, unique and safe as paths, and that the
// digest matches the cases. A blind suite, which has no answers, is an error.
StatusOr<Suite> ReadSuite(const std::filesystem::path& directory);
// Like ReadSuite, but also accepts a blind suite. For callers that need no answers.
StatusOr<Suite> ReadSuiteToRun(const std::filesystem::path& directory);

}  // namespace cts
