#include "checker/rules/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

#include "reference/base/special_values_testing.h"

namespace cts {
namespace {

using ::testing::HasSubstr;

ExpectedOutput Output(RuleKind kind, DType dtype, int64_t size) {
  ExpectedOutput output;
  output.name = "out";
  output.dtype = dtype;
  output.shape = {size};
  output.rule.kind = kind;
  output.rule.form = "tosa-1.0";
  return output;
}

Tensor Fp64(const std::vector<double>& values) {
  return Tensor::OfFloats(DType::kFp64, {static_cast<int64_t>(values.size())}, values);
}

Answer Of(Tensor expected) { return {false, std::move(expected), {}, {}}; }

TEST(MeasureTensor, CountsIntegerMismatches) {
  const ExpectedOutput output = Output(RuleKind::kExact, DType::kI8, 4);
  const Answer answer = Of(Tensor::OfIntegers(DType::kI8, {4}, {1, -2, 3, 127}));
  EXPECT_TRUE(MeasureTensor(output, answer, answer.expected).accepted);
  const Tensor result = Tensor::OfIntegers(DType::kI8, {4}, {1, 2, 3, -128});
  const TensorErrors match = MeasureTensor(output, answer, result);
  EXPECT_FALSE(match.accepted);
  EXPECT_EQ(match.mismatches, 2);
  EXPECT_EQ(match.first, 1);
  EXPECT_EQ(ElementJudge(output, answer, result).Measure(3).ulp, 255);
}

TEST(MeasureTensor, ExactFloatsObeyZeroSign) {
  ExpectedOutput output = Output(RuleKind::kExact, DType::kFp16, 2);
  const Answer answer = Of(Fp64({0.0, kNan}));
  const Tensor result = Tensor::OfFloats(DType::kFp16, {2}, {-0.0, kNan});
  EXPECT_TRUE(MeasureTensor(output, answer, result).accepted);
  output.rule.zero_sign = true;
  EXPECT_EQ(MeasureTensor(output, answer, result).first, 0);
}

TEST(MeasureTensor, AppliesUlpElementByElement) {
  ExpectedOutput output = Output(RuleKind::kUlp, DType::kFp32, 3);
  output.rule.ulp = 1;
  const Answer answer = Of(Fp64({1.0, 2.0, kInf}));
  const Tensor result =
      Tensor::OfFloats(DType::kFp32, {3}, {1 + 0x1p-23, 2 + 0x1p-21, Format(DType::kFp32).max});
  const TensorErrors match = MeasureTensor(output, answer, result);
  EXPECT_EQ(match.mismatches, 2);
  EXPECT_EQ(match.first, 1);
  const ElementJudge judge(output, answer, result);
  EXPECT_EQ(judge.Measure(0).ulp, 1);
  EXPECT_EQ(judge.Measure(1).ulp, 2);
  EXPECT_EQ(*judge.Measure(1).of_bound, 2);
  EXPECT_EQ(judge.Measure(2).ulp, kInf);
}

TEST(MeasureTensor, AcceptsAnythingWhereTheBoundIsInfinite) {
  const ExpectedOutput output = Output(RuleKind::kAbsoluteBound, DType::kFp32, 4);
  Answer answer = Of(Fp64({1.0, kNan, kInf, 1.0}));
  answer.bound = Fp64({kInf, kInf, kInf, 0.5});
  const Tensor result = Tensor::OfFloats(DType::kFp32, {4}, {kNan, 3.0, -kInf, 1.75});
  const TensorErrors match = MeasureTensor(output, answer, result);
  EXPECT_EQ(match.mismatches, 1);
  EXPECT_EQ(match.first, 3);
  const ElementJudge judge(output, answer, result);
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(judge.Measure(i).ulp, 0) << i;
    EXPECT_EQ(*judge.Measure(i).of_bound, 0) << i;
  }
}

TEST(MeasureTensor, IntervalsOfIntegersAndFloats) {
  ExpectedOutput integers = Output(RuleKind::kInterval, DType::kI16, 2);
  Answer answer = Of(Tensor::OfIntegers(DType::kI16, {2}, {4, 4}));
  answer.upper = Tensor::OfIntegers(DType::kI16, {2}, {5, 5});
  Tensor result = Tensor::OfIntegers(DType::kI16, {2}, {5, 8});
  EXPECT_EQ(MeasureTensor(integers, answer, result).first, 1);
  EXPECT_EQ(ElementJudge(integers, answer, result).Measure(1).ulp, 3);
  EXPECT_EQ(ElementJudge(integers, answer, result).Measure(0).ulp, 0);

  ExpectedOutput floats = Output(RuleKind::kInterval, DType::kFp32, 1);
  Answer ends = Of(Fp64({1.0}));
  ends.upper = Fp64({2.0});
  EXPECT_TRUE(MeasureTensor(floats, ends, Tensor::OfFloats(DType::kFp32, {1}, {1.5})).accepted);
  EXPECT_FALSE(MeasureTensor(floats, ends, Tensor::OfFloats(DType::kFp32, {1}, {2.5})).accepted);
}

TEST(MeasureTensor, ADotProductMayFailByItsSumsAlone) {
  ExpectedOutput output = Output(RuleKind::kDotProduct, DType::kFp16, 4);
  output.rule.absolute_limit = 8;
  output.rule.bias_limit = 7;
  output.rule.variance_limit = 100;
  Answer answer = Of(Fp64({1, 1, 1, 1}));
  answer.bound = Fp64({4, 4, 4, 4});
  const double off = 1 + 0x1p-8;  // error 2 each
  TensorErrors match =
      MeasureTensor(output, answer, Tensor::OfFloats(DType::kFp16, {4}, {off, off, off, off}));
  EXPECT_EQ(match.mismatches, 0);
  EXPECT_FALSE(match.accepted);
  EXPECT_EQ(match.figures->error_sum, 8);
  match = MeasureTensor(output, answer, Tensor::OfFloats(DType::kFp16, {4}, {off, off, off, 1}));
  EXPECT_TRUE(match.accepted);
  output.rule.variance_limit = 11;
  match = MeasureTensor(output, answer, Tensor::OfFloats(DType::kFp16, {4}, {off, off, off, 1}));
  EXPECT_FALSE(match.accepted);
}

TEST(MeasureTensor, ComparesAnUnsignedIntervalAcrossItsSignBit) {
  // 127 to 129 as uint8: stored 127, -128, -127.
  ExpectedOutput output = Output(RuleKind::kInterval, DType::kI8, 3);
  output.rule.is_unsigned = true;
  Answer answer = Of(Tensor::OfIntegers(DType::kI8, {3}, {127, 127, 127}));
  answer.upper = Tensor::OfIntegers(DType::kI8, {3}, {-127, -127, -127});
  EXPECT_TRUE(ValidateAnswer(output, answer).ok());
  TensorErrors match =
      MeasureTensor(output, answer, Tensor::OfIntegers(DType::kI8, {3}, {127, -128, -127}));
  EXPECT_TRUE(match.accepted);
  match = MeasureTensor(output, answer, Tensor::OfIntegers(DType::kI8, {3}, {126, -126, 0}));
  EXPECT_EQ(match.mismatches, 3);
}

// A kernel may want its subnormals flushed and its sums rounded upward; a verdict may not.
TEST(MeasureTensor, IgnoresTheModesOfWhoeverCallsIt) {
  ExpectedOutput output = Output(RuleKind::kUlp, DType::kFp32, 16);
  output.rule.ulp = 0.5;
  const double tie = 0x1p-140 + 0x1p-150;
  const Answer answer = Of(Fp64(std::vector<double>(16, tie)));
  const Tensor right =
      Tensor::OfFloats(DType::kFp32, {16}, std::vector<double>(16, 0x1p-140 + 0x1p-149));
  const Tensor wrong =
      Tensor::OfFloats(DType::kFp32, {16}, std::vector<double>(16, 0x1p-140 - 0x1p-149));
  std::fesetround(FE_UPWARD);
#ifdef __SSE2__
  const unsigned int mode = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(mode | 0x8040);  // flush to zero, denormals are zeros
#endif
  const TensorErrors good = MeasureTensor(output, answer, right);
  const TensorErrors bad = MeasureTensor(output, answer, wrong);
  const bool kept = std::fegetround() == FE_UPWARD;
#ifdef __SSE2__
  const bool flushes = (__builtin_ia32_stmxcsr() & 0x8040) == 0x8040;
  __builtin_ia32_ldmxcsr(mode);
  EXPECT_TRUE(flushes);
#endif
  std::fesetround(FE_TONEAREST);
  EXPECT_TRUE(kept);
  EXPECT_TRUE(good.accepted);
  EXPECT_EQ(good.worst_ulp, 0.5);
  EXPECT_EQ(bad.mismatches, 16);
  EXPECT_EQ(bad.worst_ulp, 1.5);
}

TEST(ValidateAnswer, RefusesUnsignedNumbersThatNoTypeHolds) {
  ExpectedOutput output = Output(RuleKind::kInterval, DType::kI64, 1);
  output.rule.is_unsigned = true;
  Answer answer = Of(Tensor::OfIntegers(DType::kI64, {1}, {1}));
  answer.upper = answer.expected;
  EXPECT_THAT(Message(ValidateAnswer(output, answer)), HasSubstr("unsigned numbers of i64"));
}

TEST(ValidateAnswer, RefusesBoundsWithoutMeaning) {
  const ExpectedOutput output = Output(RuleKind::kAbsoluteBound, DType::kFp32, 2);
  for (const double bad : {-1.0, -kInf, kNan}) {
    Answer answer = Of(Fp64({1, 1}));
    answer.bound = Fp64({0, bad});
    const Status status = ValidateAnswer(output, answer);
    EXPECT_THAT(Message(status), HasSubstr("element [1]: found the bound")) << bad;
  }
  Answer answer = Of(Fp64({1, kInf}));
  EXPECT_THAT(Message(ValidateAnswer(output, answer)), HasSubstr("no bound"));
  answer.bound = Fp64({0.5, 0});
  EXPECT_TRUE(ValidateAnswer(output, answer).ok());
  answer.bound = Fp64({kInf, 0});
  EXPECT_TRUE(ValidateAnswer(output, answer).ok());
  answer.bound = Fp64({kInf, kInf});
  EXPECT_THAT(Message(ValidateAnswer(output, answer)), HasSubstr("infinite bounds only"));
}

TEST(ValidateAnswer, GivesInfiniteBoundsOfDotProductsTheirMeaning) {
  const ExpectedOutput output = Output(RuleKind::kDotProduct, DType::kFp32, 3);
  Answer answer = Of(Fp64({1, kNan, 0}));
  answer.bound = Fp64({kInf, kNan, 0});
  EXPECT_TRUE(ValidateAnswer(output, answer).ok());
  answer.bound = Fp64({-1, 1, 1});
  EXPECT_THAT(Message(ValidateAnswer(output, answer)), HasSubstr("element [0]"));
  answer.bound = Fp64({0, 1, 1});
  EXPECT_THAT(Message(ValidateAnswer(output, answer)), HasSubstr("bound 0 for 1"));
}

TEST(ValidateAnswer, RefusesWhatNobodyCouldMeet) {
  ExpectedOutput output = Output(RuleKind::kExact, DType::kFp16, 1);
  EXPECT_THAT(Message(ValidateAnswer(output, Of(Fp64({1 + 0x1p-30})))),
              HasSubstr("no value of fp16"));
  EXPECT_TRUE(ValidateAnswer(output, Of(Fp64({kNan}))).ok());
  EXPECT_THAT(Message(ValidateAnswer(output, Of(Fp64({1, 2})))), HasSubstr("shape [2]"));
  EXPECT_THAT(Message(ValidateAnswer(output, Of(Tensor::OfFloats(DType::kFp16, {1}, {1.0})))),
              HasSubstr("expected fp64"));
  output.rule.kind = RuleKind::kInterval;
  Answer empty = Of(Fp64({2}));
  empty.upper = Fp64({1});
  EXPECT_THAT(Message(ValidateAnswer(output, empty)), HasSubstr("empty interval"));
  empty.upper = Fp64({kNan});
  EXPECT_THAT(Message(ValidateAnswer(output, empty)), HasSubstr("empty interval"));
  output.rule.form = "tosa-9";
  EXPECT_THAT(Message(ValidateAnswer(output, empty)), HasSubstr("tosa-9"));
}

}  // namespace
}  // namespace cts
