// The rule `absolute_bound`: a result lies within a bound, and each element has a bound of its own.
//
// tosa-1.0, Floating-Point Precision Requirements: tosa_reference_check_fp_bnd, with the bound that
// the operator names; tosa-0.100, Main Inference precision requirements: the same function, with
// the bound in the table of that section. Operators such as EXP, LOG and RECIPROCAL define tables
// of special values.
#pragma once

#include "checker/rules/comparing_function.h"

namespace cts {

// If `bound` is 0 and `expected` is zero, infinite or NaN, `expected` comes from the operator's
// table of special values, and only this value passes. If `zero_sign` is true, a zero must also
// have the sign of `expected`. In a type without infinities, NaN passes for an infinite `expected`.
// If `bound` is +infinity, every number passes. Then NaN passes, too, in the form of 1.0. In the
// form of 0.100, NaN passes only if `expected` is NaN, which marks an undefined result: the
// function of 0.100 compares a result with both ends of an interval, and no interval contains NaN.
// In all other cases, the comparing function decides.
bool WithinAbsoluteBound(const ComparingFunction& compare, double result, double expected,
                         double bound, bool zero_sign);

}  // namespace cts
