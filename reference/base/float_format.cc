#include "reference/base/float_format.h"

#include <bit>
#include <cassert>

namespace cts {
namespace {

constexpr int kFp64Fraction = 52;
constexpr int kFp64Bias = 1023;
constexpr uint64_t kFp64Sign = uint64_t{1} << 63;
constexpr uint64_t kFp64Infinity = uint64_t{0x7FF} << kFp64Fraction;
constexpr uint64_t kFp64QuietNan = uint64_t{0xFFF} << (kFp64Fraction - 1);

// 2^exponent for a normal or subnormal number of fp64.
constexpr double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(exponent >= 1 - kFp64Bias
                                   ? static_cast<uint64_t>(exponent + kFp64Bias) << kFp64Fraction
                                   : uint64_t{1} << (exponent + kFp64Bias - 1 + kFp64Fraction));
}

// Introduction, Number formats. fp8: OCP OFP8, where E4M3 spends all but one pattern of the
// greatest exponent on numbers.
constexpr FloatFormat kFp8E4M3 = {4, 3, -6, 448.0, false};
constexpr FloatFormat kFp8E5M2 = {5, 2, -14, 57344.0, true};
constexpr FloatFormat kFp16 = {5, 10, -14, 65504.0, true};
constexpr FloatFormat kBf16 = {8, 7, -126, 0x1.FEp127, true};
constexpr FloatFormat kFp32 = {8, 23, -126, 0x1.FFFFFEp127, true};
constexpr FloatFormat kFp64 = {11, 52, -1022, 0x1.FFFFFFFFFFFFFp1023, true};

// The patterns of a narrow format, sign aside.
template <const FloatFormat& kFormat>
struct Patterns {
  static constexpr int kFraction = kFormat.fraction_bits;
  static constexpr int kSignShift = kFormat.exponent_bits + kFraction;
  static constexpr uint64_t kMagnitude = (uint64_t{1} << kSignShift) - 1;
  static constexpr uint64_t kInfinity = kMagnitude >> kFraction << kFraction;
  static constexpr uint64_t kQuietNan =
      kFormat.has_infinity ? kInfinity | uint64_t{1} << (kFraction - 1) : kMagnitude;
  static constexpr uint64_t kOverflow = kFormat.has_infinity ? kInfinity : kQuietNan;
  static constexpr uint64_t kMax = kOverflow - 1;
};

template <const FloatFormat& kFormat>
double Decode(uint64_t bits) {
  using P = Patterns<kFormat>;
  const uint64_t sign = (bits >> P::kSignShift & 1) << 63;
  const uint64_t magnitude = bits & P::kMagnitude;
  uint64_t result = 0;
  if (magnitude > P::kMax) {
    result = kFormat.has_infinity && magnitude == P::kInfinity ? kFp64Infinity : kFp64QuietNan;
  } else if (magnitude >> P::kFraction != 0) {
    constexpr uint64_t kRebias = kFp64Bias + kFormat.min_exponent - 1;
    result = (magnitude << (kFp64Fraction - P::kFraction)) + (kRebias << kFp64Fraction);
  } else if (magnitude != 0) {
    // Subnormal: normal in fp64. The leading one becomes the hidden bit.
    const int top = std::bit_width(magnitude) - 1;
    const uint64_t exponent = kFp64Bias + kFormat.min_exponent - P::kFraction + top;
    const uint64_t fraction = (magnitude ^ uint64_t{1} << top) << (kFp64Fraction - top);
    result = exponent << kFp64Fraction | fraction;
  }
  return std::bit_cast<double>(sign | result);
}

enum class Rounding { kNearestEven, kTowardZero };

template <const FloatFormat& kFormat, Rounding kRounding>
uint64_t Encode(double value, Overflow overflow) {
  using P = Patterns<kFormat>;
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t sign = (bits >> 63) << P::kSignShift;
  const uint64_t magnitude = bits & ~kFp64Sign;
  const uint64_t too_large = overflow == Overflow::kSaturate ? P::kMax : P::kOverflow;
  if (magnitude > kFp64Infinity) return sign | P::kQuietNan;
  if (magnitude == kFp64Infinity) return sign | too_large;
  // fp64 subnormals lie far below half the least subnormal of every narrow format: no special care.
  const int exponent = static_cast<int>(magnitude >> kFp64Fraction) - kFp64Bias;
  if (exponent < kFormat.min_exponent - P::kFraction - 1) return sign;
  const uint64_t significand =
      (magnitude & ((uint64_t{1} << kFp64Fraction) - 1)) | uint64_t{1} << kFp64Fraction;
  // Below the least normal number the last place stays where it is. At most 53.
  const int below = exponent < kFormat.min_exponent ? kFormat.min_exponent - exponent : 0;
  const int shift = kFp64Fraction - P::kFraction + below;
  uint64_t rounded = significand >> shift;
  if (kRounding == Rounding::kNearestEven) {
    const uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
    const uint64_t half = uint64_t{1} << (shift - 1);
    rounded += rest > half || (rest == half && (rounded & 1) != 0);
  }
  // Added, not joined: the hidden bit increments the exponent, and so does a carry of rounding.
  const int steps = below > 0 ? 0 : exponent - kFormat.min_exponent;
  const uint64_t result = (static_cast<uint64_t>(steps) << P::kFraction) + rounded;
  return sign | (result > P::kMax ? too_large : result);
}

template <Rounding kRounding>
uint64_t Encode(DType dtype, double value, Overflow overflow) {
  switch (dtype) {
    case DType::kFp8E4M3:
      return Encode<kFp8E4M3, kRounding>(value, overflow);
    case DType::kFp8E5M2:
      return Encode<kFp8E5M2, kRounding>(value, overflow);
    case DType::kFp16:
      return Encode<kFp16, kRounding>(value, overflow);
    case DType::kBf16:
      return Encode<kBf16, kRounding>(value, overflow);
    case DType::kFp32:
      return Encode<kFp32, kRounding>(value, overflow);
    default: {
      assert(dtype == DType::kFp64);
      const uint64_t bits = std::bit_cast<uint64_t>(value);
      const uint64_t magnitude = bits & ~kFp64Sign;
      if (magnitude > kFp64Infinity) return (bits & kFp64Sign) | kFp64QuietNan;
      const bool saturates = magnitude == kFp64Infinity && overflow == Overflow::kSaturate;
      return saturates ? bits - 1 : bits;
    }
  }
}

}  // namespace

double FloatFormat::normal_min() const { return PowerOfTwo(min_exponent); }
double FloatFormat::subnormal_min() const { return PowerOfTwo(min_exponent - fraction_bits); }

const FloatFormat& Format(DType dtype) {
  switch (dtype) {
    case DType::kFp8E4M3:
      return kFp8E4M3;
    case DType::kFp8E5M2:
      return kFp8E5M2;
    case DType::kFp16:
      return kFp16;
    case DType::kBf16:
      return kBf16;
    case DType::kFp32:
      return kFp32;
    default:
      assert(dtype == DType::kFp64);
      return kFp64;
  }
}

double DecodeFloat(DType dtype, uint64_t bits) {
  switch (dtype) {
    case DType::kFp8E4M3:
      return Decode<kFp8E4M3>(bits);
    case DType::kFp8E5M2:
      return Decode<kFp8E5M2>(bits);
    case DType::kFp16:
      return Decode<kFp16>(bits);
    case DType::kBf16:
      return Decode<kBf16>(bits);
    case DType::kFp32:
      return Decode<kFp32>(bits);
    default:
      assert(dtype == DType::kFp64);
      return std::bit_cast<double>(bits);
  }
}

uint64_t EncodeFloat(DType dtype, double value, Overflow overflow) {
  return Encode<Rounding::kNearestEven>(dtype, value, overflow);
}

uint64_t EncodeFloatTowardZero(DType dtype, double value) {
  return Encode<Rounding::kTowardZero>(dtype, value, Overflow::kInfinity);
}

bool IsSubnormal(DType dtype, double value) {
  const uint64_t magnitude = std::bit_cast<uint64_t>(value) & ~kFp64Sign;
  // Magnitudes of fp64 order as their patterns do; NaN lies above all.
  return magnitude != 0 && magnitude < std::bit_cast<uint64_t>(Format(dtype).normal_min());
}

}  // namespace cts
