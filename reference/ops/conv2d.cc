// CONV2D: conditions and semantics (section Tensor Operators).
#include "reference/ops/convolution.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

StatusOr<Shapes> InferConv2d(const Call& c) {
  const Shape &in = c.shape("input"), &weight = c.shape("weight");  // OC, KH, KW, IC
  return InferOfSizes(
      c, {in[0], ConvolvedSize(c, 0, 1).Size(), ConvolvedSize(c, 1, 2).Size(), weight[0]});
}

}  // namespace

OperatorFacts Conv2dFacts() {
  return {.infer = InferConv2d,
          .keeping = Keeping::kTells,
          .dimensions = Conv2dDimensions,
          .relations = Conv2dRelations};
}

Conditions Conv2dConditions() {
  return {
      {"conv2d.input_zp", ConditionKind::kErrorIf,
       "input_zp is not zero although the input is not i8", InputZeroPointUnlessI8},
      {"conv2d.weight_zp", ConditionKind::kErrorIf,
       "weight_zp is not zero although the weight is not i8", WeightZeroPointUnlessI8},
      {"conv2d.pad_negative", ConditionKind::kErrorIf, "a pad is negative", PadNegative},
      {"conv2d.stride_below_one", ConditionKind::kErrorIf, "a stride is below 1", StrideBelowOne},
      {"conv2d.dilation_below_one", ConditionKind::kErrorIf, "a dilation is below 1",
       DilationBelowOne},
      {"conv2d.output_height", ConditionKind::kErrorIf,
       "OH is not (IH - 1 + pads - (KH - 1) * dilation_y) / stride_y + 1, or that does not divide",
       ConvolvedSizeDiffers<0, 1>},
      {"conv2d.output_width", ConditionKind::kErrorIf,
       "OW is not (IW - 1 + pads - (KW - 1) * dilation_x) / stride_x + 1, or that does not divide",
       ConvolvedSizeDiffers<1, 2>},
      {"conv2d.bias_channels", ConditionKind::kErrorIf, "BC is neither OC nor 1",
       BiasHasOtherChannels},
  };
}

void ComputeConv2d(const Call& call, Computation& computation) {
  SumOfProducts products(call, computation, call.Type("acc_t"));
  const Shape& in = call.shape("input");    // N, IH, IW, IC
  const Shape& ker = call.shape("weight");  // OC, KH, KW, IC
  const Shape& out = call.shape("output");  // N, OH, OW, OC

  const SumLayout layout = {.positions = out[0] * out[1] * out[2],
                            .columns = out[3],
                            .taps = ker[1] * ker[2],
                            .run = in[3],
                            .weight_column = ker[1] * ker[2] * ker[3],
                            .weight_product = 1,
                            .output_position = out[3]};
  products.Compute(layout, ConvolvedOffset<2>(call, 1));
}

}  // namespace cts
