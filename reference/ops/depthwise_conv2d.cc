// DEPTHWISE_CONV2D: conditions and semantics (section Tensor Operators).
#include "reference/ops/operator.h"
#include "reference/ops/window.h"

namespace cts {

Conditions DepthwiseConv2dConditions() {
  return {
      {"depthwise_conv2d.input_zp", ConditionKind::kErrorIf,
       "input_zp is not zero although the input is not i8", InputZeroPointUnlessI8},
      {"depthwise_conv2d.weight_zp", ConditionKind::kErrorIf,
       "weight_zp is not zero although the weight is not i8", WeightZeroPointUnlessI8},
      {"depthwise_conv2d.pad_negative", ConditionKind::kErrorIf, "a pad is negative",
       [](const Call& c) { return AnyBelow(c, "pad", 0); }},
      {"depthwise_conv2d.stride_below_one", ConditionKind::kErrorIf, "a stride is below 1",
       [](const Call& c) { return AnyBelow(c, "stride", 1); }},
      {"depthwise_conv2d.dilation_below_one", ConditionKind::kErrorIf, "a dilation is below 1",
       [](const Call& c) { return AnyBelow(c, "dilation", 1); }},
      {"depthwise_conv2d.output_height", ConditionKind::kErrorIf,
       "OH is not (IH - 1 + pads - (KH - 1) * dilation_y) / stride_y + 1, or that does not divide",
       ConvolvedSizeDiffers<0, 0>},
      {"depthwise_conv2d.output_width", ConditionKind::kErrorIf,
       "OW is not (IW - 1 + pads - (KW - 1) * dilation_x) / stride_x + 1, or that does not divide",
       ConvolvedSizeDiffers<1, 1>},
      {"depthwise_conv2d.bias_channels", ConditionKind::kErrorIf, "BC is neither C * M nor 1",
       BiasHasOtherChannels},
      {"depthwise_conv2d.level_kernel_y", ConditionKind::kLevel,
       "dilation_y * KH exceeds MAX_KERNEL", DilatedKernelExceedsLevel<0, 0>},
      {"depthwise_conv2d.level_kernel_x", ConditionKind::kLevel,
       "dilation_x * KW exceeds MAX_KERNEL", DilatedKernelExceedsLevel<1, 1>},
      {"depthwise_conv2d.level_pad_top", ConditionKind::kLevel, "pad_top exceeds MAX_KERNEL",
       PadExceedsLevel<0>},
      {"depthwise_conv2d.level_pad_bottom", ConditionKind::kLevel, "pad_bottom exceeds MAX_KERNEL",
       PadExceedsLevel<1>},
      {"depthwise_conv2d.level_pad_left", ConditionKind::kLevel, "pad_left exceeds MAX_KERNEL",
       PadExceedsLevel<2>},
      {"depthwise_conv2d.level_pad_right", ConditionKind::kLevel, "pad_right exceeds MAX_KERNEL",
       PadExceedsLevel<3>},
      {"depthwise_conv2d.level_stride_y", ConditionKind::kLevel, "stride_y exceeds MAX_STRIDE",
       StrideExceedsLevel<0>},
      {"depthwise_conv2d.level_stride_x", ConditionKind::kLevel, "stride_x exceeds MAX_STRIDE",
       StrideExceedsLevel<1>},
  };
}

void ComputeDepthwiseConv2d(const Call& call, Computation& computation) {
  // 0.100 accumulates in out_t in spite of acc_type; acc_t is meant.
  const Products products(call, computation, call.Type("acc_t"));
  const Shape& in = call.shape("input");    // N, IH, IW, C
  const Shape& ker = call.shape("weight");  // KH, KW, C, M
  const Shape& out = call.shape("output");  // N, OH, OW, C * M
  const int64_t pad_top = call.Integer("pad", 0), pad_left = call.Integer("pad", 2);
  const int64_t stride_y = call.Integer("stride", 0), stride_x = call.Integer("stride", 1);
  const int64_t dilation_y = call.Integer("dilation", 0), dilation_x = call.Integer("dilation", 1);

  computation.ForEach("output", [&](auto& a, int64_t i) {
    const int64_t cm = i % out[3], c = cm / ker[3];  // cm = c * M + m
    const int64_t ox = i / out[3] % out[2], oy = i / out[3] / out[2] % out[1];
    const int64_t n = i / out[3] / out[2] / out[1];
    auto acc = a.FromInteger(0);
    for (int64_t ky = 0; ky < ker[0]; ++ky) {
      const int64_t y = oy * stride_y - pad_top + ky * dilation_y;
      for (int64_t kx = 0; kx < ker[1]; ++kx) {
        const int64_t x = ox * stride_x - pad_left + kx * dilation_x;
        const bool inside = 0 <= y && y < in[1] && 0 <= x && x < in[2];
        acc = products.Add(a, acc,
                           inside ? ((n * in[1] + y) * in[2] + x) * in[3] + c : Products::kOutside,
                           (ky * ker[1] + kx) * out[3] + cm);
      }
    }
    return products.WithBias(a, acc, cm);
  });
}

}  // namespace cts
