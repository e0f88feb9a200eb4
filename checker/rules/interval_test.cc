#include "checker/rules/interval.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/base/float_format.h"
#include "reference/base/special_values_testing.h"

namespace cts {
namespace {

TEST(WithinIntegers, IncludesBothEnds) {
  EXPECT_TRUE(WithinIntegers(-3, -3, 4));
  EXPECT_TRUE(WithinIntegers(4, -3, 4));
  EXPECT_FALSE(WithinIntegers(-4, -3, 4));
  EXPECT_FALSE(WithinIntegers(5, -3, 4));
  EXPECT_TRUE(WithinIntegers(INT64_MIN, INT64_MIN, INT64_MAX));
}

TEST(ComparedAs, ReadsStoredBitsAsUnsignedNumbers) {
  EXPECT_EQ(ComparedAs(DType::kI8, -56, true), 200);
  EXPECT_EQ(ComparedAs(DType::kI16, -1, true), 65535);
  EXPECT_EQ(ComparedAs(DType::kI8, 127, true), 127);
  EXPECT_EQ(ComparedAs(DType::kI8, -56, false), -56);
}

// Every interval between two fp8 values, every result: inclusion, but for the special patterns.
TEST(WithinInterval, IncludesWhatLiesBetweenForEveryFp8) {
  for (const DType dtype : {DType::kFp8E4M3, DType::kFp8E5M2}) {
    for (uint64_t low = 0; low < 256; ++low) {
      for (uint64_t high = 0; high < 256; ++high) {
        const double least = DecodeFloat(dtype, low);
        const double greatest = DecodeFloat(dtype, high);
        if (!(least <= greatest)) continue;
        for (uint64_t bits = 0; bits < 256; ++bits) {
          const double result = DecodeFloat(dtype, bits);
          ASSERT_EQ(WithinInterval(dtype, result, least, greatest, false),
                    result >= least && result <= greatest)
              << result << " in " << least << " to " << greatest;
        }
      }
    }
  }
}

TEST(WithinInterval, NeedsNanForNan) {
  EXPECT_TRUE(WithinInterval(DType::kFp32, kNan, kNan, kNan, false));
  EXPECT_FALSE(WithinInterval(DType::kFp32, 0.0, kNan, kNan, false));
  EXPECT_FALSE(WithinInterval(DType::kFp32, kNan, -kInf, kInf, false));
}

TEST(WithinInterval, AnInfiniteEndIsNanWhereTheTypeHasNoInfinity) {
  EXPECT_TRUE(WithinInterval(DType::kFp8E4M3, kNan, 448, kInf, false));
  EXPECT_TRUE(WithinInterval(DType::kFp8E4M3, 448, 448, kInf, false));
  EXPECT_TRUE(WithinInterval(DType::kFp8E4M3, kNan, -kInf, -448, false));
  EXPECT_FALSE(WithinInterval(DType::kFp8E4M3, kNan, 416, 448, false));
  EXPECT_FALSE(WithinInterval(DType::kFp8E5M2, kNan, 57344, kInf, false));
  EXPECT_TRUE(WithinInterval(DType::kFp8E5M2, kInf, 57344, kInf, false));
  EXPECT_FALSE(WithinInterval(DType::kFp8E5M2, -kInf, 57344, kInf, false));
  EXPECT_TRUE(WithinInterval(DType::kFp16, kInf, 65504, 65520, false));
  EXPECT_FALSE(WithinInterval(DType::kFp16, kInf, 65000, 65504, false));
}

TEST(WithinInterval, ZeroHasTheSignOfTheInterval) {
  const auto accepts = [](double zero, double least, double greatest) {
    return WithinInterval(DType::kFp32, zero, least, greatest, true);
  };
  EXPECT_TRUE(accepts(0.0, 0.0, 0.0));
  EXPECT_FALSE(accepts(-0.0, 0.0, 0.0));
  EXPECT_TRUE(accepts(-0.0, -0.0, -0.0));
  EXPECT_FALSE(accepts(0.0, -0.0, -0.0));
  EXPECT_TRUE(accepts(0.0, 0.0, 0x1p-149));
  EXPECT_FALSE(accepts(-0.0, 0.0, 0x1p-149));
  EXPECT_TRUE(accepts(-0.0, -0x1p-149, -0.0));
  EXPECT_FALSE(accepts(0.0, -0x1p-149, -0.0));
  EXPECT_TRUE(accepts(0.0, -1, 1));
  EXPECT_TRUE(accepts(-0.0, -1, 1));
  EXPECT_TRUE(WithinInterval(DType::kFp32, -0.0, 0.0, 0.0, false));
}

TEST(WithinInterval, ZeroStandsForSubnormalsWithTheirSign) {
  const double subnormal = 0x1p-130;
  for (const DType dtype : {DType::kFp32, DType::kBf16}) {
    EXPECT_TRUE(WithinInterval(dtype, 0.0, subnormal, 1.0, true));
    EXPECT_FALSE(WithinInterval(dtype, -0.0, subnormal, 1.0, true));
    EXPECT_TRUE(WithinInterval(dtype, -0.0, -1.0, -subnormal, true));
    EXPECT_FALSE(WithinInterval(dtype, 0.0, -1.0, -subnormal, true));
    EXPECT_TRUE(WithinInterval(dtype, 0.0, -1.0, -subnormal, false));
    EXPECT_FALSE(WithinInterval(dtype, 0.0, 0x1p-126, 1.0, false));
  }
  EXPECT_FALSE(WithinInterval(DType::kFp8E4M3, 0.0, 0x1p-9, 1.0, false));
  EXPECT_FALSE(WithinInterval(DType::kFp8E5M2, 0.0, 0x1p-16, 1.0, false));
  EXPECT_TRUE(WithinInterval(DType::kFp16, 0.0, 0x1p-24, 0x1p-24, false));
}

}  // namespace
}  // namespace cts
