// Against MPFR at 200 bits, rounded once.
#include "reference/numeric/fast_exp.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "reference/base/float_format.h"
#include "reference/base/special_values_testing.h"
#include "reference/numeric/mpfr_float.h"

namespace cts {
namespace {

double PreciseExp(double x) {
  FreeMpfrCachesAtThreadExit();
  MpfrFloat value = MpfrFloat::FromDouble(x, 200);
  mpfr_exp(value.raw(), value.raw(), MPFR_RNDN);
  return value.ToDouble();
}

// Counts the results that are left to MPFR; all others must be right.
class Checked {
 public:
  void Expect(double x) {
    const std::optional<double> fast = FastExp(x);
    ++count_;
    if (!fast.has_value()) {
      ++left_;
    } else if (*fast != PreciseExp(x)) {
      ADD_FAILURE() << std::hexfloat << x << ": found " << *fast << ", expected " << PreciseExp(x);
    }
  }
  double left() const { return static_cast<double>(left_) / static_cast<double>(count_); }

 private:
  int64_t count_ = 0, left_ = 0;
};

TEST(FastExp, IsRightForEvery16BitNumber) {
  for (DType type : {DType::kFp16, DType::kBf16}) {
    for (uint64_t bits = 0; bits < 0x10000; ++bits) {
      const double x = DecodeFloat(type, bits);
      Checked checked;
      checked.Expect(x);
    }
  }
}

TEST(FastExp, IsRightForAMillionNumbersOfFp32) {
  std::mt19937_64 random(1);
  Checked checked;
  for (int i = 0; i < 1'000'000; ++i) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    checked.Expect(
        static_cast<float>(unit * 208 - 104));  // where e^x is no zero or infinity in fp32
  }
  // Twice 2^-67 of every 2^-53, and no more: a wider interval would only cost time.
  EXPECT_LT(checked.left(), 2e-4);
  EXPECT_GT(checked.left(), 5e-5);
}

TEST(FastExp, IsRightOfEverySize) {
  std::mt19937_64 random(2);
  Checked checked;
  for (int i = 0; i < 100'000; ++i) {
    const double x = std::ldexp(static_cast<double>(random() >> 11) * 0x1p-53,
                                static_cast<int>(random() % 66) - 55);
    checked.Expect(x);
    checked.Expect(-x);
  }
  EXPECT_LT(checked.left(), 0.1);  // those beyond 700, mostly
}

// x = k ln(2) / 128 + r with r next to nothing, and r at the end of its range.
TEST(FastExp, IsRightAroundTheStepsOfItsTable) {
  Checked checked;
  for (int half_steps = -258'000; half_steps <= 258'000; half_steps += 7) {
    double x = half_steps * (0x1.62e42fefa39efp-1 / 256);
    for (int i = 0; i < 2; ++i, x = std::nextafter(x, 1e9)) checked.Expect(x);
  }
  EXPECT_LT(checked.left(), 1e-3);
}

// The double whose e^x lies nearest to a midpoint of fp64 (Lefevre and Muller, Worst Cases for
// Correct Rounding of the Elementary Functions in Double Precision): 59 bits beyond the last.
TEST(FastExp, LeavesTheHardestCaseToMpfr) {
  EXPECT_EQ(FastExp(0x1.9E9CBBFD6080Bp-31), std::nullopt);
}

TEST(FastExp, LeavesSpecialValuesToMpfr) {
  for (double x : {kInf, -kInf, std::nan(""), 701.0, -701.0, 1e300, -1e300}) {
    EXPECT_EQ(FastExp(x), std::nullopt) << x;
  }
}

// e^x rounds to 1 as long as it is at least 1 - 2^-54 and at most 1 + 2^-53.
TEST(FastExp, RoundsToOneAsFarAsItMust) {
  EXPECT_EQ(FastExp(0), 1);
  EXPECT_EQ(FastExp(-0.0), 1);
  EXPECT_EQ(FastExp(0x1.FFFFFFFFFFFFFp-55), 1);
  EXPECT_EQ(FastExp(-0x1.FFFFFFFFFFFFFp-55), 1);
  for (double x : {0x1p-54, -0x1p-54, 0x1p-53, -0x1p-53, 0x1.8p-53, 0x1p-52}) {
    EXPECT_EQ(FastExp(x).value_or(PreciseExp(x)), PreciseExp(x)) << x;
  }
}

}  // namespace
}  // namespace cts
