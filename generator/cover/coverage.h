// The part of its recipe that a suite covers: read from the suite, proven against the domains.
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
  std::vector<std::string> filters;  // filters of the recipe that leave holes: "shard 1/4"
  uint64_t valid_cases = 0, error_cases = 0;
  uint64_t counted_cases = 0;  // the cases whose parameters count for tuples
  std::optional<std::pair<std::string, double>> least_teeth;  // case and share, if measured
  Tally planned;                       // the cases that the recipe makes in all shards
  std::vector<std::string> missing;    // ids: planned cases that the suite lacks
  std::vector<std::string> unplanned;  // ids: cases that the suite has and the recipe does not make
  std::vector<LeftOut> left_out;       // limits without a possible case
  std::vector<PartCoverage> parts;     // in the edition's order, graphs last
  std::vector<ConditionCoverage> conditions;  // all of the edition
  std::vector<ProfileCoverage> profiles;      // all of the edition
  std::vector<RelationCoverage> relations;    // those that the recipe asks for
  std::vector<SizeCoverage> sizes;            // likewise
  std::vector<PatternCoverage> patterns;      // of graphs, likewise

  Tally Tuples() const;
  Tally TypeRows() const;    // impossible: not asked for
  Tally Conditions() const;  // without conditions that never have a case; impossible: kNotAlone and
                             // so on
  Tally Relations() const;
  Tally Sizes() const;  // rungs of the ladder of sizes
  Tally Patterns() const;
  uint64_t Holes() const;  // of all kinds
};

// Reads suite.json and every case. Errors: a suite without a recipe, an invalid recipe, a case that
// cannot be read or that differs from the manifest.
StatusOr<Coverage> MeasureCoverage(const std::filesystem::path& suite, int jobs);

}  // namespace cts
