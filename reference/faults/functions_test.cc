#include "reference/faults/functions.h"

#include <gmock/gmock.h>

#include <limits>

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
  EXPECT_THAT(RunFault("cast.flushes_fp8", cast).Floats(), ElementsAre(448, 0, 1));
  EXPECT_THAT(RunFault("cast.fnuz", cast).Floats(), ElementsAre(224, 0x1p-10, 0.5));
  // A mantissa of 1 beside the least exponent: 2^-6 * 1.125 instead of 2^-9.
  EXPECT_THAT(RunFault("cast.denormals_of_fp8", cast).Floats(),
              ElementsAre(448, 0x1p-6 + 0x1p-9, 1));
}

TEST(ReduceMax, StartsElsewhere) {
  OneOperator max("REDUCE_MAX");
  max.Floats(DType::kFp16, {2, 2}, {-3, -2, -kInfinity, -kInfinity});
  max.Set("axis", int64_t{1}).Set("nan_mode", std::string("PROPAGATE")).Out(DType::kFp16, {2, 1});
  EXPECT_THAT(RunFault("reduce_max.starts_finite", max).Floats(), ElementsAre(-2, -65504));
  EXPECT_THAT(RunFault("reduce_max.starts_from_zero", max).Floats(), ElementsAre(0, 0));
  EXPECT_THAT(RunFault("reduce_max.skips_last", max).Floats(), ElementsAre(-3, -kInfinity));
}

}  // namespace
}  // namespace cts
