// Bounds that are a function of all inputs or of their number: RESIZE, REDUCE_PRODUCT.
#include <algorithm>
#include <cmath>

#include "reference/numeric/elementary.h"
#include "reference/precision/precision.h"

namespace cts {

RuledAnswer LargestInputRule(const PrecisionRow& row, const LargestInputPrecision& numbers,
                             const Call& call, Computation& computation, Tensor ref) {
  double greatest = 0;
  const Operand& input = computation.In("input");
  for (int64_t i = 0; i < input.tensor->size(); ++i) {
    greatest = std::max(greatest, std::fabs(input.Element(i)));
  }
  double err = greatest * numbers.relative;
  if (numbers.scale > 0) {
    err = std::max(err, AbsoluteErrorBound(call.dtype("output"), greatest, numbers.scale));
  }
  Tensor bound(DType::kFp64, ref.shape());
  for (int64_t i = 0; i < ref.size(); ++i) bound.SetElement(i, Positive(err));
  return {RuleOf(row, RuleKind::kAbsoluteBound),
          {.expected = std::move(ref), .bound = std::move(bound)}};
}

RuledAnswer ProductRule(const PrecisionRow& row, const ProductPrecision& product, const Call& call,
                        Tensor ref) {
  const FloatFormat& format = Format(call.dtype("output"));
  const int64_t n = call.shape("input")[call.Integer("axis")];
  const double relative =
      Pow(1 + std::ldexp(1, -format.fraction_bits - 1), static_cast<double>(n)) - 1;
  const double least = product.magnitude == Magnitude::kRaisedReference ? format.normal_min() : 0;
  Tensor bound(DType::kFp64, ref.shape());
  for (int64_t i = 0; i < ref.size(); ++i) {
    const double y = std::fabs(ref.Element(i));
    // NaN or infinity of an input, or a product beyond fp64. The formula's bound would be neither a
    // number nor useful.
    if (!std::isfinite(y)) continue;
    const double err = std::max(y, least) * relative;
    bound.SetElement(i, Positive(std::min(err, std::numeric_limits<double>::max())));
  }
  Rule rule = RuleOf(row, RuleKind::kAbsoluteBound);
  rule.clause += StrCat(", n = ", n);
  return {std::move(rule), {.expected = std::move(ref), .bound = std::move(bound)}};
}

}  // namespace cts
