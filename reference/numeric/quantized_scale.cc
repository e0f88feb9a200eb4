#include "reference/numeric/quantized_scale.h"

#include <bit>
#include <charconv>
#include <string>

namespace cts {
namespace {

// The shortest text that reads back equal.
std::string Text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

}  // namespace

StatusOr<QuantizedScale> QuantizeScale(double scale, int bits, bool normalized) {
  if (bits != 16 && bits != 32) {
    return InvalidArgument("scale: found a multiplier of ", bits, " bits, expected 16 or 32");
  }
  // fp64: sign, 11 bits of exponent biased by 1023, 52 bits of fraction.
  constexpr int kFraction = 52, kBias = 1023;
  constexpr int kMinShift = 2, kMaxShift = 62;
  const auto pattern = std::bit_cast<uint64_t>(scale);
  const auto biased = static_cast<int>(pattern >> kFraction);  // with the sign, 0 if positive
  if (!(scale > 0) || biased == 2 * kBias + 1) {
    return InvalidArgument("scale: found ", Text(scale), ", expected a positive number");
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
  if (!normalized && shift > kMaxShift) {
    // Drops `lost` bits of the same significand. If it drops all of them, 0 is left.
    const int lost = kFraction - kMaxShift - (biased - kBias);
    multiplier = lost > kFraction + 1 ? 0 : (significand + (uint64_t{1} << (lost - 1))) >> lost;
    shift = kMaxShift;
    if (multiplier == 0) {
      return InvalidArgument("scale: found ", Text(scale), ", expected at least 2^-63: what is ",
                             "smaller is nearest to a multiplier of 0");
    }
  }
  // A subnormal number has another significand than this, and a shift far beyond the greatest.
  if (shift < kMinShift || shift > kMaxShift) {
    return InvalidArgument("scale: found ", Text(scale), ", which with a multiplier of ", bits,
                           " bits takes a shift of ", shift, "; expected one from ", kMinShift,
                           " to ", kMaxShift);
  }
  return QuantizedScale{static_cast<int32_t>(multiplier), shift};
}

}  // namespace cts
