#include "reference/base/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>

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
  EXPECT_THAT(tensor.Elements(),
              ElementsAre(1.0, 1.0, std::numeric_limits<double>::infinity(), 0.0));
  EXPECT_EQ(tensor.Bits(3), 0x8000u);
  EXPECT_TRUE(std::isnan(Tensor::OfFloats(DType::kFp8E4M3, {1}, {500}).Value(0)));
}

TEST(Tensor, ComparesTypeShapeAndBits) {
  const Tensor a = Tensor::OfIntegers(DType::kI8, {2}, {1, 2});
  EXPECT_EQ(a, Tensor::OfIntegers(DType::kI8, {2}, {1, 2}));
  EXPECT_NE(a, Tensor::OfIntegers(DType::kI8, {1, 2}, {1, 2}));
  EXPECT_NE(a, Tensor::OfIntegers(DType::kI8, {2}, {1, 3}));
  EXPECT_NE(a, Tensor::OfIntegers(DType::kI4, {2}, {1, 2}));
}

TEST(BlockScaled, HasAScaleForEvery32ElementsOfTheLastDimension) {
  const StatusOr<Tensor> made = Tensor::BlockScaled(DType::kFp8E5M2, {3, 64});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->size(), 192);
  EXPECT_EQ(made->scales(), std::vector<uint8_t>(6, 127));
  EXPECT_EQ(made->TypeName(), "bs32_fp8ue8m0_fp8e5m2");
  EXPECT_EQ(*ScaleShape({3, 64}), (Shape{3, 2}));
  EXPECT_EQ(*ScaleShape({32}), Shape{1});
}

TEST(BlockScaled, DiffersInScalesAndFromPlainValues) {
  const Tensor a = *Tensor::BlockScaled(DType::kFp8E4M3, {2, 32});
  Tensor b = a;
  EXPECT_EQ(a, b);
  b.scales()[1] = 128;
  EXPECT_NE(a, b);
  const Tensor plain(DType::kFp8E4M3, {2, 32});
  EXPECT_EQ(a.bytes(), plain.bytes());
  EXPECT_NE(a, plain);
  EXPECT_FALSE(plain.is_block_scaled());
  EXPECT_EQ(plain.TypeName(), "fp8e4m3");
}

TEST(ElementType, EqualsATypeOnlyWithoutScales) {
  static_assert(!std::is_convertible_v<DType, ElementType>);
  EXPECT_EQ(ElementType(DType::kFp8E4M3), DType::kFp8E4M3);
  EXPECT_NE(ElementType(DType::kFp8E4M3, true), DType::kFp8E4M3);
  EXPECT_NE(ElementType(DType::kFp8E4M3, true), ElementType(DType::kFp8E4M3));
  EXPECT_EQ(*ParseElementType("bs32_fp8ue8m0_fp8e4m3"), ElementType(DType::kFp8E4M3, true));
}

TEST(BlockScaled, AnElementIsItsValueTimesTheScaleOfItsBlock) {
  Tensor tensor = *Tensor::BlockScaled(DType::kFp8E4M3, {2, 64});
  tensor.scales() = {127, 130, 0, 255};
  for (const int64_t i : {31, 32, 64, 127}) tensor.SetValue(i, 1.5);
  EXPECT_EQ(tensor.Element(31), 1.5);
  EXPECT_EQ(tensor.Element(32), 12);
  EXPECT_EQ(tensor.Element(64), std::ldexp(1.5, -127));
  EXPECT_TRUE(std::isnan(tensor.Element(127)));
  for (const int64_t i : {31, 32, 64, 127}) EXPECT_EQ(tensor.Value(i), 1.5);
  EXPECT_EQ(tensor.Elements()[32], 12);
}

TEST(BlockScaled, SettingAnElementRoundsItsValueAndKeepsTheScale) {
  Tensor tensor = *Tensor::BlockScaled(DType::kFp8E4M3, {32});
  tensor.scales() = {130};
  tensor.SetElement(3, 8.4);  // 1.05 * 8; fp8e4m3 has 1 and 1.125
  EXPECT_EQ(tensor.Value(3), 1);
  EXPECT_EQ(tensor.Element(3), 8);
  EXPECT_EQ(tensor.scales(), std::vector<uint8_t>{130});
}

TEST(BlockScaled, RefusesOtherValuesAndIncompleteBlocks) {
  const auto error = [](DType dtype, const Shape& shape) {
    const StatusOr<Tensor> tensor = Tensor::BlockScaled(dtype, shape);
    return tensor.ok() ? "accepted" : Message(tensor.status());
  };
  for (const DTypeInfo& info : kDTypes) {
    if (info.name.starts_with("fp8")) continue;
    EXPECT_EQ(error(info.dtype, {32}),
              StrCat("block-scaled values: found ", info.name, ", expected fp8e4m3 or fp8e5m2"));
  }
  for (const Shape& shape : {Shape{}, Shape{33}, Shape{32, 1}, Shape{2, 16}}) {
    EXPECT_EQ(error(DType::kFp8E4M3, shape),
              StrCat("shape: found ", ToString(shape),
                     ", expected a last dimension of 32 or a multiple, as a "
                     "scale stands for 32 elements"));
  }
  EXPECT_EQ(error(DType::kFp8E4M3, {0, 32}),
            "shape [0,32]: found a dimension of 0, expected at least 1");
  EXPECT_EQ(error(DType::kFp8E4M3, {32, 0}),
            "shape [32,0]: found a dimension of 0, expected at least 1");
  EXPECT_EQ(error(DType::kFp8E4M3, {int64_t{1} << 40, int64_t{1} << 40}),
            "shape [1099511627776,1099511627776]: more than 2^62 elements");
}

}  // namespace
}  // namespace cts
