// RESCALE with INEXACT_ROUND: an interval around the real quotient (section RESCALE).
#include <algorithm>
#include <cmath>

#include "reference/precision/precision.h"

namespace cts {
namespace {

// The value of a stored integer, unsigned where the operator says so.
double Extended(int64_t value, DType type, bool is_unsigned) {
  if (is_unsigned && value < 0) value += int64_t{1} << Info(type).bits;
  return static_cast<double>(value);
}

}  // namespace

RuledAnswer InexactRescaleRule(const PrecisionRow& row, const Call& call, const Tensor& ref) {
  const DType in_t = call.dtype("input"), out_t = call.dtype("output");
  const bool in_unsigned = call.Flag("input_unsigned"), out_unsigned = call.Flag("output_unsigned");
  const double input_zp = Extended(call.Integer("input_zp"), in_t, in_unsigned);
  const double output_zp = Extended(call.Integer("output_zp"), out_t, out_unsigned);
  // The text clips to the signed range even if the output is unsigned. It means the range to which
  // the operator itself clips.
  const double min = out_unsigned ? 0 : static_cast<double>(IntegerMin(out_t));
  const double max =
      out_unsigned ? std::ldexp(1.0, Info(out_t).bits) - 1 : static_cast<double>(IntegerMax(out_t));
  const Tensor& input = *call.values("input");
  const int64_t channels = call.Flag("per_channel") ? call.shape("input").back() : 1;
  Tensor least(out_t, ref.shape()), greatest(out_t, ref.shape());
  for (int64_t i = 0; i < ref.size(); ++i) {
    const int64_t c = i % channels;
    const double x = Extended(input.Integer(i), in_t, in_unsigned) - input_zp;
    const double scaled = std::ldexp(x * static_cast<double>(call.Integer("multiplier", c)),
                                     -static_cast<int>(call.Integer("shift", c)));
    const double err = 0.5 + std::ldexp(3 * std::fabs(scaled) + std::fabs(scaled + output_zp), -24);
    // Ends are widened by one fp64 step before they are rounded inward. The text does not say in
    // which arithmetic it adds, and that must not exclude a right result.
    const double lo = std::nextafter(scaled - err + output_zp, -INFINITY);
    const double hi = std::nextafter(scaled + err + output_zp, INFINITY);
    least.SetInteger(i, static_cast<int64_t>(std::clamp(std::ceil(lo), min, max)));
    greatest.SetInteger(i, static_cast<int64_t>(std::clamp(std::floor(hi), min, max)));
  }
  Rule rule = RuleOf(row, RuleKind::kInterval);
  rule.is_unsigned = out_unsigned;
  return {std::move(rule), {.expected = std::move(least), .upper = std::move(greatest)}};
}

}  // namespace cts
