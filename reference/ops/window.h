// Conditions of the operators that slide a window over an image: convolutions and pooling.
#pragma once

#include "reference/ops/broadcast.h"
#include "reference/ops/computation.h"
#include "reference/ops/inference.h"

namespace cts {

// The text of 0.100 and 1.0 compares weight_t of some operators with int8_t, which no type row has.
// It means i8_t.
inline bool InputZeroPointUnlessI8(const Call& c) {
  return c.dtype("input") != DType::kI8 && c.Number("input_zp") != 0;
}
inline bool WeightZeroPointUnlessI8(const Call& c) {
  return c.dtype("weight") != DType::kI8 && c.Number("weight_zp") != 0;
}

// BC is neither the number of output channels nor 1.
inline bool BiasHasOtherChannels(const Call& c) {
  const int64_t bc = c.shape("bias")[0];
  const int64_t channels = c.shape("output").back();
  return bc != 1 && bc != channels &&
         c.Finds("bias has ", bc, " elements, expected 1 or the output's ", channels, " channels");
}

// Whether the output's size along spatial axis kAxis of a convolution differs from (in - 1 + pads -
// (kernel - 1) * dilation) / stride + 1. The weight has the kernel's size at kWeightAxis.
template <int kAxis, int kWeightAxis>
bool ConvolvedSizeDiffers(const Call& c) {
  if (c.Integer("stride", kAxis) < 1) return false;  // another condition's business
  return SizeDiffers(c, c.shape("output")[1 + kAxis], ConvolvedSize(c, kAxis, kWeightAxis));
}

}  // namespace cts
