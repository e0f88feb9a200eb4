#include "tools/program/audit/rule_margin.h"

#include <gtest/gtest.h>

namespace cts {
namespace {

std::vector<BoundSlack> Measure(const std::string& op) {
  Recipe recipe = *FindRecipe("smoke");
  recipe.operators = {op};
  return *MeasureBounds({.recipe = recipe, .jobs = 2});
}

const AccumulatorSlack& Of(const std::vector<AccumulatorSlack>& all, const std::string& in,
                           const std::string& out, int64_t kernel_size) {
  for (const AccumulatorSlack& one : all) {
    if (one.in == in && one.out == out && one.kernel_size == kernel_size) return one;
  }
  ADD_FAILURE() << in << " " << out << " " << kernel_size;
  return all.front();
}

// Half an ulp accepts the nearest value, both sides of a tie, and below a power of two one more.
TEST(Slack, HalfAnUlpIsTheNearestValue) {
  const std::vector<BoundSlack> bounds = Measure("ADD");
  ASSERT_FALSE(bounds.empty());
  for (const BoundSlack& bound : bounds) {
    EXPECT_EQ(bound.op, "ADD");
    EXPECT_EQ(bound.median, 0) << bound.type;
    EXPECT_LE(bound.greatest, 1) << bound.type;
    EXPECT_GT(bound.elements, 100U) << bound.type;
    EXPECT_EQ(bound.anything, 0U) << bound.type;
  }
}

// 1.0 gives ERF 5 ulp, which are up to twice as many values where the exponent changes.
TEST(Slack, SoManyUlpsAreSoManyValues) {
  const std::vector<BoundSlack> bounds = Measure("ERF");
  ASSERT_FALSE(bounds.empty());
  for (const BoundSlack& bound : bounds) {
    EXPECT_EQ(bound.rule, "ulp");
    EXPECT_EQ(bound.median, 5) << bound.type;
    EXPECT_LE(bound.greatest, 10) << bound.type;
  }
}

// ADD, SUB and CAST leave both sides of a tie and one more value below a power of two; MUL, whose
// results may be subnormal, one more.
TEST(Slack, IsNothingButTiesAndPowersOfTwoInArithmetic) {
  for (const char* op : {"ADD", "SUB", "MUL", "CAST", "CEIL", "FLOOR"}) {
    for (const BoundSlack& bound : Measure(op)) {
      EXPECT_EQ(bound.median, 0) << op << " " << bound.type;
      EXPECT_LE(bound.greatest, bound.op == std::string("MUL") ? 2 : 1) << op << " " << bound.type;
    }
  }
}

// fp32 has 0x7f800000 values from zero to infinity: more are accepted only if the sign may differ.
TEST(Slack, LeavesTheSignOfSomeResultsOpen) {
  for (const char* op : {"RESIZE", "SIN", "COS", "TANH", "SIGMOID"}) {
    int of_fp32 = 0;
    for (const BoundSlack& bound : Measure(op)) {
      if (bound.type != "fp32") continue;
      ++of_fp32;
      EXPECT_GT(bound.greatest, 0x7f800000) << op;
    }
    EXPECT_EQ(of_fp32, 1) << op;
  }
}

// 2^23 values of fp32 are a factor of two.
TEST(Slack, LeavesTheSizeOfSomeResultsOpen) {
  for (const char* op : {"EXP", "POW"}) {
    for (const BoundSlack& bound : Measure(op)) {
      EXPECT_TRUE(bound.type != "fp32" || bound.greatest > 1 << 23) << op;
    }
  }
}

TEST(Slack, OfTransformsIsThatOfAWholeImage) {
  for (const char* op : {"FFT2D", "RFFT2D"}) {
    const std::vector<BoundSlack> bounds = Measure(op);
    ASSERT_FALSE(bounds.empty());
    for (const BoundSlack& bound : bounds) EXPECT_GT(bound.median, 10'000) << op;
  }
}

TEST(Slack, LongSumsOfFp16HideTheAccumulator) {
  const auto all = *MeasureAccumulators(**FindEdition("tosa-1.0"));
  for (const AccumulatorSlack& one : all) {
    // A value with the bits of the result is right.
    EXPECT_LE(one.bits, one.own_bits) << one.in << " " << one.out << " " << one.kernel_size;
    EXPECT_GE(one.refused_by, 0);
  }
  EXPECT_GE(Of(all, "fp16", "fp16", 256).bits, 10);
  EXPECT_LE(Of(all, "fp16", "fp16", 1024).bits, 8);
  EXPECT_GE(Of(all, "fp32", "fp32", 1024).bits, 23);
}

}  // namespace
}  // namespace cts
