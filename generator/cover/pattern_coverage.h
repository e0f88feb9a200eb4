// The patterns of graphs (generator/graphs/patterns.h) that occur in a suite.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/cover/case_facts.h"
#include "generator/plan/plan.h"

namespace cts {

struct PatternCoverage {
  std::string name, meaning, reason;
  uint64_t cases = 0;  // the number of valid cases whose graph has the pattern
  // Why no graph of the recipe has the pattern; empty if some graph should have it.
  std::string impossible;

  bool is_hole() const { return cases == 0 && impossible.empty(); }
};

// Returns all patterns if the recipe asks for graphs and is not limited to some conditions;
// otherwise returns no pattern.
std::vector<PatternCoverage> MeasurePatterns(const Plan& plan, const std::vector<CaseFacts>& cases);

}  // namespace cts
