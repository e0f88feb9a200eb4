// The rule `exact`: equal values.
#pragma once

namespace cts {

// Any NaN equals any NaN. Zeros of either sign are equal unless `zero_sign`.
bool EqualFloats(double result, double expected, bool zero_sign);

}  // namespace cts
