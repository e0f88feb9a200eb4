// The rule `ulp`: a result lies within a number of units in the last place of the reference.
//
// tosa-1.0, Floating-Point Precision Requirements: tosa_reference_ulp, tosa_reference_check_fp,
// with the number of units that the operator names; tosa-0.100, Main Inference precision
// requirements: the same, with the number of units in the table.
#pragma once

#include "checker/rules/comparing_function.h"
#include "reference/base/dtype.h"

namespace cts {

// Returns one unit in the last place of the type at `reference`: the unit of the binade that
// contains the reference, and at least the least subnormal number. Returns 0 if the reference is
// infinite, NaN, or zero (which is exact). For a reference that is subnormal in fp64, the
// specification's function returns 0. With the unit 0, the specification would refuse a neighbour
// of the reference, although it accepts this neighbour for any slightly larger reference. So this
// function returns the unit of the type's lowest binade for such a reference, as for all tiny
// numbers.
double ReferenceUlp(DType dtype, double reference);

// The bound for the comparing function: `count` units. The reference may be NaN.
inline double UlpBound(DType dtype, double reference, double count) {
  return ReferenceUlp(dtype, reference) * count;
}

inline bool WithinUlp(const ComparingFunction& compare, DType dtype, double result,
                      double reference, double count) {
  return compare.Accepts(result, reference, UlpBound(dtype, reference, count));
}

}  // namespace cts
