#include "reference/numeric/quantized_scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace cts {
namespace {

using ::testing::HasSubstr;

// The example of the dialect's RFC, section Generation of Numerical Information for Operators: the
// quantized types of a convolution of TensorFlow Lite, and the rescale that it is lowered to.
TEST(QuantizeScale, GivesTheDigitsOfTheLoweredConvolution) {
  const double input = 0.015230963937938213, output = 0.078431375324726104;
  const double weights[] = {0.01563686691224575, 0.015513741411268711, 0.015759991481900215,
                            0.01563686691224575, 0.015513742342591286, 0.01563686691224575,
                            0.01563686691224575, 0.015513742342591286};
  const int32_t multipliers[] = {1669387395, 1656242552, 1682532139, 1669387395,
                                 1656242652, 1669387395, 1669387395, 1656242652};
  for (int c = 0; c < 8; ++c) {
    const auto scale = QuantizeScale(ScaleOfProduct(input, weights[c], output), 32);
    ASSERT_TRUE(scale.ok()) << scale.status();
    EXPECT_EQ(scale->multiplier, multipliers[c]) << c;
    EXPECT_EQ(scale->shift, 39) << c;
  }
}

// Section Scaling: what stands for a scale of 1, and m * 2^-n for a fraction m.
TEST(QuantizeScale, GivesTheValuesOfTheSpecification) {
  EXPECT_EQ(QuantizeScale(1, 32)->multiplier, 1 << 30);
  EXPECT_EQ(QuantizeScale(1, 32)->shift, 30);
  EXPECT_EQ(QuantizeScale(1, 16)->multiplier, 1 << 14);
  EXPECT_EQ(QuantizeScale(1, 16)->shift, 14);
  EXPECT_EQ(QuantizeScale(1.5 / 32, 32)->multiplier, 3 << 29);
  EXPECT_EQ(QuantizeScale(1.5 / 32, 32)->shift, 35);
  EXPECT_EQ(QuantizeScale(1.75 * 4, 16)->multiplier, 7 << 12);
  EXPECT_EQ(QuantizeScale(1.75 * 4, 16)->shift, 12);
}

TEST(QuantizeScale, RoundsTiesUpwards) {
  // 2^30 + 1/2 and 2^14 + 1/2, and just below.
  EXPECT_EQ(QuantizeScale(1 + 0x1p-31, 32)->multiplier, (1 << 30) + 1);
  EXPECT_EQ(QuantizeScale(1 + 0x1p-31 - 0x1p-52, 32)->multiplier, 1 << 30);
  EXPECT_EQ(QuantizeScale(1 + 0x1p-15, 16)->multiplier, (1 << 14) + 1);
  EXPECT_EQ(QuantizeScale(1 + 0x1p-15 - 0x1p-52, 16)->multiplier, 1 << 14);
}

TEST(QuantizeScale, CarriesIntoTheNextPowerOfTwo) {
  for (const int bits : {16, 32}) {
    const auto carried = QuantizeScale(1 - 0x1p-53, bits);
    const auto one = QuantizeScale(1, bits);
    EXPECT_EQ(carried->multiplier, one->multiplier);
    EXPECT_EQ(carried->shift, one->shift);
    // The first that does not: half a unit below the power of two rounds up, more does not.
    EXPECT_EQ(QuantizeScale(1 - std::ldexp(1, -bits), bits)->shift, one->shift);
    const auto below = QuantizeScale(1 - std::ldexp(1, -bits) - 0x1p-53, bits);
    EXPECT_EQ(below->multiplier, int32_t((int64_t{1} << (bits - 1)) - 1));
    EXPECT_EQ(below->shift, one->shift + 1);
  }
}

TEST(QuantizeScale, IsNormalizedAndOffByHalfAUnitAtMost) {
  uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double fraction = 1 + static_cast<double>(state >> 12) * 0x1p-52;
    for (const int bits : {16, 32}) {
      const double scale = std::ldexp(fraction, static_cast<int>(state >> 40) % 40 - 30);
      const auto quantized = QuantizeScale(scale, bits);
      ASSERT_TRUE(quantized.ok()) << quantized.status();
      EXPECT_GE(quantized->multiplier, int64_t{1} << (bits - 2));
      EXPECT_LT(quantized->multiplier, int64_t{1} << (bits - 1));
      // Both are multiples of 2^-52 of the scale's binade: the difference is exact.
      const double value = std::ldexp(quantized->multiplier, -quantized->shift);
      EXPECT_LE(std::fabs(value - scale), std::ldexp(scale, 1 - bits)) << scale;
    }
  }
}

TEST(QuantizeScale, AllowsTheShiftsThatScalingDoes) {
  EXPECT_EQ(QuantizeScale(0x1p-32, 32)->shift, 62);
  EXPECT_EQ(QuantizeScale(0x1p-48, 16)->shift, 62);
  EXPECT_EQ(QuantizeScale(0x1p28, 32)->shift, 2);
  EXPECT_EQ(QuantizeScale(0x1p12, 16)->shift, 2);
  // Rounding decides: it is 2^-32 that is meant.
  EXPECT_EQ(QuantizeScale(0x1p-32 * (1 - 0x1p-33), 32)->shift, 62);
  const auto small = QuantizeScale(0x1p-33, 32), large = QuantizeScale(0x1p29, 32);
  EXPECT_THAT(Message(small.status()), HasSubstr("a shift of 63; expected one from 2 to 62"));
  EXPECT_THAT(Message(large.status()), HasSubstr("a shift of 1; expected one from 2 to 62"));
  EXPECT_FALSE(QuantizeScale(0x1p-49, 16).ok());
  EXPECT_FALSE(QuantizeScale(0x1p13, 16).ok());
  EXPECT_FALSE(QuantizeScale(std::numeric_limits<double>::denorm_min(), 32).ok());
  EXPECT_FALSE(QuantizeScale(std::numeric_limits<double>::max(), 32).ok());
}

TEST(QuantizeScale, TakesTheNearestOfWhatIsLeftBelowTheNormalized) {
  const auto nearest = [](double scale, int bits) { return QuantizeScale(scale, bits, false); };
  EXPECT_EQ(nearest(0x1p-33, 32)->multiplier, 1 << 29);
  EXPECT_EQ(nearest(0x1p-33, 32)->shift, 62);
  EXPECT_EQ(nearest(0x1p-50, 16)->multiplier, 1 << 12);
  EXPECT_EQ(nearest(5 * 0x1p-62, 32)->multiplier, 5);
  EXPECT_EQ(nearest(5.5 * 0x1p-62, 16)->multiplier, 6);  // a tie upwards
  EXPECT_EQ(nearest(5.4999 * 0x1p-62, 16)->multiplier, 5);
  // From the normalized multiplier of 16 bits, 1.5, it would be rounded up once more.
  EXPECT_EQ(nearest((1.5 - 0x1p-17) * 0x1p-62, 16)->multiplier, 1);
  EXPECT_EQ(nearest(0x1p-63, 32)->multiplier, 1);
  for (const double scale : {0x1p-63 * (1 - 0x1p-53), 0x1p-64, 0x1p-65, 0x1p-1000}) {
    EXPECT_THAT(Message(nearest(scale, 32).status()), HasSubstr("at least 2^-63"));
  }
  EXPECT_EQ(nearest(0.3, 32)->multiplier, QuantizeScale(0.3, 32)->multiplier);
  EXPECT_FALSE(nearest(0x1p29, 32).ok());
}

TEST(QuantizeScale, NamesAScaleInFull) {
  EXPECT_THAT(Message(QuantizeScale(0.1 + 0x1p31, 32).status()), HasSubstr("found 2147483648.1,"));
}

TEST(QuantizeScale, RefusesWhatIsNoScale) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double scale : {0.0, -0.0, -1.0, infinity, -infinity, std::nan("")}) {
    EXPECT_THAT(Message(QuantizeScale(scale, 32).status()), HasSubstr("a positive number"));
  }
  EXPECT_THAT(Message(QuantizeScale(1, 8).status()), HasSubstr("expected 16 or 32"));
}

}  // namespace
}  // namespace cts
