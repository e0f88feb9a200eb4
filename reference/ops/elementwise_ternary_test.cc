#include <cmath>

#include "reference/ops/testing.h"

namespace cts {
namespace {

OneOperator Select(Tensor condition, Tensor x, Tensor y, Shape out,
                   std::string_view edition = kDefaultEdition) {
  OneOperator op("SELECT", edition);
  const DType type = x.dtype();
  return op.In(std::move(condition)).In(std::move(x)).In(std::move(y)).Out(type, std::move(out));
}

TEST(Select, BroadcastsEveryAxisOfEveryInput) {
  const Shape out = {2, 3};
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    // Bit i of a mask: axis i of that input has size 1.
    for (int masks = 0; masks < 64; ++masks) {
      Shape shapes[3] = {out, out, out}, expected_shape = {1, 1};
      for (int k = 0; k < 3; ++k) {
        for (int axis = 0; axis < 2; ++axis) {
          if (masks >> (2 * k + axis) & 1) shapes[k][axis] = 1;
          expected_shape[axis] = std::max(expected_shape[axis], shapes[k][axis]);
        }
      }
      const std::vector<int64_t> condition = Numbers(ElementCount(shapes[0]), 0, 1, 1);
      const std::vector<int64_t> x = Numbers(ElementCount(shapes[1]), -128, 127, 2);
      const std::vector<int64_t> y = Numbers(ElementCount(shapes[2]), -128, 127, 3);
      const Tensor result =
          Select(Tensor::OfIntegers(DType::kBool, shapes[0], condition),
                 Tensor::OfIntegers(DType::kI8, shapes[1], x),
                 Tensor::OfIntegers(DType::kI8, shapes[2], y), expected_shape, edition)
              .Run();
      for (int64_t i = 0; i < result.size(); ++i) {
        int64_t offsets[3];
        for (int k = 0; k < 3; ++k) {
          Shape index = Index(expected_shape, i);
          for (int axis = 0; axis < 2; ++axis) index[axis] %= shapes[k][axis];
          offsets[k] = Offset(shapes[k], index);
        }
        ASSERT_EQ(result.Integer(i), condition[offsets[0]] ? x[offsets[1]] : y[offsets[2]]);
      }
    }
  }
}

TEST(Select, TakesEveryPatternAsItIsAndNothingOfTheOtherValue) {
  for (DType type : {DType::kFp16, DType::kBf16}) {
    const Tensor values = EveryPattern(type);
    const Tensor nan = Tensor::OfFloats(type, {1}, {NAN});
    for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
      for (bool first : {true, false}) {
        const Tensor condition = Tensor::OfIntegers(DType::kBool, {1}, {first});
        const OneOperator op =
            Select(condition, first ? values : nan, first ? nan : values, values.shape(), edition);
        const Tensor result = op.Run(), native = op.RunNative();
        for (int64_t i = 0; i < values.size(); ++i) {
          const double x = values.Element(i);
          if (std::isnan(x)) {
            ASSERT_TRUE(std::isnan(result.Element(i)) && std::isnan(native.Element(i)));
          } else {
            ASSERT_EQ(result.Element(i), x);
            ASSERT_EQ(std::signbit(result.Element(i)), std::signbit(x));
            ASSERT_EQ(native.Bits(i), values.Bits(i));
          }
        }
      }
    }
  }
}

TEST(Select, SelectsBooleans) {
  const Tensor condition = Tensor::OfIntegers(DType::kBool, {2, 1, 1}, {0, 1});
  const Tensor x = Tensor::OfIntegers(DType::kBool, {1, 2, 1}, {0, 1});
  const Tensor y = Tensor::OfIntegers(DType::kBool, {1, 1, 2}, {0, 1});
  EXPECT_EQ(Select(condition, x, y, {2, 2, 2}).Run().Integers(),
            (std::vector<int64_t>{0, 1, 0, 1, 0, 0, 1, 1}));
}

TEST(Select, LeavesTheSignOfZeroFree) {
  const ExpectedOutput output = Select(Tensor::OfIntegers(DType::kBool, {2}, {1, 0}),
                                       Tensor::OfFloats(DType::kFp16, {2}, {-0.0, 1}),
                                       Tensor::OfFloats(DType::kFp16, {2}, {1, 0.0}), {2})
                                    .Output();
  EXPECT_EQ(output.rule.kind, RuleKind::kExact);
  EXPECT_FALSE(output.rule.zero_sign);
}

TEST(Select, IsExactWithSubnormalsFlushedOrNot) {
  const double least = std::ldexp(1, -24);
  const ExpectedOutput output = Select(Tensor::OfIntegers(DType::kBool, {2}, {1, 0}),
                                       Tensor::OfFloats(DType::kFp16, {2}, {-least, 1}),
                                       Tensor::OfFloats(DType::kFp16, {2}, {1, 2}), {2})
                                    .Output();
  EXPECT_EQ(output.rule.kind, RuleKind::kExact);
  ASSERT_EQ(output.answers.size(), 2u);
  EXPECT_EQ(output.answers[0].expected.Elements(), (std::vector<double>{-least, 2}));
  EXPECT_EQ(output.answers[1].expected.Elements(), (std::vector<double>{0, 2}));
}

TEST(Select, RejectsShapesThatDoNotBroadcastToTheOutput) {
  const auto verdict = [](const Shape& a, const Shape& b, const Shape& c, const Shape& out,
                          std::string_view edition) {
    return Select(Tensor(DType::kBool, a), Tensor(DType::kI32, b), Tensor(DType::kI32, c), out,
                  edition)
        .Verdict();
  };
  const std::string error = "error: select.broadcast";
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_EQ(verdict({2, 1}, {1, 3}, {1, 1}, {2, 3}, edition), "valid");
    EXPECT_EQ(verdict({}, {}, {}, {}, edition), "valid");
    EXPECT_EQ(verdict({2, 1}, {1, 3}, {1, 1}, {2, 1}, edition), error);
    EXPECT_EQ(verdict({2, 1}, {3, 3}, {1, 1}, {2, 3}, edition), error);
    EXPECT_EQ(verdict({2, 1}, {1, 3}, {2, 2}, {2, 3}, edition), error);
    EXPECT_EQ(verdict({1, 1}, {1, 1}, {1}, {1, 1}, edition), error);
    EXPECT_EQ(verdict({1}, {1, 1}, {1, 1}, {1, 1}, edition), error);
    const OneOperator op = Select(Tensor(DType::kBool, {1, 1}), Tensor(DType::kI8, {1, 1}),
                                  Tensor(DType::kI8, {1, 1}), {1, 1}, edition);
    EXPECT_TRUE(op.Breaks("select.level_rank", {{"MAX_RANK", 1}}));
    EXPECT_FALSE(op.Breaks("select.level_rank", {{"MAX_RANK", 2}}));
  }
}

}  // namespace
}  // namespace cts
