// The distance from a result to the farthest accepted value.
#pragma once

#include <cstdint>

#include "checker/rules/match.h"
#include "reference/base/tensor.h"

namespace cts {

// Counts the values of a floating-point type from element `i` of `result`, which is accepted, to
// the furthest value in one direction (1 or -1) that is still accepted; that value is counted. The
// accepted values have no gaps about the reference. `judge` refers to `result`, whose element is
// left at that value.
int64_t PushToEnd(const ElementJudge& judge, Tensor& result, int64_t i, int64_t direction);

}  // namespace cts
