// The distance from a result to the farthest accepted value.
#pragma once

#include <cstdint>

#include "checker/rules/match.h"
#include "reference/base/tensor.h"

namespace cts {

// Moves element `i` of `result`, which must be accepted, to the farthest accepted value above it
// (`direction` 1) or below it (-1). Returns how far it moved the element: the number of steps,
// where one step leads to the adjacent value of the type. The search assumes that the accepted
// values have no gaps. Apart from a flushed zero, that is true around the reference. `judge` must
// judge this same `result`.
int64_t PushToEnd(const ElementJudge& judge, Tensor& result, int64_t i, int64_t direction);

}  // namespace cts
