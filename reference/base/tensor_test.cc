#include "reference/base/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Shape, PrintsAsAList) {
  EXPECT_EQ(ToString(Shape{}), "[]");
  EXPECT_EQ(ToString(Shape{1, 20, 3}), "[1,20,3]");
}

TEST(Shape, CountsElements) {
  EXPECT_EQ(*CheckedElementCount({}), 1);
  EXPECT_EQ(*CheckedElementCount({2, 3, 4}), 24);
  EXPECT_EQ(*CheckedElementCount({int64_t{1} << 31, int64_t{1} << 31}), int64_t{1} << 62);
}

TEST(Shape, RejectsDimensionsBelowOneAndOverflow) {
  EXPECT_THAT(Message(CheckedElementCount({2, 0}).status()), HasSubstr("a dimension of 0"));
  EXPECT_THAT(Message(CheckedElementCount({-1}).status()), HasSubstr("a dimension of -1"));
  EXPECT_FALSE(CheckedElementCount({int64_t{1} << 31, int64_t{1} << 31, 2}).ok());
  EXPECT_FALSE(CheckedElementCount({INT64_MAX, INT64_MAX}).ok());
}

TEST(Shape, OffsetAndIndexAreRowMajorAndInverse) {
  const Shape shape = {2, 3, 4};
  EXPECT_EQ(Offset(shape, {1, 2, 3}), 1 * 12 + 2 * 4 + 3);
  EXPECT_THAT(Index(shape, 17), ElementsAre(1, 1, 1));
  for (int64_t i = 0; i < 24; ++i) EXPECT_EQ(Offset(shape, Index(shape, i)), i);
}

TEST(Tensor, StartsAsZeros) {
  const Tensor tensor(DType::kI32, {2, 3});
  EXPECT_EQ(tensor.size(), 6);
  EXPECT_EQ(tensor.bytes().size(), 24u);
  EXPECT_THAT(tensor.Integers(), ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST(Tensor, KeepsTheLimitsOfEveryIntegerType) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.is_float) continue;
    const int64_t min = IntegerMin(info.dtype);
    const int64_t max = IntegerMax(info.dtype);
    EXPECT_THAT(Tensor::OfIntegers(info.dtype, {3}, {min, 0, max}).Integers(),
                ElementsAre(min, 0, max))
        << info.name;
  }
}

TEST(DType, LimitsAreTheSpecifications) {
  EXPECT_EQ(IntegerMin(DType::kI4), -7);
  EXPECT_EQ(IntegerMax(DType::kI4), 7);
  EXPECT_EQ(IntegerMin(DType::kI8), -128);
  EXPECT_EQ(IntegerMax(DType::kI16), 32767);
  EXPECT_EQ(IntegerMin(DType::kI48), -140737488355328);
  EXPECT_EQ(IntegerMax(DType::kI48), 140737488355327);
  EXPECT_EQ(IntegerMin(DType::kShape), INT64_MIN);
  EXPECT_EQ(IntegerMax(DType::kBool), 1);
}

TEST(DType, NamesReadBackAndTheTableIsInOrder) {
  for (int i = 0; i < kDTypeCount; ++i) {
    EXPECT_EQ(static_cast<int>(kDTypes[i].dtype), i);
    EXPECT_EQ(ParseDType(kDTypes[i].name), kDTypes[i].dtype);
  }
  EXPECT_EQ(ParseDType("int8_t"), std::nullopt);
}

TEST(Tensor, StoresLittleEndian) {
  const Tensor tensor = Tensor::OfIntegers(DType::kI16, {2}, {0x0102, -2});
  EXPECT_THAT(tensor.bytes(), ElementsAre(2, 1, 0xFE, 0xFF));
  EXPECT_EQ(tensor.Bits(1), 0xFFFEu);
}

TEST(Tensor, RoundsFloatsToItsType) {
  const Tensor tensor = Tensor::OfFloats(DType::kBf16, {4}, {1.0, 1.00390625, 1e39, -0.0});
  EXPECT_THAT(tensor.Floats(), ElementsAre(1.0, 1.0, std::numeric_limits<double>::infinity(), 0.0));
  EXPECT_EQ(tensor.Bits(3), 0x8000u);
  EXPECT_TRUE(std::isnan(Tensor::OfFloats(DType::kFp8E4M3, {1}, {500}).Float(0)));
}

TEST(Tensor, ComparesTypeShapeAndBits) {
  const Tensor a = Tensor::OfIntegers(DType::kI8, {2}, {1, 2});
  EXPECT_EQ(a, Tensor::OfIntegers(DType::kI8, {2}, {1, 2}));
  EXPECT_NE(a, Tensor::OfIntegers(DType::kI8, {1, 2}, {1, 2}));
  EXPECT_NE(a, Tensor::OfIntegers(DType::kI8, {2}, {1, 3}));
  EXPECT_NE(a, Tensor::OfIntegers(DType::kI4, {2}, {1, 2}));
}

}  // namespace
}  // namespace cts
