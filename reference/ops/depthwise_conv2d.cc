// DEPTHWISE_CONV2D: conditions and semantics (section Tensor Operators).
#include "reference/ops/convolution.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

StatusOr<Shapes> InferDepthwiseConv2d(const Call& c) {
  const Shape &in = c.shape("input"), &weight = c.shape("weight");  // KH, KW, C, M
  return InferOfSizes(c, {in[0], ConvolvedSize(c, 0, 0).Size(), ConvolvedSize(c, 1, 1).Size(),
                          NarrowSize(WideSize{weight[2]} * weight[3])});
}

}  // namespace

OperatorFacts DepthwiseConv2dFacts() {
  return {.infer = InferDepthwiseConv2d,
          .keeping = Keeping::kTells,
          .dimensions = DepthwiseConv2dDimensions,
          .relations = DepthwiseConv2dRelations};
}

Conditions DepthwiseConv2dConditions() {
  return {
      {"depthwise_conv2d.input_zp", ConditionKind::kErrorIf,
       "input_zp is not zero although the input is not i8", InputZeroPointUnlessI8},
      {"depthwise_conv2d.weight_zp", ConditionKind::kErrorIf,
       "weight_zp is not zero although the weight is not i8", WeightZeroPointUnlessI8},
      {"depthwise_conv2d.pad_negative", ConditionKind::kErrorIf, "a pad is negative", PadNegative},
      {"depthwise_conv2d.stride_below_one", ConditionKind::kErrorIf, "a stride is below 1",
       StrideBelowOne},
      {"depthwise_conv2d.dilation_below_one", ConditionKind::kErrorIf, "a dilation is below 1",
       DilationBelowOne},
      {"depthwise_conv2d.output_height", ConditionKind::kErrorIf,
       "OH is not (IH - 1 + pads - (KH - 1) * dilation_y) / stride_y + 1, or that does not divide",
       ConvolvedSizeDiffers<0, 0>},
      {"depthwise_conv2d.output_width", ConditionKind::kErrorIf,
       "OW is not (IW - 1 + pads - (KW - 1) * dilation_x) / stride_x + 1, or that does not divide",
       ConvolvedSizeDiffers<1, 1>},
      {"depthwise_conv2d.bias_channels", ConditionKind::kErrorIf, "BC is neither C * M nor 1",
       BiasHasOtherChannels},
  };
}

void ComputeDepthwiseConv2d(const Call& call, Computation& computation) {
  // 0.100 accumulates in out_t in spite of acc_type. It means acc_t.
  SumOfProducts products(call, computation, call.Type("acc_t"));
  const Shape& in = call.shape("input");    // N, IH, IW, C
  const Shape& ker = call.shape("weight");  // KH, KW, C, M
  const Shape& out = call.shape("output");  // N, OH, OW, C * M

  // Output channel c * M + m takes channel c of the input alone.
  const SumLayout layout = {.positions = out[0] * out[1] * out[2],
                            .columns = ker[3],
                            .taps = ker[0] * ker[1],
                            .weight_column = 1,
                            .weight_product = out[3],
                            .groups = in[3],
                            .value_group = 1,
                            .weight_group = ker[3],
                            .output_position = out[3],
                            .output_group = ker[3]};
  products.Compute(layout, ConvolvedOffset<2>(call, 0));
}

}  // namespace cts
