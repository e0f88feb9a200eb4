// CONV2D: conditions and semantics (section Tensor Operators).
#include "reference/ops/broadcast.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// The pseudocode's idiv_check(numerator, stride) + 1, and whether it divides.
bool OutputSizeDiffers(int64_t out, int64_t in, int64_t pads, int64_t kernel, int64_t dilation,
                       int64_t stride) {
  if (stride < 1) return false;  // another condition's business
  const int64_t numerator = in - 1 + pads - (kernel - 1) * dilation;
  return numerator % stride != 0 || out != numerator / stride + 1;
}

}  // namespace

Conditions Conv2dConditions() {
  return {
      {"conv2d.input_zp", ConditionKind::kErrorIf,
       "input_zp is not zero although the input is not i8",
       [](const Call& c) { return c.dtype("input") != DType::kI8 && c.Number("input_zp") != 0; }},
      // The text compares weight_t with int8_t, which no type row has: i8_t is meant.
      {"conv2d.weight_zp", ConditionKind::kErrorIf,
       "weight_zp is not zero although the weight is not i8",
       [](const Call& c) { return c.dtype("weight") != DType::kI8 && c.Number("weight_zp") != 0; }},
      {"conv2d.pad_negative", ConditionKind::kErrorIf, "a pad is negative",
       [](const Call& c) { return AnyBelow(c, "pad", 0); }},
      {"conv2d.stride_below_one", ConditionKind::kErrorIf, "a stride is below 1",
       [](const Call& c) { return AnyBelow(c, "stride", 1); }},
      {"conv2d.dilation_below_one", ConditionKind::kErrorIf, "a dilation is below 1",
       [](const Call& c) { return AnyBelow(c, "dilation", 1); }},
      {"conv2d.output_height", ConditionKind::kErrorIf,
       "OH is not (IH - 1 + pads - (KH - 1) * dilation_y) / stride_y + 1, or that does not divide",
       [](const Call& c) {
         return OutputSizeDiffers(c.shape("output")[1], c.shape("input")[1],
                                  c.Integer("pad", 0) + c.Integer("pad", 1), c.shape("weight")[1],
                                  c.Integer("dilation", 0), c.Integer("stride", 0));
       }},
      {"conv2d.output_width", ConditionKind::kErrorIf,
       "OW is not (IW - 1 + pads - (KW - 1) * dilation_x) / stride_x + 1, or that does not divide",
       [](const Call& c) {
         return OutputSizeDiffers(c.shape("output")[2], c.shape("input")[2],
                                  c.Integer("pad", 2) + c.Integer("pad", 3), c.shape("weight")[2],
                                  c.Integer("dilation", 1), c.Integer("stride", 1));
       }},
      {"conv2d.bias_channels", ConditionKind::kErrorIf, "BC is neither OC nor 1",
       [](const Call& c) {
         const int64_t bc = c.shape("bias")[0];
         return bc != 1 && bc != c.shape("output")[3];
       }},
      {"conv2d.level_kernel_y", ConditionKind::kLevel, "dilation_y * KH exceeds MAX_KERNEL",
       [](const Call& c) {
         return c.Integer("dilation", 0) * c.shape("weight")[1] > c.level().Max("MAX_KERNEL");
       }},
      {"conv2d.level_kernel_x", ConditionKind::kLevel, "dilation_x * KW exceeds MAX_KERNEL",
       [](const Call& c) {
         return c.Integer("dilation", 1) * c.shape("weight")[2] > c.level().Max("MAX_KERNEL");
       }},
      {"conv2d.level_pad_top", ConditionKind::kLevel, "pad_top exceeds MAX_KERNEL",
       [](const Call& c) { return c.Integer("pad", 0) > c.level().Max("MAX_KERNEL"); }},
      {"conv2d.level_pad_bottom", ConditionKind::kLevel, "pad_bottom exceeds MAX_KERNEL",
       [](const Call& c) { return c.Integer("pad", 1) > c.level().Max("MAX_KERNEL"); }},
      {"conv2d.level_pad_left", ConditionKind::kLevel, "pad_left exceeds MAX_KERNEL",
       [](const Call& c) { return c.Integer("pad", 2) > c.level().Max("MAX_KERNEL"); }},
      {"conv2d.level_pad_right", ConditionKind::kLevel, "pad_right exceeds MAX_KERNEL",
       [](const Call& c) { return c.Integer("pad", 3) > c.level().Max("MAX_KERNEL"); }},
      {"conv2d.level_stride_y", ConditionKind::kLevel, "stride_y exceeds MAX_STRIDE",
       [](const Call& c) { return c.Integer("stride", 0) > c.level().Max("MAX_STRIDE"); }},
      {"conv2d.level_stride_x", ConditionKind::kLevel, "stride_x exceeds MAX_STRIDE",
       [](const Call& c) { return c.Integer("stride", 1) > c.level().Max("MAX_STRIDE"); }},
  };
}

void ComputeConv2d(const Call& call, Computation& computation) {
  const Operand& input = computation.In("input");
  const Operand& weight = computation.In("weight");
  const Operand& bias = computation.In("bias");
  const Shape& in = call.shape("input");    // N, IH, IW, IC
  const Shape& ker = call.shape("weight");  // OC, KH, KW, IC
  const Shape& out = call.shape("output");  // N, OH, OW, OC
  const int64_t bc = call.shape("bias")[0];
  const int64_t pad_top = call.Integer("pad", 0), pad_left = call.Integer("pad", 2);
  const int64_t stride_y = call.Integer("stride", 0), stride_x = call.Integer("stride", 1);
  const int64_t dilation_y = call.Integer("dilation", 0), dilation_x = call.Integer("dilation", 1);
  const DType acc_t = call.Type("acc_t"), out_t = call.Type("out_t");
  // Zero unless i8, so that subtracting it changes no floating-point value.
  const int64_t input_zp = static_cast<int64_t>(call.Number("input_zp"));
  const int64_t weight_zp = static_cast<int64_t>(call.Number("weight_zp"));

  computation.ForEach("output", [&](auto& a, int64_t i) {
    const int64_t oc = i % out[3], ox = i / out[3] % out[2], oy = i / out[3] / out[2] % out[1];
    const int64_t n = i / out[3] / out[2] / out[1];
    auto acc = a.FromInteger(0);
    for (int64_t ky = 0; ky < ker[1]; ++ky) {
      const int64_t y = oy * stride_y - pad_top + ky * dilation_y;
      for (int64_t kx = 0; kx < ker[2]; ++kx) {
        const int64_t x = ox * stride_x - pad_left + kx * dilation_x;
        const bool inside = 0 <= y && y < in[1] && 0 <= x && x < in[2];
        if (!inside && !a.extra_multiplies) continue;
        for (int64_t ic = 0; ic < in[3]; ++ic) {
          auto value = a.FromInteger(0);
          if (inside) {
            value = a.Load(input, ((n * in[1] + y) * in[2] + x) * in[3] + ic);
            value = a.Sub(acc_t, a.Cast(acc_t, value), a.FromInteger(input_zp));
          }
          auto weight_el = a.Load(weight, ((oc * ker[1] + ky) * ker[2] + kx) * ker[3] + ic);
          weight_el = a.Sub(acc_t, a.Cast(acc_t, weight_el), a.FromInteger(weight_zp));
          acc = a.Add(acc_t, acc, a.Mul(acc_t, value, weight_el));
        }
      }
    }
    return a.Add(out_t, a.Cast(out_t, acc), a.Load(bias, bc == 1 ? 0 : oc));
  });
}

}  // namespace cts
