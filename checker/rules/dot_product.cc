#include "checker/rules/dot_product.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/base/float_format.h"

namespace cts {
namespace {

// |result - reference| <= limit * unit in the reals. fp64 rounds the quotient; an error that is
// exactly at the limit must not fail because of that.
bool WithinExactly(double result, double reference, double limit, double unit) {
  const double difference = result - reference;
  const double part = difference - result;
  double rest = (result - (difference - part)) + (-reference - part);
  const double product = limit * unit;
  const double product_rest = std::fma(limit, unit, -product);
  const double magnitude = std::fabs(difference);
  if (difference < 0) rest = -rest;
  return magnitude < product || (magnitude == product && rest <= product_rest);
}

}  // namespace

DotProductElement JudgeDotProductElement(const Rule& rule, Form form, DType dtype, double result,
                                         double reference, double bound) {
  const FloatFormat& format = Format(dtype);
  // 0.100 has no rule for a NaN reference; it must mean the same as 1.0.
  if (std::isnan(reference)) return {.accepted = std::isnan(result)};
  if (std::isnan(bound)) return {.accepted = true};
  const double unit_factor = std::ldexp(1.0, -1 - format.fraction_bits);
  // Whether the dot product may overflow, and then has no limit. The specification does not say how
  // its cast to the type rounds: here every value beyond the greatest finite number counts. 0.100
  // casts to the accumulator's type, which a bundle does not name. The output's type is never
  // wider, so that this reading is the lenient one.
  const double greatest =
      form == Form::kFlushedZeros ? bound * (1 + rule.absolute_limit * unit_factor) : bound;
  if (greatest > format.max) return {.accepted = true};
  if (bound == 0) return {.accepted = reference == 0 && result == 0, .limited = true};

  const double unit = std::max(bound * unit_factor, format.normal_min());
  const double error = (result - reference) / unit;
  // Written so that a NaN result is refused: no comparison with NaN holds.
  const bool accepted =
      std::fabs(error) <= rule.absolute_limit ||
      (std::isfinite(error) && WithinExactly(result, reference, rule.absolute_limit, unit));
  return {.accepted = accepted,
          .limited = true,
          .error = std::isnan(error) ? std::numeric_limits<double>::infinity() : error};
}

bool DotProductFigures::BiasAccepted(const Rule& rule) const {
  return !rule.bias_limit.has_value() || std::fabs(error_sum) <= *rule.bias_limit;
}

bool DotProductFigures::VarianceAccepted(const Rule& rule) const {
  return !rule.variance_limit.has_value() || squared_error_sum <= *rule.variance_limit;
}

}  // namespace cts
