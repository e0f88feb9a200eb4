// The rungs of the ladder of sizes that the cases of a suite have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/cover/case_facts.h"
#include "generator/plan/plan.h"
#include "reference/ops/size_ladder.h"

namespace cts {

// A rung of a dimension of an operator, in the type row that climbs the ladder for a kind of
// numbers (LadderKind). A length of long sums (LongSumsOf): in a type row, whose mode is the kind,
// with one of appendix A's data sets.
struct SizeCoverage {
  std::string op, dimension, kind;
  std::string meaning;   // of the dimension: "the output's channels"
  std::string sizes;     // of the rung: "17 to 32"
  std::string data_set;  // of a long sum
  uint64_t cases = 0;    // valid cases of such a size whose answer is not trivial

  bool is_hole() const { return cases == 0; }
};

// Measures every operator and kind for which the plan has cases of the ladder, as far as the recipe
// goes, and every type row and data set of which the plan has long sums.
std::vector<SizeCoverage> MeasureSizes(const Plan& plan, const std::vector<CaseFacts>& cases);

}  // namespace cts
