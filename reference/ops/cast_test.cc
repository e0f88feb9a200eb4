#include <algorithm>
#include <cmath>

#include "reference/ops/testing.h"

namespace cts {
namespace {

OneOperator CastTo(DType type, Tensor input, std::string_view edition = kDefaultEdition) {
  OneOperator op("CAST", edition);
  const Shape shape = input.shape();
  return op.In(std::move(input)).Out(type, shape);
}

Tensor Every(DType type) {
  const std::vector<int64_t> values = EveryValue(type);
  return Tensor::OfIntegers(type, {static_cast<int64_t>(values.size())}, values);
}

TEST(Cast, KeepsTheLowBitsOfIntegers) {
  const Tensor i16 = Every(DType::kI16);
  const Tensor narrow = CastTo(DType::kI8, i16).Run(), wide = CastTo(DType::kI32, i16).Run();
  for (int64_t i = 0; i < i16.size(); ++i) {
    ASSERT_EQ(narrow.Integer(i), static_cast<int8_t>(i16.Integer(i)));
    ASSERT_EQ(wide.Integer(i), i16.Integer(i));
  }
  const Tensor i32 = Tensor::OfIntegers(DType::kI32, {4}, {INT32_MIN, 0x12348001, -1, 0x7fff00ff});
  EXPECT_EQ(CastTo(DType::kI16, i32).Run().Integers(), (std::vector<int64_t>{0, -32767, -1, 0xff}));
  EXPECT_EQ(CastTo(DType::kI8, i32, "tosa-0.100").Run().Integers(),
            (std::vector<int64_t>{0, 1, -1, -1}));
}

TEST(Cast, MakesBooleansOfWhatIsNotZero) {
  for (DType type : {DType::kI8, DType::kI16, DType::kI32}) {
    const Tensor input = Tensor::OfIntegers(type, {4}, {0, 1, -128, 2});
    EXPECT_EQ(CastTo(DType::kBool, input).Run().Integers(), (std::vector<int64_t>{0, 1, 1, 1}));
    const Tensor booleans = Tensor::OfIntegers(DType::kBool, {2}, {0, 1});
    EXPECT_EQ(CastTo(type, booleans).Run().Integers(), (std::vector<int64_t>{0, 1}));
  }
}

TEST(Cast, HasNoRowFromBooleansToFloats) {
  const Tensor booleans = Tensor::OfIntegers(DType::kBool, {2}, {0, 1});
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (DType type : {DType::kFp16, DType::kBf16, DType::kFp32}) {
      EXPECT_EQ(CastTo(type, booleans, edition).Verdict(), "error: graph.type_row");
    }
  }
}

TEST(Cast, RoundsEveryFloatToTheNearestEvenIntegerAndSaturates) {
  for (DType in_t : {DType::kFp16, DType::kBf16}) {
    Tensor input = EveryPattern(in_t);
    for (int64_t i = 0; i < input.size(); ++i) {
      if (std::isnan(input.Element(i))) input.SetElement(i, 0.5);
    }
    for (DType out_t : {DType::kI8, DType::kI16, DType::kI32}) {
      const Tensor result = CastTo(out_t, input).Run();
      const double low = static_cast<double>(IntegerMin(out_t));
      const double high = static_cast<double>(IntegerMax(out_t));
      for (int64_t i = 0; i < input.size(); ++i) {
        const double x = input.Element(i);
        const double below = std::floor(x), rest = x - below;
        const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0);
        const double expected = std::clamp(up ? below + 1 : below, low, high);
        ASSERT_EQ(static_cast<double>(result.Integer(i)), expected) << x;
      }
    }
  }
}

TEST(Cast, SaturatesTheExactValueOfFp32) {
  const Tensor input = Tensor::OfFloats(
      DType::kFp32, {6}, {2147483520, 2147483648, -2147483648, -2147483904, INFINITY, -INFINITY});
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_EQ(
        CastTo(DType::kI32, input, edition).Run().Integers(),
        (std::vector<int64_t>{2147483520, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MAX, INT32_MIN}));
  }
}

TEST(Cast, IsUnpredictableFromNanToAnInteger) {
  const auto verdict = [](double x, std::string_view edition) {
    return CastTo(DType::kI8, Tensor::OfFloats(DType::kFp16, {2}, {x, 1}), edition).Verdict();
  };
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_EQ(verdict(INFINITY, edition), "valid");
    EXPECT_EQ(verdict(NAN, edition), "unpredictable: cast.nan_to_integer");
  }
}

TEST(Cast, LeavesTheReferenceUnroundedAndRoundsNatively) {
  const OneOperator op =
      CastTo(DType::kFp16, Tensor::OfIntegers(DType::kI32, {4}, {2049, 2051, -65520, 65519}));
  EXPECT_EQ(op.Run().Elements(), (std::vector<double>{2049, 2051, -65520, 65519}));
  EXPECT_EQ(op.RunNative().Elements(), (std::vector<double>{2048, 2052, -INFINITY, 65504}));
}

TEST(Cast, SaturatesToFp8NativelyIn0100Only) {
  const Tensor input = Tensor::OfFloats(DType::kFp32, {5}, {1e6, -1e6, 465, INFINITY, 17});
  const auto cast = [&](DType type, std::string_view edition) {
    return CastTo(type, input, edition).RunNative().Elements();
  };
  EXPECT_EQ(cast(DType::kFp8E4M3, "tosa-0.100"), (std::vector<double>{448, -448, 448, 448, 16}));
  EXPECT_EQ(cast(DType::kFp8E5M2, "tosa-0.100"),
            (std::vector<double>{57344, -57344, 448, 57344, 16}));
  EXPECT_EQ(cast(DType::kFp8E5M2, "tosa-1.0"),
            (std::vector<double>{INFINITY, -INFINITY, 448, INFINITY, 16}));
  const std::vector<double> e4m3 = cast(DType::kFp8E4M3, "tosa-1.0");
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(std::isnan(e4m3[i]));
  EXPECT_EQ(e4m3[4], 16);
}

TEST(Cast, WidensEveryFloatExactly) {
  for (DType in_t : {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp16, DType::kBf16}) {
    const Tensor input = EveryPattern(in_t);
    const OneOperator op = CastTo(DType::kFp32, input);
    const Tensor native = op.RunNative();
    for (int64_t i = 0; i < input.size(); ++i) {
      if (std::isnan(input.Element(i))) {
        ASSERT_TRUE(std::isnan(native.Element(i)));
      } else {
        ASSERT_EQ(native.Element(i), input.Element(i));
      }
    }
  }
}

TEST(Cast, LimitsTheRankToTheLevel) {
  const OneOperator op = CastTo(DType::kI8, Tensor(DType::kI16, {1, 1}));
  EXPECT_TRUE(op.Breaks("cast.level_rank", {{"MAX_RANK", 1}}));
  EXPECT_FALSE(op.Breaks("cast.level_rank", {{"MAX_RANK", 2}}));
}

}  // namespace
}  // namespace cts
