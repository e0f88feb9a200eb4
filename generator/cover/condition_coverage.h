// The conditions that the error cases of a suite break, and the reasons why no error case breaks
// the other conditions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "generator/cover/case_facts.h"
#include "generator/plan/parts.h"
#include "reference/base/status.h"

namespace cts {

enum class ConditionState {
  kCovered,   // an error case breaks the condition
  kHole,      // no error case breaks it, although such a case is possible
  kNotAlone,  // every graph that breaks it breaks another condition first
  kNotAsked,  // the condition concerns nothing that the recipe asks for
  // A case that breaks it needs other profiles, types or data than the recipe asks for.
  kNotWithin,
  kNoBreaker,   // a condition on any graph, which the generator cannot break
  kNeverACase,  // REQUIRE or LEVEL_CHECK: the result would be unpredictable
};
std::string_view Name(ConditionState state);

struct ConditionCoverage {
  std::string id, op, kind;  // as in the output of `tensor-cts list conditions`
  ConditionState state = ConditionState::kNeverACase;
  std::string reason;  // for kNotAlone, kNotAsked, kNotWithin, kNoBreaker
  uint64_t cases = 0;
};

// Returns all conditions of the edition.
StatusOr<std::vector<ConditionCoverage>> MeasureConditions(const Parts& asked,
                                                           const std::vector<CaseFacts>& cases);

// The reasons why no error case of a recipe breaks a condition of an operator, in the words of
// ConditionCoverage::reason.
class UnbrokenConditions {
 public:
  static StatusOr<UnbrokenConditions> Of(const Recipe& recipe);

  // The reason for one condition: an ERROR_IF of the operator, or a condition on any graph
  // ("graph.rank"). Empty if an error case could break the condition.
  std::string_view Reason(std::string_view condition, const std::string& op) const;

 private:
  Parts asked_, everything_;
};

}  // namespace cts
