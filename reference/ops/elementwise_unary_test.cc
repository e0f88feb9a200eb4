#include <cmath>

#include "reference/ops/testing.h"

namespace cts {
namespace {

OneOperator ExpOf(Tensor input, std::string_view edition = kDefaultEdition) {
  OneOperator op("EXP", edition);
  const DType type = input.dtype();
  const Shape shape = input.shape();
  return op.In(std::move(input)).Out(type, shape);
}

TEST(Exp, IsWithinOneStepOfTheLongDoubleFunctionForEveryPattern) {
  for (DType type : {DType::kFp16, DType::kBf16}) {
    const Tensor input = EveryPattern(type);
    const Tensor result = ExpOf(input).Run();
    for (int64_t i = 0; i < input.size(); ++i) {
      const double x = input.Float(i), y = result.Float(i);
      const double expected = static_cast<double>(std::exp(static_cast<long double>(x)));
      if (std::isnan(x)) {
        ASSERT_TRUE(std::isnan(y));
      } else {
        ASSERT_LE(y, std::nextafter(expected, INFINITY)) << x;
        ASSERT_GE(y, std::nextafter(expected, -INFINITY)) << x;
      }
    }
  }
}

TEST(Exp, HasTheSpecialValuesOfItsTable) {
  const Tensor input = Tensor::OfFloats(DType::kFp32, {5}, {-INFINITY, INFINITY, -0.0, 0.0, NAN});
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    const OneOperator op = ExpOf(input, edition);
    for (const Tensor& result : {op.Run(), op.RunNative()}) {
      EXPECT_EQ(result.Float(0), 0);
      EXPECT_FALSE(std::signbit(result.Float(0)));
      EXPECT_EQ(result.Float(1), INFINITY);
      EXPECT_EQ(result.Float(2), 1);
      EXPECT_EQ(result.Float(3), 1);
      EXPECT_TRUE(std::isnan(result.Float(4)));
    }
  }
}

TEST(Exp, RoundsNativelyToItsType) {
  // e = 2.71828...; fp16 has steps of 2^-9 there: 1392 / 512.
  EXPECT_EQ(ExpOf(Tensor::OfFloats(DType::kFp16, {1}, {1})).RunNative().Float(0), 1392.0 / 512);
}

TEST(Exp, LimitsTheRankToTheLevel) {
  const OneOperator op = ExpOf(Tensor(DType::kFp32, {1, 1}));
  EXPECT_TRUE(op.Breaks("exp.level_rank", {{"MAX_RANK", 1}}));
  EXPECT_FALSE(op.Breaks("exp.level_rank", {{"MAX_RANK", 2}}));
}

}  // namespace
}  // namespace cts
