// The geometry of CONV2D, CONV3D and DEPTHWISE_CONV2D, whose text is the same for every spatial
// axis.
#pragma once

#include <array>

#include "reference/ops/sum_of_products.h"
#include "reference/ops/window.h"

namespace cts {

inline bool DilationBelowOne(const Call& c) { return AnyBelow(c, "dilation", 1); }

// Whether the output's size along spatial axis kAxis differs from (in - 1 + pads - (kernel - 1) *
// dilation) / stride + 1. The weight has the kernel's size at kWeightAxis.
template <int kAxis, int kWeightAxis>
bool ConvolvedSizeDiffers(const Call& c) {
  if (c.Integer("stride", kAxis) < 1) return false;  // another condition's business
  return SizeDiffers(c, c.shape("output")[1 + kAxis], ConvolvedSize(c, kAxis, kWeightAxis));
}

// Finds what a convolution of kAxes spatial axes reads (see SumOfProducts::ValueOffset). The last
// axis of positions and of taps changes fastest. The weight has the kernel's sizes from
// `first_kernel_axis` on.
template <size_t kAxes>
class ConvolvedOffset {
 public:
  ConvolvedOffset(const Call& call, size_t first_kernel_axis)
      : channels_(call.shape("input").back()) {
    for (size_t k = 0; k < kAxes; ++k) {
      const int64_t i = static_cast<int64_t>(k);
      axes_[k] = {.in = call.shape("input")[1 + k],
                  .out = call.shape("output")[1 + k],
                  .kernel = call.shape("weight")[first_kernel_axis + k],
                  .pad = call.Integer("pad", 2 * i),
                  .stride = call.Integer("stride", i),
                  .dilation = call.Integer("dilation", i)};
    }
  }

  int64_t operator()(int64_t position, int64_t tap) const {
    std::array<int64_t, kAxes> in = {};
    for (size_t k = kAxes; k-- > 0;) {
      const SpatialAxis& axis = axes_[k];
      const int64_t out = position % axis.out, kernel = tap % axis.kernel;
      in[k] = out * axis.stride - axis.pad + kernel * axis.dilation;
      if (in[k] < 0 || in[k] >= axis.in) return SumOfProducts::kOutside;
      position /= axis.out;
      tap /= axis.kernel;
    }
    int64_t offset = position;  // n
    for (size_t k = 0; k < kAxes; ++k) offset = offset * axes_[k].in + in[k];
    return offset * channels_;
  }

 private:
  struct SpatialAxis {
    int64_t in, out, kernel, pad, stride, dilation;  // pad: before the input's first element
  };
  const int64_t channels_;
  std::array<SpatialAxis, kAxes> axes_;
};

}  // namespace cts
