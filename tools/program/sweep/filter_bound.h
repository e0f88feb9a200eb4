// The error that a rule allows, in the form that the sweep's filter uses.
#pragma once

namespace cts {

// How the bound of a rule follows from the argument x and the reference: the bound is at least
// max(least, scale * magnitude * (constant + slope * |x|)). The magnitude is 1 for kOfArgument,
// that of the reference for kOfReference, the same but at least normal_min for kOfRaisedReference,
// and the power of two of its binade for kOfBinade.
enum class FilterBoundKind { kOfArgument, kOfReference, kOfRaisedReference, kOfBinade };

struct FilterBound {
  FilterBoundKind kind = FilterBoundKind::kOfArgument;
  double scale = 0, constant = 1, slope = 0, least = 0;
  // POW: the error of y log |x| is log_scale units in its last place, but at least log_least units
  // of |y|. For POW, `constant` and `slope` already contain the scale.
  double log_scale = 0, log_least = 0;
  // Facts of the result's type.
  double unit = 0;  // 2^-fraction_bits
  double normal_min = 0, max = 0;
  int fraction_bits = 0;
  // The relative error of the filter's approximation.
  double relative = 0;
  // Values are exactly the reference's results, for two numbers of 16 bits or an integer. The
  // computed distance from a value to a result between its half and its double is exact (Sterbenz).
  // It is also exact for numbers below normal_min that are less than 2^53 of their last places
  // apart. The only bounds here are half a unit and one unit; distances that are not computed
  // exactly are far from both, even after rounding.
  bool exact = false;
};

}  // namespace cts
