// The relations between parameters and shapes that hold in the cases of a suite.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/cover/case_facts.h"
#include "generator/plan/plan.h"

namespace cts {

// A relation of an operator, in the type rows of one family (RelationFamily).
struct RelationCoverage {
  std::string op, relation, family;
  std::string meaning;  // the relation in words: "the strides are equal and above 1"
  // The number of valid cases in which the relation holds, without those that accept a trivial
  // result (trivial_results.h).
  uint64_t cases = 0;
  std::string impossible;  // why no case is possible; empty if a case is possible

  bool is_hole() const { return cases == 0 && impossible.empty(); }
};

// Returns the relations of every operator and family for which the plan has cases of relations.
std::vector<RelationCoverage> MeasureRelations(const Plan& plan,
                                               const std::vector<CaseFacts>& cases);

}  // namespace cts
