// The elementary functions of the sweep's filter, many values at a time, with proven error bounds.
#pragma once

#include <cstdint>

#include "tools/program/sweep/filter_bound.h"

namespace cts {

// The functions that the filter can compute.
enum class FilterFunction {
  kCos,
  kErf,
  kExp,
  kLog,
  kPow,
  kReciprocal,
  kRsqrt,
  kSigmoid,
  kSin,
  kTanh,
  kCast,  // from i32; the value is the argument itself
  // Functions of two arguments, computed as in the reference.
  kAdd,
  kMaximum,
  kMinimum,
  kMul,
  kSub,
};

// Converts i32 numbers to fp64. `integers` must be aligned like the memory of a tensor.
void WidenIntegers(const uint8_t* integers, int64_t count, double* numbers);

// Computes a function of one argument. Each value has a relative error below 2^-46, or is infinite
// if it is unknown.
void FilterValues(FilterFunction function, const double* x, int64_t count, double* values);

// Computes x^y with a relative error below 2^-36; the value is infinite if it is unknown. bounds[i]
// gets a lower bound of the error that the rule allows.
void FilterPowers(const FilterBound& bound, const double* x, const double* y, int64_t count,
                  double* values, double* bounds);

// Computes a function of two arguments, such as x + y. A value is exactly that of the reference, or
// infinite if it is unknown. A sum, difference or product with a NaN operand is NaN, unless the
// magnitude of the other operand is below the normal numbers. In all other cases, the value is
// infinite if an operand is not a normal number of the type. It is also infinite if the result is
// 0, or is between the type's greatest number and twice that number.
void FilterPairs(FilterFunction function, const FilterBound& bound, const double* x,
                 const double* y, int64_t count, double* values);

}  // namespace cts
