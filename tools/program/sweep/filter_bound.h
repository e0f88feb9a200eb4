// The error that a rule allows, in the numbers that the sweep's filter computes with.
#pragma once

namespace cts {

// The way in which the bound of a rule follows from argument and reference: at least max(least,
// scale * magnitude * (constant + slope * |x|)). The magnitude is 1, that of the reference, as it
// is or raised to normal_min, or its binade.
enum class FilterBoundKind { kOfArgument, kOfReference, kOfRaisedReference, kOfBinade };

struct FilterBound {
  FilterBoundKind kind = FilterBoundKind::kOfArgument;
  double scale = 0, constant = 1, slope = 0, least = 0;
  // POW: the error of y log |x|, in units of its last place, but at least this number of units of
  // |y|. Its `constant` and `slope` have the scale in them.
  double log_scale = 0, log_least = 0;
  // The type.
  double unit = 0;  // 2^-fraction_bits
  double normal_min = 0, max = 0;
  int fraction_bits = 0;
  // The approximation's error.
  double relative = 0;
  // Values are the reference's own results for two numbers of 16 bits or an integer. The distance
  // from a value to a result between half and twice of it is exact (Sterbenz). The distance between
  // numbers below normal_min that are less than 2^53 of their parts apart is exact, too. Any other
  // distance is far from half a unit and from a whole one, the only bounds here, even after
  // rounding.
  bool exact = false;
};

}  // namespace cts
