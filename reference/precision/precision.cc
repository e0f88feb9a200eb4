#include "reference/precision/precision.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace cts {
namespace {

Rule ExactRule(const Call& call, std::string_view why) {
  return {.kind = RuleKind::kExact,
          .form = call.edition().Rules(),
          .clause = StrCat(call.edition().id, ", ", call.name(), ": ", why)};
}

Rule UlpRule(const Call& call, double ulp) {
  return {.kind = RuleKind::kUlp,
          .form = call.edition().Rules(),
          .clause = StrCat(call.edition().id, ", ", call.name(), ": within ", ulp, " ulp"),
          .ulp = ulp};
}

bool IsDotProduct(std::string_view op) {
  constexpr std::string_view kNames[] = {
      "AVG_POOL2D",      "CONV2D", "CONV3D", "DEPTHWISE_CONV2D", "FFT2D",
      "FULLY_CONNECTED", "MATMUL", "RFFT2D", "REDUCE_SUM",       "TRANSPOSE_CONV2D"};
  return std::find(std::begin(kNames), std::end(kNames), op) != std::end(kNames);
}

RuledAnswer FloatAnswer(const Operator& op, const Call& call, Computation& computation,
                        const std::string& output, Tensor ref, bool flushed, int data_set) {
  if (IsDotProduct(op.name)) {
    return DotProductRule(op, call, output, std::move(ref), flushed, data_set);
  }
  if (HasElementwiseRule(op.name)) return ElementwiseRule(call, computation, std::move(ref));
  if (op.name == "POW") return PowRule(call, computation, std::move(ref));
  if (op.name == "ERF") return {UlpRule(call, 5), {.expected = std::move(ref)}};
  if (op.name == "ABS" || op.name == "NEGATE") {
    RuledAnswer result{ExactRule(call, "exact; its table for the sign of zero"),
                       {.expected = std::move(ref)}};
    result.rule.zero_sign = true;
    return result;
  }
  if (op.name == "RESIZE") return ResizeRule(call, computation, std::move(ref));
  if (op.name == "CAST" && IsFloat(call.dtype("input"))) return CastRule(call, ref);
  if (op.name == "REDUCE_PRODUCT") return ReduceProductRule(call, std::move(ref));
  if (op.name == "ADD" || op.name == "MUL" || op.name == "SUB" || op.name == "CAST") {
    return {UlpRule(call, 0.5), {.expected = std::move(ref)}};
  }
  // MAX_POOL2D, MAXIMUM, MINIMUM, CLAMP, REDUCE_MAX, REDUCE_MIN, SELECT, CONCAT, CONST, IDENTITY
  // and what moves data: a value of an input, unchanged. The sign of a zero is free: by the own
  // words of the first six, by the comparing function for the rest.
  RuledAnswer result{ExactRule(call, "exact; the sign of zero is ignored"),
                     {.expected = std::move(ref)}};
  if (flushed) {
    Tensor& expected = result.answer.expected;
    for (int64_t i = 0; i < expected.size(); ++i) {
      const double x = expected.Float(i);
      const DType type = call.dtype(output);
      if (Info(type).may_flush && IsSubnormal(type, x)) {
        expected.SetFloat(i, std::copysign(0.0, x));
      }
    }
  }
  return result;
}

RuledAnswer AnswerOf(const Operator& op, const Call& call, Computation& computation,
                     const std::string& output, Tensor ref, bool flushed, int data_set) {
  if (op.name == "RESCALE" && call.Enum("rounding_mode") == "INEXACT_ROUND") {
    return InexactRescaleRule(call, ref);
  }
  if (IsFloat(call.dtype(output))) {
    return FloatAnswer(op, call, computation, output, std::move(ref), flushed, data_set);
  }
  return {ExactRule(call, "integer and boolean results are exact"), {.expected = std::move(ref)}};
}

}  // namespace

std::map<std::string, RuledAnswer> ApplyPrecision(const Operator& op, const Call& call,
                                                  Computation& computation, bool flushed,
                                                  int data_set) {
  std::vector<std::string> outputs;
  for (const auto& [output, ref] : computation.outputs()) outputs.push_back(output);
  std::map<std::string, RuledAnswer> results;
  for (const std::string& output : outputs) {
    RuledAnswer result =
        AnswerOf(op, call, computation, output, computation.Release(output), flushed, data_set);
    result.answer.flushed = flushed;
    results.emplace(output, std::move(result));
  }
  return results;
}

double AbsoluteErrorBound(DType type, double magnitude, double factor, double lower_bound) {
  const FloatFormat& format = Format(type);
  double value = std::max(std::fabs(magnitude), format.normal_min());
  if (lower_bound > 0) value = std::max(lower_bound / factor, value);
  return std::ldexp(value, -format.fraction_bits) * factor;
}

double UlpErrorBound(DType type, double reference, double count) {
  if (reference == 0 || !std::isfinite(reference)) return 0;
  const FloatFormat& format = Format(type);
  const int exponent = std::max(std::ilogb(reference), format.min_exponent);
  return std::ldexp(count, exponent - format.fraction_bits);
}

double BoundOfInfinity(double part) {
  return part < 1 ? 0 : std::numeric_limits<double>::infinity();
}

double Positive(double bound) {
  return bound == 0 ? std::numeric_limits<double>::denorm_min() : bound;
}

}  // namespace cts
