// The statistical rule of dot products (introduction, Dot product accuracy requirements).
#include <algorithm>
#include <cmath>

#include "reference/precision/precision.h"

namespace cts {
namespace {

// KS of appendix A: the length of the dot product.
int64_t KernelSize(const Operator& op, const Call& call) {
  if (op.name == "MATMUL") return call.shape("A")[2];
  if (op.name == "FFT2D" || op.name == "RFFT2D") {
    const Shape& input = call.shape("input_real");  // N, H, W
    return (op.name == "FFT2D" ? 2 : 1) * input[1] * input[2];
  }
  if (op.name == "AVG_POOL2D") return call.Integer("kernel", 0) * call.Integer("kernel", 1);
  if (call.Has("weight")) {
    const Shape& weight = call.shape("weight");
    if (op.name == "DEPTHWISE_CONV2D") return weight[0] * weight[1];  // of KH, KW, C, M
    // CONV2D, CONV3D, FULLY_CONNECTED and TRANSPOSE_CONV2D: all weights of one output channel.
    return ElementCount(weight) / weight[0];
  }
  return call.shape("input")[call.Integer("axis")];  // REDUCE_SUM
}

// acc_t of the type row; MATMUL and FULLY_CONNECTED accumulate in out_t.
DType AccumulatorType(const Call& call, DType out_t) {
  return call.row().Type("acc_t").value_or(out_t);
}

// RFFT2D counts the dot products of the whole transform, of which it yields about half.
bool EnoughDotProducts(const Operator& op, const Call& call, int64_t outputs) {
  return (op.name == "RFFT2D" ? ElementCount(call.shape("input_real")) : outputs) >=
         kMinDotProducts;
}

// Whether the bound is that of an element's own products. Operators without the attribute
// local_bound are taken so; of RVTensor's convolutions, which have none either, as little is known
// as of TOSA's where it is left out.
bool BoundIsLocal(const Call& call) {
  if (call.Has("local_bound")) return call.Flag("local_bound");
  return !call.Is("rvtensor") || call.name() == "FULLY_CONNECTED" || call.name() == "MATMUL";
}

bool BiasIsNotZero(const Call& call) {
  if (!call.Has("bias")) return false;
  const std::vector<double> bias = call.values("bias")->Floats();
  return std::any_of(bias.begin(), bias.end(), [](double x) { return x != 0; });
}

}  // namespace

Rule DotProductLimits(const std::string& edition, int64_t kernel_size, bool bias, DType out_t,
                      DType acc_t, int64_t outputs, bool enough, int data_set) {
  Rule rule{.kind = RuleKind::kDotProduct, .form = edition};
  rule.kernel_size = kernel_size;
  rule.data_set = data_set;
  const int extra_bits = Format(acc_t).fraction_bits - Format(out_t).fraction_bits;
  double roundings = 0;
  if (edition == "tosa-0.100") {
    roundings = std::ceil(std::ldexp(static_cast<double>(rule.kernel_size), -extra_bits));
    rule.ksb = static_cast<int64_t>(roundings) + (bias ? 1 : 0);
    const double ksb = static_cast<double>(rule.ksb), count = static_cast<double>(outputs);
    rule.absolute_limit = ksb;
    // Sets of our own (S = -1) count, too.
    if (enough) rule.variance_limit = 0.4 * ksb * count;
    if (enough && data_set >= 3) rule.bias_limit = 2 * std::sqrt(ksb * count);
  } else {
    // (frac(acc) - frac(out)) / 2 is odd for fp16 out of fp32: whole-number division, as its
    // operands' type has it, is also the more lenient reading.
    roundings = std::ceil(std::ldexp(static_cast<double>(rule.kernel_size), -(extra_bits / 2)));
    // The magnitudes of the bias are raised to normal_min, so that its greatest is always above
    // zero: the text adds one even where an operator has no bias.
    rule.ksb = static_cast<int64_t>(roundings) + 1;
    const double ksb = static_cast<double>(rule.ksb), count = static_cast<double>(outputs);
    const double variance = 4 * 0.4 * ksb;  // VARIANCE_ERROR_BOUND
    rule.absolute_limit = 2 * ksb;          // ABS_BOUND
    // Only the data sets of appendix A bind; the statistics mean nothing for others.
    if (enough && data_set >= 0) rule.variance_limit = variance * count;
    if (enough && data_set >= 3) rule.bias_limit = std::sqrt(10 * variance * count);
  }
  rule.clause = StrCat(edition, ", Dot product accuracy requirements: KS = ", rule.kernel_size,
                       ", ksb = ", rule.ksb);
  return rule;
}

RuledAnswer DotProductRule(const Operator& op, const Call& call, const std::string& output,
                           Tensor ref, bool flushed, int data_set) {
  const bool draft = call.Is("tosa-0.100");
  const DType out_t = call.dtype(output);

  // The same operator over magnitudes. 1.0 multiplies in the padding and raises every magnitude to
  // normal_min of in_t, the bias's too, which is 2^-6 for fp8e4m3 although the bias is fp16.
  Computation bound(call, ComputationKind::kBound);
  bound.set_flush(flushed);
  const DType in_t = call.arguments().front().tensors.front()->dtype;
  if (!draft) bound.set_raise_to(Format(in_t).normal_min());
  // FFT2D's two inputs are one interleaved tensor.
  if (!BoundIsLocal(call)) {
    bound.set_uniform(op.name == "FFT2D"    ? std::vector<std::string>{"input_real", "input_imag"}
                      : op.name == "RFFT2D" ? std::vector<std::string>{"input_real"}
                                            : std::vector<std::string>{"input"});
  }
  op.compute(call, bound);

  const int64_t outputs = ref.size();
  Rule rule = DotProductLimits(call.edition().Rules(), KernelSize(op, call),
                               draft && BiasIsNotZero(call), out_t, AccumulatorType(call, out_t),
                               outputs, EnoughDotProducts(op, call, outputs), data_set);
  return {std::move(rule), {.expected = std::move(ref), .bound = bound.Release(output)}};
}

}  // namespace cts
