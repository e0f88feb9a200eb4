// CAST from one floating-point type to another (sections CAST; 0.100: Main Inference precision
// requirements).
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/precision/precision.h"

namespace cts {
namespace {

struct Interval {
  double least, greatest;  // magnitudes
};

// The results of rounding a magnitude toward zero and to nearest, ties either way, with the
// exponent unbounded. An overflow is infinite, which in a format without infinity stands for NaN.
// Below the least subnormal number the text wants zero where rounding to nearest may reach that
// number: both are inside.
Interval TowardZeroOrNearest(DType type, double x) {
  uint64_t bits = EncodeFloatTowardZero(type, x);
  double below = DecodeFloat(type, bits);
  if (!std::isfinite(below)) return {kInfinity, kInfinity};
  if (below == x) return {below, below};
  // The next number up. Past the greatest it is the place where the next binade, or NaN, would
  // begin.
  double above = DecodeFloat(type, bits + 1);
  double gap = above - below;
  if (!std::isfinite(above)) {
    above = kInfinity;
    gap = below - DecodeFloat(type, bits - 1);
  }
  return {below, x - below >= gap / 2 ? above : below};
}

// 0.100 to fp8: the nearest, either one of a tie, saturated.
Interval NearestSaturated(DType type, double x) {
  const double max = Format(type).max;
  // The text does not say what an infinity gives: the greatest number and the format's value for
  // infinity are both inside.
  if (std::isinf(x)) return {max, kInfinity};
  if (x >= max) return {max, max};
  Interval both = TowardZeroOrNearest(type, x);
  const double above = DecodeFloat(type, EncodeFloatTowardZero(type, both.least) + 1);
  if (x - both.least > above - x) both.least = both.greatest;
  // 0.100's comparing function says within 0.5 ulp, which reaches to zero and to the least normal
  // number once the reference's own range does. The pseudocode rounds to a normal value.
  const double normal = Format(type).normal_min(), half = Format(type).subnormal_min() / 2;
  if (x > 0 && x - half < normal) both.least = 0;
  if (x > 0 && x + half < normal) both.greatest = normal;
  return both;
}

}  // namespace

RuledAnswer CastRule(const PrecisionRow& row, IntervalEnds ends, const Call& call,
                     const Tensor& ref) {
  const DType type = call.dtype("output");
  Tensor least(DType::kFp64, ref.shape()), greatest(DType::kFp64, ref.shape());
  for (int64_t i = 0; i < ref.size(); ++i) {
    const double x = ref.Element(i);
    if (std::isnan(x)) {
      least.SetElement(i, x);
      greatest.SetElement(i, x);
      continue;
    }
    const Interval magnitude = ends == IntervalEnds::kNearestSaturated
                                   ? NearestSaturated(type, std::fabs(x))
                                   : TowardZeroOrNearest(type, std::fabs(x));
    const bool negative = std::signbit(x);
    least.SetElement(i, negative ? -magnitude.greatest : magnitude.least);
    greatest.SetElement(i, negative ? -magnitude.least : magnitude.greatest);
  }
  return {RuleOf(row, RuleKind::kInterval),
          {.expected = std::move(least), .upper = std::move(greatest)}};
}

}  // namespace cts
