// Integer scaling, apply_scale_32 and apply_scale_16 of the specification: value * multiplier /
// 2^shift, rounded once or twice.
#pragma once

#include <cstdint>

#include "reference/numeric/arithmetic.h"

namespace cts {

// If a REQUIRE does not hold, its condition is recorded in `state`. The result is then 0. But if
// only the multiplier is wrong (negative), the result is the computed one. `value` is an int32_t in
// the specification, but may be outside that range here, since the caller may have an int48_t.
int64_t ApplyScale32(ArithmeticState& state, int64_t value, int64_t multiplier, int64_t shift,
                     bool double_round);

// `value` has at most 48 bits, and `multiplier` at most 16.
int64_t ApplyScale16(ArithmeticState& state, int64_t value, int64_t multiplier, int64_t shift);

// reciprocal_scale of the specification: value * multiplier / 2^shift approximates value / divisor.
// `divisor` must be from 1 to 2^30.
struct ReciprocalScale {
  int64_t multiplier = 0;  // from 2^30 to 2^31 - 1
  int64_t shift = 0;       // from 30 to 60
};
ReciprocalScale ReciprocalScaleOf(int64_t divisor);

}  // namespace cts
