// The rule `absolute_bound`: a result lies within a bound, and each element has a bound of its own.
//
// tosa-1.0, Floating-Point Precision Requirements: tosa_reference_check_fp_bnd, with the bound that
// the operator names; tosa-0.100, Main Inference precision requirements: the same function, with
// the bound of the table. Operators such as EXP, LOG and RECIPROCAL define tables of special
// values.
#pragma once

#include "checker/rules/comparing_function.h"

namespace cts {

// `bound` 0 marks a value of the operator's special-value table. The result must then be the
// table's zero, infinity or NaN: a zero with its sign if `zero_sign`, and NaN for an infinity where
// the type has no infinity. A `bound` of +infinity accepts every number. With the form of 1.0 it
// also accepts NaN. With the form of 0.100 it accepts NaN only if `expected` is NaN, which marks an
// undefined result. The function of 0.100 compares a result with both ends of an interval, and NaN
// lies in no interval. Any other `bound` goes through the comparing function.
bool WithinAbsoluteBound(const ComparingFunction& compare, double result, double expected,
                         double bound, bool zero_sign);

}  // namespace cts
