#include "reference/precision/precision.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include "reference/base/overloaded.h"

namespace cts {
namespace {

// Integers, and floating-point numbers that are a value of an input, unchanged. The sign of a zero
// is free unless the row says otherwise. Some operators' own text leaves it free, the comparing
// function the rest.
RuledAnswer ExactRule(const PrecisionRow& row, DType type, Tensor ref, bool flushed) {
  RuledAnswer result{RuleOf(row, RuleKind::kExact), {.expected = std::move(ref)}};
  if (!IsFloat(type)) result.rule.zero_choice.clear();
  if (!flushed || !Info(type).may_flush) return result;
  Tensor& expected = result.answer.expected;
  for (int64_t i = 0; i < expected.size(); ++i) {
    const double x = expected.Element(i);
    if (IsSubnormal(type, x)) expected.SetElement(i, std::copysign(0.0, x));
  }
  return result;
}

RuledAnswer UlpRule(const PrecisionRow& row, double scale, Tensor ref) {
  RuledAnswer result{RuleOf(row, RuleKind::kUlp), {.expected = std::move(ref)}};
  result.rule.ulp = scale;
  return result;
}

// The bound run of a dot product, which serves all outputs that have the same row.
struct Bounds {
  const PrecisionRow* row = nullptr;
  std::optional<Computation> run;
};

RuledAnswer AnswerOf(const PrecisionTable& table, const PrecisionRow& row, const Operator& op,
                     const Call& call, Computation& computation, Bounds& bounds,
                     const std::string& output, Tensor ref, bool flushed, int data_set) {
  const auto dot_product = [&](const DotProductPrecision& sum) {
    if (bounds.row != &row) {
      bounds.run.emplace(DotProductBounds(sum, *table.dot_products(), op, call, flushed));
      bounds.row = &row;
    }
    return DotProductRule(row, sum, *table.dot_products(), call, output, std::move(ref),
                          *bounds.run, data_set);
  };
  return std::visit(
      Overloaded{[&](const ExactPrecision&) {
                   return ExactRule(row, call.dtype(output), std::move(ref), flushed);
                 },
                 [&](const UlpPrecision& ulp) { return UlpRule(row, ulp.scale, std::move(ref)); },
                 [&](const ElementwisePrecision& numbers) {
                   return ElementwiseRule(row, numbers, call, computation, output, std::move(ref));
                 },
                 [&](const RelativeAndAbsolutePrecision& numbers) {
                   return RelativeAndAbsoluteRule(row, numbers, std::move(ref));
                 },
                 [&](const PowerPrecision& power) {
                   return PowerRule(row, power, call, computation, std::move(ref));
                 },
                 [&](const LargestInputPrecision& numbers) {
                   return LargestInputRule(row, numbers, call, computation, std::move(ref));
                 },
                 [&](const ProductPrecision& product) {
                   return ProductRule(row, product, call, std::move(ref));
                 },
                 [&](const IntervalPrecision& interval) {
                   return interval.ends == IntervalEnds::kInexactRescale
                              ? InexactRescaleRule(row, call, ref)
                              : CastRule(row, interval.ends, call, ref);
                 },
                 dot_product},
      row.precision);
}

}  // namespace

StatusOr<std::map<std::string, RuledAnswer>> ApplyPrecision(const Operator& op, const Call& call,
                                                            Computation& computation, bool flushed,
                                                            int data_set) {
  CTS_ASSIGN_OR_RETURN(const PrecisionTable* table, PrecisionOf(call.edition()));
  std::vector<std::string> outputs;
  for (const auto& [output, ref] : computation.outputs()) outputs.push_back(output);
  std::map<std::string, RuledAnswer> results;
  Bounds bounds;
  for (const std::string& output : outputs) {
    CTS_ASSIGN_OR_RETURN(
        const PrecisionRow* row,
        table->Find(call.given().name, call.row(), call.dtype(output),
                    [&](const std::string& attribute) { return call.Enum(attribute); }));
    RuledAnswer result = AnswerOf(*table, *row, op, call, computation, bounds, output,
                                  computation.Release(output), flushed, data_set);
    result.answer.flushed = flushed;
    results.emplace(output, std::move(result));
  }
  return results;
}

Rule RuleOf(const PrecisionRow& row, RuleKind kind) {
  return {.kind = kind,
          .form = row.form,
          .clause = row.clause,
          .zero_sign = row.zero_sign,
          .zero_choice = row.zero_choice};
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
