#include "checker/rules/absolute_bound.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/base/special_values_testing.h"

namespace cts {
namespace {

bool Accepts(DType dtype, double result, double expected, double bound, bool zero_sign = false,
             Form form = Form::kFlushedZeros) {
  return WithinAbsoluteBound(ComparingFunction(form, dtype), result, expected, bound, zero_sign);
}

TEST(AbsoluteBound, IncludesBothEnds) {
  EXPECT_TRUE(Accepts(DType::kFp32, 1.25, 1.0, 0.25));
  EXPECT_TRUE(Accepts(DType::kFp32, 0.75, 1.0, 0.25));
  EXPECT_FALSE(Accepts(DType::kFp32, 1.25 + 0x1p-23, 1.0, 0.25));
  EXPECT_FALSE(Accepts(DType::kFp32, 0.75 - 0x1p-24, 1.0, 0.25));
}

TEST(AbsoluteBound, HoldsTableValuesExactly) {
  EXPECT_TRUE(Accepts(DType::kFp32, kInf, kInf, 0));
  EXPECT_FALSE(Accepts(DType::kFp32, -kInf, kInf, 0));
  EXPECT_FALSE(Accepts(DType::kFp32, Format(DType::kFp32).max, kInf, 0));
  EXPECT_TRUE(Accepts(DType::kFp32, kNan, kNan, 0));
  EXPECT_FALSE(Accepts(DType::kFp32, kInf, kNan, 0));
  EXPECT_TRUE(Accepts(DType::kFp32, 1.0, 1.0, 0));
  EXPECT_FALSE(Accepts(DType::kFp32, 1.0 + 0x1p-23, 1.0, 0));
  EXPECT_TRUE(Accepts(DType::kFp8E4M3, kNan, kInf, 0));
}

TEST(AbsoluteBound, HoldsAZeroOfTheTableInBothForms) {
  for (const Form form : {Form::kWidenedEnds, Form::kFlushedZeros}) {
    EXPECT_TRUE(Accepts(DType::kFp32, -0.0, 0.0, 0, false, form));
    EXPECT_FALSE(Accepts(DType::kFp32, -0.0, 0.0, 0, true, form));
    EXPECT_TRUE(Accepts(DType::kFp32, -0.0, -0.0, 0, true, form));
    EXPECT_FALSE(Accepts(DType::kFp32, 0.0, -0.0, 0, true, form));
    EXPECT_FALSE(Accepts(DType::kFp32, 0x1p-149, 0.0, 0, false, form));
    EXPECT_FALSE(Accepts(DType::kFp32, kNan, 0.0, 0, false, form));
  }
}

TEST(AbsoluteBound, AcceptsAnythingWithinInfinityButNanForANumberWhereEndsWiden) {
  for (const Form form : {Form::kWidenedEnds, Form::kFlushedZeros}) {
    for (const double expected : {0.0, -1.0, kInf, kNan}) {
      for (const double result : {0.0, -0.0, 1.0, kInf, -kInf}) {
        EXPECT_TRUE(Accepts(DType::kFp32, result, expected, kInf, true, form));
      }
      EXPECT_EQ(Accepts(DType::kFp32, kNan, expected, kInf, true, form),
                form == Form::kFlushedZeros || std::isnan(expected));
    }
  }
}

TEST(AbsoluteBound, IgnoresTheSignOfZeroWithinABound) {
  EXPECT_TRUE(Accepts(DType::kFp32, -0.0, 0.0, 0x1p-20, true));
  EXPECT_TRUE(Accepts(DType::kFp32, -0x1p-20, 0.0, 0x1p-20, true));
}

}  // namespace
}  // namespace cts
