// What the operators that slide a window over an image share: convolutions and pooling.
#pragma once

#include "reference/ops/broadcast.h"
#include "reference/ops/computation.h"
#include "reference/ops/inference.h"

namespace cts {

// --- Conditions ----------------------------------------------------------------------------------

// Whether element kIndex of a list exceeds what the level allows.
template <int kIndex>
bool PadExceedsLevel(const Call& c) {
  return c.Integer("pad", kIndex) > c.level().Max("MAX_KERNEL");
}
template <int kIndex>
bool StrideExceedsLevel(const Call& c) {
  return c.Integer("stride", kIndex) > c.level().Max("MAX_STRIDE");
}

// The text of 0.100 and 1.0 compares weight_t of some operators with int8_t, which no type row has:
// i8_t is meant.
inline bool InputZeroPointUnlessI8(const Call& c) {
  return c.dtype("input") != DType::kI8 && c.Number("input_zp") != 0;
}
inline bool WeightZeroPointUnlessI8(const Call& c) {
  return c.dtype("weight") != DType::kI8 && c.Number("weight_zp") != 0;
}

// BC is neither the number of output channels nor 1.
inline bool BiasHasOtherChannels(const Call& c) {
  const int64_t bc = c.shape("bias")[0];
  return bc != 1 && bc != c.shape("output").back();
}

// Spatial axis kAxis of a convolution, of which the weight has the size at kWeightAxis: whether the
// output's size is another than (in - 1 + pads - (kernel - 1) * dilation) / stride + 1.
template <int kAxis, int kWeightAxis>
bool ConvolvedSizeDiffers(const Call& c) {
  if (c.Integer("stride", kAxis) < 1) return false;  // another condition's business
  return ConvolvedSize(c, kAxis, kWeightAxis) != c.shape("output")[1 + kAxis];
}
template <int kAxis, int kWeightAxis>
bool DilatedKernelExceedsLevel(const Call& c) {
  return c.Integer("dilation", kAxis) * c.shape("weight")[kWeightAxis] >
         c.level().Max("MAX_KERNEL");
}

// --- Semantics -----------------------------------------------------------------------------------

// The innermost step of every convolution's pseudocode, and its last: products summed in acc_t,
// then the bias in out_t.
class Products {
 public:
  Products(const Call& call, Computation& computation, DType acc_t)
      : input_(computation.In("input")),
        weight_(computation.In("weight")),
        bias_(computation.In("bias")),
        one_bias_(call.shape("bias")[0] == 1),
        acc_t_(acc_t),
        out_t_(call.Type("out_t")),
        // Zero unless i8, so that subtracting them changes no floating-point value.
        input_zp_(static_cast<int64_t>(call.Number("input_zp"))),
        weight_zp_(static_cast<int64_t>(call.Number("weight_zp"))) {}

  // Where the input has no element: in the padding, between strided elements.
  static constexpr int64_t kOutside = -1;

  // acc + value * weight_el. Outside of the input the value is zero, and the product skipped unless
  // extra multiplies are on.
  template <class A>
  typename A::Value Add(A& a, typename A::Value acc, int64_t input_offset,
                        int64_t weight_offset) const {
    if (input_offset == kOutside && !a.extra_multiplies) return acc;
    auto value = a.FromInteger(0);
    if (input_offset != kOutside) {
      value = a.Cast(acc_t_, a.Load(input_, input_offset));
      value = a.Sub(acc_t_, value, a.FromInteger(input_zp_));
    }
    auto weight_el = a.Cast(acc_t_, a.Load(weight_, weight_offset));
    weight_el = a.Sub(acc_t_, weight_el, a.FromInteger(weight_zp_));
    return a.Add(acc_t_, acc, a.Mul(acc_t_, value, weight_el));
  }

  template <class A>
  typename A::Value WithBias(A& a, typename A::Value acc, int64_t channel) const {
    return a.Add(out_t_, a.Cast(out_t_, acc), a.Load(bias_, one_bias_ ? 0 : channel));
  }

 private:
  const Operand &input_, &weight_, &bias_;
  const bool one_bias_;
  const DType acc_t_, out_t_;
  const int64_t input_zp_, weight_zp_;
};

}  // namespace cts
