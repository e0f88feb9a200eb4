// The rungs of the ladder of sizes that the cases of a suite cover.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/cover/case_facts.h"
#include "generator/plan/plan.h"
#include "reference/ops/size_ladder.h"

namespace cts {

// A rung of the ladder for one dimension of an operator, in the type row that stands for a kind of
// numbers (LadderKind). An object may instead stand for a length of long sums (LongSumsOf), for one
// type row and one of appendix A's data sets. Its `kind` is the mode of that row.
struct SizeCoverage {
  std::string op, dimension, kind;
  std::string meaning;   // the dimension in words: "the output's channels"
  std::string sizes;     // the sizes of the rung: "17 to 32"
  std::string data_set;  // the data set of a length of long sums; otherwise empty
  // The number of valid cases of these sizes, without those that accept a trivial result.
  uint64_t cases = 0;

  bool is_hole() const { return cases == 0; }
};

// Measures every operator and kind for which the plan has cases of the ladder, up to the recipe's
// largest size. Also measures every type row and data set for which the plan has long sums.
std::vector<SizeCoverage> MeasureSizes(const Plan& plan, const std::vector<CaseFacts>& cases);

}  // namespace cts
