// The geometry of CONV2D, CONV3D and DEPTHWISE_CONV2D, whose pseudocode is the same for every
// spatial axis.
#pragma once

#include <array>

#include "reference/ops/sum_of_products.h"
#include "reference/ops/window.h"

namespace cts {

inline Breach DilationBelowOne(const Call& c) { return AnyBelow(c, "dilation", 1); }

// Whether the output's size along spatial axis kAxis differs from (in - 1 + pads - (kernel - 1) *
// dilation) / stride + 1. The weight has the kernel's size at kWeightAxis.
template <int kAxis, int kWeightAxis>
Breach ConvolvedSizeDiffers(const Call& c) {
  if (c.Integer("stride", kAxis) < 1) return false;  // another condition reports this
  return SizeDiffers(c.shape("output")[1 + kAxis], ConvolvedSize(c, kAxis, kWeightAxis));
}

// Finds the elements that a convolution of kAxes spatial axes reads (see
// SumOfProducts::ValueOffset). The last axis of positions and of taps changes fastest. The weight
// has the kernel's sizes from `first_kernel_axis` on.
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

  // Keeps the latest position and tap, because consecutive calls usually have consecutive positions
  // and taps. Divisions at each call would take longer than the sums of a depthwise convolution.
  int64_t operator()(int64_t position, int64_t tap) const {
    if (position != position_) GoToPosition(position);
    if (tap != tap_) GoToTap(tap);
    int64_t offset = batch_;
    for (size_t k = 0; k < kAxes; ++k) {
      const SpatialAxis& axis = axes_[k];
      const int64_t in = first_[k] + kernel_[k] * axis.dilation;
      if (in < 0 || in >= axis.in) return SumOfProducts::kOutside;
      offset = offset * axis.in + in;
    }
    return offset * channels_;
  }

 private:
  struct SpatialAxis {
    int64_t in, out, kernel, pad, stride, dilation;  // pad: before the input's first element
  };

  void GoToPosition(int64_t position) const {
    position_ = position;
    for (size_t k = kAxes; k-- > 0;) {
      const SpatialAxis& axis = axes_[k];
      first_[k] = position % axis.out * axis.stride - axis.pad;
      position /= axis.out;
    }
    batch_ = position;
  }

  void GoToTap(int64_t tap) const {
    const bool is_next = tap == tap_ + 1;
    tap_ = tap;
    for (size_t k = kAxes; k-- > 0;) {
      if (is_next) {
        if (++kernel_[k] < axes_[k].kernel) return;
        kernel_[k] = 0;
      } else {
        kernel_[k] = tap % axes_[k].kernel;
        tap /= axes_[k].kernel;
      }
    }
  }

  const int64_t channels_;
  std::array<SpatialAxis, kAxes> axes_;
  // The position and tap of the latest call. Each call changes these members, so only one thread
  // may use an object.
  mutable int64_t position_ = -1, batch_ = 0, tap_ = 0;
  mutable std::array<int64_t, kAxes> first_{};   // the window's first index in the input
  mutable std::array<int64_t, kAxes> kernel_{};  // the tap's coordinates
};

}  // namespace cts
