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

// The least and the greatest integer within the error bound, before they are clipped. The quotient
// is `product` * 2^-shift. The text calculates it in fp64, but does not say in which arithmetic it
// adds. A result that is right in fp64, operation by operation, or in exact numbers is accepted.
struct Ends {
  double least, greatest;
};

Ends EndsOf(double product, int shift, double output_zp) {
  const double quotient = std::ldexp(product, -shift);
  const double err =
      0.5 + std::ldexp(3 * std::fabs(quotient) + std::fabs(quotient + output_zp), -24);
  const double lo = quotient - err + output_zp, hi = quotient + err + output_zp;
  // In units of 2^-(shift + 24) all is an integer. A product of at most 2^63, a zero point of 16
  // bits and a shift of at most 62 stay below 2^104.
  using Wide = __int128;
  const Wide p = static_cast<Wide>(product), zp = static_cast<Wide>(output_zp);
  const Wide from_zero = p + zp * (Wide{1} << shift);
  const Wide one = Wide{1} << (shift + 24);
  const Wide exact_err = one / 2 + 3 * (p < 0 ? -p : p) + (from_zero < 0 ? -from_zero : from_zero);
  const Wide centre = p * (Wide{1} << 24) + zp * one;
  const Wide greatest = (centre + exact_err) >> (shift + 24);  // rounds down
  const Wide least = -((exact_err - centre) >> (shift + 24));
  return {std::min(std::ceil(lo), static_cast<double>(least)),
          std::max(std::floor(hi), static_cast<double>(greatest))};
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
    const Ends ends = EndsOf(x * static_cast<double>(call.Integer("multiplier", c)),
                             static_cast<int>(call.Integer("shift", c)), output_zp);
    least.SetInteger(i, static_cast<int64_t>(std::clamp(ends.least, min, max)));
    greatest.SetInteger(i, static_cast<int64_t>(std::clamp(ends.greatest, min, max)));
  }
  Rule rule = RuleOf(row, RuleKind::kInterval);
  rule.is_unsigned = out_unsigned;
  return {std::move(rule), {.expected = std::move(least), .upper = std::move(greatest)}};
}

}  // namespace cts
