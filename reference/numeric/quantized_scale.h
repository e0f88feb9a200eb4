// Converts real scales to the form that RESCALE needs: a multiplier and a right shift.
#pragma once

#include <cstdint>

#include "reference/base/status.h"

namespace cts {

// The scale multiplier * 2^-shift, an approximation of a real scale.
struct QuantizedScale {
  int32_t multiplier;
  int32_t shift;
};

// Returns the normalized multiplier and the shift whose scale is nearest to `scale`, with ties
// rounded up. Frameworks that lower quantized operators do the same. A multiplier of 32 bits
// (scale32) is in [2^30, 2^31), with a relative error of at most 2^-31. A multiplier of 16 bits
// (scale16) is in [2^14, 2^15), with a relative error of at most 2^-15.
//
// An error if the scale is not a positive finite number. Also an error if the shift is outside 2 to
// 62, the range that apply_scale_32 and apply_scale_16 require (section Scaling). If `normalized`
// is false, a scale that would need a shift above 62 gets the shift 62 and the nearest multiplier.
// Such a scale is an error only if that multiplier is 0.
StatusOr<QuantizedScale> QuantizeScale(double scale, int bits, bool normalized = true);

// The scale that converts an accumulator of products to the output, computed from the scales of the
// input, the weight and the output. The product of two fp32 numbers is exact in fp64, so in this
// order of operations only the quotient is rounded.
inline double ScaleOfProduct(double input, double weight, double output) {
  return input * weight / output;
}

}  // namespace cts
