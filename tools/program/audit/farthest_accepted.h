// The distance from a result to the farthest accepted value.
#pragma once

#include <cstdint>

#include "checker/rules/match.h"
#include "reference/base/tensor.h"

namespace cts {

// Returns the number of steps between floating-point values from element `i` of `result`, which is
// accepted, to the farthest accepted value in one direction (1 or -1). Apart from a flushed zero,
// the accepted values around the reference have no gaps. Sets element `i` of `result` to that
// farthest value. `judge` must judge this same `result`.
int64_t PushToEnd(const ElementJudge& judge, Tensor& result, int64_t i, int64_t direction);

}  // namespace cts
