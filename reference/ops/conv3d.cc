// CONV3D: conditions and semantics (section Tensor Operators).
#include "reference/ops/convolution.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

StatusOr<Shapes> InferConv3d(const Call& c) {
  const Shape &in = c.shape("input"), &weight = c.shape("weight");  // OC, KD, KH, KW, IC
  return InferOfSizes(c, {in[0], ConvolvedSize(c, 0, 1).Size(), ConvolvedSize(c, 1, 2).Size(),
                          ConvolvedSize(c, 2, 3).Size(), weight[0]});
}

}  // namespace

OperatorFacts Conv3dFacts() {
  return {.infer = InferConv3d,
          .keeping = Keeping::kTells,
          .dimensions = Conv3dDimensions,
          .relations = Conv3dRelations};
}

Conditions Conv3dConditions() {
  return {
      {"conv3d.input_zp", ConditionKind::kErrorIf,
       "input_zp is not zero although the input is not i8", InputZeroPointUnlessI8},
      {"conv3d.weight_zp", ConditionKind::kErrorIf,
       "weight_zp is not zero although the weight is not i8", WeightZeroPointUnlessI8},
      {"conv3d.pad_negative", ConditionKind::kErrorIf, "a pad is negative", PadNegative},
      {"conv3d.stride_below_one", ConditionKind::kErrorIf, "a stride is below 1", StrideBelowOne},
      {"conv3d.dilation_below_one", ConditionKind::kErrorIf, "a dilation is below 1",
       DilationBelowOne},
      {"conv3d.output_depth", ConditionKind::kErrorIf,
       "OD is not (ID - 1 + pads - (KD - 1) * dilation_d) / stride_d + 1, or that does not divide",
       ConvolvedSizeDiffers<0, 1>},
      {"conv3d.output_height", ConditionKind::kErrorIf,
       "OH is not (IH - 1 + pads - (KH - 1) * dilation_y) / stride_y + 1, or that does not divide",
       ConvolvedSizeDiffers<1, 2>},
      {"conv3d.output_width", ConditionKind::kErrorIf,
       "OW is not (IW - 1 + pads - (KW - 1) * dilation_x) / stride_x + 1, or that does not divide",
       ConvolvedSizeDiffers<2, 3>},
      {"conv3d.bias_channels", ConditionKind::kErrorIf, "BC is neither OC nor 1",
       BiasHasOtherChannels},
  };
}

void ComputeConv3d(const Call& call, Computation& computation) {
  // 0.100 accumulates in out_t in spite of acc_type. It means acc_t.
  SumOfProducts products(call, computation, call.Type("acc_t"));
  const Shape& in = call.shape("input");    // N, ID, IH, IW, IC
  const Shape& ker = call.shape("weight");  // OC, KD, KH, KW, IC
  const Shape& out = call.shape("output");  // N, OD, OH, OW, OC

  const SumLayout layout = {.positions = out[0] * out[1] * out[2] * out[3],
                            .columns = out[4],
                            .taps = ker[1] * ker[2] * ker[3],
                            .run = in[4],
                            .weight_column = ker[1] * ker[2] * ker[3] * ker[4],
                            .weight_product = 1,
                            .output_position = out[4]};
  products.Compute(layout, ConvolvedOffset<3>(call, 1));
}

}  // namespace cts
