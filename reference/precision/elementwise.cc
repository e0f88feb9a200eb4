// Bounds per element that are made of the numbers of a row.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/precision/precision.h"

namespace cts {
namespace {

bool IsSpecial(double x) { return x == 0 || !std::isfinite(x); }

// The exponent of 2 in the unit. For odd frac, exp2(-frac / 2) is read as a division of whole
// numbers: that is more lenient, and the type of exp2's argument turns the other reading into it.
int UnitExponent(const ElementwisePrecision& numbers, DType type) {
  const int frac = Format(type).fraction_bits;
  return -(numbers.half_of_the_fraction ? frac / 2 : frac);
}

// The bound at an argument that no table has.
double BoundAt(const ElementwisePrecision& numbers, DType type, double x, double ref) {
  const double factor = BoundFactor(numbers, type, x);
  if (std::isinf(ref)) {
    const bool grows = numbers.magnitude != Magnitude::kOne;
    return BoundOfInfinity(grows ? std::ldexp(factor, UnitExponent(numbers, type)) : 0);
  }
  // Without a table there is no limit for an infinite argument.
  if (std::isinf(factor)) return kGreatestDouble;
  // If a finite reference has a bound beyond fp64, every finite result is within it.
  return Positive(std::min(ScaledBound(numbers, type, factor, ref), kGreatestDouble));
}

}  // namespace

double BoundFactor(const ElementwisePrecision& numbers, DType type, double x) {
  const double constant = numbers.Constant(type);
  return numbers.scale * (numbers.slope == 0 ? constant : constant + numbers.slope * std::fabs(x));
}

double ScaledBound(const ElementwisePrecision& numbers, DType type, double factor, double ref) {
  const int unit = UnitExponent(numbers, type);
  const double least = std::max(std::ldexp(numbers.least, unit),
                                numbers.least_normal_min * Format(type).normal_min());
  switch (numbers.magnitude) {
    case Magnitude::kOne:
      return std::max(std::ldexp(factor, unit), least);
    case Magnitude::kReference:
      return std::max(std::ldexp(std::fabs(ref), unit) * factor, least);
    case Magnitude::kRaisedReference:
      // The helper divides `least` by the factor before it multiplies, which rounds differently.
      return AbsoluteErrorBound(type, ref, factor, numbers.least);
    case Magnitude::kBinade:
      break;
  }
  return std::max(UlpErrorBound(type, ref, factor), least);
}

RuledAnswer ElementwiseRule(const PrecisionRow& row, const ElementwisePrecision& numbers,
                            const Call& call, Computation& computation, const std::string& output,
                            Tensor ref) {
  const DType type = call.dtype(output);
  // COS and SIN call their operand "input" in 0.100, as the activation functions always do.
  const Operand* const input =
      numbers.NeedsArgument() ? &computation.In(call.Has("input1") ? "input1" : "input") : nullptr;
  Tensor bound(DType::kFp64, ref.shape());
  for (int64_t i = 0; i < ref.size(); ++i) {
    const double x = input == nullptr ? 0 : input->Element(i), y = ref.Element(i);
    // A NaN has no tolerance: any NaN, and nothing else.
    if (std::isnan(y) || (numbers.table && IsSpecial(x))) continue;
    bound.SetElement(i, BoundAt(numbers, type, x, y));
  }
  return {RuleOf(row, RuleKind::kAbsoluteBound),
          {.expected = std::move(ref), .bound = std::move(bound)}};
}

RuledAnswer RelativeAndAbsoluteRule(const PrecisionRow& row,
                                    const RelativeAndAbsolutePrecision& numbers, Tensor ref) {
  Tensor bound(DType::kFp64, ref.shape());
  for (int64_t i = 0; i < ref.size(); ++i) {
    const double y = ref.Element(i);
    if (std::isnan(y)) continue;
    const double error = numbers.absolute + numbers.relative * std::fabs(y);
    bound.SetElement(i, std::isinf(y) ? BoundOfInfinity(numbers.relative)
                                      : Positive(std::min(error, kGreatestDouble)));
  }
  return {RuleOf(row, RuleKind::kAbsoluteBound),
          {.expected = std::move(ref), .bound = std::move(bound)}};
}

}  // namespace cts
