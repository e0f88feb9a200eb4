#include "checker/rules/dot_product.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/base/float_format.h"
#include "reference/base/special_values_testing.h"
#include "reference/numeric/mpfr_float.h"

namespace cts {
namespace {

// 1.0: ABS_BOUND = 2 ksb; KS 3 and a bias.
Rule Rule10() {
  Rule rule;
  rule.kind = RuleKind::kDotProduct;
  rule.form = "tosa-1.0";
  rule.kernel_size = 3;
  rule.ksb = 4;
  rule.absolute_limit = 8;
  return rule;
}

DotProductElement Judge(double result, double reference, double bound, DType dtype = DType::kFp16,
                        Form form = Form::kFlushedZeros) {
  return JudgeDotProductElement(Rule10(), form, dtype, result, reference, bound);
}

TEST(DotProduct, MeasuresErrorsInTheUnitOfTheBound) {
  // Bound 4 in fp16: unit 4 * 2^-11 = 2^-9.
  const DotProductElement element = Judge(1 + 0x1p-8, 1.0, 4.0);
  EXPECT_TRUE(element.accepted);
  EXPECT_TRUE(element.limited);
  EXPECT_EQ(element.error, 2.0);
  EXPECT_EQ(Judge(1 - 0x1p-8, 1.0, 4.0).error, -2.0);
  // A tiny bound: the unit is normal_min, 2^-14.
  EXPECT_EQ(Judge(0x1p-14, 0.0, 0x1p-20).error, 1.0);
}

TEST(DotProduct, HoldsEveryFp16ToTheLimit) {
  // Reference 1, bound 4: |result - 1| <= 8 * 2^-9 = 2^-6, both ends included.
  for (uint64_t bits = 0; bits < 65536; ++bits) {
    const double result = DecodeFloat(DType::kFp16, bits);
    EXPECT_EQ(Judge(result, 1.0, 4.0).accepted, result >= 1 - 0x1p-6 && result <= 1 + 0x1p-6)
        << result;
  }
}

// Around the limit, by MPFR: what is within in the reals passes even where fp64's quotient lies
// above the limit, and what is outside by more than fp64 rounds does not.
TEST(DotProduct, DecidesTheLimitInTheReals) {
  const auto exact = [](double value) { return MpfrFloat::FromDouble(value, 512); };
  Rule rule = Rule10();
  int rescued = 0;
  int refused = 0;
  for (int i = 1; i < 20000; ++i) {
    rule.absolute_limit = 2 * (1 + i % 50);
    const double bound = 1 + i / 60000.0;
    const double unit = bound * 0x1p-11;
    // So that the reference is small, and the difference has bits that fp64 rounds off.
    const double result = RoundTo(DType::kFp16, -0.9375 * rule.absolute_limit * unit);
    const double reference = result + rule.absolute_limit * unit;
    for (const int step : {-64, -16, -12, -9, -8, -7, -6, -5, -4, -1, 0, 1, 64, 128, 256}) {
      const double candidate = reference + step * std::ldexp(1.0, std::ilogb(reference) - 52);
      const bool accepted =
          JudgeDotProductElement(rule, Form::kFlushedZeros, DType::kFp16, result, candidate, bound)
              .accepted;
      MpfrFloat error = Sub(exact(candidate), exact(result));
      if (error < exact(0)) error = Sub(exact(0), error);
      const MpfrFloat limit = Mul(exact(rule.absolute_limit), exact(unit));
      if (error <= limit) {
        ASSERT_TRUE(accepted) << result << " " << candidate << " " << bound;
        rescued += std::fabs((result - candidate) / unit) > rule.absolute_limit;
      } else if (error > Mul(limit, exact(1 + 0x1p-50))) {
        ASSERT_FALSE(accepted) << result << " " << candidate << " " << bound;
        ++refused;
      }
    }
  }
  EXPECT_GT(rescued, 0);
  EXPECT_GT(refused, 0);
}

TEST(DotProduct, ANanResultFailsWhereTheReferenceIsANumber) {
  EXPECT_FALSE(Judge(kNan, 1.0, 4.0).accepted);
  EXPECT_FALSE(Judge(kNan, 0.0, 0.0).accepted);
  EXPECT_FALSE(Judge(kInf, 1.0, 4.0).accepted);
  EXPECT_FALSE(Judge(-kInf, 1.0, 4.0).accepted);
}

TEST(DotProduct, ANanReferenceNeedsNan) {
  for (const Form form : {Form::kWidenedEnds, Form::kFlushedZeros}) {
    EXPECT_TRUE(Judge(kNan, kNan, kNan, DType::kFp16, form).accepted);
    EXPECT_FALSE(Judge(1.0, kNan, kNan, DType::kFp16, form).accepted);
    EXPECT_FALSE(Judge(1.0, kNan, kInf, DType::kFp16, form).accepted);
  }
}

TEST(DotProduct, HasNoLimitWhereTheBoundIsNanOrOverflows) {
  for (const double bound : {kNan, kInf, 65505.0}) {
    const DotProductElement element = Judge(-123.0, 1.0, bound);
    EXPECT_TRUE(element.accepted);
    EXPECT_FALSE(element.limited);
    EXPECT_EQ(element.error, 0);
  }
  // 1.0 adds the allowed error: bound * (1 + 8 * 2^-11) = bound * (1 + 2^-8) against 65504.
  const double edge = 65504 / (1 + 0x1p-8);
  EXPECT_TRUE(Judge(1e4, 1.0, edge * (1 + 1e-9)).accepted);
  EXPECT_FALSE(Judge(1e4, 1.0, edge * (1 - 1e-9)).accepted);
  // 0.100 takes the bound itself.
  EXPECT_FALSE(Judge(1e4, 1.0, 65504.0, DType::kFp16, Form::kWidenedEnds).accepted);
  EXPECT_TRUE(Judge(1e4, 1.0, 65504.5, DType::kFp16, Form::kWidenedEnds).accepted);
}

TEST(DotProduct, AZeroBoundNeedsZero) {
  EXPECT_TRUE(Judge(-0.0, 0.0, 0.0).accepted);
  EXPECT_FALSE(Judge(0x1p-24, 0.0, 0.0).accepted);
}

TEST(DotProductFigures, SumAndHoldTheLimits) {
  Rule rule = Rule10();
  rule.bias_limit = 3;
  rule.variance_limit = 10;
  DotProductFigures figures;
  figures.Add({.accepted = true, .limited = true, .error = 2});
  figures.Add({.accepted = true, .limited = true, .error = -2});
  figures.Add({.accepted = true, .limited = false, .error = 0});
  EXPECT_EQ(figures.elements, 3);
  EXPECT_EQ(figures.unlimited, 1);
  EXPECT_EQ(figures.worst_error, 2);
  EXPECT_EQ(figures.error_sum, 0);
  EXPECT_EQ(figures.squared_error_sum, 8);
  EXPECT_TRUE(figures.BiasAccepted(rule));
  EXPECT_TRUE(figures.VarianceAccepted(rule));
  figures.Add({.accepted = true, .limited = true, .error = -1});
  figures.Add({.accepted = true, .limited = true, .error = -1});
  EXPECT_TRUE(figures.VarianceAccepted(rule));  // just 10
  figures.Add({.accepted = true, .limited = true, .error = -1.5});
  EXPECT_FALSE(figures.BiasAccepted(rule));
  EXPECT_FALSE(figures.VarianceAccepted(rule));
  rule.bias_limit.reset();
  rule.variance_limit.reset();
  EXPECT_TRUE(figures.BiasAccepted(rule));
  EXPECT_TRUE(figures.VarianceAccepted(rule));
}

TEST(DotProductFigures, KeepRefusedElementsOutOfTheSums) {
  DotProductFigures figures;
  figures.Add(Judge(kNan, 1.0, 4.0));
  figures.Add(Judge(kInf, 1.0, 4.0));
  figures.Add(Judge(1 + 0x1p-8, 1.0, 4.0));
  EXPECT_EQ(figures.worst_error, kInf);
  EXPECT_EQ(figures.error_sum, 2);
  EXPECT_EQ(figures.squared_error_sum, 4);
}

}  // namespace
}  // namespace cts
