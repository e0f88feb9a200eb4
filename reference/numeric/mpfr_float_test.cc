#include "reference/numeric/mpfr_float.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "reference/base/special_values_testing.h"

namespace cts {
namespace {

MpfrFloat Of(double value) { return MpfrFloat::FromDouble(value); }

TEST(MpfrFloat, KeepsDoublesAndIntegersExactly) {
  for (double value : {0.0, 1.0, -0.1, 0x1p-1074, 0x1.FFFFFFFFFFFFFp1023, kInf, -kInf}) {
    EXPECT_EQ(Of(value).ToDouble(), value);
  }
  EXPECT_TRUE(std::signbit(Of(-0.0).ToDouble()));
  EXPECT_TRUE(std::isnan(Of(std::nan("")).ToDouble()));
  EXPECT_EQ(MpfrFloat().ToDouble(), 0);
  EXPECT_EQ(MpfrFloat::FromInteger(INT64_MIN).ToDouble(), -0x1p63);
  // 2^63 - 1 needs 63 bits: fp64 would have rounded it up.
  EXPECT_LT(MpfrFloat::FromInteger(INT64_MAX), Of(0x1p63));
  EXPECT_EQ(Add(MpfrFloat::FromInteger(INT64_MAX), Of(1)), Of(0x1p63));
}

TEST(MpfrFloat, ComputesExactlyWherePrecisionSuffices) {
  EXPECT_EQ(Sub(Add(Of(0x1p100), Of(0x1p-100)), Of(0x1p100)).ToDouble(), 0x1p-100);
  EXPECT_EQ(Mul(Of(0x1p-1074), Of(0x1p-1074)), Div(Of(0x1p-1074), Mul(Of(0x1p1000), Of(0x1p74))));
  EXPECT_EQ(Div(Of(1), Of(3)).ToDouble(), 1.0 / 3.0);
  EXPECT_NE(Div(Of(1), Of(3)), Of(1.0 / 3.0));
}

TEST(MpfrFloat, ResultHasTheGreaterPrecision) {
  const MpfrFloat narrow = MpfrFloat::FromDouble(1, 60);
  EXPECT_EQ(Add(narrow, Of(1)).precision(), MpfrFloat::kDefaultPrecision);
  EXPECT_EQ(Add(narrow, narrow).precision(), 60);
}

TEST(MpfrFloat, RoundsToNearestEvenAtAnotherPrecision) {
  EXPECT_EQ(Of(5).RoundTo(2).ToDouble(), 4);  // 101b lies between 100b and 110b
  EXPECT_EQ(Of(7).RoundTo(2).ToDouble(), 8);  // 111b lies between 110b and 1000b
  EXPECT_EQ(Of(5.01).RoundTo(2).ToDouble(), 6);
  EXPECT_EQ(Of(5).RoundTo(2).precision(), 2);
}

TEST(MpfrFloat, RoundsOnceToSubnormalsOfFp64) {
  const MpfrFloat least = Of(0x1p-1074);
  EXPECT_EQ(Mul(least, Of(0.5)).ToDouble(), 0);
  EXPECT_EQ(Mul(least, Of(0.5000001)).ToDouble(), 0x1p-1074);
  EXPECT_EQ(Mul(least, Of(1.5)).ToDouble(), 0x1p-1073);
  EXPECT_EQ(Mul(least, Of(2.5)).ToDouble(), 0x1p-1073);
  // Rounded to 53 bits first this would be 1.5 of the last place, and then even: 2 instead of 1.
  EXPECT_EQ(Mul(least, Sub(Of(1.5), Of(0x1p-80))).ToDouble(), 0x1p-1074);
  EXPECT_EQ(Mul(Of(0x1.FFFFFFFFFFFFFp1023), Of(2)).ToDouble(), kInf);
}

TEST(MpfrFloat, ComparesAsIeee754) {
  EXPECT_LT(Of(1), Of(2));
  EXPECT_GE(Of(2), Of(2).RoundTo(10));
  EXPECT_EQ(Of(0.0), Of(-0.0));
  EXPECT_LT(Of(-kInf), Of(-1e308));
  const MpfrFloat nan = Of(std::nan(""));
  EXPECT_FALSE(nan == nan);
  EXPECT_FALSE(nan < Of(1));
  EXPECT_FALSE(nan >= Of(1));
}

TEST(MpfrFloat, CopiesAndMoves) {
  MpfrFloat a = Of(3);
  MpfrFloat b = a;
  a = Of(4);
  EXPECT_EQ(b, Of(3));
  const MpfrFloat c = std::move(a);
  EXPECT_EQ(c, Of(4));
  a = b;
  EXPECT_EQ(a, Of(3));
}

}  // namespace
}  // namespace cts
