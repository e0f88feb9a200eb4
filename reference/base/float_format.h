// Floating-point formats and their conversion to and from fp64, in integer arithmetic.
#pragma once

#include <bit>
#include <cstdint>

#include "reference/base/dtype.h"

namespace cts {

// A binary floating-point format. The values of every format are exact in fp64.
struct FloatFormat {
  int exponent_bits;
  int fraction_bits;  // normal_frac of the specification
  int min_exponent;   // of the least normal number: normal_min = 2^min_exponent
  double max;         // greatest finite number: normal_max
  bool has_infinity;  // false for fp8e4m3, which has one NaN per sign

  double normal_min() const;     // least normal number
  double subnormal_min() const;  // least subnormal number
};

// The format of a floating-point type.
const FloatFormat& Format(DType dtype);

// The result of encoding a number that exceeds the greatest finite number of the format.
enum class Overflow {
  kInfinity,  // infinity, or NaN if the format has no infinity (OCP OFP8 non-saturating mode)
  kSaturate,  // the greatest finite number, even for an infinity (OCP OFP8 saturating mode)
};

// Returns the exact value of a bit pattern. Returns a NaN if the pattern is that of a NaN.
double DecodeFloat(DType dtype, uint64_t bits);

// The bit pattern of `value` rounded to nearest, ties to even. A NaN becomes the format's quiet NaN
// of the same sign.
uint64_t EncodeFloat(DType dtype, double value, Overflow overflow = Overflow::kInfinity);

// Like EncodeFloat, but rounded toward zero. A number becomes infinity (or NaN in fp8e4m3) only if
// its magnitude exceeds the greatest finite number by at least one unit in the last place of that
// greatest number.
uint64_t EncodeFloatTowardZero(DType dtype, double value);

// The parameters of the fast way in which RoundTo rounds fp64 to a type. The fast way is correct if
// the exponent of the number is in the given range, since the result then neither overflows nor is
// subnormal.
struct SafeRounding {
  int dropped = 0;              // how many more fraction bits fp64 has than the type
  uint64_t first = 1, end = 0;  // the range of biased fp64 exponents: from `first` to `end` - 1
};
// The range of exponents is empty for fp64 and for types that are not floating-point types.
constexpr SafeRounding SafeRoundingOf(DType dtype) {
  constexpr uint64_t kBias = 1023;
  switch (dtype) {
    case DType::kFp8E4M3:
      return {49, kBias - 6, kBias + 8};
    case DType::kFp8E5M2:
      return {50, kBias - 14, kBias + 15};
    case DType::kFp16:
      return {42, kBias - 14, kBias + 15};
    case DType::kBf16:
      return {45, kBias - 126, kBias + 127};
    case DType::kFp32:
      return {29, kBias - 126, kBias + 127};
    default:
      return {};
  }
}

// Rounds `value` to a number of the type (to nearest, ties to even).
inline double RoundTo(DType dtype, double value) {
  if (dtype == DType::kFp64) return value;
  const SafeRounding safe = SafeRoundingOf(dtype);
  const auto bits = std::bit_cast<uint64_t>(value);
  const uint64_t exponent = bits >> 52 & 0x7FF;
  if (safe.first <= exponent && exponent < safe.end) {
    // Rounds to nearest, ties to even. A carry out of the fraction increments the exponent, which
    // gives the right number.
    const uint64_t odd = bits >> safe.dropped & 1;
    const uint64_t below = (uint64_t{1} << safe.dropped) - 1;
    return std::bit_cast<double>((bits + (below >> 1) + odd) & ~below);
  }
  if (bits << 1 == 0) return value;
  return DecodeFloat(dtype, EncodeFloat(dtype, value));
}

// Whether the magnitude of `value` is above zero and below the least normal number of the type.
// `value` must be a number of the type.
bool IsSubnormal(DType dtype, double value);

}  // namespace cts
