// CUSTOM (section Custom Operators): only an implementation knows what it does.
#include <cassert>

#include "reference/ops/operator.h"

namespace cts {

Conditions CustomConditions() {
  return {
      {"custom.level_input_list", ConditionKind::kLevel,
       "input_list is longer than MAX_TENSOR_LIST_SIZE",
       [](const Call& c) { return c.Count("input_list") > c.level().Max("MAX_TENSOR_LIST_SIZE"); },
       With(Feature::kListLimits)},
      {"custom.level_output_list", ConditionKind::kLevel,
       "output_list is longer than MAX_TENSOR_LIST_SIZE",
       [](const Call& c) { return c.Count("output_list") > c.level().Max("MAX_TENSOR_LIST_SIZE"); },
       With(Feature::kListLimits)},
  };
}

void ComputeCustom(const Call&, Computation&) { assert(false && "nobody but its maker can"); }

}  // namespace cts
