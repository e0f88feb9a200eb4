// The elementary functions of the sweep's filter, many values at a time, with proven error bounds.
#pragma once

#include <cstdint>

#include "tools/program/sweep/filter_bound.h"

namespace cts {

// The functions that the filter knows.
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
  kCast,  // from i32; the values are the arguments
  // Functions of pairs, computed like in the reference.
  kAdd,
  kMaximum,
  kMinimum,
  kMul,
  kSub,
};

// The numbers of i32 in memory that is as aligned as a tensor's.
void WidenIntegers(const uint8_t* integers, int64_t count, double* numbers);

// The values of a function of one argument: off by less than 2^-46 of themselves, or infinite if
// they are unknown. Not for functions of pairs.
void FilterValues(FilterFunction function, const double* x, int64_t count, double* values);

// x^y, off by less than 2^-36 of itself, or infinite, and at most what the rule allows there.
void FilterPowers(const FilterBound& bound, const double* x, const double* y, int64_t count,
                  double* values, double* bounds);

// x + y and the like: exactly the values of the reference. Infinite if an operand is no normal
// number of the type, or if the value is 0 or lies between the type's greatest number and twice
// that. A sum, difference or product of a NaN and a normal number or more is a NaN.
void FilterPairs(FilterFunction function, const FilterBound& bound, const double* x,
                 const double* y, int64_t count, double* values);

}  // namespace cts
