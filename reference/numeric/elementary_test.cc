#include "reference/numeric/elementary.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "reference/base/special_values_testing.h"
#include "reference/numeric/mpfr_float.h"

namespace cts {
namespace {

constexpr double kMax = std::numeric_limits<double>::max();

// e^x to 400 bits, then rounded once.
double PreciseExp(double x) {
  FreeMpfrCachesAtThreadExit();
  MpfrFloat value = MpfrFloat::FromDouble(x, 400);
  mpfr_exp(value.raw(), value.raw(), MPFR_RNDN);
  return value.ToDouble();
}

TEST(Exp, GivesKnownValues) {
  EXPECT_EQ(Exp(0.0), 1.0);
  EXPECT_EQ(Exp(-0.0), 1.0);
  EXPECT_EQ(Exp(1.0), 0x1.5BF0A8B145769p+1);   // e = 2.71828182845904523536...
  EXPECT_EQ(Exp(-1.0), 0x1.78B56362CEF38p-2);  // 1/e = 0.36787944117144232159...
  EXPECT_EQ(Exp(kInf), kInf);
  EXPECT_EQ(Exp(-kInf), 0.0);
  EXPECT_FALSE(std::signbit(Exp(-kInf)));
  EXPECT_TRUE(std::isnan(Exp(std::nan(""))));
  EXPECT_EQ(Exp(0x1p-1074), 1.0);
  EXPECT_EQ(Exp(kMax), kInf);
  EXPECT_EQ(Exp(-kMax), 0.0);
}

// ln(2^1024 - 2^970) and ln(2^-1075), where half the least subnormal number is no longer exceeded.
TEST(Exp, OverflowsAndUnderflowsWhereItMust) {
  EXPECT_LT(Exp(0x1.62E42FEFA39EFp+9), kInf);
  EXPECT_EQ(Exp(std::nextafter(0x1.62E42FEFA39EFp+9, kInf)), kInf);
  EXPECT_EQ(Exp(-745.13321910194110842), 0x1p-1074);
  EXPECT_EQ(Exp(std::nextafter(-745.13321910194110842, -kInf)), 0.0);
}

TEST(Exp, AgreesWithHigherPrecision) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    for (double x : {unit * 2 - 1, -745.5 + unit * 1456, -708 - unit * 38, std::ldexp(unit, -30)}) {
      ASSERT_EQ(Exp(x), PreciseExp(x)) << std::hexfloat << x;
    }
  }
}

TEST(Exp, GivesTheSameFromSeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([t, &wrong] {
      for (int i = 0; i < 2000; ++i) {
        const double x = -740 + 0.25 * i + static_cast<double>(t);
        wrong[t] += Exp(x) != PreciseExp(x);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(Exp, LeavesTheExponentRangeOfMpfrAlone) {
  const mpfr_exp_t min = mpfr_get_emin();
  const mpfr_exp_t max = mpfr_get_emax();
  Exp(1.0);
  EXPECT_EQ(mpfr_get_emin(), min);
  EXPECT_EQ(mpfr_get_emax(), max);
}

TEST(Sqrt, GivesKnownValues) {
  EXPECT_EQ(Sqrt(4.0), 2.0);
  EXPECT_EQ(Sqrt(2.0), 0x1.6A09E667F3BCDp+0);  // 1.41421356237309504880...
  EXPECT_EQ(Sqrt(0x1p-1074), 0x1p-537);
  EXPECT_EQ(Sqrt(0x1p-1022), 0x1p-511);
  EXPECT_EQ(Sqrt(kInf), kInf);
  EXPECT_EQ(Sqrt(0.0), 0.0);
  EXPECT_TRUE(std::signbit(Sqrt(-0.0)));
  EXPECT_TRUE(std::isnan(Sqrt(-0x1p-1074)));
  EXPECT_TRUE(std::isnan(Sqrt(-kInf)));
  EXPECT_TRUE(std::isnan(Sqrt(std::nan(""))));
}

// r is sqrt(x) rounded to nearest if x lies between the squares of the midpoints around r, which
// MPFR computes exactly.
TEST(Sqrt, IsCorrectlyRounded) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 50000; ++i) {
    uint64_t bits = random() >> 1;
    if (i % 10 == 0) bits &= (uint64_t{1} << 52) - 1;  // subnormal
    const double x = std::bit_cast<double>(bits);
    if (!std::isfinite(x) || x == 0) continue;
    const double r = Sqrt(x);
    const auto square_of_midpoint = [r](double neighbour) {
      const MpfrFloat twice = Add(MpfrFloat::FromDouble(r), MpfrFloat::FromDouble(neighbour));
      return Mul(Mul(twice, twice), MpfrFloat::FromDouble(0.25));
    };
    ASSERT_LT(square_of_midpoint(std::nextafter(r, 0)), MpfrFloat::FromDouble(x)) << x;
    ASSERT_GT(square_of_midpoint(std::nextafter(r, kInf)), MpfrFloat::FromDouble(x)) << x;
  }
}

// Every function against 400 bits, rounded once.
TEST(Elementary, AgreesWithHigherPrecision) {
  struct Function {
    double (*rounded)(double);
    int (*precise)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  };
  const Function functions[] = {{Expm1, mpfr_expm1}, {Log, mpfr_log},   {Sin, mpfr_sin},
                                {Cos, mpfr_cos},     {Tanh, mpfr_tanh}, {Erf, mpfr_erf}};
  std::mt19937_64 random(5);
  FreeMpfrCachesAtThreadExit();
  for (int i = 0; i < 4000; ++i) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    for (double x : {unit * 2 - 1, unit * 40 - 20, unit * 1e6, std::ldexp(unit, -40),
                     std::ldexp(unit, -1060)}) {
      for (const Function& f : functions) {
        MpfrFloat value = MpfrFloat::FromDouble(x, 400);
        f.precise(value.raw(), value.raw(), MPFR_RNDN);
        const double expected = value.ToDouble(), got = f.rounded(x);
        ASSERT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected))) << x;
      }
    }
  }
}

TEST(Elementary, KeepsSpecialValues) {
  EXPECT_EQ(Log(0.0), -kInf);
  EXPECT_TRUE(std::isnan(Log(-1.0)));
  EXPECT_EQ(Tanh(-kInf), -1);
  EXPECT_EQ(Erf(kInf), 1);
  EXPECT_TRUE(std::isnan(Sin(kInf)));
  EXPECT_TRUE(std::signbit(Sin(-0.0)));
  EXPECT_EQ(Cos(0.0), 1);
}

TEST(Pow, AgreesWithHigherPrecision) {
  std::mt19937_64 random(7);
  FreeMpfrCachesAtThreadExit();
  for (int i = 0; i < 4000; ++i) {
    const double x = static_cast<double>(random() >> 11) * 0x1p-50;
    const double y = static_cast<double>(random() >> 11) * 0x1p-46 - 64;
    MpfrFloat value = MpfrFloat::FromDouble(x, 400);
    mpfr_pow(value.raw(), value.raw(), MpfrFloat::FromDouble(y, 400).raw(), MPFR_RNDN);
    ASSERT_EQ(Pow(x, y), value.ToDouble()) << x << " " << y;
  }
  EXPECT_EQ(Pow(2, 0.5), Sqrt(2));
}

}  // namespace
}  // namespace cts
