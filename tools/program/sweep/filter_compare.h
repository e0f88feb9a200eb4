// Computes the error bounds of the sweep's filter, and compares results with the filter's values.
#pragma once

#include <cstdint>

#include "checker/rules/ulp_histogram.h"
#include "tools/program/sweep/filter_bound.h"

namespace cts {

// The greatest number of elements in one call. Arrays have room for this number.
inline constexpr int64_t kFilterBlock = 512;

// The errors that the filter measures differ from the checker's by less than this fraction of a
// unit in the last place. The filter counts errors below this fraction as 0.
inline constexpr double kFilterResolution = 0x1p-20;

// The filter's findings about the elements of one call.
struct FilterFigures {
  int64_t clear = 0;                          // elements that the filter accepts
  int64_t above[UlpHistogram::kEnds.size()];  // accepted elements with an error above kEnds[k]
  int64_t doubtful_count = 0;
  uint16_t doubtful[kFilterBlock];  // positions of the elements that are not accepted, in order
  int64_t candidate_count = 0;
  uint16_t candidates[kFilterBlock];  // positions of accepted elements with an error above
                                      // `least_worst`, in order
  double errors[kFilterBlock];  // of all elements, in ulp; 0 for elements that are not accepted
  double worst;                 // the greatest of `errors`
};

// Sets bounds[i] to a lower bound of the error that the rule allows for argument x[i] and value
// values[i].
void FilterBounds(const FilterBound& bound, const double* x, const double* values, int64_t count,
                  double* bounds);

// If possible, computes the same figures as FilterCompare, in less than half of the time, and
// returns true. Returns false if an error is above `least_worst` or above the bound that the rule
// surely allows, or if a value is special or near a power of two.
bool FilterSettle(const FilterBound& bound, const double* x, const double* values,
                  const double* results, int64_t count, double least_worst, FilterFigures& figures);

// Judges results by the values and bounds.
void FilterCompare(const FilterBound& bound, const double* values, const double* bounds,
                   const double* results, int64_t count, double least_worst,
                   FilterFigures& figures);

// Whether at least one number is not zero and has a magnitude below normal_min.
bool AnySubnormal(const double* x, int64_t count, double normal_min);

}  // namespace cts
