#include "reference/ops/testing.h"

namespace cts {
namespace {

OneOperator Concat(DType type, const std::vector<Shape>& shapes, int64_t axis, Shape out,
                   std::string_view edition = kDefaultEdition) {
  OneOperator op("CONCAT", edition);
  int64_t first = 0;
  for (const Shape& shape : shapes) {
    // Every element of every input is another number.
    std::vector<int64_t> values;
    for (int64_t i = 0; i < ElementCount(shape); ++i) values.push_back(first++);
    op.Integers(type, shape, values);
  }
  return op.Set("axis", axis).Out(type, std::move(out));
}

TEST(Concat, PlacesEveryElementAlongEveryAxis) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (int64_t axis = 0; axis < 3; ++axis) {
      std::vector<Shape> shapes(3, Shape{2, 3, 4});
      shapes[0][axis] = 1, shapes[2][axis] = 5;
      Shape out = {2, 3, 4};
      out[axis] = 1 + shapes[1][axis] + 5;
      std::vector<int64_t> expected(ElementCount(out));
      int64_t value = 0, start = 0;
      for (const Shape& shape : shapes) {
        for (int64_t i = 0; i < ElementCount(shape); ++i) {
          Shape index = Index(shape, i);
          index[axis] += start;
          expected[Offset(out, index)] = value++;
        }
        start += shape[axis];
      }
      EXPECT_EQ(Concat(DType::kI32, shapes, axis, out, edition).Run().Integers(), expected);
    }
  }
}

TEST(Concat, KeepsFloatingPointAndBooleanElements) {
  OneOperator floats("CONCAT");
  floats.In(EveryPattern(DType::kBf16)).Floats(DType::kBf16, {1}, {2.5}).Set("axis", int64_t{0});
  const Tensor result = floats.Out(DType::kBf16, {65537}).RunNative();
  const Tensor input = EveryPattern(DType::kBf16);
  for (int64_t i = 0; i < 65536; ++i) {
    const bool is_nan = input.Float(i) != input.Float(i);
    ASSERT_TRUE(is_nan || result.Bits(i) == input.Bits(i));
  }
  OneOperator booleans("CONCAT");
  booleans.Integers(DType::kBool, {2}, {1, 0}).Integers(DType::kBool, {1}, {1});
  EXPECT_EQ(booleans.Set("axis", int64_t{0}).Out(DType::kBool, {3}).Run().Integers(),
            (std::vector<int64_t>{1, 0, 1}));
}

TEST(Concat, JoinsScalarsIn0100Only) {
  EXPECT_EQ(Concat(DType::kI8, {{}, {}, {}}, 0, {3}, "tosa-0.100").Run().Integers(),
            (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(Concat(DType::kI8, {{}, {}, {}}, 0, {3}).Verdict(), "error: graph.rank");
  EXPECT_EQ(Concat(DType::kI8, {{}, {}, {}}, 1, {3}, "tosa-0.100").Verdict(),
            "error: concat.axis_range");
}

TEST(Concat, RejectsAnEmptyList) {
  EXPECT_EQ(Concat(DType::kI8, {}, 0, {1}).Verdict(), "error: concat.empty_list");
  EXPECT_EQ(Concat(DType::kI8, {}, 0, {1}, "tosa-0.100").Verdict(), "error: concat.axis_sum");
}

TEST(Concat, RejectsAxisOutOfRange) {
  EXPECT_EQ(Concat(DType::kI8, {{2, 3}}, 1, {2, 3}).Verdict(), "valid");
  EXPECT_EQ(Concat(DType::kI8, {{2, 3}}, 2, {2, 3}).Verdict(), "error: concat.axis_range");
  EXPECT_EQ(Concat(DType::kI8, {{2, 3}}, -1, {2, 3}).Verdict(), "error: concat.axis_range");
}

TEST(Concat, RejectsInputsThatDifferInRank) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_EQ(Concat(DType::kI8, {{2, 1}, {2}}, 0, {4, 1}, edition).Verdict(),
              "error: concat.rank_mismatch");
    EXPECT_EQ(Concat(DType::kI8, {{2, 1}, {2, 1}}, 0, {4, 1}, edition).Verdict(), "valid");
  }
}

TEST(Concat, RejectsInputsThatDifferBesideTheAxis) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_EQ(Concat(DType::kI8, {{2, 3}, {2, 4}}, 0, {4, 3}, edition).Verdict(),
              "error: concat.dimension_mismatch");
    EXPECT_EQ(Concat(DType::kI8, {{2, 3}, {2, 4}}, 1, {2, 7}, edition).Verdict(), "valid");
  }
}

TEST(Concat, RejectsOutputWhoseAxisIsNotTheSum) {
  EXPECT_EQ(Concat(DType::kI8, {{2, 3}, {1, 3}}, 0, {4, 3}).Verdict(), "error: concat.axis_sum");
  EXPECT_EQ(Concat(DType::kI8, {{2, 3}, {1, 3}}, 0, {2, 3}).Verdict(), "error: concat.axis_sum");
  EXPECT_EQ(Concat(DType::kI8, {{2, 3}, {1, 3}}, 1, {3}).Verdict(),
            "error: concat.dimension_mismatch, concat.axis_sum");
}

TEST(Concat, RejectsOutputThatDiffersBesideTheAxis) {
  EXPECT_NE(Concat(DType::kI8, {{2, 3}, {1, 3}}, 0, {3, 4}).Verdict(), "valid");
  EXPECT_NE(Concat(DType::kI8, {{2, 3}, {1, 3}}, 0, {3}).Verdict(), "valid");
}

TEST(Concat, LimitsListAndRankToTheLevel) {
  const std::vector<Shape> shapes(65, Shape{1});
  EXPECT_EQ(Concat(DType::kI8, shapes, 0, {65}).Verdict(), "unpredictable: concat.level_list_size");
  EXPECT_EQ(Concat(DType::kI8, shapes, 0, {65}).Verdict({{"MAX_TENSOR_LIST_SIZE", 65}}), "valid");
  EXPECT_EQ(Concat(DType::kI8, shapes, 0, {65}, "tosa-0.100").Verdict(), "valid");
  const OneOperator op = Concat(DType::kI8, {{1, 1}}, 0, {1, 1});
  EXPECT_TRUE(op.Breaks("concat.level_rank", {{"MAX_RANK", 1}}));
  EXPECT_FALSE(op.Breaks("concat.level_rank", {{"MAX_RANK", 2}}));
}

}  // namespace
}  // namespace cts
