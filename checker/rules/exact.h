// The rule `exact`: a result equals the expected value.
//
// tosa-1.0, sections Integer Precision Requirements and Floating-Point Precision Requirements:
// exact results are compared with num_ulp 0, which ignores the sign of zero. The tables of ABS and
// NEGATE do not ignore that sign. tosa-0.100, section Base Inference Profile Compliance, and the
// first rows of the table in section Main Inference precision requirements.
#pragma once

namespace cts {

// Any NaN equals any NaN. Zeros of both signs are equal unless `zero_sign` is true. If both
// `zero_sign` and `zero_choice` are true, a +0 is still accepted for an expected -0.
bool EqualFloats(double result, double expected, bool zero_sign, bool zero_choice = false);

}  // namespace cts
