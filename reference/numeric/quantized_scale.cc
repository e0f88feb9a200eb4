#include "reference/numeric/quantized_scale.h"

#include <bit>

namespace cts {

StatusOr<QuantizedScale> QuantizeScale(double scale, int bits) {
  if (bits != 16 && bits != 32) {
    return InvalidArgument("scale: found a multiplier of ", bits, " bits, expected 16 or 32");
  }
  // fp64: sign, 11 bits of exponent biased by 1023, 52 bits of fraction.
  constexpr int kFraction = 52, kBias = 1023;
  const auto pattern = std::bit_cast<uint64_t>(scale);
  const auto biased = static_cast<int>(pattern >> kFraction);  // with the sign, 0 if positive
  if (!(scale > 0) || biased == 2 * kBias + 1) {
    return InvalidArgument("scale: found ", scale, ", expected a positive number");
  }
  const uint64_t one = uint64_t{1} << kFraction;
  const uint64_t significand = one | (pattern & (one - 1));  // in [2^52, 2^53)
  const int kept = bits - 2;                                 // bits after the first
  const int dropped = kFraction - kept;
  uint64_t multiplier = (significand + (uint64_t{1} << (dropped - 1))) >> dropped;
  int shift = kept - (biased - kBias);
  if (multiplier == uint64_t{1} << (bits - 1)) {  // rounded up to the next power of two
    multiplier >>= 1;
    --shift;
  }
  // A subnormal number has another significand than this, and a shift far beyond 62.
  if (shift < 2 || shift > 62) {
    return InvalidArgument("scale: found ", scale, ", which with a multiplier of ", bits,
                           " bits takes a shift of ", shift, "; expected one from 2 to 62");
  }
  return QuantizedScale{static_cast<int32_t>(multiplier), shift};
}

}  // namespace cts
