#include "checker/rules/exact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cts {
namespace {

TEST(EqualFloats, TakesAnyNanForNanAndNothingElse) {
  const double nan = std::nan("1");
  EXPECT_TRUE(EqualFloats(-std::nan("7"), nan, true));
  EXPECT_FALSE(EqualFloats(nan, 0.0, false));
  EXPECT_FALSE(EqualFloats(0.0, nan, false));
  EXPECT_FALSE(EqualFloats(std::numeric_limits<double>::infinity(), nan, false));
}

TEST(EqualFloats, TellsZerosApartOnlyIfAsked) {
  EXPECT_TRUE(EqualFloats(-0.0, 0.0, false));
  EXPECT_TRUE(EqualFloats(0.0, -0.0, false));
  EXPECT_FALSE(EqualFloats(-0.0, 0.0, true));
  EXPECT_FALSE(EqualFloats(0.0, -0.0, true));
  EXPECT_TRUE(EqualFloats(-0.0, -0.0, true));
}

TEST(EqualFloats, LetsAChoiceTakePlusForMinusZeroOnly) {
  EXPECT_TRUE(EqualFloats(0.0, -0.0, true, true));
  EXPECT_TRUE(EqualFloats(-0.0, -0.0, true, true));
  EXPECT_FALSE(EqualFloats(-0.0, 0.0, true, true));
  EXPECT_FALSE(EqualFloats(1.0, -1.0, true, true));
}

TEST(EqualFloats, RefusesTheNextNumber) {
  EXPECT_TRUE(EqualFloats(1.0, 1.0, true));
  EXPECT_FALSE(EqualFloats(std::nextafter(1.0, 2.0), 1.0, false));
  EXPECT_FALSE(EqualFloats(-1.0, 1.0, false));
}

}  // namespace
}  // namespace cts
