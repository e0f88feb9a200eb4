// The rule `absolute_bound`: a result lies within a bound that each element has for itself.
//
// tosa-1.0, Floating-Point Precision Requirements: tosa_reference_check_fp_bnd, with the bound that
// the operator names; tosa-0.100, Main Inference precision requirements: the same, with the bound
// of the table. The tables of special values are the operators' own (EXP, LOG, RECIPROCAL, ...).
#pragma once

#include "checker/rules/comparing_function.h"

namespace cts {

// `bound` 0 marks a value of the operator's special-value table. The result must then be the
// table's zero, infinity or NaN: a zero with its sign if `zero_sign`, and NaN for an infinity where
// the type has no infinity. `bound` +infinity sets no limit: anything is accepted, NaN too. With
// 0.100's form, NaN is accepted only if the reference is a NaN, which marks an undefined result:
// the edition's function compares both ends, and never takes NaN for a number. Any other value goes
// through the comparing function.
bool WithinAbsoluteBound(const ComparingFunction& compare, double result, double expected,
                         double bound, bool zero_sign);

}  // namespace cts
