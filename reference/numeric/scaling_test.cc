#include "reference/numeric/scaling.h"

#include <gtest/gtest.h>

#include <vector>

namespace cts {
namespace {

using Wide = __int128;

Wide FloorDivide(Wide x, Wide y) { return x / y - (x % y != 0 && (x < 0) != (y < 0)); }

// value * multiplier / 2^shift, rounded to the nearest integer, a half upward.
Wide Nearest(int64_t value, int64_t multiplier, int64_t shift) {
  return FloorDivide(2 * Wide{value} * multiplier + (Wide{1} << shift), Wide{1} << (shift + 1));
}

// In two stages: a division by 2^31 that adds a half away from zero before it rounds down, then one
// by what is left of 2^shift to the nearest, a half upward.
Wide NearestTwice(int64_t value, int64_t multiplier, int64_t shift) {
  const Wide half = Wide{value >= 0 ? 1 : -1} << 30;
  const Wide first = FloorDivide(Wide{value} * multiplier + half, Wide{1} << 31);
  const Wide rest = Wide{1} << (shift - 31);
  return FloorDivide(2 * first + rest, 2 * rest);
}

std::string_view BrokenBy32(int64_t value, int64_t multiplier, int64_t shift) {
  ArithmeticState state;
  ApplyScale32(state, value, multiplier, shift, false);
  return state.broken;
}

std::string_view BrokenBy16(int64_t value, int64_t multiplier, int64_t shift) {
  ArithmeticState state;
  ApplyScale16(state, value, multiplier, shift);
  return state.broken;
}

// Powers of two, what is next to them, and a few numbers with bits all over, of either sign.
std::vector<int64_t> Spread(int bits) {
  std::vector<int64_t> numbers = {0, 0x2aaaaaaa5555, 0x123456789a, 0x5f3759df, 0x1357, -0x7654321};
  for (int i = 0; i < bits; ++i) {
    for (int64_t near : {-1, 0, 1}) {
      numbers.push_back((int64_t{1} << i) + near);
      numbers.push_back(-(int64_t{1} << i) + near);
    }
  }
  const int64_t limit = int64_t{1} << (bits - 1);
  std::erase_if(numbers, [limit](int64_t x) { return x < -limit || x >= limit; });
  return numbers;
}

TEST(ApplyScale32, IsTheExactQuotientRounded) {
  int64_t checked = 0;
  for (int64_t value : Spread(32)) {
    for (int64_t multiplier : Spread(32)) {
      if (multiplier < 0) continue;
      for (int64_t shift = 2; shift <= 62; ++shift) {
        const int64_t limit = int64_t{1} << (shift - 1);
        if (value < -limit || value >= limit) continue;
        ArithmeticState state;
        ASSERT_EQ(ApplyScale32(state, value, multiplier, shift, false),
                  static_cast<int64_t>(Nearest(value, multiplier, shift)))
            << value << " " << multiplier << " " << shift;
        const Wide twice =
            shift > 31 ? NearestTwice(value, multiplier, shift) : Nearest(value, multiplier, shift);
        ASSERT_EQ(ApplyScale32(state, value, multiplier, shift, true), static_cast<int64_t>(twice))
            << value << " " << multiplier << " " << shift;
        ASSERT_EQ(state.broken, "");
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 400000);
}

TEST(ApplyScale32, DoubleRoundingDiffersWhereTheFirstRoundingMakesAHalf) {
  ArithmeticState state;
  // (2^31 - 2^30) / 2^32 = 0.25: once to 0, twice first to 1/2 and then to 1.
  EXPECT_EQ(ApplyScale32(state, 1, 1 << 30, 32, false), 0);
  EXPECT_EQ(ApplyScale32(state, 1, 1 << 30, 32, true), 1);
}

TEST(ApplyScale32, RequiresMultiplierShiftAndValueInRange) {
  EXPECT_EQ(BrokenBy32(1, -1, 30), "apply_scale_32.multiplier_negative");
  EXPECT_EQ(BrokenBy32(1, 0, 30), "");
  EXPECT_EQ(BrokenBy32(1, 1, 1), "apply_scale_32.shift_range");
  EXPECT_EQ(BrokenBy32(1, 1, 2), "");
  EXPECT_EQ(BrokenBy32(1, 1, 62), "");
  EXPECT_EQ(BrokenBy32(1, 1, 63), "apply_scale_32.shift_range");
  EXPECT_EQ(BrokenBy32(1, 1, -128), "apply_scale_32.shift_range");
  EXPECT_EQ(BrokenBy32(512, 1, 10), "apply_scale_32.value_range");
  EXPECT_EQ(BrokenBy32(511, 1, 10), "");
  EXPECT_EQ(BrokenBy32(-512, 1, 10), "");
  EXPECT_EQ(BrokenBy32(-513, 1, 10), "apply_scale_32.value_range");
  EXPECT_EQ(BrokenBy32(int64_t{1} << 31, 1, 62), "apply_scale_32.value_range");
}

TEST(ApplyScale16, IsTheExactQuotientRounded) {
  int64_t checked = 0;
  for (int64_t value : Spread(48)) {
    for (int64_t multiplier : Spread(16)) {
      if (multiplier < 0) continue;
      for (int64_t shift = 2; shift <= 62; ++shift) {
        const Wide expected = Nearest(value, multiplier, shift);
        const bool fits = expected >= INT32_MIN && expected <= INT32_MAX;
        ArithmeticState state;
        const int64_t scaled = ApplyScale16(state, value, multiplier, shift);
        ASSERT_EQ(state.broken, fits ? "" : "apply_scale_16.result_range");
        ASSERT_EQ(scaled, fits ? static_cast<int64_t>(expected) : 0);
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 400000);
}

TEST(ApplyScale16, RequiresMultiplierAndShiftInRange) {
  EXPECT_EQ(BrokenBy16(1, -1, 14), "apply_scale_16.multiplier_negative");
  EXPECT_EQ(BrokenBy16(1, 0, 14), "");
  EXPECT_EQ(BrokenBy16(1, 1, 1), "apply_scale_16.shift_range");
  EXPECT_EQ(BrokenBy16(1, 1, 2), "");
  EXPECT_EQ(BrokenBy16(1, 1, 62), "");
  EXPECT_EQ(BrokenBy16(1, 1, 63), "apply_scale_16.shift_range");
}

// The bounds that stand beside the specification's text.
TEST(ReciprocalScaleOf, HasAMultiplierOf31Bits) {
  std::vector<int64_t> divisors;
  for (int64_t d = 1; d <= 5000; ++d) divisors.push_back(d);
  for (int bit = 13; bit <= 30; ++bit) {
    for (int64_t d : {-1, 0, 1}) divisors.push_back((int64_t{1} << bit) + d);
  }
  divisors.pop_back();  // 2^30 + 1, of which the multiplier would be 2^31
  for (int64_t divisor : divisors) {
    const ReciprocalScale scale = ReciprocalScaleOf(divisor);
    const int64_t k = scale.shift - 30;
    EXPECT_LE(divisor, int64_t{1} << k) << divisor;
    EXPECT_GT(2 * divisor, int64_t{1} << k) << divisor;
    EXPECT_GE(scale.multiplier, int64_t{1} << 30) << divisor;
    EXPECT_LT(scale.multiplier, int64_t{1} << 31) << divisor;
  }
  EXPECT_EQ(ReciprocalScaleOf(1).multiplier, (1 << 30) + 1);
  EXPECT_EQ(ReciprocalScaleOf(3).multiplier, 1431655766);  // 4 * (2^30 + 1) / 3 = 1431655766.67
  EXPECT_EQ(ReciprocalScaleOf(3).shift, 32);
}

// Sums of windows of i8 and i16: the quotient to the nearest, a half away from zero.
TEST(ReciprocalScaleOf, DividesAsApplyScale32RoundsIt) {
  ArithmeticState state;
  for (int64_t divisor = 1; divisor <= 300; ++divisor) {
    const ReciprocalScale scale = ReciprocalScaleOf(divisor);
    for (int64_t value = 0; value <= 65535 * divisor; value += 1 + value / 500) {
      const int64_t rounded = (2 * value + divisor) / (2 * divisor);
      ASSERT_EQ(ApplyScale32(state, value, scale.multiplier, scale.shift, false), rounded);
      ASSERT_EQ(ApplyScale32(state, -value, scale.multiplier, scale.shift, false), -rounded);
    }
  }
  EXPECT_EQ(state.broken, "");
}

}  // namespace
}  // namespace cts
