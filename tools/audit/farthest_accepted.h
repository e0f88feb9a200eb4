// How far from a result what is accepted reaches.
#pragma once

#include <cstdint>

#include "checker/rules/match.h"
#include "reference/base/tensor.h"

namespace cts {

// How many values of a floating-point type lie between element `i` of `result`, which is accepted,
// and the furthest in one direction (1 or -1) that is still accepted, that one counted. What is
// accepted has no gaps about the reference. `judge` refers to `result`, whose element is left at
// that value.
int64_t PushToEnd(const ElementJudge& judge, Tensor& result, int64_t i, int64_t direction);

}  // namespace cts
