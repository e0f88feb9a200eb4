// Models of accumulators on sums that can be worked out by hand.
#include "reference/faults/accumulator_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "reference/evaluate/native.h"
#include "reference/faults/catalogue.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

using testing::ElementsAre;

constexpr DType kFp16 = DType::kFp16, kFp32 = DType::kFp32;

// The sum of these values times one.
double Sum(const AccumulatorModel& model, DType acc_t, const std::vector<double>& values) {
  std::vector<SumTerm> terms;
  for (const double x : values) terms.push_back(ProductOf(kFp32, x, 1));
  return SumOf(model, acc_t, terms);
}
double Sum(std::string_view id, DType acc_t, const std::vector<double>& values) {
  return Sum(FindAccumulatorModel(id), acc_t, values);
}

TEST(AccumulatorModel, KeepsSoManyBitsBeneathTheGreatestExponent) {
  const std::vector<double> values = {1, 0x1p-24, 0x1p-24, 0x1p-24};
  EXPECT_EQ(Sum("align_4x23", kFp32, values), 1);
  EXPECT_EQ(Sum("align_4x24", kFp32, values), 1 + 0x1p-23);  // 3 * 2^-24, toward zero
  EXPECT_EQ(Sum("align_8x24_nearest", kFp32, values), 1 + 0x1p-22);
  EXPECT_EQ(Sum("fused", kFp32, values), 1);  // each is a tie
  EXPECT_EQ(Sum("fused_22", kFp32, {1, 0x1p-23, 0x1.8p-23}), 1 + 0x1p-22);
}

TEST(AccumulatorModel, RoundsTermsByTheirSign) {
  const std::vector<double> values = {1, -0x1p-30};
  EXPECT_EQ(Sum("align_8x23", kFp32, values), 1);
  EXPECT_EQ(Sum("align_8x23_down", kFp32, values), 1 - 0x1p-23);
}

// 1.5 * 1.5 is 2.25, and yet its exponent is 0 here: what hardware aligns has two bits before the
// point.
TEST(AccumulatorModel, TakesTheExponentsOfTheFactors) {
  const std::vector<SumTerm> terms = {ProductOf(kFp16, 1.5, 1.5), ProductOf(kFp16, -1.5, 1.5),
                                      ProductOf(kFp16, 0x1p-12, 0x1p-11)};
  EXPECT_EQ(SumOf(FindAccumulatorModel("align_4x23"), kFp32, terms), 0x1p-23);
  EXPECT_EQ(SumOf(FindAccumulatorModel("align_4x22"), kFp32, terms), 0);
  // A subnormal factor has the exponent of the least normal number.
  EXPECT_EQ(ProductOf(kFp16, 0x1p-24, 1).exponent, -14);
}

TEST(AccumulatorModel, AddsInItsOrderAndType) {
  EXPECT_EQ(Sum("fused", kFp16, {2048, 1, 1}), 2048);
  EXPECT_EQ(Sum("pairwise", kFp16, {2048, 1, 1}), 2050);
  EXPECT_EQ(Sum("fp16_sums", kFp32, {2048, 1, 1}), 2048);
  EXPECT_EQ(Sum("fp32_sums", kFp16, {2048, 1, 1}), 2050);
  std::vector<double> values(64, 0);
  values[0] = 2048;
  values[32] = values[33] = 1;  // of the second block
  EXPECT_EQ(Sum("blocks_32", kFp16, values), 2050);
  EXPECT_EQ(Sum("toward_zero", kFp16, {2048, 1.9}), 2048);
}

TEST(AccumulatorModel, RoundsProductsOrNot) {
  const double x = 1 + 0x1p-10;  // its square has 21 bits
  const std::vector<SumTerm> terms = {ProductOf(kFp16, x, x), ProductOf(kFp16, -1, 1 + 0x1p-9)};
  EXPECT_EQ(SumOf(FindAccumulatorModel("rounded_products"), kFp16, terms), 0);
  AccumulatorModel both = FindAccumulatorModel("fused");
  both.terms = 2;
  EXPECT_EQ(SumOf(both, kFp16, terms), 0x1p-20);
}

TEST(AccumulatorModel, ReadsOperandsWithFewerBits) {
  const AccumulatorModel& tf32 = FindAccumulatorModel("tf32");
  EXPECT_EQ(ReadOperand(tf32, kFp32, 1 + 0x1p-11), 1);
  EXPECT_EQ(ReadOperand(tf32, kFp32, 1 + 0x1p-10), 1 + 0x1p-10);
  EXPECT_EQ(ReadOperand(tf32, kFp16, 1 + 0x1p-10), 1 + 0x1p-10);
  const AccumulatorModel& flushes = FindAccumulatorModel("flushes");
  EXPECT_EQ(ReadOperand(flushes, kFp16, 0x1p-15), 0);
  EXPECT_EQ(ReadOperand(flushes, kFp32, 0x1p-15), 0x1p-15);
  EXPECT_EQ(Sum("flushes", kFp16, {0x1p-14, -0x1p-15}), 0);
}

TEST(AccumulatorModel, KeepsWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const AccumulatorModel& model : AccumulatorModels()) {
    EXPECT_EQ(Sum(model, kFp32, {1, infinity, 2}), infinity) << model.id;
    EXPECT_TRUE(std::isnan(Sum(model, kFp32, {infinity, 1, -infinity}))) << model.id;
    EXPECT_EQ(Sum(model, kFp32, {0, 0}), 0) << model.id;
    EXPECT_EQ(Sum(model, kFp32, {}), 0) << model.id;
    EXPECT_EQ(Sum(model, kFp32, {0x1.8p127, 0x1.8p127}), infinity) << model.id;
  }
}

TEST(AccumulatorModel, SaysWhatItIs) {
  EXPECT_EQ(NameOf(FindAccumulatorModel("align_4x23"), kFp32),
            "fp32 sums, 4 terms aligned, 23 fraction bits, toward zero");
  EXPECT_EQ(NameOf(FindAccumulatorModel("tf32")),
            "operands in TF32, sums in acc_t, one term at a time, to nearest");
  EXPECT_EQ(NameOf(FindAccumulatorModel("align_8x24_down"), kFp32),
            "fp32 sums, 8 terms aligned, 24 fraction bits rounded down, to nearest");
  EXPECT_EQ(WhatIsLost(FindAccumulatorModel("align_4x22")), "sums keep 22 fraction bits");
  EXPECT_EQ(WhatIsLost(FindAccumulatorModel("fp16_sums")), "sums in fp16");
  EXPECT_EQ(WhatIsLost(FindAccumulatorModel("tf32")), "operands rounded to TF32");
  EXPECT_EQ(WhatIsLost(FindAccumulatorModel("flushes")), "flushes subnormals");
  std::set<std::string> ids, names;
  for (const AccumulatorModel& model : AccumulatorModels()) {
    EXPECT_TRUE(ids.insert(model.id).second) << model.id;
    EXPECT_TRUE(names.insert(NameOf(model)).second) << NameOf(model);
  }
}

std::vector<double> Execute(const AccumulatorModel& model, const OneOperator& op) {
  Fault fault;
  fault.op = op.graph().main().operators.back().op;
  fault.does = [&](const Operator& text, const Call& call) -> std::optional<OperatorOutputs> {
    const auto arithmetic = InAccumulator(model);
    return ComputeWith(text, call, *arithmetic);
  };
  const std::map<std::string, Tensor> inputs = op.inputs();
  const auto results =
      ExecuteFaulty(fault, op.graph(), {&inputs}, op.edition(), *op.edition().FindLevel("8K"));
  if (!results.ok() || results->front().outcome != Outcome::kValid) {
    ADD_FAILURE() << results.status();
    return {};
  }
  return results->front().outputs.at("out").Elements();
}

// Two sums, of which the second is zero but for the bias.
TEST(InAccumulator, MakesTheSumsOfAnOperatorsText) {
  const double lost = 0x1p-24;
  OneOperator one("CONV2D");
  one.Floats(kFp32, {1, 1, 2, 4}, {1, lost, lost, lost, 0, 0, 0, 0})
      .Floats(kFp32, {1, 1, 1, 4}, {1, 1, 1, 1})
      .Floats(kFp32, {1}, {0.5});
  one.Floats(kFp32, {1}, {0}).Floats(kFp32, {1}, {0});
  one.Set("pad", std::vector<int64_t>(4)).Set("stride", std::vector<int64_t>{1, 1});
  one.Set("dilation", std::vector<int64_t>{1, 1}).Set("acc_type", std::string("FP32"));
  one.Set("local_bound", true).Out(kFp32, {1, 1, 2, 1});
  EXPECT_THAT(Execute(FindAccumulatorModel("align_4x23"), one), ElementsAre(1.5, 0.5));
  EXPECT_THAT(Execute(FindAccumulatorModel("align_4x24"), one), ElementsAre(1.5 + 0x1p-23, 0.5));
}

TEST(InAccumulator, MakesSumsWithoutProducts) {
  OneOperator one("REDUCE_SUM");
  one.Floats(kFp32, {4}, {1, 0x1p-24, 0x1p-24, 0x1p-24}).Set("axis", int64_t{0});
  one.Out(kFp32, {1});
  EXPECT_THAT(Execute(FindAccumulatorModel("align_4x24"), one), ElementsAre(1 + 0x1p-23));
  EXPECT_THAT(Execute(FindAccumulatorModel("align_4x23"), one), ElementsAre(1));
}

}  // namespace
}  // namespace cts
