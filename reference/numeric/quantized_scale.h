// Real scales in the form for RESCALE: a multiplier and a right shift.
#pragma once

#include <cstdint>

#include "reference/base/status.h"

namespace cts {

// About multiplier * 2^-shift.
struct QuantizedScale {
  int32_t multiplier;
  int32_t shift;
};

// The normalized multiplier that is nearest to the scale, with ties rounded up, as frameworks lower
// quantized operators. 32 bits (scale32): in [2^30, 2^31), off by at most 2^-31 of the scale; 16
// bits (scale16): in [2^14, 2^15), off by at most 2^-15.
//
// An error if the scale is not a positive number, or if its shift is outside 2 to 62, which
// apply_scale_32 and apply_scale_16 require (section Scaling). A scale that is too small for that
// is an error only if `normalized`; otherwise it gets the nearest smaller multiplier with a shift
// of 62. No pair is near a scale that is too great.
StatusOr<QuantizedScale> QuantizeScale(double scale, int bits, bool normalized = true);

// The scale between a product's accumulator and its result, in fp64. The product of two fp32
// numbers is exact, so only the quotient is rounded in this order.
inline double ScaleOfProduct(double input, double weight, double output) {
  return input * weight / output;
}

}  // namespace cts
