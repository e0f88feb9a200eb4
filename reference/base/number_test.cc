#include "reference/base/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace cts {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kBeyond = (int64_t{1} << 53) + 1;  // fp64 does not have it

TEST(ExactNumber, KeepsIntegersThatFp64DoesNotHave) {
  const ExactNumber number = kBeyond;
  EXPECT_EQ(number.Integer(), kBeyond);
  EXPECT_EQ(number.Text(), "9007199254740993");
  EXPECT_EQ(number.Float(), 0x1p53);
  EXPECT_EQ(ExactNumber(INT64_MIN).Text(), "-9223372036854775808");
  EXPECT_EQ(ExactNumber(INT64_MAX).Integer(), INT64_MAX);
}

TEST(ExactNumber, ComparesWithoutRounding) {
  EXPECT_LT(ExactNumber(kBeyond - 1), ExactNumber(kBeyond));
  EXPECT_NE(ExactNumber(0x1p53), ExactNumber(kBeyond));
  EXPECT_EQ(ExactNumber(0x1p53), ExactNumber(kBeyond - 1));
  EXPECT_LT(ExactNumber(INT64_MAX), ExactNumber(0x1p63));
  EXPECT_GT(ExactNumber(0x1p63), ExactNumber(INT64_MAX));
  EXPECT_EQ(ExactNumber(INT64_MIN), ExactNumber(-0x1p63));
  EXPECT_GT(ExactNumber(INT64_MIN), ExactNumber(-kInfinity));
  EXPECT_LT(ExactNumber(INT64_MIN), ExactNumber(std::nextafter(-0x1p63, 0)));
  EXPECT_EQ(ExactNumber(0), ExactNumber(-0.0));
  EXPECT_GT(ExactNumber(0), ExactNumber(-5e-324));
  EXPECT_NE(ExactNumber(5e-324), 0);
  for (const int integer : {-3, -2, -1, 0, 1, 2, 3}) {
    EXPECT_LT(ExactNumber(integer), ExactNumber(integer + 0.5));
    EXPECT_GT(ExactNumber(integer), ExactNumber(integer - 0.5));
  }
}

// long double has 64 bits of significand: every int64_t and every fp64 number are exact in it.
TEST(ExactNumber, OrdersAsTheRealNumbersDo) {
  static_assert(std::numeric_limits<long double>::digits >= 64);
  struct Each {
    ExactNumber number;
    long double value;
  };
  std::vector<Each> all;
  for (const int64_t edge :
       {INT64_MIN, -kBeyond, int64_t{-1} << 32, int64_t{0}, int64_t{1} << 32, kBeyond, INT64_MAX}) {
    for (int64_t off = -2; off <= 2; ++off) {
      int64_t integer = 0;
      if (!__builtin_add_overflow(edge, off, &integer)) {
        all.push_back({integer, static_cast<long double>(integer)});
      }
    }
    const auto near = static_cast<double>(edge);
    for (const double number : {near, std::nextafter(near, kInfinity),
                                std::nextafter(near, -kInfinity), near + 0.5, near - 0.5}) {
      all.push_back({number, number});
    }
  }
  all.push_back({kInfinity, kInfinity});
  all.push_back({-kInfinity, -kInfinity});
  for (const Each& x : all) {
    for (const Each& y : all) {
      ASSERT_EQ(x.number <=> y.number, x.value <=> y.value)
          << x.number.Text() << " " << y.number.Text();
    }
  }
}

TEST(ExactNumber, NanIsUnorderedAndNoInteger) {
  const ExactNumber nan = std::nan("");
  EXPECT_TRUE(nan.IsNan());
  EXPECT_FALSE(ExactNumber(1.5).IsNan());
  EXPECT_FALSE(ExactNumber(1).IsNan());
  for (const ExactNumber& other : {ExactNumber(0), ExactNumber(0.0), nan}) {
    EXPECT_FALSE(nan <= other);
    EXPECT_FALSE(other <= nan);
    EXPECT_NE(nan, other);
  }
  EXPECT_EQ(nan.Integer(), 0);
  EXPECT_EQ(nan.Text(), "nan");
}

TEST(ExactNumber, AsAnIntegerIsCutTowardZeroAndToTheRange) {
  EXPECT_EQ(ExactNumber(2.75).Integer(), 2);
  EXPECT_EQ(ExactNumber(-2.75).Integer(), -2);
  EXPECT_EQ(ExactNumber(0x1p63).Integer(), INT64_MAX);
  EXPECT_EQ(ExactNumber(-kInfinity).Integer(), INT64_MIN);
  EXPECT_EQ(ExactNumber(-0x1p63).Integer(), INT64_MIN);
  EXPECT_EQ(ExactNumber(0.1).Text(), "0.1");
}

}  // namespace
}  // namespace cts
