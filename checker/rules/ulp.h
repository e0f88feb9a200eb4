// The rule `ulp`: within a number of units in the last place of the reference.
//
// tosa-1.0, Floating-Point Precision Requirements: tosa_reference_ulp, tosa_reference_check_fp,
// with the number that the operator names; tosa-0.100, Main Inference precision requirements: the
// same, with the number of the table.
#pragma once

#include "checker/rules/comparing_function.h"
#include "reference/base/dtype.h"

namespace cts {

// One unit in the last place of the type at `reference`: of the binade that the reference lies in,
// and at least the least subnormal number. A reference of zero is exact and has none: 0; so has an
// infinite one. A reference that is subnormal in fp64 gets 0 from the specification's function,
// which would refuse the neighbour that it allows to any slightly larger reference: here it has
// the unit of the lowest binade like all tiny numbers.
double ReferenceUlp(DType dtype, double reference);

// NaN-safe: the bound that `count` units give, for the comparing function.
inline double UlpBound(DType dtype, double reference, double count) {
  return ReferenceUlp(dtype, reference) * count;
}

inline bool WithinUlp(const ComparingFunction& compare, DType dtype, double result,
                      double reference, double count) {
  return compare.Accepts(result, reference, UlpBound(dtype, reference, count));
}

}  // namespace cts
