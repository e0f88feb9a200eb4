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

// Whether the text is a valid id: "operator/case", where neither part begins with a dot. This is
// checked in addition to the schema, since an id becomes a path.
bool IsCaseId(std::string_view id);

// A part of a suite: every `of`-th case in the manifest's order, beginning with case `index`
// (counted from 1). Similar cases are neighbours in the manifest, so every shard gets its share of
// slow cases. A shard that was balanced by run time (run --balance) lists its cases instead.
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
// "2/4": the second of four.
StatusOr<Shard> ParseShard(std::string_view text);

// The version of the program that made the current suites. This version changes when a generated
// suite changes, not with every release.
inline constexpr std::string_view kSuiteGenerator = "tensor-cts 0.2.0";

struct SuiteEntry {
  std::string id;                       // "conv2d/..."; also the folder of the bundle
  std::string op;                       // "CONV2D"
  std::string outcome;                  // "valid", "error", or "sealed"
  std::string digest;                   // BundleDigest of the bundle's files
  std::vector<std::string> conditions;  // ids of the conditions that the case tests
  // For a valid case: the fraction of elements at which the checker would detect a trivial result
  // (all zero, all saturated, all equal).
  std::optional<double> teeth;
  // For an error case: the id of the legal case that is one step away, if the recipe requests one.
  std::string neighbour;
};

struct Suite {
  std::string name;  // of the recipe
  std::string edition, level, generator;
  uint64_t seed = 0;
  std::vector<SuiteEntry> cases;  // sorted by id
  std::string digest;             // SuiteDigest of the cases
  std::string recipe;             // JSON that fits schemas/recipe.schema.json
  std::string answers;  // for a blind suite: the SHA-256 of the file with its sealed answers

  const SuiteEntry* Find(std::string_view id) const;
};

// BundleDigest is the SHA-256 over path, length and bytes of each file, in the given order.
// SuiteDigest is the SHA-256 over the ids and digests of the cases.
struct BundleFile;
class Sha256Stream;
void AddToBundleDigest(std::string_view path, std::string_view bytes, Sha256Stream* stream);
std::string BundleDigest(const std::vector<BundleFile>& files);
std::string SuiteDigest(const std::vector<SuiteEntry>& cases);

// One element of "cases" in suite.json. SuiteEntryFromJson expects JSON that the schema accepts.
Json SuiteEntryToJson(const SuiteEntry& entry);
SuiteEntry SuiteEntryFromJson(const Json& json);

Json SuiteToJson(const Suite& suite);

// The greatest accepted size of a suite.json, in bytes. It is enough for about a million cases.
inline constexpr uint64_t kMaxSuiteJson = 512 << 20;

// Reads SUITE/suite.json. Checks that the ids are unique and safe as paths, and that the digest is
// right. Refuses a blind suite, which has no answers.
StatusOr<Suite> ReadSuite(const std::filesystem::path& directory);
// Like ReadSuite, but for callers that need no answers: also accepts a blind suite.
StatusOr<Suite> ReadSuiteToRun(const std::filesystem::path& directory);

}  // namespace cts
