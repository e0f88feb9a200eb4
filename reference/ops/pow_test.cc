#include <mpfr.h>

#include <cmath>

#include "reference/base/special_values_testing.h"
#include "reference/numeric/mpfr_float.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

OneOperator Power(Tensor x, Tensor y, Shape out, std::string_view edition = kDefaultEdition) {
  OneOperator op("POW", edition);
  const DType type = x.dtype();
  return op.In(std::move(x)).In(std::move(y)).Out(type, std::move(out));
}

// One pair.
OneOperator Pair(double x, double y, std::string_view edition = kDefaultEdition,
                 DType type = DType::kFp32) {
  return Power(Tensor::OfFloats(type, {1}, {x}), Tensor::OfFloats(type, {1}, {y}), {1}, edition);
}

// Every pattern of fp16 from zero up, against exp(y * log(x)) in 256 bits.
TEST(Pow, IsExpOfTheProductForEveryPositiveBase) {
  FreeMpfrCachesAtThreadExit();
  Tensor bases(DType::kFp16, {0x7C00 - 1, 1});
  for (int64_t i = 0; i < bases.size(); ++i) bases.SetBits(i, static_cast<uint64_t>(i + 1));
  const std::vector<double> exponents = {-3, -2.5, -0x1p-20, 0.5, 1, 7.25, 60};
  const int64_t count = static_cast<int64_t>(exponents.size());
  const Tensor result =
      Power(bases, Tensor::OfFloats(DType::kFp16, {1, count}, exponents), {bases.size(), count})
          .Run();
  for (int64_t i = 0; i < bases.size(); ++i) {
    MpfrFloat log = MpfrFloat::FromDouble(bases.Element(i));
    mpfr_log(log.raw(), log.raw(), MPFR_RNDN);
    for (int64_t j = 0; j < count; ++j) {
      MpfrFloat power = Mul(log, MpfrFloat::FromDouble(RoundTo(DType::kFp16, exponents[j])));
      mpfr_exp(power.raw(), power.raw(), MPFR_RNDN);
      ASSERT_EQ(result.Element(i * count + j), power.ToDouble())
          << bases.Element(i) << " ^ " << exponents[j];
    }
  }
}

TEST(Pow, BroadcastsEitherInput) {
  const Tensor column = Tensor::OfFloats(DType::kFp32, {2, 1}, {2, 3});
  const Tensor row = Tensor::OfFloats(DType::kFp32, {1, 3}, {0, 1, 4});
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    const OneOperator op = Power(column, row, {2, 3}, edition);
    EXPECT_EQ(op.Run().Elements(), (std::vector<double>{1, 2, 16, 1, 3, 81}));
    EXPECT_EQ(op.RunNative().Elements(), (std::vector<double>{1, 2, 16, 1, 3, 81}));
    const OneOperator turned = Power(row, column, {2, 3}, edition);
    if (edition == "tosa-0.100") {
      EXPECT_EQ(turned.Run().Elements(), (std::vector<double>{0, 1, 16, 0, 1, 64}));
    }
  }
}

TEST(Pow, RejectsShapesThatDoNotBroadcast) {
  Tensor a(DType::kFp32, {2, 3});
  for (int64_t i = 0; i < a.size(); ++i)
    a.SetElement(i, 2);  // zero to the power of zero is a REQUIRE
  const Tensor b(DType::kFp32, {2, 4}), c(DType::kFp32, {3});
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_EQ(Power(a, b, {2, 3}, edition).Verdict(), "error: pow.broadcast");
    EXPECT_EQ(Power(a, c, {2, 3}, edition).Verdict(), "error: pow.broadcast");
    EXPECT_EQ(Power(a, a, {1, 3}, edition).Verdict(), "error: pow.broadcast");
    const OneOperator op = Power(a, a, {2, 3}, edition);
    EXPECT_TRUE(op.Breaks("pow.level_rank", {{"MAX_RANK", 1}}));
    EXPECT_FALSE(op.Breaks("pow.level_rank", {{"MAX_RANK", 2}}));
  }
}

TEST(Pow, RequiresDefinedArgumentsIn10) {
  const auto verdict = [](double x, double y) { return Pair(x, y).Verdict(); };
  EXPECT_EQ(verdict(-1, 2), "unpredictable: pow.base_negative");
  EXPECT_EQ(verdict(0, 0), "unpredictable: pow.zero_exponent");
  EXPECT_EQ(verdict(0, -1), "unpredictable: pow.zero_exponent");
  EXPECT_EQ(verdict(kInf, 1), "unpredictable: pow.finite");
  EXPECT_EQ(verdict(2, -kInf), "unpredictable: pow.finite");
  // No NaN is finite, none is a base of at least zero.
  EXPECT_EQ(verdict(2, kNan), "unpredictable: pow.nan, pow.finite");
  EXPECT_EQ(verdict(kNan, 1), "unpredictable: pow.base_negative, pow.nan, pow.finite");
  EXPECT_EQ(verdict(0, 0x1p-149), "valid");
  EXPECT_EQ(verdict(-0.0, 1), "valid");
  EXPECT_EQ(verdict(1, -1), "valid");
  for (double x : {-1.0, 0.0, kInf, kNan}) {
    EXPECT_EQ(Pair(x, -1, "tosa-0.100").Verdict(), "valid");
  }
}

TEST(Pow, HasTheExactValuesOfItsText) {
  EXPECT_EQ(Pair(0, 0.5).Run().Element(0), 0);
  EXPECT_EQ(Pair(-0.0, 3).Run().Element(0), 0);
  EXPECT_EQ(Pair(7.5, 0).Run().Element(0), 1);
  EXPECT_EQ(Pair(7.5, -0.0).Run().Element(0), 1);
}

TEST(Pow, TakesNegativeBasesToWholeExponentsIn0100) {
  EXPECT_EQ(Pair(-2, 3, "tosa-0.100").Run().Element(0), -8);
  EXPECT_EQ(Pair(-2, -2, "tosa-0.100").Run().Element(0), 0.25);
  EXPECT_TRUE(std::isnan(Pair(-2, 0.5, "tosa-0.100").Run().Element(0)));
}

}  // namespace
}  // namespace cts
