// Converts real scales to the form that RESCALE needs: a multiplier and a right shift.
#pragma once

#include <cstdint>

#include "reference/base/status.h"

namespace cts {

// Represents the number `multiplier` * 2^-`shift`, which approximates a real scale.
struct QuantizedScale {
  int32_t multiplier;
  int32_t shift;
};

// Returns the normalized multiplier and the shift whose scale is nearest to `scale`, with ties
// rounded up. Frameworks that lower quantized operators do the same. If `bits` is 32 (scale32), the
// multiplier is in [2^30, 2^31), and the relative error of the scale is at most 2^-31. If `bits` is
// 16 (scale16), the multiplier is in [2^14, 2^15), and the relative error is at most 2^-15.
//
// An error if `bits` is neither 16 nor 32, or if `scale` is not a positive finite number. Also an
// error if the shift is outside the range from 2 to 62, which apply_scale_32 and apply_scale_16
// require (section Scaling). If `normalized` is false, a scale that would need a shift above 62
// gets the shift 62 and the nearest multiplier. Such a scale is an error only if that multiplier is
// 0.
StatusOr<QuantizedScale> QuantizeScale(double scale, int bits, bool normalized = true);

// Returns the scale by which RESCALE converts an accumulated sum of products to the output. The
// parameters are the scales of the input, the weight and the output. If they are fp32 numbers, the
// product is exact in fp64, and only the quotient is rounded.
inline double ScaleOfProduct(double input, double weight, double output) {
  return input * weight / output;
}

}  // namespace cts
