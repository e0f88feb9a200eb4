#include "checker/rules/ulp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/base/special_values_testing.h"

namespace cts {
namespace {

TEST(ReferenceUlp, IsTheStepOfTheFormatAtEveryNumber) {
  // Neighbouring bit patterns of one binade are one unit apart.
  for (const DType dtype : {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp16, DType::kBf16}) {
    const uint64_t sign = uint64_t{1} << (Info(dtype).bits - 1);
    for (uint64_t bits = 1; bits + 1 < sign; ++bits) {
      const double value = DecodeFloat(dtype, bits);
      const double next = DecodeFloat(dtype, bits + 1);
      if (!std::isfinite(value) || !std::isfinite(next)) continue;
      ASSERT_EQ(ReferenceUlp(dtype, value), next - value) << Name(dtype) << " " << bits;
      ASSERT_EQ(ReferenceUlp(dtype, -value), next - value);
      ASSERT_EQ(ReferenceUlp(dtype, value + (next - value) / 2), next - value);
    }
  }
}

TEST(ReferenceUlp, HasAFloorAndNoneAtZero) {
  EXPECT_EQ(ReferenceUlp(DType::kFp32, 0x1p-300), 0x1p-149);
  EXPECT_EQ(ReferenceUlp(DType::kFp32, 5e-324), 0x1p-149);
  EXPECT_EQ(ReferenceUlp(DType::kFp32, -0x1p-1030), 0x1p-149);
  EXPECT_EQ(ReferenceUlp(DType::kFp32, 0.0), 0);
  EXPECT_EQ(ReferenceUlp(DType::kFp32, kInf), 0);
  EXPECT_EQ(ReferenceUlp(DType::kFp32, std::nan("")), 0);
  EXPECT_EQ(ReferenceUlp(DType::kFp16, 1e10), 0x1p23);
}

TEST(WithinUlp, HalfAnUlpAcceptsBothSidesOfATie) {
  const ComparingFunction compare(Form::kFlushedZeros, DType::kFp16);
  const double tie = 1 + 0x1p-11;
  EXPECT_TRUE(WithinUlp(compare, DType::kFp16, 1.0, tie, 0.5));
  EXPECT_TRUE(WithinUlp(compare, DType::kFp16, 1 + 0x1p-10, tie, 0.5));
  EXPECT_FALSE(WithinUlp(compare, DType::kFp16, 1.0, std::nextafter(tie, 2), 0.5));
  EXPECT_FALSE(WithinUlp(compare, DType::kFp16, 1 + 0x1p-10, std::nextafter(tie, 1), 0.5));
}

// For every pattern of fp16 as reference, 0.5 ulp accepts the value itself and no neighbour but
// the lower one at a power of two; 1 ulp accepts the neighbours; 2 ulp those after.
TEST(WithinUlp, CountsNeighboursOfEveryFp16) {
  const ComparingFunction compare(Form::kFlushedZeros, DType::kFp16);
  const auto accepts = [&](uint64_t result, uint64_t reference, double count) {
    return WithinUlp(compare, DType::kFp16, DecodeFloat(DType::kFp16, result),
                     DecodeFloat(DType::kFp16, reference), count);
  };
  // Above the subnormals, where zero is special; below the last binade, where infinity is.
  for (uint64_t bits = 0x0802; bits < 0x7BFD; ++bits) {
    const bool power_of_two = (bits & 0x3FF) == 0;
    ASSERT_TRUE(accepts(bits, bits, 0.5));
    ASSERT_FALSE(accepts(bits + 1, bits, 0.5));
    ASSERT_EQ(accepts(bits - 1, bits, 0.5), power_of_two) << bits;
    ASSERT_TRUE(accepts(bits + 1, bits, 1));
    ASSERT_TRUE(accepts(bits - 1, bits, 1));
    ASSERT_FALSE(accepts(bits + 2, bits, 1));
    ASSERT_EQ(accepts(bits - 2, bits, 1), power_of_two) << bits;
    ASSERT_FALSE(accepts(bits | 0x8000, bits, 1));
  }
}

TEST(WithinUlp, ATinyReferenceAllowsWhatALargerOneDoes) {
  const ComparingFunction compare(Form::kFlushedZeros, DType::kFp32);
  for (const double reference : {5e-324, 0x1p-1022, 0x1p-200}) {
    EXPECT_TRUE(WithinUlp(compare, DType::kFp32, 0.0, reference, 0.5));
    EXPECT_TRUE(WithinUlp(compare, DType::kFp32, 0x1p-149, reference, 1));
    EXPECT_FALSE(WithinUlp(compare, DType::kFp32, 0x1p-148, reference, 1));
  }
}

TEST(WithinUlp, AZeroReferenceIsExact) {
  const ComparingFunction compare(Form::kFlushedZeros, DType::kFp32);
  EXPECT_TRUE(WithinUlp(compare, DType::kFp32, -0.0, 0.0, 5));
  EXPECT_FALSE(WithinUlp(compare, DType::kFp32, 0x1p-149, 0.0, 5));
}

}  // namespace
}  // namespace cts
