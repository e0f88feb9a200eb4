// The statistical rule of dot products (introduction, Dot product accuracy requirements).
#include <algorithm>
#include <cmath>

#include "reference/ops/dot_product_length.h"
#include "reference/precision/precision.h"

namespace cts {
namespace {

// acc_t of the type row; MATMUL and FULLY_CONNECTED accumulate in out_t.
DType AccumulatorType(const Call& call, DType out_t) {
  return call.row().PlainType("acc_t").value_or(out_t);
}

// RFFT2D counts the dot products of the whole transform, of which it yields about half.
bool EnoughDotProducts(const DotProductPrecision& sum, const Call& call, int64_t outputs) {
  return (sum.counted.empty() ? outputs : ElementCount(call.shape(sum.counted))) >= kMinDotProducts;
}

// Whether the bound is that of an element's own products.
bool BoundIsLocal(const DotProductPrecision& sum, const Call& call) {
  return call.Has("local_bound") ? call.Flag("local_bound") : sum.bound_is_local;
}

bool BiasIsNotZero(const Call& call) {
  if (!call.Has("bias")) return false;
  const std::vector<double> bias = call.values("bias")->Elements();
  return std::any_of(bias.begin(), bias.end(), [](double x) { return x != 0; });
}

}  // namespace

Rule DotProductLimits(const DotProductNumbers& numbers, const std::string& form,
                      int64_t kernel_size, bool bias, DType out_t, DType acc_t, int64_t outputs,
                      bool enough, int data_set) {
  Rule rule{.kind = RuleKind::kDotProduct, .form = form};
  rule.kernel_size = kernel_size;
  rule.data_set = data_set;
  const int extra_bits = Format(acc_t).fraction_bits - Format(out_t).fraction_bits;
  // The number of bits is odd for fp16 out of fp32. Whole-number division follows from the
  // operands' type, and is also the more lenient reading.
  const int spared = numbers.half_of_the_bits ? extra_bits / 2 : extra_bits;
  const double roundings = std::ceil(std::ldexp(static_cast<double>(rule.kernel_size), -spared));
  // 1.0 raises the magnitudes of the bias to normal_min, so that the greatest is always above zero.
  // The text adds one even if an operator has no bias.
  rule.ksb = static_cast<int64_t>(roundings) + (numbers.bias_always_counts || bias ? 1 : 0);
  const double ksb = static_cast<double>(rule.ksb), count = static_cast<double>(outputs);
  const double variance = numbers.variance * ksb;  // VARIANCE_ERROR_BOUND
  rule.absolute_limit = numbers.absolute * ksb;    // ABS_BOUND
  // 1.0: only the data sets of appendix A bind; the statistics mean nothing for others.
  if (enough && (numbers.variance_of_any_data || data_set >= 0)) {
    rule.variance_limit = variance * count;
  }
  if (enough && data_set >= 3) {
    const double of = numbers.error_sum_of_variance ? variance : ksb;
    rule.bias_limit = numbers.error_sum_scale * std::sqrt(numbers.error_sum_radicand * of * count);
  }
  rule.clause = StrCat(numbers.clause, ": KS = ", rule.kernel_size, ", ksb = ", rule.ksb);
  return rule;
}

Computation DotProductBounds(const DotProductPrecision& sum, const DotProductNumbers& numbers,
                             const Operator& op, const Call& call, bool flushed) {
  // The same operator over magnitudes. 1.0 multiplies in the padding and raises every magnitude,
  // the bias's too, to normal_min of in_t. That is 2^-6 for fp8e4m3 although the bias is fp16.
  Computation bound(call, ComputationKind::kBound);
  bound.set_flush(flushed);
  const DType in_t = call.arguments().front().tensors.front()->dtype;
  if (numbers.raise_to_normal_min) bound.set_raise_to(Format(in_t).normal_min());
  // FFT2D's two inputs are one interleaved tensor.
  if (!BoundIsLocal(sum, call)) bound.set_uniform(sum.whole_inputs);
  op.compute(call, bound);
  return bound;
}

RuledAnswer DotProductRule(const PrecisionRow& row, const DotProductPrecision& sum,
                           const DotProductNumbers& numbers, const Call& call,
                           const std::string& output, Tensor ref, Computation& bounds,
                           int data_set) {
  const DType out_t = call.dtype(output);
  const int64_t outputs = ref.size();
  Rule rule = DotProductLimits(numbers, row.form, LengthOf(sum.length, call), BiasIsNotZero(call),
                               out_t, AccumulatorType(call, out_t), outputs,
                               EnoughDotProducts(sum, call, outputs), data_set);
  return {std::move(rule), {.expected = std::move(ref), .bound = bounds.Release(output)}};
}

}  // namespace cts
