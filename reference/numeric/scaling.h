// Integer scaling (apply_scale_32 and apply_scale_16 of the specification): value * multiplier /
// 2^shift, rounded once, or twice if `double_round` is true.
#pragma once

#include <cstdint>

#include "reference/numeric/arithmetic.h"

namespace cts {

// If a REQUIRE does not hold, records its condition in `state` and returns 0. If the only fault is
// a negative multiplier, records the condition but returns the computed result. In the
// specification, `value` is an int32_t. Here a caller may also pass an int48_t, but a number
// outside the range of int32_t breaks a REQUIRE.
int64_t ApplyScale32(ArithmeticState& state, int64_t value, int64_t multiplier, int64_t shift,
                     bool double_round);

// Like ApplyScale32. `value` must fit in 48 bits, and `multiplier` in 16 bits.
int64_t ApplyScale16(ArithmeticState& state, int64_t value, int64_t multiplier, int64_t shift);

// reciprocal_scale of the specification: value * multiplier / 2^shift approximates value / divisor.
// `divisor` must be from 1 to 2^30.
struct ReciprocalScale {
  int64_t multiplier = 0;  // above 2^30 and below 2^31
  int64_t shift = 0;       // from 30 to 60
};
ReciprocalScale ReciprocalScaleOf(int64_t divisor);

}  // namespace cts
