// The bounds of the sweep's filter on the errors that a rule allows, and its comparison of results
// with values.
#pragma once

#include <cstdint>

#include "checker/rules/ulp_histogram.h"
#include "tools/program/sweep/filter_bound.h"

namespace cts {

// The greatest number of elements of a call. Arrays have room for this number.
inline constexpr int64_t kFilterBlock = 512;

// Errors that the filter measures differ from the checker's by less than this part of a unit in the
// last place. Errors below it count as 0.
inline constexpr double kFilterResolution = 0x1p-20;

// The filter's findings about its elements.
struct FilterFigures {
  int64_t clear = 0;                          // accepted
  int64_t above[UlpHistogram::kEnds.size()];  // the accepted ones with an error above kEnds[k]
  int64_t doubtful_count = 0;
  uint16_t doubtful[kFilterBlock];  // positions of the others, in order
  int64_t candidate_count = 0;
  uint16_t candidates[kFilterBlock];  // accepted ones with an error above `least_worst`, in order
  double errors[kFilterBlock];        // of all, in ulp; 0 for those that are not clear
  double worst;                       // the greatest of them
};

// bounds[i] is at most what the rule allows at x[i], where the value is values[i].
void FilterBounds(const FilterBound& bound, const double* x, const double* values, int64_t count,
                  double* bounds);

// Computes the figures of FilterCompare in less than half of its time. False if an error is above
// `least_worst` or the rule's certain bound, or if a value is special or near to a power of two.
bool FilterSettle(const FilterBound& bound, const double* x, const double* values,
                  const double* results, int64_t count, double least_worst, FilterFigures& figures);

// Judges results by values and bounds.
void FilterCompare(const FilterBound& bound, const double* values, const double* bounds,
                   const double* results, int64_t count, double least_worst,
                   FilterFigures& figures);

// Whether there is a number below normal_min that is not zero.
bool AnySubnormal(const double* x, int64_t count, double normal_min);

}  // namespace cts
