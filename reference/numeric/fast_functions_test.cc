// Against MPFR, which rounds correctly to 53 bits itself.
#include "reference/numeric/fast_functions.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "reference/base/float_format.h"
#include "reference/base/special_values_testing.h"
#include "reference/numeric/elementary.h"
#include "reference/numeric/mpfr_float.h"
#include "reference/numeric/vector_targets_testing.h"

namespace cts {
namespace {

constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kMin = std::numeric_limits<double>::min();

// 1 / (1 + e^-x) to far more than twice fp64's bits, rounded once.
int Logistic(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  MpfrFloat value(300);
  mpfr_neg(value.raw(), x, MPFR_RNDN);
  mpfr_exp(value.raw(), value.raw(), MPFR_RNDN);
  mpfr_add_ui(value.raw(), value.raw(), 1, MPFR_RNDN);
  return mpfr_ui_div(result, 1, value.raw(), rounding);
}

struct Function {
  const char* name;
  std::optional<double> (*fast)(double);
  int (*precise)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  long double (*wide)(long double);  // the C library's
};
void PrintTo(const Function& function, std::ostream* out) { *out << function.name; }

constexpr Function kLog = {"log", FastLog, mpfr_log, std::log},
                   kSin = {"sin", FastSin, mpfr_sin, std::sin},
                   kCos = {"cos", FastCos, mpfr_cos, std::cos},
                   kTanh = {"tanh", FastTanh, mpfr_tanh, std::tanh},
                   kErf = {"erf", FastErf, mpfr_erf, std::erf},
                   kLogistic = {"logistic", FastLogistic, Logistic,
                                [](long double x) { return 1 / (1 + std::exp(-x)); }};
constexpr Function kFunctions[] = {kLog, kSin, kCos, kTanh, kErf, kLogistic};

// For results that are normal numbers, or beyond all numbers.
double Precise(const Function& function, double x) {
  FreeMpfrCachesAtThreadExit();
  MPFR_DECL_INIT(value, 53);
  mpfr_set_d(value, x, MPFR_RNDN);
  function.precise(value, value, MPFR_RNDN);
  return mpfr_get_d(value, MPFR_RNDN);
}

double PrecisePow(double x, double y) {
  FreeMpfrCachesAtThreadExit();
  MPFR_DECL_INIT(value, 53);
  MPFR_DECL_INIT(exponent, 53);
  mpfr_set_d(value, x, MPFR_RNDN);
  mpfr_set_d(exponent, y, MPFR_RNDN);
  mpfr_pow(value, value, exponent, MPFR_RNDN);
  return mpfr_get_d(value, MPFR_RNDN);
}

// Counts what is left to MPFR; what is not must have the same bits.
class Checked {
 public:
  void Expect(const Function& function, double x) {
    const std::optional<double> fast = function.fast(x);
    if (Take(fast)) Compare(*fast, Precise(function, x), std::string(function.name), x, 0);
  }
  void ExpectPow(double x, double y) {
    const std::optional<double> fast = FastPow(x, y);
    if (Take(fast)) Compare(*fast, PrecisePow(x, y), "pow", x, y);
  }
  // The same where the C library does not agree, all but one in 500: for very many numbers.
  void ExpectQuickly(const Function& function, double x) {
    const std::optional<double> fast = function.fast(x);
    if (Take(fast) && !Agrees(*fast, function.wide(x))) {
      Compare(*fast, Precise(function, x), std::string(function.name), x, 0);
    }
  }
  void ExpectPowQuickly(double x, double y) {
    const std::optional<double> fast = FastPow(x, y);
    if (Take(fast) && !Agrees(*fast, std::pow(static_cast<long double>(x), y))) {
      Compare(*fast, PrecisePow(x, y), "pow", x, y);
    }
  }
  int64_t count() const { return count_; }
  double left() const { return static_cast<double>(left_) / static_cast<double>(count_); }

 private:
  bool Take(const std::optional<double>& fast) {
    ++count_;
    left_ += fast.has_value() ? 0 : 1;
    return fast.has_value();
  }
  // Whether the C library agrees with a result: everything within 2^-60 of what it gives in long
  // double, eight units in the last place of 64 bits, rounds to that.
  static bool Agrees(double fast, long double wide) {
    if constexpr (std::numeric_limits<long double>::digits < 64) return false;
    if (std::isinf(wide)) return wide == static_cast<long double>(fast);
    const long double error = std::fabs(wide) * 0x1p-60L;
    return static_cast<double>(wide - error) == fast && static_cast<double>(wide + error) == fast;
  }
  static void Compare(double found, double expected, const std::string& name, double x, double y) {
    if (std::bit_cast<uint64_t>(found) == std::bit_cast<uint64_t>(expected)) return;
    ADD_FAILURE() << name << " of " << std::hexfloat << x << " and " << y << ": found " << found
                  << ", expected " << expected;
  }

  int64_t count_ = 0, left_ = 0;
};

constexpr int64_t kSamples = 200'000;  // of each function

double RandomFp32(std::mt19937_64& random) {
  return std::bit_cast<float>(static_cast<uint32_t>(random() >> 32));
}
double RandomUnit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

TEST(FastFunctions, AreRightForEvery16BitNumber) {
  for (DType type : {DType::kFp16, DType::kBf16}) {
    for (uint64_t bits = 0; bits < 0x10000; ++bits) {
      const double x = DecodeFloat(type, bits);
      if (std::isnan(x)) continue;
      Checked checked;
      for (const Function& function : kFunctions) checked.Expect(function, x);
    }
  }
}

TEST(FastFunctions, AreRightForRandomNumbersOfFp32) {
  for (const Function& function : kFunctions) {
    std::mt19937_64 random(1);
    Checked everywhere, where_it_bends;
    for (int64_t i = 0; i < kSamples / 2; ++i) {
      const double x = RandomFp32(random);
      if (!std::isnan(x) && !(function.fast == FastLog && x <= 0)) everywhere.Expect(function, x);
      const double bent = static_cast<float>((RandomUnit(random) - 0.5) * 16);
      where_it_bends.Expect(function, function.fast == FastLog ? std::fabs(bent) : bent);
    }
    // A wider interval than twice 2^-65.5 of every 2^-53 would only cost time. A sixteenth of
    // everything are infinities, NaN and, for the logistic function, numbers near its end.
    EXPECT_LT(where_it_bends.left(), 4e-4) << function.name;
    EXPECT_LT(everywhere.left(), 0.02) << function.name;
  }
}

TEST(FastFunctions, AreRightForNumbersOfFp64OfEverySize) {
  for (const Function& function : kFunctions) {
    std::mt19937_64 random(2);
    Checked checked;
    for (int i = 0; i < 40'000; ++i) {
      const double unit = RandomUnit(random) + 0.5;
      const int exponent = static_cast<int>(random() % 1100) - 80;
      const double x = std::ldexp(unit, exponent > 60 && function.fast != FastSin &&
                                                function.fast != FastCos && function.fast != FastLog
                                            ? exponent % 64 - 60
                                            : exponent);
      checked.Expect(function, x);
      if (function.fast != FastLog) checked.Expect(function, -x);
    }
  }
}

TEST(FastFunctions, PowIsRightForRandomNumbers) {
  std::mt19937_64 random(3);
  Checked near, everywhere;
  for (int64_t i = 0; i < kSamples / 2; ++i) {
    const double x = static_cast<float>(RandomUnit(random) * 8);
    near.ExpectPow(x, static_cast<float>((RandomUnit(random) - 0.5) * 200));
    everywhere.ExpectPow(std::fabs(RandomFp32(random)), RandomFp32(random));
  }
  EXPECT_LT(near.left(), 1e-3);  // also exact results midway between two numbers
  EXPECT_LT(everywhere.left(), 0.05);
}

// 10^9 numbers of each function, two minutes each.
class BillionNumbers : public testing::Test {
 protected:
  static constexpr int64_t kHalf = 500'000'000;

  void SetUp() override {
    if (std::getenv("TENSOR_CTS_WHOLE") == nullptr) GTEST_SKIP() << "asks for TENSOR_CTS_WHOLE";
  }
  static double RandomNumber(std::mt19937_64& random) {
    double x = RandomFp32(random);
    while (std::isnan(x)) x = RandomFp32(random);
    return x;
  }
  static void Print(const std::string& name, const Checked& everywhere, const Checked& bent) {
    std::printf("%s: %.2g of %lld everywhere and %.2g of %lld where it bends are left to MPFR\n",
                name.c_str(), everywhere.left(), static_cast<long long>(everywhere.count()),
                bent.left(), static_cast<long long>(bent.count()));
  }
};

class BillionNumbersOf : public BillionNumbers, public testing::WithParamInterface<Function> {};

TEST_P(BillionNumbersOf, AreRight) {
  const Function& function = GetParam();
  std::mt19937_64 random(6);
  const bool positive = function.fast == FastLog;
  Checked everywhere, where_it_bends;
  for (int64_t i = 0; i < kHalf; ++i) {
    const double x = RandomNumber(random);
    everywhere.ExpectQuickly(function, positive ? std::fabs(x) : x);
    const double bent = static_cast<float>((RandomUnit(random) - 0.5) * 16);
    where_it_bends.ExpectQuickly(function, positive ? std::fabs(bent) : bent);
  }
  Print(function.name, everywhere, where_it_bends);
}

INSTANTIATE_TEST_SUITE_P(All, BillionNumbersOf, testing::ValuesIn(kFunctions),
                         [](const auto& function) { return function.param.name; });

TEST_F(BillionNumbers, OfPowAreRight) {
  std::mt19937_64 random(7);
  Checked near, everywhere;
  for (int64_t i = 0; i < kHalf; ++i) {
    const double x = static_cast<float>(RandomUnit(random) * 8);
    near.ExpectPowQuickly(x, static_cast<float>((RandomUnit(random) - 0.5) * 200));
    const double base = std::fabs(RandomNumber(random));
    everywhere.ExpectPowQuickly(base, RandomNumber(random));
  }
  Print("pow", everywhere, near);
}

// Bases near 1 with large exponents, where the logarithm's error counts most.
TEST(FastFunctions, PowIsRightForBasesNearOne) {
  std::mt19937_64 random(5);
  Checked checked;
  for (int i = 0; i < 20'000; ++i) {
    const double distance = std::ldexp(RandomUnit(random) + 1, -8 - static_cast<int>(i % 16));
    const double x = i % 2 == 0 ? 1 + distance : 1 - distance;
    checked.ExpectPow(x, (RandomUnit(random) - 0.5) * 1400 / std::log(x));
  }
  EXPECT_LT(checked.left(), 1e-3);
}

// Small bases and exponents have exact results, numbers of fp64 and midpoints of them.
TEST(FastFunctions, PowIsRightWhereItsResultIsExact) {
  Checked checked;
  for (int base = 1; base <= 200; ++base) {
    for (int exponent = -12; exponent <= 40; ++exponent) {
      for (const double scale : {1.0, 0.125, 0x1p-20}) {
        checked.ExpectPow(base * scale, exponent);
        checked.ExpectPow(base * base * scale * scale, exponent * 0.5);
      }
    }
  }
  EXPECT_EQ(FastPow(2, 0.5), 0x1.6a09e667f3bcdp+0);
  EXPECT_EQ(FastPow(3, 4), 81);
}

// r = 0, the ends of steps, and multiples of pi/2 as near as fp64 comes.
TEST(FastFunctions, AreRightAroundTheStepsOfTheirTables) {
  Checked checked;
  const auto around = [&](const Function& function, double x) {
    for (const double each : {std::nextafter(x, -kInf), x, std::nextafter(x, kInf)}) {
      checked.Expect(function, each);
      if (function.fast != FastLog) checked.Expect(function, -each);
    }
  };
  for (int i = 1; i <= 4096; ++i) {
    around(kLog, i / 2048.0);
    around(kSin, i / 512.0), around(kCos, i / 512.0);
    around(kErf, i / 640.0);
    around(kErf, i / 256.0);
    around(kTanh, i * (0x1.62e42fefa39efp-1 / 512));
    around(kLogistic, i * (0x1.62e42fefa39efp-1 / 256));
    around(kSin, i * 0x1.921fb54442d18p-1), around(kCos, i * 0x1.921fb54442d18p-1);
    around(kSin, i * 0x1.921fb54442d18p+40), around(kCos, i * 0x1.921fb54442d18p+40);
    // Half steps of pi/512, below and beyond where the reduction is another.
    around(kSin, i * 0x1.921fb54442d18p-9), around(kCos, i * 0x1.921fb54442d18p-9);
    around(kSin, 788 + i * 0x1.921fb54442d18p-8), around(kCos, 788 + i * 0x1.921fb54442d18p-8);
  }
  // Nearest of all to a multiple of pi/2 (Muller, Elementary Functions, chapter on reduction).
  around(kSin, 6381956970095103 * 0x1p797), around(kCos, 6381956970095103 * 0x1p797);
  for (const double x :
       {0x1p-27, 0x1p-26, 0x1p-8, 0.78, 1.0, 5.9, 6.0, 19.9, 20.0, 39.9, 40.0, 800.0, kMax}) {
    for (const Function& function : kFunctions) {
      if (function.fast != FastLogistic || x < 600) around(function, x);
    }
  }
}

// Half a step less half a unit: the nearest step is 0, though x + 1/2 rounds to 1.
TEST(FastFunctions, AreRightJustBelowHalfAStep) {
  Checked checked;
  for (const double half : {0x1p-7, 0x1p-8, 0x1p-9}) {
    for (const Function& function : {kSin, kCos, kErf}) {
      checked.Expect(function, std::nextafter(half, 0));
    }
  }
}

// Hard to round, from the lists of the CORE-MATH project (src/binary64/*/*.wc), of V. Lefevre's
// search: 46 to 64 equal bits after the rounding bit, 102 to 153 for pow.
TEST(FastFunctions, AreRightOrInDoubtForHardCases) {
  Checked checked;
  for (const double x :
       {0x1.a6ae5142326b5p+0, 0x1.a6ba95b1520f9p+0, 0x1.b072ab04ee9bfp+0, 0x1.1e852e6951306p+1,
        0x1.000976581ce4ep+1, 0x1.39e3e05fe5f35p+3, 0x1.0af4fba7063b8p+4, 0x1.0bb1747d46314p+5,
        0x1.d0e162effea7dp+2, 0x1.8e27f4f0e6c74p+34, 0x1.a6004162f2b8cp+45}) {
    checked.Expect(kLog, x);
  }
  for (const double x :
       {0x1.005023d32fee5p+1, 0x1.00874a5f9fc33p-13, 0x1.009ee184a02e7p-8, 0x1.0102947e7003bp-3,
        0x1.0192deafac33fp+0, 0x1.06800e629d672p-23, 0x1.184a0aa58191dp-24, 0x1.1de37e8f5b0c1p-24,
        0x1.c162b9508717p-7, 0x1.2e8439fd922dep+1, 0x1.58868e3115187p-24}) {
    checked.Expect(kSin, x);
  }
  for (const double x :
       {0x1.0009effd4bedap-12, 0x1.00147eec5cfa5p+0, 0x1.00786b0bf421p-2, 0x1.00ff807f60deep-23,
        0x1.03f81f636b80cp-24, 0x1.0f876ccdf6cd6p-25, 0x1.6b8a6273d7c21p+0, 0x1.2c2fc595456a4p-25,
        0x1.11a08114c99bcp+0, 0x1.465655f122ff4p-25}) {
    checked.Expect(kCos, x);
  }
  for (const double x :
       {0x1.000b47bdb383fp-9, 0x1.00a0f3cf999acp+2, 0x1.015bdb2761717p+4, 0x1.015cee8026857p+1,
        0x1.02a3ad2ef6f49p-24, 0x1.0a402fcc79292p-25, 0x1.30fc1931f09c8p+4, 0x1.30fc1931f09c9p+4,
        0x1.30fc1931f09cap+4, 0x1.0e000000280b9p-16, 0x1.4a000000491d3p-16}) {
    checked.Expect(kTanh, x);
  }
  for (const double x : {0x1.6d5ad4307dd52p-7, 0x1.037b548d9d7a6p-61, 0x1.059a3d07be48cp-61,
                         0x1.5ca9e93f63a1p-20, 0x1.7afb48dc96627p+2}) {
    checked.Expect(kErf, x);
  }
  checked.ExpectPow(0x1.ffffffffffffcp-1, 0x1.fffffffffffffp-2);
  checked.ExpectPow(0x1.ffffffffffffcp-1, -0x1.ffffffffffffdp-2);
  checked.ExpectPow(0x1.ffffffffffffp-1, -0x1.ffffffffffff6p-3);
  checked.ExpectPow(0x1.ffffffffffff8p-1, -0x1.ffffffffffffbp-3);
}

// tanh(x), erf(x) and sin(x) of a tiny x are nearly x, cos(x) is nearly 1, where no pair decides.
TEST(FastFunctions, LeaveToMpfrWhatTheyDoNotCover) {
  const double nan = std::nan("");
  for (const Function& function : kFunctions) EXPECT_EQ(function.fast(nan), std::nullopt);
  for (const double x : {0.0, -0.0, -1.0, kInf, kMin / 2}) EXPECT_EQ(FastLog(x), std::nullopt);
  for (const double x : {kInf, -kInf}) {
    EXPECT_EQ(FastSin(x), std::nullopt);
    EXPECT_EQ(FastCos(x), std::nullopt);
  }
  EXPECT_EQ(FastErf(0x1p-901), std::nullopt);
  EXPECT_EQ(FastLogistic(-700), std::nullopt);
  EXPECT_EQ(FastPow(-2, 3), std::nullopt);
  EXPECT_EQ(FastPow(0, 3), std::nullopt);
  EXPECT_EQ(FastPow(2, kInf), std::nullopt);
  EXPECT_EQ(FastPow(2, nan), std::nullopt);
  EXPECT_EQ(FastPow(2, -1050), std::nullopt);
}

TEST(FastFunctions, KnowTheEndsOfFp64) {
  EXPECT_EQ(FastTanh(kInf), 1);
  EXPECT_EQ(FastTanh(-20), -1);
  EXPECT_EQ(FastErf(-kInf), -1);
  EXPECT_EQ(FastLogistic(kInf), 1);
  EXPECT_EQ(FastLogistic(-kInf), 0);
  EXPECT_EQ(FastPow(kMax, kMax), kInf);
  EXPECT_EQ(FastPow(kMax, -kMax), 0);
  EXPECT_EQ(FastPow(1, kMax), 1);
  EXPECT_TRUE(std::signbit(*FastSin(-0.0)));
  EXPECT_TRUE(std::signbit(*FastTanh(-0.0)));
  EXPECT_FALSE(std::signbit(*FastLog(1)));
  EXPECT_EQ(Pow(2, -1050), 0x1p-1050);
}

TEST(FastFunctions, AreTheSameOnEveryInstructionSet) {
  OnEveryTarget([] {
    std::mt19937_64 random(4);
    Checked checked;
    for (int i = 0; i < 1000; ++i) {
      const double x = (RandomUnit(random) - 0.5) * 16;
      for (const Function& function : kFunctions) {
        checked.Expect(function, function.fast == FastLog ? std::fabs(x) : x);
      }
      checked.Expect(kSin, x * 0x1p100);
      checked.ExpectPow(std::fabs(x), x * 3);
    }
    EXPECT_LT(checked.left(), 3e-3);
  });
}

}  // namespace
}  // namespace cts
