// Integer scaling, apply_scale_32 and apply_scale_16 of the specification: about
// value * multiplier / 2^shift, rounded once or twice.
#pragma once

#include <cstdint>

#include "reference/numeric/arithmetic.h"

namespace cts {

// If a REQUIRE does not hold, its library condition goes to `state`, and the result is 0. `value`
// is an int32_t in the specification, but may be out of its range: the caller's int48_t may have
// been wider.
int64_t ApplyScale32(ArithmeticState& state, int64_t value, int64_t multiplier, int64_t shift,
                     bool double_round);

// `value` fits 48 bits, `multiplier` 16.
int64_t ApplyScale16(ArithmeticState& state, int64_t value, int64_t multiplier, int64_t shift);

// reciprocal_scale of the specification: value * multiplier / 2^shift is about value / divisor.
// `divisor` is 1 to 2^30.
struct ReciprocalScale {
  int64_t multiplier = 0;  // 2^30 to 2^31 - 1
  int64_t shift = 0;       // 30 to 60
};
ReciprocalScale ReciprocalScaleOf(int64_t divisor);

}  // namespace cts
