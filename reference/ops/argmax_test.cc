#include <cmath>

#include "reference/base/special_values_testing.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

OneOperator Argmax(Tensor input, int64_t axis, std::string_view edition = kDefaultEdition,
                   const std::string& nan_mode = "PROPAGATE") {
  OneOperator op("ARGMAX", edition);
  Shape shape = input.shape();
  if (axis >= 0 && axis < static_cast<int64_t>(shape.size())) shape.erase(shape.begin() + axis);
  op.In(std::move(input)).Set("axis", axis).Out(DType::kI32, shape);
  if (edition != "tosa-0.100") op.Set("nan_mode", nan_mode);
  return op;
}

int64_t IndexOf(const std::vector<double>& line, std::string_view edition,
                const std::string& nan_mode = "PROPAGATE") {
  const int64_t size = static_cast<int64_t>(line.size());
  return Argmax(Tensor::OfFloats(DType::kFp32, {size}, line), 0, edition, nan_mode)
      .Run()
      .Integer(0);
}

TEST(Argmax, IsTheFirstGreatestOfEveryPairOfInt8) {
  const std::vector<int64_t> values = EveryValue(DType::kI8);
  std::vector<int64_t> pairs;
  for (int64_t x : values) {
    for (int64_t y : values) pairs.insert(pairs.end(), {x, y});
  }
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    const Tensor result =
        Argmax(Tensor::OfIntegers(DType::kI8, {65536, 2}, pairs), 1, edition).Run();
    for (int64_t i = 0; i < 65536; ++i) {
      ASSERT_EQ(result.Integer(i), pairs[2 * i + 1] > pairs[2 * i] ? 1 : 0);
    }
  }
}

TEST(Argmax, TakesTheAxisApart) {
  // Element [i,j,k] is 5 * ((7 i + 3 j + k) mod 11) - 20: no two along j are equal.
  std::vector<int64_t> values;
  const auto at = [](int64_t i, int64_t j, int64_t k) {
    return 5 * ((7 * i + 3 * j + k) % 11) - 20;
  };
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k) values.push_back(at(i, j, k));
    }
  }
  const Tensor result = Argmax(Tensor::OfIntegers(DType::kI16, {2, 3, 4}, values), 1).Run();
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 4; ++k) {
      const int64_t index = result.Integer(4 * i + k);
      for (int j = 0; j < 3; ++j) EXPECT_LE(at(i, j, k), at(i, index, k));
    }
  }
}

// The rules of 1.0's text: NaN greatest or least, NaN equal to NaN, zeros equal, first of equals.
TEST(Argmax, OrdersNanInfinityAndZerosAsTheTextSays) {
  const std::vector<double> alphabet = {kNan, -kInfinity, -1, -0.0, 0.0, 1, kInfinity};
  for (const std::string mode : {"PROPAGATE", "IGNORE"}) {
    const auto rank = [&](double x) {
      if (std::isnan(x)) return mode == "IGNORE" ? -100 : 100;
      return std::isinf(x) ? (x > 0 ? 50 : -50) : static_cast<int>(x);
    };
    for (double x : alphabet) {
      for (double y : alphabet) {
        for (double z : alphabet) {
          int64_t expected = rank(y) > rank(x) ? 1 : 0;
          if (rank(z) > std::max(rank(x), rank(y))) expected = 2;
          ASSERT_EQ(IndexOf({x, y, z}, "tosa-1.0", mode), expected) << x << " " << y << " " << z;
        }
      }
    }
  }
}

TEST(Argmax, FindsTheLowestFp8ThatHasNoInfinity) {
  // -448 is the minimum of fp8e4m3, which the pseudocode starts from.
  const Tensor input = Tensor::OfFloats(DType::kFp8E4M3, {3}, {-448, -448, -416});
  EXPECT_EQ(Argmax(input, 0).Run().Integer(0), 2);
}

TEST(Argmax, Follows0100OnlyWhereTextAndPseudocodeAgreeAboutNan) {
  const std::string_view draft = "tosa-0.100";
  EXPECT_EQ(IndexOf({kNan, kNan, kNan}, draft), 2);
  EXPECT_EQ(IndexOf({3, 5, kNan}, draft), 2);
  EXPECT_EQ(IndexOf({kInfinity, 5}, draft), 0);
  for (const std::vector<double>& line :
       {std::vector<double>{kNan, 1, 2}, {1, kNan, 0}, {kNan, 1, kNan}, {1, kNan, kNan}}) {
    EXPECT_EQ(Argmax(Tensor::OfFloats(DType::kFp16, {3}, line), 0, draft).Verdict(),
              "unpredictable: argmax.nan_order");
  }
}

TEST(Argmax, RejectsAxisOutOfRange) {
  const Tensor input(DType::kI8, {2, 3});
  EXPECT_EQ(Argmax(input, 1).Verdict(), "valid");
  EXPECT_EQ(OneOperator("ARGMAX")
                .In(input)
                .Set("axis", int64_t{2})
                .Set("nan_mode", "IGNORE")
                .Out(DType::kI32, {2})
                .Verdict(),
            "error: argmax.axis_range");
  EXPECT_EQ(OneOperator("ARGMAX", "tosa-0.100")
                .In(input)
                .Set("axis", int64_t{-1})
                .Out(DType::kI32, {2})
                .Verdict(),
            "error: argmax.axis_range");
}

TEST(Argmax, RejectsOutputOfAnotherShape) {
  for (const Shape& shape : {Shape{3}, Shape{2, 1}, Shape{}}) {
    EXPECT_EQ(OneOperator("ARGMAX", "tosa-0.100")
                  .Integers(DType::kI8, {2, 3}, Numbers(6, -128, 127))
                  .Set("axis", int64_t{1})
                  .Out(DType::kI32, shape)
                  .Verdict(),
              "error: argmax.output_shape");
  }
}

TEST(Argmax, LimitsTheRankToTheLevel) {
  const OneOperator op = Argmax(Tensor(DType::kI8, {1, 2, 2}), 2);
  EXPECT_TRUE(op.Breaks("argmax.level_rank", {{"MAX_RANK", 2}}));
  EXPECT_FALSE(op.Breaks("argmax.level_rank", {{"MAX_RANK", 3}}));
}

}  // namespace
}  // namespace cts
