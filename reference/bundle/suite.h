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

// An id becomes a path, so it is checked in addition to the schema: "operator/case", and neither
// part begins with a dot.
bool IsCaseId(std::string_view id);

// Every `of`-th case of a suite, in the manifest's order, beginning with case `index` (counted from
// 1). Similar cases are neighbours there, so every shard gets its share of the slow ones. A shard
// that was cut by seconds (run --balance) has its cases listed instead.
struct Shard {
  int index = 1;
  int of = 1;
  // The SHA-256 of the report that it was cut by, and the positions of its cases, in ascending
  // order. Empty for a shard that was not.
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

// The version that made the suites of today. It changes when a suite changes, not with every
// release: digests of suites cover it.
inline constexpr std::string_view kSuiteGenerator = "tensor-cts 0.2.0";

struct SuiteEntry {
  std::string id;       // "conv2d/..."; also the folder of the bundle
  std::string op;       // "CONV2D"
  std::string outcome;  // "valid", "error", or "sealed"
  std::string digest;   // SHA-256 over the bundle's files: path, length and bytes of each, in order
  std::vector<std::string> conditions;  // ids of the conditions that the case is about
  // For a valid case: the share of the elements at which a trivial answer (all zero, all saturated,
  // all equal) would be noticed.
  std::optional<double> teeth;
  // For an error case: the id of the nearest legal case, if the recipe asks for it.
  std::string neighbour;
};

struct Suite {
  std::string name;  // of the recipe
  std::string edition, level, generator;
  uint64_t seed = 0;
  std::vector<SuiteEntry> cases;  // sorted by id
  std::string digest;             // SHA-256 over ids and digests of the cases
  std::string recipe;             // JSON as schemas/recipe.schema.json has it
  std::string answers;  // of a blind suite: the SHA-256 of the file that seals its answers

  const SuiteEntry* Find(std::string_view id) const;
};

// The digest of a bundle's files in the order given, and of a suite's entries.
struct BundleFile;
class Sha256Stream;
void AddToBundleDigest(std::string_view path, std::string_view bytes, Sha256Stream* stream);
std::string BundleDigest(const std::vector<BundleFile>& files);
std::string SuiteDigest(const std::vector<SuiteEntry>& cases);

// One element of "cases"; reading expects what the schema allows.
Json SuiteEntryToJson(const SuiteEntry& entry);
SuiteEntry SuiteEntryFromJson(const Json& json);

Json SuiteToJson(const Suite& suite);

// The longest suite.json: of about a million cases.
inline constexpr uint64_t kMaxSuiteJson = 512 << 20;

// Reads SUITE/suite.json; checks that ids are unique, safe as paths, and the digest right. Refuses
// a blind suite, which has no answers.
StatusOr<Suite> ReadSuite(const std::filesystem::path& directory);
// The same for callers that need no answers: takes a blind suite as well.
StatusOr<Suite> ReadSuiteToRun(const std::filesystem::path& directory);

}  // namespace cts
