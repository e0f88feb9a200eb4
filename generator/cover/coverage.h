// Measures how much a suite covers of the possible cases of its recipe. The cases are read from the
// suite, and the possible cases are computed from the domains.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generator/cover/condition_coverage.h"
#include "generator/cover/part_coverage.h"
#include "generator/cover/pattern_coverage.h"
#include "generator/cover/profile_coverage.h"
#include "generator/cover/relation_coverage.h"
#include "generator/cover/size_coverage.h"
#include "generator/plan/plan.h"
#include "generator/recipe/recipe.h"
#include "reference/base/status.h"
#include "reference/bundle/suite.h"

namespace cts {

struct Coverage {
  Suite suite;
  Recipe recipe;
  std::vector<std::string> filters;  // the recipe's filters, which leave holes: "shard 1/4"
  uint64_t valid_cases = 0, error_cases = 0;
  uint64_t counted_cases = 0;  // the sum of PartCoverage::cases of all parts
  // The id of the case that refuses the smallest share of a trivial result (its teeth), and this
  // share; nullopt if no share was measured.
  std::optional<std::pair<std::string, double>> least_teeth;
  Tally planned;                       // the cases that the recipe makes in all shards
  std::vector<std::string> missing;    // ids of planned cases that the suite lacks
  std::vector<std::string> unplanned;  // ids of the suite's cases that the recipe does not make
  std::vector<LeftOut> left_out;       // impossible cases: see LeftOut
  std::vector<PartCoverage> parts;     // type rows in the edition's order, then graphs, then
                                       // type rows without a Part
  std::vector<ConditionCoverage> conditions;  // all conditions of the edition
  std::vector<ProfileCoverage> profiles;      // all profiles and extensions of the edition
  std::vector<RelationCoverage> relations;    // the relations that the recipe asks for
  std::vector<SizeCoverage> sizes;            // the sizes that the recipe asks for
  std::vector<PatternCoverage> patterns;      // the patterns of graphs that the recipe asks for

  Tally Tuples() const;
  Tally TypeRows() const;  // a row counts as impossible if the recipe does not ask for it
  // Counts all conditions except those of the state kNeverACase. The states kNotAlone, kNotAsked,
  // kNotWithin and kNoBreaker count as impossible.
  Tally Conditions() const;
  Tally Relations() const;
  Tally Sizes() const;  // the rungs of the ladder of sizes, and the lengths of long sums
  Tally Patterns() const;
  uint64_t Holes() const;  // the number of holes of all kinds plus the number of unplanned cases
};

// Reads suite.json and every case. Errors: a suite without a recipe, an invalid recipe, a case that
// cannot be read or that differs from the manifest.
StatusOr<Coverage> MeasureCoverage(const std::filesystem::path& suite, int jobs);

}  // namespace cts
