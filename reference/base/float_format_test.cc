#include "reference/base/float_format.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "reference/base/special_values_testing.h"

namespace cts {
namespace {

constexpr DType kNarrow[] = {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp16, DType::kBf16,
                             DType::kFp32};

// The formats as IEEE 754-2019, table 3.5, and OCP OFP8, table 1, give them.
struct Facts {
  int bits;
  int precision;
  int max_exponent;
  int min_exponent;
  double max;
};

Facts FactsOf(DType dtype) {
  switch (dtype) {
    case DType::kFp8E4M3:
      return {8, 4, 8, -6, 448};
    case DType::kFp8E5M2:
      return {8, 3, 15, -14, 57344};
    case DType::kFp16:
      return {16, 11, 15, -14, 65504};
    case DType::kBf16:
      return {16, 8, 127, -126, std::ldexp(255, 120)};
    default:
      return {32, 24, 127, -126, std::ldexp(16777215, 104)};
  }
}

// The value of a pattern from the definition of the formats: sign, exponent, significand.
double ValueOfPattern(DType dtype, uint64_t bits) {
  const Facts facts = FactsOf(dtype);
  const uint64_t fractions = uint64_t{1} << (facts.precision - 1);
  const uint64_t exponents = uint64_t{1} << (facts.bits - facts.precision);
  const double sign = (bits >> (facts.bits - 1)) % 2 == 1 ? -1 : 1;
  const uint64_t exponent = bits / fractions % exponents;
  const uint64_t fraction = bits % fractions;
  if (dtype == DType::kFp8E4M3) {
    if (exponent == 15 && fraction == 7) return std::copysign(kNan, sign);
  } else if (exponent == exponents - 1) {
    return fraction == 0 ? sign * kInf : std::copysign(kNan, sign);
  }
  const int place = facts.min_exponent - (facts.precision - 1);
  if (exponent == 0) return sign * std::ldexp(static_cast<double>(fraction), place);
  return sign * std::ldexp(static_cast<double>(fraction + fractions),
                           place + static_cast<int>(exponent) - 1);
}

// MPFR with the precision and the least exponent of the format. The exponent is unbounded above, so
// that overflow shows as a number beyond the greatest one.
class MpfrRounder {
 public:
  explicit MpfrRounder(DType dtype) : facts_(FactsOf(dtype)), dtype_(dtype) {
    mpfr_init2(value_, facts_.precision);
    // MPFR's significands lie in [1/2, 1).
    mpfr_set_emin(facts_.min_exponent - (facts_.precision - 1) + 1);
  }
  ~MpfrRounder() {
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_clear(value_);
  }
  MpfrRounder(const MpfrRounder&) = delete;
  MpfrRounder& operator=(const MpfrRounder&) = delete;

  double Round(double value, mpfr_rnd_t mode, bool saturate) {
    const int direction = mpfr_set_d(value_, value, mode);
    mpfr_subnormalize(value_, direction, mode);
    const double rounded = mpfr_get_d(value_, MPFR_RNDN);
    if (std::isnan(value) || std::fabs(rounded) <= facts_.max) return rounded;
    if (saturate) return std::copysign(facts_.max, value);
    return std::copysign(dtype_ == DType::kFp8E4M3 ? kNan : kInf, value);
  }

 private:
  mpfr_t value_;
  const Facts facts_;
  const DType dtype_;
};

bool Same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) && std::isnan(b) && std::signbit(a) == std::signbit(b);
  }
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

// Compares all conversions of `value` and of its negative with MPFR's. Counts the disagreements.
class Comparison {
 public:
  explicit Comparison(DType dtype) : dtype_(dtype), mpfr_(dtype) {}

  void Check(double magnitude) {
    for (double value : {magnitude, -magnitude}) {
      Check(value, "to nearest", EncodeFloat(dtype_, value), MPFR_RNDN, false);
      Check(value, "saturating", EncodeFloat(dtype_, value, Overflow::kSaturate), MPFR_RNDN, true);
      Check(value, "toward zero", EncodeFloatTowardZero(dtype_, value), MPFR_RNDZ, false);
    }
  }

  // Checks `a`, the midpoint to its neighbour `b`, and what fp64 and fp32 have on both its sides.
  void CheckBetween(double a, double b) {
    const double middle = a + (b - a) / 2;
    for (double value : {a, middle, std::nextafter(middle, 0), std::nextafter(middle, kInf)}) {
      Check(value);
    }
    if (dtype_ == DType::kFp32) return;
    const float single = static_cast<float>(middle);
    ASSERT_EQ(single, middle);
    const float limit = std::numeric_limits<float>::infinity();
    for (float value : {std::nextafter(single, 0.0f), std::nextafter(single, limit)}) {
      Check(value);
    }
  }

  int64_t checked() const { return checked_; }

 private:
  void Check(double value, const char* how, uint64_t bits, mpfr_rnd_t mode, bool saturate) {
    ++checked_;
    const double expected = mpfr_.Round(value, mode, saturate);
    const double found = ValueOfPattern(dtype_, bits);
    const bool fits = bits >> FactsOf(dtype_).bits == 0;
    if (Same(expected, found) && fits) return;
    ADD_FAILURE() << Name(dtype_) << ' ' << how << ": " << std::hexfloat << value << " gives "
                  << found << " (0x" << std::hex << bits << "), MPFR " << expected;
  }

  const DType dtype_;
  MpfrRounder mpfr_;
  int64_t checked_ = 0;
};

class NarrowFormat : public testing::TestWithParam<DType> {};

TEST_P(NarrowFormat, HasTheNumbersOfItsDefinition) {
  const Facts facts = FactsOf(GetParam());
  const FloatFormat& format = Format(GetParam());
  EXPECT_EQ(1 + format.exponent_bits + format.fraction_bits, facts.bits);
  EXPECT_EQ(format.fraction_bits + 1, facts.precision);
  EXPECT_EQ(format.min_exponent, facts.min_exponent);
  EXPECT_EQ(format.max, facts.max);
  EXPECT_EQ(format.has_infinity, GetParam() != DType::kFp8E4M3);
  EXPECT_EQ(format.normal_min(), std::ldexp(1, facts.min_exponent));
  EXPECT_EQ(format.subnormal_min(), std::ldexp(1, facts.min_exponent - facts.precision + 1));
}

// Every pattern of 8 and 16 bits; every 4099th and the ends of each exponent of fp32.
TEST_P(NarrowFormat, DecodesPatternsExactlyAndEncodesThemBack) {
  const Facts facts = FactsOf(GetParam());
  const uint64_t step = facts.bits == 32 ? 4099 : 1;
  std::vector<uint64_t> patterns;
  for (uint64_t bits = 0; bits < uint64_t{1} << facts.bits; bits += step) patterns.push_back(bits);
  for (uint64_t bits = 0; facts.bits == 32 && bits < uint64_t{1} << 32; bits += 1 << 23) {
    for (uint64_t near : {bits, bits + 1, bits + (1 << 23) - 1}) patterns.push_back(near);
  }
  for (uint64_t bits : patterns) {
    const double value = DecodeFloat(GetParam(), bits);
    ASSERT_TRUE(Same(value, ValueOfPattern(GetParam(), bits))) << bits << " gives " << value;
    const uint64_t back = EncodeFloat(GetParam(), value);
    if (std::isnan(value)) {
      ASSERT_TRUE(Same(ValueOfPattern(GetParam(), back), value)) << bits << " gives " << back;
    } else {
      ASSERT_EQ(back, bits);
      ASSERT_EQ(EncodeFloatTowardZero(GetParam(), value), bits);
    }
  }
}

TEST_P(NarrowFormat, AgreesWithMpfrOnPatternsMidpointsAndBothSides) {
  const Facts facts = FactsOf(GetParam());
  Comparison comparison(GetParam());
  std::vector<uint64_t> patterns;
  const uint64_t fractions = uint64_t{1} << (facts.precision - 1);
  const uint64_t end = (uint64_t{1} << (facts.bits - 1)) - 1;
  for (uint64_t bits = 0; bits < end; bits += facts.bits == 32 ? 30011 : 1)
    patterns.push_back(bits);
  for (uint64_t bits = fractions; facts.bits == 32 && bits < end; bits += fractions) {
    for (uint64_t near : {bits - 2, bits - 1, bits, bits + 1}) patterns.push_back(near);
  }
  for (uint64_t bits : patterns) {
    const double value = ValueOfPattern(GetParam(), bits);
    if (!std::isfinite(value)) continue;
    double next = ValueOfPattern(GetParam(), bits + 1);
    // Beyond the greatest number, where the next one would be.
    if (!std::isfinite(next)) next = 2 * value - ValueOfPattern(GetParam(), bits - 1);
    comparison.CheckBetween(value, next);
    if (value == facts.max) {
      for (double beyond : {next, std::nextafter(next, 0), std::nextafter(next, kInf), 2 * next}) {
        comparison.Check(beyond);
      }
    }
  }
  // 6 values for each finite pattern, 4 beyond the greatest; both signs, 3 conversions.
  const int64_t exponents = int64_t{1} << (facts.bits - facts.precision);
  const int64_t finite = GetParam() == DType::kFp8E4M3 ? 127 : (exponents - 1) * fractions;
  if (facts.bits == 32) {
    EXPECT_GE(comparison.checked(), 1000000);
  } else {
    EXPECT_EQ(comparison.checked(), (finite * 6 + 4) * 6);
  }
}

TEST_P(NarrowFormat, AgreesWithMpfrOnRandomPatternsOfFp64) {
  const Facts facts = FactsOf(GetParam());
  Comparison comparison(GetParam());
  std::mt19937_64 random(1);
  for (int i = 0; i < 30000; ++i) {
    const uint64_t bits = random();
    const double any = std::bit_cast<double>(bits);
    if (!std::isnan(any)) comparison.Check(any);
    // An exponent from well below the least subnormal to well above the greatest number.
    const int low = facts.min_exponent - facts.precision - 4;
    const int exponent = low + static_cast<int>(random() % (facts.max_exponent - low + 4));
    comparison.Check(
        std::ldexp(static_cast<double>(bits >> 11 | uint64_t{1} << 52), exponent - 52));
  }
  for (double value : {0.0, kInf, std::numeric_limits<double>::max(),
                       std::numeric_limits<double>::min(), 0x1p-1074, 0x0.FFFFFFFFFFFFFp-1022}) {
    comparison.Check(value);
  }
}

TEST_P(NarrowFormat, KeepsNanAndItsSign) {
  for (double sign : {1.0, -1.0}) {
    const double nan = std::copysign(kNan, sign);
    EXPECT_TRUE(Same(ValueOfPattern(GetParam(), EncodeFloat(GetParam(), nan)), nan));
    EXPECT_TRUE(
        Same(ValueOfPattern(GetParam(), EncodeFloat(GetParam(), nan, Overflow::kSaturate)), nan));
    EXPECT_TRUE(Same(ValueOfPattern(GetParam(), EncodeFloatTowardZero(GetParam(), nan)), nan));
  }
  // A NaN whose payload lies below the bits that the narrow format keeps.
  const double signaling = std::bit_cast<double>(uint64_t{0x7FF0000000000001});
  EXPECT_TRUE(std::isnan(ValueOfPattern(GetParam(), EncodeFloat(GetParam(), signaling))));
}

TEST_P(NarrowFormat, TellsSubnormalsFromNormalsAndZero) {
  const FloatFormat& format = Format(GetParam());
  EXPECT_TRUE(IsSubnormal(GetParam(), format.subnormal_min()));
  EXPECT_TRUE(IsSubnormal(GetParam(), -format.normal_min() + format.subnormal_min()));
  EXPECT_FALSE(IsSubnormal(GetParam(), format.normal_min()));
  EXPECT_FALSE(IsSubnormal(GetParam(), -format.normal_min()));
  for (double value : {0.0, -0.0, 1.0, kInf, -kInf, kNan}) {
    EXPECT_FALSE(IsSubnormal(GetParam(), value)) << value;
  }
}

INSTANTIATE_TEST_SUITE_P(All, NarrowFormat, testing::ValuesIn(kNarrow),
                         [](const auto& p) { return std::string(Name(p.param)); });

// Worked by hand from the definitions.
TEST(FloatFormat, EncodesKnownValues) {
  EXPECT_EQ(EncodeFloat(DType::kFp16, 1.0), 0x3C00u);
  EXPECT_EQ(EncodeFloat(DType::kFp16, -2.0), 0xC000u);
  EXPECT_EQ(EncodeFloat(DType::kFp16, 65504.0), 0x7BFFu);
  EXPECT_EQ(EncodeFloat(DType::kFp16, 65519.0), 0x7BFFu);
  EXPECT_EQ(EncodeFloat(DType::kFp16, 65520.0), 0x7C00u);
  EXPECT_EQ(EncodeFloat(DType::kFp16, kNan), 0x7E00u);
  EXPECT_EQ(EncodeFloat(DType::kBf16, 1.0), 0x3F80u);
  EXPECT_EQ(EncodeFloat(DType::kFp32, 0.1), 0x3DCCCCCDu);
  EXPECT_EQ(EncodeFloat(DType::kFp8E5M2, 57344.0), 0x7Bu);
  EXPECT_EQ(EncodeFloat(DType::kFp8E5M2, 61440.0), 0x7Cu);
  EXPECT_EQ(EncodeFloat(DType::kFp8E4M3, 1.0), 0x38u);
  EXPECT_EQ(EncodeFloat(DType::kFp8E4M3, -0x1p-9), 0x81u);
}

// Rounding to fp32 first would round to the even side twice.
TEST(FloatFormat, RoundsOnce) {
  EXPECT_EQ(EncodeFloat(DType::kFp16, 1 + 0x1p-11 + 0x1p-40), 0x3C01u);
  EXPECT_EQ(EncodeFloat(DType::kBf16, 1 + 0x1p-8 + 0x1p-40), 0x3F81u);
}

// OCP OFP8, Conversions: 464 lies halfway to the missing 480 and ties to the even 448.
TEST(FloatFormat, Fp8E4M3OverflowsToNanOrSaturates) {
  for (uint64_t sign : {0u, 0x80u}) {
    const double s = sign == 0 ? 1 : -1;
    EXPECT_EQ(EncodeFloat(DType::kFp8E4M3, s * 464), sign | 0x7E);
    EXPECT_EQ(EncodeFloat(DType::kFp8E4M3, s * 464.001), sign | 0x7F);
    EXPECT_EQ(EncodeFloat(DType::kFp8E4M3, s * kInf), sign | 0x7F);
    EXPECT_EQ(EncodeFloat(DType::kFp8E4M3, s * 1e300, Overflow::kSaturate), sign | 0x7E);
    EXPECT_EQ(EncodeFloat(DType::kFp8E4M3, s * kInf, Overflow::kSaturate), sign | 0x7E);
    EXPECT_EQ(EncodeFloatTowardZero(DType::kFp8E4M3, s * 479.999), sign | 0x7E);
    EXPECT_EQ(EncodeFloatTowardZero(DType::kFp8E4M3, s * 480), sign | 0x7F);
  }
}

TEST(FloatFormat, TowardZeroOverflowsFromTheNextPowerOfTwo) {
  EXPECT_EQ(EncodeFloatTowardZero(DType::kFp16, 65535.99), 0x7BFFu);
  EXPECT_EQ(EncodeFloatTowardZero(DType::kFp16, 65536), 0x7C00u);
  EXPECT_EQ(EncodeFloatTowardZero(DType::kFp16, -kInf), 0xFC00u);
  EXPECT_EQ(EncodeFloatTowardZero(DType::kFp32, std::nextafter(0x1p128, 0)), 0x7F7FFFFFu);
  EXPECT_EQ(EncodeFloatTowardZero(DType::kFp32, 0x1p128), 0x7F800000u);
}

TEST(FloatFormat, Fp64IsKeptAsItIs) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t bits = random();
    if (std::isnan(std::bit_cast<double>(bits))) continue;
    EXPECT_EQ(std::bit_cast<uint64_t>(DecodeFloat(DType::kFp64, bits)), bits);
    EXPECT_EQ(EncodeFloat(DType::kFp64, std::bit_cast<double>(bits)), bits);
    EXPECT_EQ(EncodeFloatTowardZero(DType::kFp64, std::bit_cast<double>(bits)), bits);
  }
  EXPECT_EQ(EncodeFloat(DType::kFp64, kInf, Overflow::kSaturate), 0x7FEFFFFFFFFFFFFFu);
  EXPECT_EQ(EncodeFloat(DType::kFp64, -kNan), 0xFFF8000000000000u);
  EXPECT_EQ(Format(DType::kFp64).max, std::numeric_limits<double>::max());
  EXPECT_EQ(Format(DType::kFp64).normal_min(), std::numeric_limits<double>::min());
  EXPECT_EQ(Format(DType::kFp64).subnormal_min(), 0x1p-1074);
  EXPECT_TRUE(IsSubnormal(DType::kFp64, -0x1p-1074));
  EXPECT_FALSE(IsSubnormal(DType::kFp64, 0x1p-1022));
}

// RoundTo has a way of its own where no end of the exponents is near.
TEST(FloatFormat, RoundToIsEncodingAndDecodingForEveryExponent) {
  std::mt19937_64 random(17);
  for (const DType dtype : kNarrow) {
    const int dropped = 52 - Format(dtype).fraction_bits;
    for (uint64_t exponent = 0; exponent < 2048; ++exponent) {
      for (int k = 0; k < 200; ++k) {
        uint64_t fraction = random() >> 12;
        // Ties, their neighbours, and what carries into the exponent.
        const uint64_t half = uint64_t{1} << (dropped - 1), mask = 2 * half - 1;
        if (k % 4 == 1) fraction = (fraction & ~mask) | half;
        if (k % 4 == 2) fraction = (fraction & ~mask) | (half + random() % 3 - 1);
        if (k % 4 == 3) fraction |= ~mask & ((uint64_t{1} << 52) - 1);
        for (const uint64_t sign : {0, 1}) {
          const auto value = std::bit_cast<double>(sign << 63 | exponent << 52 | fraction);
          const double expected = DecodeFloat(dtype, EncodeFloat(dtype, value));
          ASSERT_EQ(std::bit_cast<uint64_t>(RoundTo(dtype, value)),
                    std::bit_cast<uint64_t>(expected))
              << Name(dtype) << " " << value;
        }
      }
    }
  }
}

TEST(FloatFormat, RoundToRoundsToTheTypeAndBack) {
  EXPECT_EQ(RoundTo(DType::kFp8E5M2, 1.125), 1.0);
  EXPECT_EQ(RoundTo(DType::kFp8E5M2, 1.375), 1.5);
  EXPECT_EQ(RoundTo(DType::kBf16, 1e39), kInf);
  EXPECT_EQ(RoundTo(DType::kFp64, 0.1), 0.1);
}

}  // namespace
}  // namespace cts
