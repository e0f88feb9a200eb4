// CONV3D: conditions and semantics (section Tensor Operators).
#include "reference/ops/operator.h"
#include "reference/ops/sum_of_products.h"
#include "reference/ops/window.h"

namespace cts {

Conditions Conv3dConditions() {
  return {
      {"conv3d.input_zp", ConditionKind::kErrorIf,
       "input_zp is not zero although the input is not i8", InputZeroPointUnlessI8},
      {"conv3d.weight_zp", ConditionKind::kErrorIf,
       "weight_zp is not zero although the weight is not i8", WeightZeroPointUnlessI8},
      {"conv3d.pad_negative", ConditionKind::kErrorIf, "a pad is negative",
       [](const Call& c) { return AnyBelow(c, "pad", 0); }},
      {"conv3d.stride_below_one", ConditionKind::kErrorIf, "a stride is below 1",
       [](const Call& c) { return AnyBelow(c, "stride", 1); }},
      {"conv3d.dilation_below_one", ConditionKind::kErrorIf, "a dilation is below 1",
       [](const Call& c) { return AnyBelow(c, "dilation", 1); }},
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
  const int64_t pad_d0 = call.Integer("pad", 0), pad_top = call.Integer("pad", 2),
                pad_left = call.Integer("pad", 4);
  const int64_t stride_d = call.Integer("stride", 0), stride_y = call.Integer("stride", 1),
                stride_x = call.Integer("stride", 2);
  const int64_t dilation_d = call.Integer("dilation", 0), dilation_y = call.Integer("dilation", 1),
                dilation_x = call.Integer("dilation", 2);

  const SumLayout layout = {.positions = out[0] * out[1] * out[2] * out[3],
                            .columns = out[4],
                            .taps = ker[1] * ker[2] * ker[3],
                            .run = in[4],
                            .weight_column = ker[1] * ker[2] * ker[3] * ker[4],
                            .weight_product = 1,
                            .output_position = out[4]};
  products.Compute(layout, [&](int64_t position, int64_t tap) {
    const int64_t ox = position % out[3], oy = position / out[3] % out[2];
    const int64_t od = position / out[3] / out[2] % out[1];
    const int64_t n = position / out[3] / out[2] / out[1];
    const int64_t d = od * stride_d - pad_d0 + tap / ker[3] / ker[2] * dilation_d;
    const int64_t y = oy * stride_y - pad_top + tap / ker[3] % ker[2] * dilation_y;
    const int64_t x = ox * stride_x - pad_left + tap % ker[3] * dilation_x;
    const bool inside = 0 <= d && d < in[1] && 0 <= y && y < in[2] && 0 <= x && x < in[3];
    return inside ? (((n * in[1] + d) * in[2] + y) * in[3] + x) * in[4] : SumOfProducts::kOutside;
  });
}

}  // namespace cts
