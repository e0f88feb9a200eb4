// Operators whose bound is a function of all inputs or of the reference: RESIZE, REDUCE_PRODUCT.
#include <algorithm>
#include <cmath>

#include "reference/numeric/elementary.h"
#include "reference/precision/precision.h"

namespace cts {

RuledAnswer ResizeRule(const Call& call, Computation& computation, Tensor ref) {
  const bool draft = call.Is("tosa-0.100");
  const DType type = call.dtype("output");
  double greatest = 0;
  const Operand& input = computation.In("input");
  for (int64_t i = 0; i < input.tensor->size(); ++i) {
    greatest = std::max(greatest, std::fabs(input.Float(i)));
  }
  double err = greatest * 0.006;
  if (!draft) err = std::max(err, AbsoluteErrorBound(type, greatest, 20));
  Tensor bound(DType::kFp64, ref.shape());
  for (int64_t i = 0; i < ref.size(); ++i) bound.SetFloat(i, Positive(err));
  Rule rule{.kind = RuleKind::kAbsoluteBound,
            .form = call.edition().Rules(),
            .clause = StrCat(call.edition().id, ", RESIZE: within 0.006 of the largest magnitude",
                             draft ? "" : ", or 20 units in the last place of it")};
  return {std::move(rule), {.expected = std::move(ref), .bound = std::move(bound)}};
}

RuledAnswer ReduceProductRule(const Call& call, Tensor ref) {
  const bool draft = call.Is("tosa-0.100");
  const DType type = call.dtype("output");
  const FloatFormat& format = Format(type);
  const int64_t n = call.shape("input")[call.Integer("axis")];
  const double relative =
      Pow(1 + std::ldexp(1, -format.fraction_bits - 1), static_cast<double>(n)) - 1;
  Tensor bound(DType::kFp64, ref.shape());
  for (int64_t i = 0; i < ref.size(); ++i) {
    const double y = std::fabs(ref.Float(i));
    // NaN and infinity: of an input, or a product beyond fp64. The formula's bound would be neither
    // a number nor of use.
    if (!std::isfinite(y)) continue;
    const double err = (draft ? y : std::max(y, format.normal_min())) * relative;
    bound.SetFloat(i, Positive(std::min(err, std::numeric_limits<double>::max())));
  }
  Rule rule{.kind = RuleKind::kAbsoluteBound,
            .form = call.edition().Rules(),
            .clause = StrCat(call.edition().id, ", REDUCE_PRODUCT: within ",
                             draft ? "|ref|" : "max(|ref|, normal_min)",
                             " * ((1 + 2^-(frac + 1))^n - 1), n = ", n)};
  return {std::move(rule), {.expected = std::move(ref), .bound = std::move(bound)}};
}

}  // namespace cts
