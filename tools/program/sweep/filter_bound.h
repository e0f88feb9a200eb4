// The error that a rule allows, in the form that the sweep's filter uses.
#pragma once

namespace cts {

// How the bound of a rule follows from the argument x and the reference: the bound is at least
// max(least, scale * magnitude * (constant + slope * |x|)). For kOfArgument, the magnitude is 1.
// For kOfReference, it is the reference's magnitude. For kOfRaisedReference, it is the reference's
// magnitude, but at least normal_min. For kOfBinade, it is the greatest power of two that does not
// exceed the reference's magnitude, but at least normal_min.
enum class FilterBoundKind { kOfArgument, kOfReference, kOfRaisedReference, kOfBinade };

struct FilterBound {
  FilterBoundKind kind = FilterBoundKind::kOfArgument;
  double scale = 0, constant = 1, slope = 0, least = 0;
  // In the formula for POW, y log |x| replaces x, and `unit` replaces `scale`, since `constant` and
  // `slope` already contain the scale of the rule. The error of y log |x| is
  // unit * max(log_scale * |y log |x||, log_least * |y|).
  double log_scale = 0, log_least = 0;
  // Facts of the result's type.
  double unit = 0;  // 2^-fraction_bits
  double normal_min = 0, max = 0;
  int fraction_bits = 0;
  // The relative error of the filter's approximation.
  double relative = 0;
  // Whether the filter's values are exactly the reference's results, as for functions of two
  // numbers of 16 bits and for CAST of an integer. The computed distance from a value to a result
  // is exact if the result is between half the value and twice the value (Sterbenz). The distance
  // is also exact if value and result are multiples of one power of two, and the distance is less
  // than 2^53 times that power. This is so for sums below normal_min. The only bounds of exact
  // functions are 0, half a unit and one unit. Distances that are not computed exactly are far from
  // these three bounds, even after rounding.
  bool exact = false;
};

}  // namespace cts
