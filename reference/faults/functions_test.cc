#include "reference/faults/functions.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>

#include "reference/base/special_values_testing.h"
#include "reference/faults/testing.h"

namespace cts {
namespace {

using testing::ElementsAre;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The last place of bf16 at 1 is 2^-7.
TEST(Rounding, ToTheWrongNeighbourOfBf16) {
  EXPECT_EQ(TowardZero(DType::kBf16, 1.999), 2 - 0x1p-7);
  EXPECT_EQ(TowardZero(DType::kBf16, -1.999), -2 + 0x1p-7);
  // A little above the tie: what is forgotten makes it one.
  EXPECT_EQ(RoundTo(DType::kBf16, 1 + 0x1p-8 + 0x1p-20), 1 + 0x1p-7);
  EXPECT_EQ(WithoutSticky(DType::kBf16, 1 + 0x1p-8 + 0x1p-20), 1);
  // A little below the tie, to which it is rounded first.
  EXPECT_EQ(RoundTo(DType::kBf16, 1 + 0x3p-8 - 0x1p-12), 1 + 0x1p-7);
  EXPECT_EQ(WithOneBitMore(DType::kBf16, 1 + 0x3p-8 - 0x1p-12), 1 + 0x1p-6);
  EXPECT_EQ(Saturated(DType::kFp16, -kInfinity), -65504);
}

TEST(Comparing, ByBitsReversesNumbersBelowZero) {
  EXPECT_TRUE(LessByBits(1, 2));
  EXPECT_TRUE(LessByBits(-1, 2));
  EXPECT_FALSE(LessByBits(-2, -1));
  EXPECT_TRUE(LessUnsigned(1, -1));
  EXPECT_FALSE(LessAsFp32(1 << 24, (1 << 24) + 1));
}

TEST(Broadcasting, OfAColumnAndARow) {
  OneOperator add("ADD");
  add.Integers(DType::kI32, {2, 1}, {10, 20}).Integers(DType::kI32, {1, 3}, {1, 2, 3});
  add.Out(DType::kI32, {2, 3});
  EXPECT_THAT(add.Run().Integers(), ElementsAre(11, 12, 13, 21, 22, 23));
  EXPECT_THAT(RunFault("add.broadcasts_scalars_only", add).Integers(),
              ElementsAre(11, 11, 11, 11, 11, 11));
  EXPECT_THAT(RunFault("add.broadcasts_by_repeating", add).Integers(),
              ElementsAre(11, 22, 13, 21, 12, 23));
  // The second row of the row operand lies outside of it.
  EXPECT_THAT(RunFault("add.broadcasts_last_dimension_only", add).Integers(),
              ElementsAre(11, 12, 13, 20, 20, 20));
}

OneOperator Pair(const char* op, int64_t x, int64_t y) {
  OneOperator pair(op);
  pair.Integers(DType::kI32, {1}, {x}).Integers(DType::kI32, {1}, {y}).Out(DType::kI32, {1});
  return pair;
}

TEST(Intdiv, RoundsOtherwise) {
  EXPECT_THAT(RunFault("intdiv.floors", Pair("INTDIV", -7, 2)).Integers(), ElementsAre(-4));
  EXPECT_THAT(RunFault("intdiv.rounds_to_nearest", Pair("INTDIV", 5, 3)).Integers(),
              ElementsAre(2));
  EXPECT_THAT(RunFault("intdiv.euclidean", Pair("INTDIV", -7, -2)).Integers(), ElementsAre(4));
  // 1 / 49 in fp64 is a little too small.
  EXPECT_THAT(RunFault("intdiv.by_reciprocal_in_fp64", Pair("INTDIV", 49, 49)).Integers(),
              ElementsAre(0));
}

TEST(Cast, OfNumbersBeyondTheType) {
  OneOperator cast("CAST");
  cast.Floats(DType::kFp32, {3}, {200, -2.5, kInfinity}).Out(DType::kI8, {3});
  EXPECT_THAT(cast.Run().Integers(), ElementsAre(127, -2, 127));
  EXPECT_THAT(RunFault("cast.wraps", cast).Integers(), ElementsAre(-56, -2, -1));
  EXPECT_THAT(RunFault("cast.rounds_half_away", cast).Integers(), ElementsAre(127, -3, 127));
  EXPECT_THAT(RunFault("cast.infinity_is_zero", cast).Integers(), ElementsAre(127, -2, 0));
}

TEST(Cast, OfFp8) {
  OneOperator cast("CAST");
  cast.Floats(DType::kFp8E4M3, {3}, {448, 0x1p-9, 1}).Out(DType::kFp32, {3});
  EXPECT_THAT(RunFault("cast.flushes_fp8", cast).Elements(), ElementsAre(448, 0, 1));
  EXPECT_THAT(RunFault("cast.fnuz", cast).Elements(), ElementsAre(224, 0x1p-10, 0.5));
  // A mantissa of 1 beside the least exponent: 2^-6 * 1.125 instead of 2^-9.
  EXPECT_THAT(RunFault("cast.denormals_of_fp8", cast).Elements(),
              ElementsAre(448, 0x1p-6 + 0x1p-9, 1));
}

OneOperator PairOfFloats(const char* op, DType type, const std::vector<double>& x,
                         const std::vector<double>& y) {
  const auto size = static_cast<int64_t>(x.size());
  OneOperator pair(op);
  pair.Floats(type, {size}, x).Floats(type, {size}, y).Out(type, {size});
  return pair;
}

TEST(Add, OfNarrowTypes) {
  // 3/4 of the last place are dropped.
  EXPECT_THAT(
      RunFault("add.drops_16_bits", PairOfFloats("ADD", DType::kBf16, {1}, {0x3p-9})).Elements(),
      ElementsAre(1));
  EXPECT_THAT(
      RunFault("add.flushes_some", PairOfFloats("ADD", DType::kFp16, {-0x1p-24, 0x1p-24}, {0, 0}))
          .Elements(),
      ElementsAre(0, 0x1p-24));
}

TEST(Cast, OfNumbersThatAreNotTooLarge) {
  OneOperator cast("CAST");
  cast.Floats(DType::kFp32, {3}, {-3e9, 0, 5}).Out(DType::kI32, {3});
  EXPECT_THAT(RunFault("cast.all_are_too_large", cast).Integers(),
              ElementsAre(INT32_MIN, INT32_MAX, INT32_MAX));
}

TEST(ExpAndLog, NearTheLeastNormalNumber) {
  OneOperator exp("EXP");
  exp.Floats(DType::kFp32, {2}, {-87.21, -80}).Out(DType::kFp32, {2});
  const Tensor flushed = RunFault("exp.flushes_normal_results", exp);
  EXPECT_EQ(flushed.Element(0), 0);
  EXPECT_GT(flushed.Element(1), 1e-35);
  OneOperator log("LOG");
  log.Floats(DType::kFp16, {2}, {0x1p-24, 0x1p-14}).Out(DType::kFp16, {2});
  const Tensor raised = RunFault("log.of_least_normal_number", log);
  EXPECT_EQ(raised.Element(0), raised.Element(1));
}

TEST(Clamp, BoundsOfFloatsAreAttributes) {
  OneOperator clamp("CLAMP");
  clamp.Floats(DType::kFp32, {3}, {-1.5, 0.5, 5}).Out(DType::kFp32, {3});
  clamp.Set("min_val", -1.25).Set("max_val", 3.5).Set("nan_mode", std::string("PROPAGATE"));
  EXPECT_THAT(clamp.Run().Elements(), ElementsAre(-1.25, 0.5, 3.5));
  EXPECT_THAT(RunFault("clamp.max_val_one_less", clamp).Elements(), ElementsAre(-1.25, 0.5, 2.5));
  EXPECT_THAT(RunFault("clamp.min_val_one_more", clamp).Elements(), ElementsAre(-0.25, 0.5, 3.5));
  EXPECT_THAT(RunFault("clamp.ignores_min_val", clamp).Elements(), ElementsAre(0, 0.5, 3.5));
  EXPECT_THAT(RunFault("clamp.ignores_max_val", clamp).Elements(), ElementsAre(-1.25, 0, 0));
}

TEST(ReduceSumAndProduct, LeaveElementsOut) {
  OneOperator sum("REDUCE_SUM");
  sum.Integers(DType::kI32, {3}, {1, 2, 4}).Set("axis", int64_t{0}).Out(DType::kI32, {1});
  EXPECT_THAT(RunFault("reduce_sum.skips_first", sum).Integers(), ElementsAre(6));
  OneOperator product("REDUCE_PRODUCT");
  product.Floats(DType::kFp16, {3}, {2, 3, 5}).Set("axis", int64_t{0}).Out(DType::kFp16, {1});
  EXPECT_THAT(RunFault("reduce_product.skips_last", product).Elements(), ElementsAre(6));
}

TEST(Reductions, AlongAnotherAxis) {
  OneOperator sum("REDUCE_SUM");
  sum.Integers(DType::kI32, {2, 2}, {1, 2, 4, 8}).Set("axis", int64_t{0}).Out(DType::kI32, {1, 2});
  EXPECT_THAT(sum.Run().Integers(), ElementsAre(5, 10));
  EXPECT_THAT(RunFault("reduce_sum.counts_the_axis_from_the_end", sum).Integers(),
              ElementsAre(3, 12));
}

TEST(ReduceMaxAndMin, StartOneOff) {
  const auto run = [](const char* fault, const char* op, int64_t x) {
    OneOperator line(op);
    line.Integers(DType::kI8, {1}, {x}).Set("axis", int64_t{0});
    line.Set("nan_mode", std::string("PROPAGATE")).Out(DType::kI8, {1});
    return RunFault(fault, line).Integer(0);
  };
  EXPECT_EQ(run("reduce_max.starts_one_off", "REDUCE_MAX", -128), -127);
  EXPECT_EQ(run("reduce_max.starts_one_off", "REDUCE_MAX", -127), -127);
  EXPECT_EQ(run("reduce_min.starts_one_off", "REDUCE_MIN", 127), 126);
}

TEST(ReduceMax, StartsElsewhere) {
  OneOperator max("REDUCE_MAX");
  max.Floats(DType::kFp16, {2, 2}, {-3, -2, -kInfinity, -kInfinity});
  max.Set("axis", int64_t{1}).Set("nan_mode", std::string("PROPAGATE")).Out(DType::kFp16, {2, 1});
  EXPECT_THAT(RunFault("reduce_max.starts_finite", max).Elements(), ElementsAre(-2, -65504));
  EXPECT_THAT(RunFault("reduce_max.starts_from_zero", max).Elements(), ElementsAre(0, 0));
  EXPECT_THAT(RunFault("reduce_max.skips_last", max).Elements(), ElementsAre(-3, -kInfinity));
}

TEST(ReduceMin, TellsALineOfIgnoredNanFromTheNumberItStartsWith) {
  OneOperator min("REDUCE_MIN");
  min.Floats(DType::kFp16, {2, 2}, {kNan, kNan, kInfinity, kNan});
  min.Set("axis", int64_t{1}).Set("nan_mode", std::string("IGNORE")).Out(DType::kFp16, {2, 1});
  EXPECT_THAT(RunFault("reduce_min.starts_finite", min).Elements(),
              ElementsAre(testing::IsNan(), 65504));
  EXPECT_THAT(RunFault("reduce_min.line_of_ignored_nan_is_finite", min).Elements(),
              ElementsAre(65504, kInfinity));
}

}  // namespace
}  // namespace cts
