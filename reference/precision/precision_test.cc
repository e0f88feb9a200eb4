// Rules and bounds against values worked out by hand from the specification's text. Comparing is
// the checker's business; here stands what it compares with.
#include "reference/precision/precision.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/base/special_values_testing.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;

OneOperator Exp(DType type, const std::vector<double>& x,
                std::string_view edition = kDefaultEdition) {
  OneOperator op("EXP", edition);
  op.Floats(type, {static_cast<int64_t>(x.size())}, x);
  op.Out(type, {static_cast<int64_t>(x.size())});
  return op;
}

TEST(Precision, ExpBoundFollowsEachEditionsFormula) {
  const double e = std::exp(1.0);  // only to a relative 1e-15 below: no host libm decides a verdict
  const ExpectedOutput fp32 = Exp(DType::kFp32, {1.0}).Output();
  EXPECT_EQ(fp32.rule.kind, RuleKind::kAbsoluteBound);
  EXPECT_NEAR(fp32.answers[0].expected.Element(0), e, 1e-15);
  EXPECT_NEAR(fp32.answers[0].bound->Element(0) / (e * std::ldexp(1, -23) * 5), 1, 1e-14);
  const ExpectedOutput bf16 = Exp(DType::kBf16, {-2.0}).Output();
  EXPECT_NEAR(bf16.answers[0].bound->Element(0) / (std::exp(-2.0) * std::ldexp(1, -7) * 5), 1,
              1e-14);
  const ExpectedOutput draft = Exp(DType::kFp32, {-2.0}, "tosa-0.100").Output();
  EXPECT_NEAR(draft.answers[0].bound->Element(0) / (std::exp(-2.0) * std::ldexp(1, -23) * 3), 1,
              1e-14);
}

TEST(Precision, ExpBoundNeverFallsBelowThatOfNormalMin) {
  const ExpectedOutput fp16 = Exp(DType::kFp16, {-30.0}).Output();  // e^-30 is far below 2^-14
  EXPECT_EQ(fp16.answers[0].bound->Element(0), std::ldexp(61, -14 - 10));
}

TEST(Precision, ExpTableValuesHaveNoTolerance) {
  const ExpectedOutput out = Exp(DType::kFp32, {0.0, -0.0, kInf, -kInf, std::nan("")}).Output();
  const Tensor& expected = out.answers[0].expected;
  EXPECT_THAT(out.answers[0].bound->Elements(), ElementsAre(0, 0, 0, 0, 0));
  EXPECT_EQ(expected.Element(0), 1);
  EXPECT_EQ(expected.Element(1), 1);
  EXPECT_EQ(expected.Element(2), kInf);
  EXPECT_EQ(expected.Element(3), 0);
  EXPECT_FALSE(std::signbit(expected.Element(3)));
  EXPECT_TRUE(std::isnan(expected.Element(4)));
  EXPECT_TRUE(out.rule.zero_sign);
}

TEST(Precision, ExpBeyondFp64IsInfinity) {
  const ExpectedOutput out = Exp(DType::kFp32, {1000.0, 89.0}).Output();
  EXPECT_EQ(out.answers[0].expected.Element(0), kInf);
  EXPECT_EQ(out.answers[0].bound->Element(0), 0);
  EXPECT_TRUE(std::isfinite(out.answers[0].expected.Element(1)));  // beyond fp32 only
  EXPECT_GT(out.answers[0].bound->Element(1), 0);
}

TEST(Precision, ExpBoundIsFiniteWhereTheFormulaLeavesFp64) {
  // e^708 * 2^-7 * (1 + 2 * 708) in bf16 exceeds fp64, the reference does not.
  const ExpectedOutput out = Exp(DType::kBf16, {708}).Output();
  EXPECT_TRUE(std::isfinite(out.answers[0].expected.Element(0)));
  EXPECT_EQ(out.answers[0].bound->Element(0), std::numeric_limits<double>::max());
}

TEST(Precision, ExpUnderflowIsNoTableValue) {
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    const ExpectedOutput out = Exp(DType::kFp32, {-1000.0}, edition).Output();
    EXPECT_EQ(out.answers[0].expected.Element(0), 0);
    EXPECT_GT(out.answers[0].bound->Element(0), 0) << edition;
  }
}

// As 1.0's function has it in the reals: e^1000 * 2^-7 * (1 + 2 * 1000) is more than e^1000.
TEST(Precision, ExpBeyondFp64HasNoLimitWhereTheErrorMayBeTheWhole) {
  const ExpectedOutput bf16 = Exp(DType::kBf16, {1000.0}).Output();
  EXPECT_EQ(bf16.answers[0].expected.Element(0), kInf);
  EXPECT_EQ(bf16.answers[0].bound->Element(0), kInf);
  // 2^-10 * (1 + 1000) is less than 1, 2^-10 * (1 + 1024) is not.
  const ExpectedOutput fp16 = Exp(DType::kFp16, {1000.0, 1024.0}, "tosa-0.100").Output();
  EXPECT_THAT(fp16.answers[0].bound->Elements(), ElementsAre(0, kInf));
}

// --- Functions of one number ---------------------------------------------------------------------

ExpectedOutput Function(const std::string& name, DType type, const std::vector<double>& x,
                        std::string_view edition = kDefaultEdition) {
  OneOperator op(name, edition);
  const Shape shape = {static_cast<int64_t>(x.size())};
  return op.Floats(type, shape, x).Out(type, shape).Output();
}

// The bound at one finite argument that no table has.
double BoundAt(const std::string& name, DType type, double x,
               std::string_view edition = kDefaultEdition) {
  const ExpectedOutput output = Function(name, type, {x}, edition);
  EXPECT_EQ(output.rule.kind, RuleKind::kAbsoluteBound);
  return output.answers[0].bound->Element(0);
}

constexpr const char* kDraft = "tosa-0.100";
constexpr double kRelative = 1e-14;  // for what the host's libm computes below

TEST(Precision, CosAndSinDivideTheBitsWhole) {
  // 1.0: 2^-11, 2^-5 and 2^-3 for 23, 10 and 7 bits, times 1 + |x| or 2 * |x|.
  EXPECT_EQ(BoundAt("COS", DType::kFp32, -3), 4 * 0x1p-11);
  EXPECT_EQ(BoundAt("COS", DType::kFp16, 3), 4 * 0x1p-5);
  EXPECT_EQ(BoundAt("COS", DType::kBf16, 3), 4 * 0x1p-3);
  EXPECT_EQ(BoundAt("SIN", DType::kFp32, -3), 6 * 0x1p-11);
  EXPECT_EQ(BoundAt("SIN", DType::kBf16, 3), 6 * 0x1p-3);
  EXPECT_EQ(BoundAt("SIN", DType::kFp32, 0x1p-126), 3.141592653589793 * 0x1p-126);
  EXPECT_NEAR(BoundAt("COS", DType::kFp32, 3, kDraft) / (-std::cos(3.0) * 0x1p-11), 1, kRelative);
  EXPECT_NEAR(BoundAt("SIN", DType::kBf16, -3, kDraft) / (std::sin(3.0) * 0x1p-3), 1, kRelative);
}

TEST(Precision, LogHasAnAbsoluteBoundNearOneIn10) {
  EXPECT_EQ(BoundAt("LOG", DType::kFp32, 1), 0.5 * 0x1p-23);
  EXPECT_EQ(BoundAt("LOG", DType::kFp32, 1 + 0x1p-23), 0.5 * 0x1p-23);
  EXPECT_NEAR(BoundAt("LOG", DType::kFp16, 8) / (5 * std::log(8.0) * 0x1p-10), 1, kRelative);
  // 5 ulp: log(8) = 2.07... lies in the binade of 2.
  EXPECT_EQ(BoundAt("LOG", DType::kFp16, 8, kDraft), 5 * 2 * 0x1p-10);
  // Zero is no value of the table for LOG(1), but has no unit either.
  EXPECT_EQ(BoundAt("LOG", DType::kFp32, 1, kDraft), std::numeric_limits<double>::denorm_min());
}

TEST(Precision, LogAndRsqrtOfNegativesAreNanAndNothingElse) {
  for (const char* edition : {"tosa-1.0", kDraft}) {
    for (const char* name : {"LOG", "RSQRT"}) {
      const ExpectedOutput output = Function(name, DType::kFp32, {-1, -0x1p-140, 4}, edition);
      EXPECT_TRUE(std::isnan(output.answers[0].expected.Element(0)));
      EXPECT_TRUE(std::isnan(output.answers[0].expected.Element(1)));
      EXPECT_EQ(output.answers[0].bound->Element(1), 0);
      // Flushed, the subnormal is a zero, for which the table has an infinity.
      ASSERT_EQ(output.answers.size(), 2u);
      EXPECT_TRUE(std::isnan(output.answers[1].expected.Element(0)));
      EXPECT_EQ(output.answers[1].expected.Element(1), -kInf);
      EXPECT_EQ(output.answers[1].bound->Element(1), 0);
    }
  }
}

TEST(Precision, UlpBoundsAreThoseOfTheReferencesBinade) {
  for (const char* edition : {"tosa-1.0", kDraft}) {
    EXPECT_EQ(BoundAt("RECIPROCAL", DType::kFp32, 3, edition), 0x1p-25);     // of 0.33: 2^(-2-23)
    EXPECT_EQ(BoundAt("RSQRT", DType::kFp32, 4, edition), 2 * 0x1p-24);      // of 0.5
    EXPECT_EQ(BoundAt("CEIL", DType::kFp32, 2.5, edition), 0.5 * 0x1p-22);   // of 3
    EXPECT_EQ(BoundAt("FLOOR", DType::kBf16, -2.5, edition), 0.5 * 0x1p-6);  // of -3
    // 1 / 2^127 is subnormal: the unit of the lowest binade.
    EXPECT_EQ(BoundAt("RECIPROCAL", DType::kFp32, 0x1p127, edition), 0x1p-149);
    const ExpectedOutput erf = Function("ERF", DType::kFp16, {0.5, kInf}, edition);
    EXPECT_EQ(erf.rule.kind, RuleKind::kUlp);
    EXPECT_EQ(erf.rule.ulp, 5);
  }
}

TEST(Precision, AZeroThatRoundingMadeIsNoTableValue) {
  for (const char* name : {"CEIL", "FLOOR"}) {
    const double x = std::string(name) == "CEIL" ? -0.5 : 0.5;
    const ExpectedOutput output = Function(name, DType::kFp32, {x, -0.0}, kDefaultEdition);
    EXPECT_EQ(output.answers[0].expected.Element(0), 0);
    EXPECT_GT(output.answers[0].bound->Element(0), 0);
    EXPECT_EQ(output.answers[0].bound->Element(1), 0);
    EXPECT_TRUE(std::signbit(output.answers[0].expected.Element(1)));
    EXPECT_TRUE(output.rule.zero_sign);
  }
}

TEST(Precision, SigmoidFollowsEachEditionsFormula) {
  const double one = 1 / (1 + std::exp(-1.0));
  EXPECT_NEAR(BoundAt("SIGMOID", DType::kFp16, 1) / (one * 0x1p-10 * 4), 1, kRelative);
  EXPECT_NEAR(BoundAt("SIGMOID", DType::kFp16, 1, kDraft) / (one * 0x1p-10 * 4), 1, kRelative);
  // e^-20 is below normal_min of fp16, 2^-14: 1.0 has a floor.
  EXPECT_EQ(BoundAt("SIGMOID", DType::kFp16, -20), 0x1p-14 * 0x1p-10 * 42);
  EXPECT_NEAR(
      BoundAt("SIGMOID", DType::kFp16, -20, kDraft) / (1 / (1 + std::exp(20.0)) * 0x1p-10 * 42), 1,
      kRelative);
  // 1.0 has a table, whose zero has no sign; 0.100 has none.
  const ExpectedOutput latest = Function("SIGMOID", DType::kFp32, {0, -kInf, kInf});
  EXPECT_THAT(latest.answers[0].bound->Elements(), ElementsAre(0, 0, 0));
  EXPECT_FALSE(latest.rule.zero_sign);
  const ExpectedOutput draft = Function("SIGMOID", DType::kFp32, {0, -kInf, kInf}, kDraft);
  const double max = std::numeric_limits<double>::max();
  EXPECT_THAT(draft.answers[0].bound->Elements(), ElementsAre(0x1p-23, max, max));
}

TEST(Precision, TanhFollowsEachEditionsFormula) {
  EXPECT_NEAR(BoundAt("TANH", DType::kFp32, -1) / (std::tanh(1.0) * 0x1p-23 * 20), 1, kRelative);
  EXPECT_NEAR(BoundAt("TANH", DType::kBf16, 1) / (std::tanh(1.0) * 0x1p-7 * 12), 1, kRelative);
  EXPECT_NEAR(BoundAt("TANH", DType::kFp32, 1, kDraft) / (std::tanh(1.0) * 0x1p-23 * 8), 1,
              kRelative);
  // Half a unit of one near zero, in both.
  EXPECT_NEAR(BoundAt("TANH", DType::kFp32, 0x1p-20) / 0x1p-24, 1, kRelative);
  EXPECT_EQ(BoundAt("TANH", DType::kFp32, 0x1p-20, kDraft), 0x1p-24);
  const ExpectedOutput latest = Function("TANH", DType::kFp32, {-0.0, -kInf, kInf});
  EXPECT_THAT(latest.answers[0].bound->Elements(), ElementsAre(0, 0, 0));
  EXPECT_TRUE(latest.rule.zero_sign);
  EXPECT_EQ(BoundAt("TANH", DType::kFp32, -0.0, kDraft), 0x1p-24);
}

TEST(Precision, AbsAndNegateAreExactWithTheSignOfZero) {
  for (const char* edition : {"tosa-1.0", kDraft}) {
    const ExpectedOutput output = Function("ABS", DType::kFp32, {-0.0, 0x1p-140}, edition);
    EXPECT_EQ(output.rule.kind, RuleKind::kExact);
    EXPECT_TRUE(output.rule.zero_sign);
    ASSERT_EQ(output.answers.size(), 2u);
    EXPECT_EQ(output.answers[1].expected.Element(1), 0);
  }
}

// --- POW -----------------------------------------------------------------------------------------

Answer Pow(DType type, double x, double y, std::string_view edition = kDefaultEdition,
           size_t answer = 0) {
  OneOperator op("POW", edition);
  op.Floats(type, {1}, {x}).Floats(type, {1}, {y}).Out(type, {1});
  return op.Output().answers[answer];
}

TEST(Precision, PowBoundFollowsEachEditionsFormula) {
  // The logarithm of 1 is 0: mul_err = 2^-23 * 0.55 * 4, and err_bnd = expm1(mul_err) +
  // 2^-23 * (3 + 2 * mul_err), all but exactly 2^-23 * (2.2 + 3).
  EXPECT_NEAR(Pow(DType::kFp32, 1, 4).bound->Element(0) / (0x1p-23 * 5.2), 1, 1e-6);
  // 2^3 with log = 3 * ln(2): mul_err = 2^-10 * 5.5 * log, err_base 1.
  const double log = 3 * std::log(2.0), mul = 5.5 * log * 0x1p-10;
  const double error = 8 * std::expm1(mul) + 8 * 0x1p-10 * (1 + 2 * (log + mul));
  EXPECT_NEAR(Pow(DType::kFp16, 2, 3).bound->Element(0) / error, 1, kRelative);
  EXPECT_NEAR(Pow(DType::kFp16, -2, 3, kDraft).bound->Element(0) / (8 * 0x1p-10 * 2 * (1 + log)), 1,
              kRelative);
  EXPECT_EQ(Pow(DType::kFp16, 5, 0, kDraft).bound->Element(0), 2 * 0x1p-10);
}

TEST(Precision, PowHasTwoExactResultsIn10) {
  EXPECT_EQ(Pow(DType::kFp32, 5, 0).bound->Element(0), 0);
  EXPECT_EQ(Pow(DType::kFp32, 5, 0).expected.Element(0), 1);
  EXPECT_EQ(Pow(DType::kFp32, -0.0, 3).bound->Element(0), 0);
  EXPECT_EQ(Pow(DType::kFp32, -0.0, 3).expected.Element(0), 0);
}

TEST(Precision, PowIsUnboundWhereItsResultIsUndefined) {
  // In 1.0 a flushed base alone leads there.
  EXPECT_TRUE(std::isfinite(Pow(DType::kFp32, 0x1p-140, -1).bound->Element(0)));
  EXPECT_EQ(Pow(DType::kFp32, 0x1p-140, -1, kDefaultEdition, 1).bound->Element(0), kInf);
  for (const auto& [x, y] : std::vector<std::pair<double, double>>{
           {0, 0}, {0, -1}, {kInf, 1}, {2, kInf}, {2, -kInf}, {kNan, 0}, {1, kNan}}) {
    const Answer undefined = Pow(DType::kFp32, x, y, kDraft);
    EXPECT_EQ(undefined.bound->Element(0), kInf) << x << " " << y;
    EXPECT_TRUE(std::isnan(undefined.expected.Element(0))) << x << " " << y;
  }
  // NaN where fp64 and the rule for NaN agree, and where 0.100 names it.
  for (const auto& [x, y] :
       std::vector<std::pair<double, double>>{{kNan, 2}, {2, kNan}, {-2, 0.5}}) {
    EXPECT_TRUE(std::isnan(Pow(DType::kFp32, x, y, kDraft).expected.Element(0)));
    EXPECT_EQ(Pow(DType::kFp32, x, y, kDraft).bound->Element(0), 0);
  }
}

TEST(Precision, PowBeyondFp64IsInfinityUnlessTheErrorMayBeTheWhole) {
  // log = 1200 * ln(2) = 832: mul_err is 2^-23 * 4575 in fp32, but 36 in bf16.
  for (const char* edition : {"tosa-1.0", kDraft}) {
    EXPECT_EQ(Pow(DType::kFp32, 2, 1200, edition).expected.Element(0), kInf);
    EXPECT_EQ(Pow(DType::kFp32, 2, 1200, edition).bound->Element(0), 0);
    EXPECT_EQ(Pow(DType::kBf16, 2, 1200, edition).bound->Element(0), kInf);
  }
}

TEST(Precision, PowUnderflowKeepsItsBound) {
  // The literal product is zero times infinity: log = -2^20 * ln(2), mul_err 31231 in bf16.
  const Answer answer = Pow(DType::kBf16, 0.5, 0x1p20);
  EXPECT_EQ(answer.expected.Element(0), 0);
  const double log = -0x1p20 * std::log(2.0), mul = -log * 5.5 * 0x1p-7;
  EXPECT_NEAR(answer.bound->Element(0) / (0x1p-126 * 0x1p-7 * (1 - 2 * (log + mul))), 1, kRelative);
}

// --- Dot products --------------------------------------------------------------------------------

OneOperator Matmul(DType in, DType out, std::string_view edition, int64_t channels,
                   int64_t rows = 1000) {
  OneOperator op("MATMUL", edition);
  const std::vector<double> halves(static_cast<size_t>(rows * channels), -0.5);
  op.Floats(in, {1, rows, channels}, halves);
  op.Floats(in, {1, channels, 1}, {halves.begin(), halves.begin() + channels});
  if (edition == "tosa-1.0") {
    op.Floats(in, {1}, {0}).Floats(in, {1}, {0});
  } else {
    op.Set("A_zp", int64_t{0}).Set("B_zp", int64_t{0});
  }
  op.Out(out, {1, rows, 1});
  return op;
}

TEST(Precision, DotProductOf10CountsABiasAlways) {
  const ExpectedOutput out = Matmul(DType::kFp32, DType::kFp32, "tosa-1.0", 8).Output(3);
  EXPECT_EQ(out.rule.kind, RuleKind::kDotProduct);
  EXPECT_EQ(out.rule.kernel_size, 8);
  EXPECT_EQ(out.rule.ksb, 9);  // MATMUL accumulates in out_t: ceil(8 / 2^0) + 1
  EXPECT_EQ(out.rule.absolute_limit, 18);
  EXPECT_DOUBLE_EQ(*out.rule.variance_limit, 4 * 0.4 * 9 * 1000);
  EXPECT_DOUBLE_EQ(*out.rule.bias_limit, std::sqrt(10 * 4 * 0.4 * 9 * 1000));
  EXPECT_EQ(out.answers[0].expected.Element(0), 2);
  EXPECT_EQ(out.answers[0].bound->Element(0), 2);
}

TEST(Precision, DotProductOf0100HasTheDraftsLimits) {
  const ExpectedOutput out = Matmul(DType::kFp32, DType::kFp32, "tosa-0.100", 8).Output(3);
  EXPECT_EQ(out.rule.ksb, 8);
  EXPECT_EQ(out.rule.absolute_limit, 8);
  EXPECT_DOUBLE_EQ(*out.rule.variance_limit, 0.4 * 8 * 1000);
  EXPECT_DOUBLE_EQ(*out.rule.bias_limit, 2 * std::sqrt(8.0 * 1000));
}

TEST(Precision, StatisticsBindTheAppendixSetsOnly) {
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    const OneOperator op = Matmul(DType::kFp32, DType::kFp32, edition, 8);
    // 0.100 counts sets of our own, too.
    EXPECT_EQ(op.Output(-1).rule.variance_limit.has_value(), edition == std::string(kDraft));
    EXPECT_FALSE(op.Output(-1).rule.bias_limit.has_value());
    EXPECT_TRUE(op.Output(2).rule.variance_limit.has_value());
    EXPECT_FALSE(op.Output(2).rule.bias_limit.has_value());  // sets 3 to 5 only
    EXPECT_TRUE(op.Output(5).rule.bias_limit.has_value());
  }
}

// MIN_DOT_PRODUCTS of appendix A.
TEST(Precision, StatisticsNeedAThousandDotProducts) {
  for (const char* edition : {"tosa-1.0", kDraft}) {
    const Rule few = Matmul(DType::kFp32, DType::kFp32, edition, 1, 999).Output(3).rule;
    EXPECT_FALSE(few.variance_limit.has_value());
    EXPECT_FALSE(few.bias_limit.has_value());
    EXPECT_GT(few.absolute_limit, 0);
    // N * H * W of RFFT2D, although it yields 2 * 16 * 17 of them.
    for (const int64_t size : {int64_t{16}, int64_t{32}}) {
      OneOperator rfft("RFFT2D", edition);
      const std::vector<double> ones(static_cast<size_t>(2 * 16 * size), 1.0);
      rfft.Floats(DType::kFp32, {2, 16, size}, ones);
      rfft.Set("local_bound", false);
      rfft.Out(DType::kFp32, {2, 16, size / 2 + 1}).AndOut(DType::kFp32, {2, 16, size / 2 + 1});
      EXPECT_EQ(rfft.Output(3).rule.variance_limit.has_value(), size == 32);
    }
  }
}

// A convolution of a 1x2x1x1 image by a 1x1 kernel with a pad on the right.
OneOperator PaddedConv(DType in, DType acc_out, std::string_view acc_type, bool local_bound) {
  OneOperator op("CONV2D");
  op.Floats(in, {1, 1, 2, 1}, {0.25, -3}).Floats(in, {1, 1, 1, 1}, {-2});
  op.Floats(acc_out, {1}, {0}).Floats(in, {1}, {0}).Floats(in, {1}, {0});
  op.Set("pad", std::vector<int64_t>{0, 0, 0, 1}).Set("stride", std::vector<int64_t>{1, 1});
  op.Set("dilation", std::vector<int64_t>{1, 1}).Set("acc_type", std::string(acc_type));
  op.Set("local_bound", local_bound).Out(acc_out, {1, 1, 3, 1});
  return op;
}

TEST(Precision, BoundRunTakesMagnitudesOfTheWholeInputUnlessLocal) {
  const double tiny = std::ldexp(1, -126);  // normal_min, to which the bias is raised
  const ExpectedOutput global = PaddedConv(DType::kFp32, DType::kFp32, "FP32", false).Output(0);
  EXPECT_THAT(global.answers[0].expected.Elements(), ElementsAre(-0.5, 6, 0));
  // The pad contributes 0 * 2 with extra multiplies, not the input's greatest magnitude.
  EXPECT_THAT(global.answers[0].bound->Elements(), ElementsAre(6 + tiny, 6 + tiny, tiny));
  const ExpectedOutput local = PaddedConv(DType::kFp32, DType::kFp32, "FP32", true).Output(0);
  EXPECT_THAT(local.answers[0].bound->Elements(), ElementsAre(0.5 + tiny, 6 + tiny, tiny));
}

TEST(Precision, BoundRunOf10HasNoLimitWhereAnInfiniteWeightMeetsThePad) {
  // A pad on the right; the reference skips it, an implementation of 1.0 may multiply 0 by
  // infinity.
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    OneOperator op("CONV2D", edition);
    op.Floats(DType::kFp32, {1, 1, 2, 1}, {1, 1}).Floats(DType::kFp32, {1, 1, 2, 1}, {2, kInf});
    op.Floats(DType::kFp32, {1}, {0});
    if (edition == kDefaultEdition) {
      op.Floats(DType::kFp32, {1}, {0}).Floats(DType::kFp32, {1}, {0});
    } else {
      op.Set("input_zp", int64_t{0}).Set("weight_zp", int64_t{0});
    }
    op.Set("pad", std::vector<int64_t>{0, 0, 0, 1}).Set("stride", std::vector<int64_t>{1, 1});
    op.Set("dilation", std::vector<int64_t>{1, 1}).Set("acc_type", std::string("FP32"));
    op.Set("local_bound", true).Out(DType::kFp32, {1, 1, 2, 1});
    const ExpectedOutput out = op.Output(0);
    EXPECT_EQ(out.answers[0].expected.Element(1), 2) << edition;
    const double bound = out.answers[0].bound->Element(1);
    EXPECT_TRUE(edition == kDefaultEdition ? std::isnan(bound) : bound == 2) << edition;
  }
}

TEST(Precision, BoundRunRaisesTheBiasToNormalMinOfTheInput) {
  // 2^-6 for fp8e4m3 and 2^-14 for fp8e5m2; the bias and the output are fp16 (2^-14) in both.
  for (const auto& [in_t, least] :
       {std::pair(DType::kFp8E4M3, 0.015625), std::pair(DType::kFp8E5M2, std::ldexp(1, -14))}) {
    OneOperator op("CONV2D");
    op.Floats(in_t, {1, 1, 1, 1}, {0.25}).Floats(in_t, {1, 1, 1, 1}, {-2});
    op.Floats(DType::kFp16, {1}, {0}).Floats(in_t, {1}, {0}).Floats(in_t, {1}, {0});
    op.Set("pad", std::vector<int64_t>{0, 0, 0, 0}).Set("stride", std::vector<int64_t>{1, 1});
    op.Set("dilation", std::vector<int64_t>{1, 1}).Set("acc_type", std::string("FP16"));
    op.Out(DType::kFp16, {1, 1, 1, 1});
    EXPECT_EQ(op.Output(0).answers[0].bound->Element(0), 0.5 + least) << Name(in_t);
  }
}

TEST(Precision, KsbOfFp16OutOfFp32DividesWhole) {
  // (23 - 10) / 2 = 6 in whole numbers: ceil(1 / 64) + 1.
  EXPECT_EQ(PaddedConv(DType::kFp16, DType::kFp16, "FP32", true).Output(0).rule.ksb, 2);
  // Rational division would make it ceil(100 / 90.5) = 2, whole ceil(100 / 64) = 2; at 65 they
  // differ: 1 against 2.
  OneOperator op("CONV2D");
  op.Floats(DType::kFp16, {1, 1, 1, 65}, std::vector<double>(65, 1));
  op.Floats(DType::kFp16, {1, 1, 1, 65}, std::vector<double>(65, 1));
  op.Floats(DType::kFp16, {1}, {0}).Floats(DType::kFp16, {1}, {0}).Floats(DType::kFp16, {1}, {0});
  op.Set("pad", std::vector<int64_t>{0, 0, 0, 0}).Set("stride", std::vector<int64_t>{1, 1});
  op.Set("dilation", std::vector<int64_t>{1, 1}).Set("acc_type", std::string("FP32"));
  op.Out(DType::kFp16, {1, 1, 1, 1});
  EXPECT_EQ(op.Output(0).rule.ksb, 2 + 1);
}

// The rule of a dot product over ones; `set` makes the rest of the operator.
template <class Set>
Rule RuleOf(const std::string& name, std::string_view edition, const std::vector<Shape>& inputs,
            DType type, DType out_t, Shape out, Set set) {
  OneOperator op(name, edition);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const size_t size = static_cast<size_t>(ElementCount(inputs[i]));
    op.Floats(i == 2 ? out_t : type, inputs[i], std::vector<double>(size, 1));
  }
  const bool pool = name == "AVG_POOL2D";
  const char* const second = pool ? "output_zp" : "weight_zp";
  if (edition == "tosa-1.0") {
    op.Floats(type, {1}, {0}).Floats(type, {1}, {0});
  } else {
    op.Set("input_zp", 0.0).Set(second, 0.0);
  }
  set(op);
  return op.Out(out_t, std::move(out)).Output(3).rule;
}

// KS of appendix A: the length of the sum, without the channels that take no part in it.
TEST(Precision, KernelSizeIsTheLengthOfEachOperatorsSum) {
  using List = std::vector<int64_t>;
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    const auto lists = [](List pad, size_t axes) {
      return [=](OneOperator& op) {
        op.Set("pad", pad).Set("stride", List(axes, 1)).Set("dilation", List(axes, 1));
        op.Set("acc_type", std::string("FP32"));
      };
    };
    const DType fp32 = DType::kFp32;
    EXPECT_EQ(RuleOf("CONV3D", edition, {{1, 2, 3, 4, 5}, {7, 2, 3, 4, 5}, {1}}, fp32, fp32,
                     {1, 1, 1, 1, 7}, lists(List(6, 0), 3))
                  .kernel_size,
              2 * 3 * 4 * 5);
    EXPECT_EQ(RuleOf("DEPTHWISE_CONV2D", edition, {{1, 3, 4, 5}, {3, 4, 5, 2}, {1}}, fp32, fp32,
                     {1, 1, 1, 10}, lists(List(4, 0), 2))
                  .kernel_size,
              3 * 4);
    EXPECT_EQ(RuleOf("TRANSPOSE_CONV2D", edition, {{1, 1, 1, 5}, {7, 3, 4, 5}, {1}}, fp32, fp32,
                     {1, 3, 4, 7},
                     [](OneOperator& op) {
                       op.Set("out_pad", List(4, 0)).Set("stride", List{2, 2});
                       op.Set("acc_type", std::string("FP32"));
                     })
                  .kernel_size,
              3 * 4 * 5);
  }
  const Rule rule = RuleOf("FULLY_CONNECTED", "tosa-0.100", {{2, 9}, {3, 9}, {3}}, DType::kFp16,
                           DType::kFp32, {2, 3}, [](OneOperator&) {});
  EXPECT_EQ(rule.kernel_size, 9);
  EXPECT_EQ(rule.ksb, 9 + 1);  // accumulates in its output's type; the bias is not zero
  EXPECT_EQ(rule.absolute_limit, 10);
}

OneOperator AvgPool(std::string_view edition, DType type, std::string_view acc_type) {
  OneOperator op("AVG_POOL2D", edition);
  op.Floats(type, {1, 2, 2, 1}, {-1, 2, 0.5, 0});
  if (edition == "tosa-1.0") {
    op.Floats(type, {1}, {0}).Floats(type, {1}, {0});
  } else {
    op.Set("input_zp", 0.0).Set("output_zp", 0.0);
  }
  op.Set("kernel", std::vector<int64_t>{2, 3}).Set("stride", std::vector<int64_t>{1, 1});
  op.Set("pad", std::vector<int64_t>{0, 0, 1, 0}).Set("acc_type", std::string(acc_type));
  return op.Out(type, {1, 1, 1, 1});
}

// KS is the kernel's size, the divisor the number of elements that are no padding.
TEST(Precision, AveragesHaveTheKernelSizeButDivideByTheCount) {
  const ExpectedOutput now = AvgPool("tosa-1.0", DType::kFp32, "FP32").Output(4);
  EXPECT_EQ(now.rule.kind, RuleKind::kDotProduct);
  EXPECT_EQ(now.rule.kernel_size, 6);
  EXPECT_EQ(now.rule.ksb, 7);
  EXPECT_EQ(now.answers[0].expected.Element(0), 1.5 / 4);
  // Magnitudes of at least normal_min, where the last element is zero.
  EXPECT_EQ(now.answers[0].bound->Element(0), (3.5 + std::ldexp(1, -126)) / 4);
  const ExpectedOutput draft = AvgPool("tosa-0.100", DType::kFp32, "FP32").Output(4);
  EXPECT_EQ(draft.rule.ksb, 6);
  EXPECT_EQ(draft.answers[0].bound->Element(0), 3.5 / 4);
  // fp8e4m3 out of fp16: (10 - 3) / 2 = 3 bits in 1.0, 7 in 0.100.
  EXPECT_EQ(AvgPool("tosa-1.0", DType::kFp8E4M3, "FP16").Output(0).rule.ksb, 2);
  EXPECT_EQ(AvgPool("tosa-0.100", DType::kFp8E4M3, "FP16").Output(0).rule.ksb, 1);
}

// The bound of a transposed convolution has the greatest input wherever a product is, unless local.
TEST(Precision, TransposedBoundMultipliesBetweenStridedElementsToo) {
  const auto transpose = [](bool local_bound) {
    OneOperator op("TRANSPOSE_CONV2D");
    op.Floats(DType::kFp32, {1, 1, 2, 1}, {0.25, -3}).Floats(DType::kFp32, {1, 1, 1, 1}, {-2});
    op.Floats(DType::kFp32, {1}, {0}).Floats(DType::kFp32, {1}, {0}).Floats(DType::kFp32, {1}, {0});
    op.Set("out_pad", std::vector<int64_t>{0, 0, 0, 0}).Set("stride", std::vector<int64_t>{1, 2});
    op.Set("acc_type", std::string("FP32")).Set("local_bound", local_bound);
    return op.Out(DType::kFp32, {1, 1, 3, 1}).Output(0);
  };
  const double tiny = std::ldexp(1, -126);  // normal_min, to which the bias is raised
  EXPECT_THAT(transpose(false).answers[0].expected.Elements(), ElementsAre(-0.5, 0, 6));
  EXPECT_THAT(transpose(false).answers[0].bound->Elements(), ElementsAre(6 + tiny, tiny, 6 + tiny));
  EXPECT_THAT(transpose(true).answers[0].bound->Elements(),
              ElementsAre(0.5 + tiny, tiny, 6 + tiny));
}

// FFT2D of one row of two: {1 + 2i, -3 + i/2}.
OneOperator Fft(std::string_view edition, bool local_bound) {
  OneOperator op("FFT2D", edition);
  op.Floats(DType::kFp32, {1, 1, 2}, {1, -3}).Floats(DType::kFp32, {1, 1, 2}, {2, 0.5});
  op.Set("inverse", false).Set("local_bound", local_bound);
  return op.Out(DType::kFp32, {1, 1, 2}).AndOut(DType::kFp32, {1, 1, 2});
}

TEST(Precision, FftBoundRunTakesMagnitudesOfItsCoefficients) {
  const ExpectedOutput real = Fft("tosa-1.0", true).Output(3, 0);
  EXPECT_EQ(real.rule.kind, RuleKind::kDotProduct);
  EXPECT_EQ(real.rule.kernel_size, 4);  // 2 * H * W
  EXPECT_EQ(real.rule.ksb, 5);
  EXPECT_EQ(real.rule.absolute_limit, 10);
  EXPECT_THAT(real.answers[0].expected.Elements(), ElementsAre(-2, DoubleNear(4, 1e-15)));
  // |1| + |-3|, and |1/2| times the sine of pi: zero in the reals, it counts as 1; that of 0 does
  // not.
  EXPECT_THAT(real.answers[0].bound->Elements(), ElementsAre(4, 4.5));
  const ExpectedOutput imag = Fft("tosa-1.0", true).Output(3, 1);
  EXPECT_THAT(imag.answers[0].expected.Elements(), ElementsAre(2.5, DoubleNear(1.5, 1e-15)));
  EXPECT_THAT(imag.answers[0].bound->Elements(), ElementsAre(2.5, 5.5));
  const ExpectedOutput draft = Fft("tosa-0.100", true).Output(3, 1);
  EXPECT_EQ(draft.rule.ksb, 4);
  EXPECT_THAT(draft.answers[0].bound->Elements(), ElementsAre(2.5, 5.5));
}

// A quarter of a turn has no cosine, whatever fp64 makes of it: the true zero, fp64's 6e-17 and
// fp32's -4e-8 times the input must all be accepted.
TEST(Precision, FftBoundLeavesRoomForCoefficientsThatAreZeroInTheReals) {
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    OneOperator op("FFT2D", edition);
    op.Floats(DType::kFp32, {1, 1, 4}, {0, 1e9, 0, 0})
        .Floats(DType::kFp32, {1, 1, 4}, {0, 0, 0, 0});
    op.Set("inverse", false).Set("local_bound", true);
    op.Out(DType::kFp32, {1, 1, 4}).AndOut(DType::kFp32, {1, 1, 4});
    const ExpectedOutput real = op.Output(3, 0);
    // The one product counts as 1e9 * 1. KS is 2 * 1 * 4, so that ksb is 8 + 1 in 1.0, which allows
    // 2 ksb units, and 8 in 0.100, which allows ksb.
    EXPECT_EQ(real.answers[0].bound->Element(1), 1e9);
    EXPECT_EQ(real.rule.absolute_limit, edition == std::string(kDraft) ? 8 : 18);
    const double limit = real.rule.absolute_limit * 1e9 * std::ldexp(1, -24);
    EXPECT_LT(std::fabs(real.answers[0].expected.Element(1)),
              6.2e-17 * 1e9);        // cos(pi / 2) in fp64
    EXPECT_GT(limit, 4.4e-8 * 1e9);  // and in fp32
  }
}

// Every coefficient that is zero in the reals, as the text computes it in fp32, against the least
// limit that a bound of 1 gives it: KS * 2^-24, of RFFT2D in 0.100.
TEST(Precision, FftLimitCoversAnglesInFp32) {
  const float turn = 2 * static_cast<float>(M_PI);
  int zeros = 0;
  for (int h = 1; h <= 64; h *= 2) {
    for (int w = 1; w <= 64; w *= 2) {
      for (int ay = 0; ay < h; ++ay) {
        for (int ax = 0; ax < w; ++ax) {
          const int quarters = 4 * (ay * w + ax * h);  // of a turn, times h * w
          if (quarters == 0 || quarters % (h * w) != 0) continue;
          const float part = static_cast<float>(ay) / static_cast<float>(h) +
                             static_cast<float>(ax) / static_cast<float>(w);
          const double angle = turn * part;
          const bool sine = quarters / (h * w) % 2 == 0;
          EXPECT_LT(std::fabs(sine ? std::sin(angle) : std::cos(angle)), h * w * 0x1p-24)
              << h << "x" << w << " " << ay << " " << ax;
          ++zeros;
        }
      }
    }
  }
  EXPECT_GT(zeros, 100);
}

TEST(Precision, FftBoundRunIsUniformOverBothInputsUnlessLocal) {
  // The greatest of both is 3, for real and imaginary parts alike: 2 * 3, and 3 for the sine of pi.
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    for (size_t k : {0, 1}) {
      EXPECT_THAT(Fft(edition, false).Output(3, k).answers[0].bound->Elements(), ElementsAre(6, 9));
    }
  }
}

TEST(Precision, RfftBoundsWhatItSkips) {
  const auto rfft = [](const char* edition) {
    OneOperator op("RFFT2D", edition);
    op.Floats(DType::kFp32, {1, 2, 2}, {1, -3, 5, 7}).Set("local_bound", true);
    return op.Out(DType::kFp32, {1, 2, 2}).AndOut(DType::kFp32, {1, 2, 2});
  };
  // Each of the four results is real. 1.0 need not skip the products that make it so.
  const ExpectedOutput latest = rfft("tosa-1.0").Output(5, 1);
  EXPECT_EQ(latest.rule.kernel_size, 4);
  EXPECT_THAT(latest.answers[0].expected.Elements(), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(latest.answers[0].bound->Elements(), ElementsAre(16 * 0x1p-126, 10, 12, 15));
  // 0.100 has no such multiplies, and makes it exactly zero.
  const ExpectedOutput draft = rfft("tosa-0.100").Output(5, 1);
  EXPECT_EQ(draft.rule.ksb, 4);
  EXPECT_THAT(draft.answers[0].bound->Elements(), Each(0));
}

TEST(Precision, InfinityTimesASubnormalIsNanWhereItIsFlushed) {
  OneOperator op("MUL");
  op.Floats(DType::kFp32, {1}, {HUGE_VAL}).Floats(DType::kFp32, {1}, {0x1p-140});
  op.Integers(DType::kI8, {1}, {0}).Out(DType::kFp32, {1});
  const ExpectedOutput output = op.Output();
  ASSERT_EQ(output.answers.size(), 2u);
  EXPECT_EQ(output.answers[0].expected.Element(0), HUGE_VAL);
  EXPECT_TRUE(std::isnan(output.answers[1].expected.Element(0)));
}

// --- CAST ----------------------------------------------------------------------------------------

// The accepted magnitudes for a positive x, by the text, from the list of all numbers of the type.
std::pair<double, double> AcceptedByText(DType type, double x) {
  std::vector<double> numbers;
  const uint64_t patterns = uint64_t{1} << (Info(type).bits - 1);
  for (uint64_t bits = 0; bits < patterns; ++bits) {
    const double value = DecodeFloat(type, bits);
    if (std::isfinite(value)) numbers.push_back(value);
  }
  const auto above = std::upper_bound(numbers.begin(), numbers.end(), x);
  const double below = *std::prev(above);
  // The number that would come next if the exponent went on.
  const double last_gap = numbers.back() - numbers[numbers.size() - 2];
  const double next = above == numbers.end() ? numbers.back() + last_gap : *above;
  const double beyond = above == numbers.end() ? kInf : next;
  if (x == below) return {below, below};
  if (x >= next) return {kInf, kInf};  // past the next binade
  return {below, next - x <= (next - below) / 2 ? beyond : below};
}

TEST(Precision, CastAcceptsTowardZeroAndNearest) {
  for (DType type : {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp16}) {
    const double max = Format(type).max, least = Format(type).subnormal_min();
    std::vector<double> x = {0,       least,      least / 2,  least / 4, least * 0.75, least * 1.5,
                             1,       1.01,       1.0625,     1.125,     1.15,         max,
                             max * 2, max * 1.01, max * 1.03, max * 1.1, 3.3,          kInf};
    for (double& v : x) v = RoundTo(DType::kFp32, v);
    const int64_t count = static_cast<int64_t>(x.size());
    OneOperator op("CAST");
    op.Floats(DType::kFp32, {count}, x).Out(type, {count});
    const ExpectedOutput out = op.Output();
    EXPECT_EQ(out.rule.kind, RuleKind::kInterval);
    for (int64_t i = 0; i < count; ++i) {
      const auto [low, high] = AcceptedByText(type, x[i]);
      EXPECT_EQ(out.answers[0].expected.Element(i), low) << Name(type) << " " << x[i];
      EXPECT_EQ(out.answers[0].upper->Element(i), high) << Name(type) << " " << x[i];
    }
  }
}

TEST(Precision, CastKeepsTheSignOfAnInterval) {
  OneOperator op("CAST");
  op.Floats(DType::kFp32, {3}, {-1.15, -0.0, -1e-30}).Out(DType::kFp8E4M3, {3});
  const ExpectedOutput out = op.Output();
  EXPECT_EQ(out.answers[0].expected.Element(0), -1.125);
  EXPECT_EQ(out.answers[0].upper->Element(0), -1.125);
  EXPECT_TRUE(std::signbit(out.answers[0].expected.Element(1)));
  EXPECT_TRUE(std::signbit(out.answers[0].upper->Element(2)));
  EXPECT_TRUE(out.rule.zero_sign);
}

TEST(Precision, DraftCastToFp8Saturates) {
  OneOperator op("CAST", "tosa-0.100");
  op.Floats(DType::kFp32, {6}, {1000, -1000, 1.0625, 1.06, 460, kInf}).Out(DType::kFp8E4M3, {6});
  const ExpectedOutput out = op.Output();
  EXPECT_THAT(out.answers[0].expected.Elements(), ElementsAre(448, -448, 1, 1, 448, 448));
  EXPECT_THAT(out.answers[0].upper->Elements(), ElementsAre(448, -448, 1.125, 1, 448, kInf));
}

TEST(Precision, DraftCastToFp8AllowsZeroAndTheLeastNormalNumberForSubnormals) {
  // fp8e5m2: normal from 2^-14 on, steps of 2^-16 below. tosa_reference_check_fp of 0.100.
  const double step = std::ldexp(1, -16), normal = 4 * step;
  OneOperator op("CAST", "tosa-0.100");
  op.Floats(DType::kFp32, {6}, {0, 3 * step, -1.25 * step, 3.5 * step, 4.25 * step, 4.5 * step});
  op.Out(DType::kFp8E5M2, {6});
  const ExpectedOutput out = op.Output();
  EXPECT_THAT(out.answers[0].expected.Elements(), ElementsAre(0, 0, -normal, 0, 0, 4 * step));
  EXPECT_THAT(out.answers[0].upper->Elements(),
              ElementsAre(0, normal, 0, normal, normal, 5 * step));
}

// --- The rest ------------------------------------------------------------------------------------

OneOperator Rescale(int64_t x, int64_t output_zp, DType out, bool output_unsigned) {
  OneOperator op("RESCALE");
  op.Integers(DType::kI8, {1}, {x}).Integers(DType::kI32, {1}, {1 << 30});
  op.Integers(DType::kI8, {1}, {31}).Integers(DType::kI8, {1}, {0});
  op.Integers(out, {1}, {output_zp}).Set("scale32", true);
  op.Set("rounding_mode", std::string("INEXACT_ROUND")).Set("per_channel", false);
  op.Set("input_unsigned", false).Set("output_unsigned", output_unsigned).Out(out, {1});
  return op;
}

TEST(Precision, InexactRescaleIsAnIntervalAroundTheQuotient) {
  const ExpectedOutput whole = Rescale(10, 0, DType::kI16, false).Output();  // 5.0 +- 0.5000012
  EXPECT_EQ(whole.rule.kind, RuleKind::kInterval);
  EXPECT_EQ(whole.answers[0].expected.Integer(0), 5);
  EXPECT_EQ(whole.answers[0].upper->Integer(0), 5);
  const ExpectedOutput half = Rescale(11, 0, DType::kI16, false).Output();  // 5.5 +- 0.5000013
  EXPECT_EQ(half.answers[0].expected.Integer(0), 5);
  EXPECT_EQ(half.answers[0].upper->Integer(0), 6);
}

TEST(Precision, InexactRescaleClipsToTheOutputsOwnRange) {
  // -5.0 clips to 0 in uint8; 120 / 2 + 200 = 260 clips to 255, which an i8 stores as -1.
  const ExpectedOutput low = Rescale(-10, 0, DType::kI8, true).Output();
  EXPECT_EQ(low.answers[0].expected.Integer(0), 0);
  EXPECT_EQ(low.answers[0].upper->Integer(0), 0);
  const ExpectedOutput high = Rescale(120, 200 - 256, DType::kI8, true).Output();
  EXPECT_EQ(high.answers[0].upper->Integer(0), -1);
  EXPECT_TRUE(high.rule.is_unsigned);
  // 127.5 +- a half is 127 or 128, which an i8 stores as -128.
  const ExpectedOutput across = Rescale(55, 100, DType::kI8, true).Output();
  EXPECT_EQ(across.answers[0].expected.Integer(0), 127);
  EXPECT_EQ(across.answers[0].upper->Integer(0), -128);
}

// Whether the text accepts `result`, which is not clipped: in exact numbers, in units of
// 2^-(shift + 24), or in fp64, operation by operation. `product` is that of fp64.
bool IsWithinInexactBound(int64_t result, double product, int64_t shift, int64_t output_zp) {
  using Wide = __int128;
  const Wide p = static_cast<Wide>(product), one = Wide{1} << (shift + 24);
  const Wide with_zp = p + output_zp * (Wide{1} << shift);
  const Wide err = one / 2 + 3 * (p < 0 ? -p : p) + (with_zp < 0 ? -with_zp : with_zp);
  const Wide apart = Wide{result - output_zp} * one - p * (Wide{1} << 24);
  if (-err <= apart && apart <= err) return true;
  const double quotient = std::ldexp(product, static_cast<int>(-shift));
  const auto zp = static_cast<double>(output_zp), k = static_cast<double>(result);
  const double bound = 0.5 + (3 * std::fabs(quotient) + std::fabs(quotient + zp)) * 0x1p-24;
  return quotient - bound + zp <= k && k <= quotient + bound + zp;
}

TEST(Precision, InexactRescaleEndsAtTheLastIntegersWithinTheBound) {
  // 1077936127 / 2^9 and its bound add up to 2105345 - 2^-31, one fp64 step below an integer.
  std::vector<int64_t> multipliers = {1077936127, 2147483647, 1 << 30, 1, 0, 715827883};
  uint32_t state = 1;
  while (multipliers.size() < 60) {
    state = state * 1664525 + 1013904223;
    multipliers.push_back(state >> 1);
  }
  for (int64_t shift = 2; shift <= 62; ++shift) {
    const int64_t most = shift > 32 ? INT32_MAX : (int64_t{1} << (shift - 1)) - 1;
    for (const int64_t output_zp : {0, -128, 5}) {
      const DType in_t = DType::kI32, out_t = output_zp == 0 ? DType::kI32 : DType::kI8;
      std::vector<int64_t> x, m, s;
      for (const int64_t multiplier : multipliers) {
        for (const int64_t value : {int64_t{1}, int64_t{-1}, most, -most - 1, most / 3}) {
          // The operator itself requires a result of 32 bits.
          if (std::fabs(std::ldexp(static_cast<double>(value) * static_cast<double>(multiplier),
                                   static_cast<int>(-shift))) > 2147483000.0) {
            continue;
          }
          x.push_back(value), m.push_back(multiplier), s.push_back(shift);
        }
      }
      const Shape shape = {std::ssize(x)};
      OneOperator op("RESCALE");
      op.Integers(in_t, shape, x).Integers(DType::kI32, shape, m).Integers(DType::kI8, shape, s);
      op.Integers(in_t, {1}, {0}).Integers(out_t, {1}, {output_zp}).Set("scale32", true);
      op.Set("rounding_mode", std::string("INEXACT_ROUND")).Set("per_channel", true);
      op.Set("input_unsigned", false).Set("output_unsigned", false).Out(out_t, shape);
      const Answer answer = op.Output().answers[0];
      for (int64_t i = 0; i < shape[0]; ++i) {
        const auto at = static_cast<size_t>(i);
        const double product = static_cast<double>(x[at]) * static_cast<double>(m[at]);
        const int64_t low = answer.expected.Integer(i), high = answer.upper->Integer(i);
        const auto within = [&](int64_t k) {
          return IsWithinInexactBound(k, product, shift, output_zp);
        };
        const std::string place =
            StrCat(x[at], " * ", m[at], " >> ", shift, " + ", output_zp, ": ", low, " to ", high);
        ASSERT_TRUE(low == IntegerMin(out_t) || low == IntegerMax(out_t) ||
                    (within(low) && !within(low - 1)))
            << place;
        ASSERT_TRUE(high == IntegerMin(out_t) || high == IntegerMax(out_t) ||
                    (within(high) && !within(high + 1)))
            << place;
      }
    }
  }
}

TEST(Precision, InexactRescaleIsOneIntegerNarrowerThanAWidenedSum) {
  OneOperator op("RESCALE");
  op.Integers(DType::kI32, {2}, {1, -1}).Integers(DType::kI32, {1}, {1077936127});
  op.Integers(DType::kI8, {1}, {9}).Integers(DType::kI32, {1}, {0});
  op.Integers(DType::kI32, {1}, {0}).Set("scale32", true);
  op.Set("rounding_mode", std::string("INEXACT_ROUND")).Set("per_channel", false);
  op.Set("input_unsigned", false).Set("output_unsigned", false).Out(DType::kI32, {2});
  const Answer answer = op.Output().answers[0];
  // By Python's fractions: 2105343.998... +- 1.00195...
  EXPECT_THAT(answer.expected.Integers(), ElementsAre(2105343, -2105344));
  EXPECT_THAT(answer.upper->Integers(), ElementsAre(2105344, -2105343));
}

TEST(Precision, ResizeBoundFollowsTheLargestInput) {
  const auto resize = [](DType type, std::string_view edition) {
    OneOperator op("RESIZE", edition);
    op.Floats(type, {1, 1, 2, 1}, {-4, 2}).ShapeIn({1, 1, 2, 1}).ShapeIn({0, 0}).ShapeIn({0, 0});
    op.Set("mode", std::string("BILINEAR")).Out(type, {1, 1, 3, 1});
    return op.Output();
  };
  // 4 * 0.006 = 0.024 against 20 * 2^-7 * 4 = 0.625 in bf16 and 20 * 2^-23 * 4 in fp32.
  EXPECT_EQ(resize(DType::kBf16, "tosa-1.0").answers[0].bound->Element(0), 0.625);
  EXPECT_EQ(resize(DType::kFp32, "tosa-1.0").answers[0].bound->Element(1), 4 * 0.006);
  EXPECT_EQ(resize(DType::kBf16, "tosa-0.100").answers[0].bound->Element(2), 4 * 0.006);
  EXPECT_THAT(resize(DType::kFp32, "tosa-1.0").answers[0].expected.Elements(),
              ElementsAre(-4, -1, 2));
}

TEST(Precision, ResizeBoundLeavesNanOut) {
  OneOperator op("RESIZE");
  op.Floats(DType::kFp32, {1, 1, 3, 1}, {-4, 2, kNan});
  op.ShapeIn({1, 1, 1, 1}).ShapeIn({0, 0}).ShapeIn({0, 0});
  op.Set("mode", std::string("NEAREST_NEIGHBOR")).Out(DType::kFp32, {1, 1, 3, 1});
  const Answer answer = op.Output().answers[0];
  EXPECT_EQ(answer.expected.Element(0), -4);
  EXPECT_EQ(answer.bound->Element(0), 4 * 0.006);
  EXPECT_TRUE(std::isnan(answer.expected.Element(2)));
}

ExpectedOutput ReduceProduct(DType type, const std::vector<double>& values, int64_t lines,
                             std::string_view edition) {
  OneOperator op("REDUCE_PRODUCT", edition);
  const int64_t n = static_cast<int64_t>(values.size()) / lines;
  op.Floats(type, {lines, n}, values).Set("axis", int64_t{1}).Out(type, {lines, 1});
  return op.Output();
}

TEST(Precision, ReduceProductBoundGrowsWithTheNumberOfFactors) {
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    // fp16 has 10 bits of fraction: u = 2^-11. One factor: u; two: 2u + u^2.
    const double u = std::ldexp(1, -11);
    const ExpectedOutput one = ReduceProduct(DType::kFp16, {-3}, 1, edition);
    EXPECT_EQ(one.rule.kind, RuleKind::kAbsoluteBound);
    EXPECT_EQ(one.answers[0].expected.Element(0), -3);
    EXPECT_EQ(one.answers[0].bound->Element(0), 3 * u);
    const ExpectedOutput two = ReduceProduct(DType::kFp16, {-3, 5}, 1, edition);
    EXPECT_EQ(two.answers[0].bound->Element(0), 15 * (2 * u + u * u));
    // bf16: u = 2^-8; (1 + u)^3 - 1 = 3u + 3u^2 + u^3 exactly.
    const double b = std::ldexp(1, -8);
    const ExpectedOutput three = ReduceProduct(DType::kBf16, {2, 2, 2}, 1, edition);
    EXPECT_EQ(three.answers[0].bound->Element(0), 8 * (3 * b + 3 * b * b + b * b * b));
  }
}

TEST(Precision, ReduceProductBoundOf10NeverFallsBelowThatOfNormalMin) {
  const std::vector<double> small = {std::ldexp(1, -14), 0.5};  // 2^-15 is subnormal in fp16
  const double u = std::ldexp(1, -11), relative = 2 * u + u * u;
  EXPECT_EQ(ReduceProduct(DType::kFp16, small, 1, "tosa-1.0").answers[0].bound->Element(0),
            std::ldexp(relative, -14));
  EXPECT_EQ(ReduceProduct(DType::kFp16, small, 1, "tosa-0.100").answers[0].bound->Element(0),
            std::ldexp(relative, -15));
}

TEST(Precision, ReduceProductOfZeroInfinityAndNan) {
  const std::vector<double> values = {0, 3, kInf, -2, std::nan(""), 2};
  const ExpectedOutput out = ReduceProduct(DType::kFp32, values, 3, "tosa-0.100");
  // The draft's bound for zero would be 0, which marks values of a table.
  EXPECT_GT(out.answers[0].bound->Element(0), 0);
  EXPECT_EQ(out.answers[0].expected.Element(1), -kInf);
  EXPECT_EQ(out.answers[0].bound->Element(1), 0);
  EXPECT_TRUE(std::isnan(out.answers[0].expected.Element(2)));
  EXPECT_EQ(out.answers[0].bound->Element(2), 0);
}

TEST(Precision, ReduceProductBeyondFp64IsInfinity) {
  // 9 times 2^127 is 2^1143.
  const std::vector<double> large(9, std::ldexp(1, 127));
  const ExpectedOutput out = ReduceProduct(DType::kFp32, large, 1, "tosa-1.0");
  EXPECT_EQ(out.answers[0].expected.Element(0), kInf);
  EXPECT_EQ(out.answers[0].bound->Element(0), 0);
  // 2^889 is finite there, and beyond fp32 by far.
  const ExpectedOutput seven =
      ReduceProduct(DType::kFp32, std::vector<double>(7, std::ldexp(1, 127)), 1, "tosa-1.0");
  EXPECT_EQ(seven.answers[0].expected.Element(0), std::ldexp(1, 889));
  EXPECT_GT(seven.answers[0].bound->Element(0), 0);
}

TEST(Precision, ExtremaAreExactWithTheSignOfZeroFree) {
  const double least = std::ldexp(1, -149);
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    OneOperator op("REDUCE_MIN", edition);
    op.Floats(DType::kFp32, {2, 2}, {least, 1, 0, -0.0}).Set("axis", int64_t{1});
    if (std::string_view(edition) == "tosa-1.0") op.Set("nan_mode", std::string("PROPAGATE"));
    const ExpectedOutput out = op.Out(DType::kFp32, {2, 1}).Output();
    EXPECT_EQ(out.rule.kind, RuleKind::kExact);
    EXPECT_FALSE(out.rule.zero_sign);
    ASSERT_EQ(out.answers.size(), 2u);
    EXPECT_EQ(out.answers[0].expected.Element(0), least);
    EXPECT_EQ(out.answers[1].expected.Element(0), 0);  // flushed
  }
}

TEST(Precision, AddSubAndMulAreWithinHalfAnUlpOfTheFp64Result) {
  OneOperator op("MUL");
  const double third = RoundTo(DType::kFp32, 1.0 / 3);
  op.Floats(DType::kFp32, {1}, {third}).Floats(DType::kFp32, {1}, {third});
  op.Integers(DType::kI8, {1}, {0}).Out(DType::kFp32, {1});
  const ExpectedOutput out = op.Output();
  EXPECT_EQ(out.rule.kind, RuleKind::kUlp);
  EXPECT_EQ(out.rule.ulp, 0.5);
  EXPECT_EQ(out.answers[0].expected.Element(0),
            third * third);  // exact in fp64, not rounded to fp32
  OneOperator sub("SUB");
  sub.Floats(DType::kFp32, {1}, {1}).Floats(DType::kFp32, {1}, {third}).Out(DType::kFp32, {1});
  EXPECT_EQ(sub.Output().rule.ulp, 0.5);
  EXPECT_EQ(sub.Output().answers[0].expected.Element(0), 1 - third);
}

}  // namespace
}  // namespace cts
