// The elementary functions of the sweep's filter, many values at a time, with proven error bounds.
#pragma once

#include <cstdint>

#include "tools/sweep/filter_bound.h"

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
};

// The values of a function of one argument: off by less than 2^-46 of themselves, or infinite where
// they are not known. Not for kPow.
void FilterValues(FilterFunction function, const double* x, int64_t count, double* values);

// x^y, off by less than 2^-36 of itself, or infinite, and at most what the rule allows there.
void FilterPowers(const FilterBound& bound, const double* x, const double* y, int64_t count,
                  double* values, double* bounds);

}  // namespace cts
