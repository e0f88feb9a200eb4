#include <cstdlib>

#include "reference/ops/testing.h"

namespace cts {
namespace {

// A shape cannot leave a graph; its values show in the operator that takes it.
TEST(ConstShape, YieldsTheValuesOfItsTensor) {
  for (int64_t offset : {0, 1, 2}) {
    OneOperator op("RESIZE");
    op.Integers(DType::kI8, {1, 1, 4, 1}, {10, 11, 12, 13});
    op.ShapeIn({1, 1, 1, 1}).ShapeIn({0, offset}).ShapeIn({0, offset - 3});
    op.Set("mode", "NEAREST_NEIGHBOR").Out(DType::kI8, {1, 1, 1, 1});
    EXPECT_EQ(op.Run().Integer(0), 10 + offset);
  }
}

// The draft lets a graph return a shape.
OneOperator Shapes(const std::string& op, const std::vector<std::vector<int64_t>>& inputs,
                   int64_t length) {
  OneOperator result(op, "tosa-0.100");
  for (const std::vector<int64_t>& input : inputs) result.ShapeIn(input);
  return result.Out(DType::kShape, {length});
}

Shape Yield(const std::string& op, const std::vector<int64_t>& x, const std::vector<int64_t>& y) {
  return Shapes(op, {x, y}, static_cast<int64_t>(x.size())).Run().Integers();
}

TEST(ShapeOperators, ComputeElementByElement) {
  EXPECT_EQ(Yield("ADD_SHAPE", {1, 20, 0}, {2, 3, 0}), (Shape{3, 23, 0}));
  EXPECT_EQ(Yield("SUB_SHAPE", {5, 20, 7}, {2, 3, 7}), (Shape{3, 17, 0}));
  EXPECT_EQ(Yield("MUL_SHAPE", {5, 20, 7}, {2, 3, 0}), (Shape{10, 60, 0}));
  EXPECT_EQ(Yield("DIV_SHAPE", {7, 8, 0}, {2, 4, 3}), (Shape{3, 2, 0}));
}

// A size is signed: the draft itself assumes negative offsets.
TEST(ShapeOperators, AreSignedAndDivideTowardsZero) {
  EXPECT_EQ(Yield("SUB_SHAPE", {2}, {5}), Shape{-3});
  EXPECT_EQ(Yield("ADD_SHAPE", {2}, {-5}), Shape{-3});
  EXPECT_EQ(Yield("MUL_SHAPE", {2}, {-5}), Shape{-10});
  EXPECT_EQ(Yield("DIV_SHAPE", {-7, 7, -7}, {2, -2, -1}), (Shape{-3, -3, 7}));
}

TEST(ShapeOperators, AgreeWithArithmeticOverManyPairs) {
  const std::vector<int64_t> x = Numbers(500, -40000, 40000), y = Numbers(500, 1, 40000, 7);
  const Shape sum = Yield("ADD_SHAPE", x, y), difference = Yield("SUB_SHAPE", x, y),
              product = Yield("MUL_SHAPE", x, y), quotient = Yield("DIV_SHAPE", x, y);
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(sum[i] - y[i], x[i]);
    EXPECT_EQ(difference[i] + y[i], x[i]);
    EXPECT_EQ(product[i] / y[i], x[i]);
    EXPECT_EQ(product[i] % y[i], 0);
    const int64_t rest = x[i] - quotient[i] * y[i];  // has the sign of x
    EXPECT_TRUE(std::abs(rest) < y[i] && rest * x[i] >= 0);
  }
}

TEST(ShapeOperators, RejectOperandsOfDifferentLength) {
  for (const auto& [op, id] : {std::pair("ADD_SHAPE", "error: add_shape.length_mismatch"),
                               std::pair("DIV_SHAPE", "error: div_shape.length_mismatch"),
                               std::pair("MUL_SHAPE", "error: mul_shape.length_mismatch"),
                               std::pair("SUB_SHAPE", "error: sub_shape.length_mismatch")}) {
    EXPECT_EQ(Shapes(op, {{2, 2}, {1, 1}}, 2).Verdict(), "valid");
    EXPECT_EQ(Shapes(op, {{2, 2}, {1}}, 2).Verdict(), id);
    EXPECT_EQ(Shapes(op, {{2}, {1, 1}}, 2).Verdict(), id);
    // No condition looks at the output.
    EXPECT_EQ(Shapes(op, {{2, 2}, {1, 1}}, 3).Verdict(), "error: graph.output_shape");
  }
}

TEST(ShapeOperators, AreUnpredictableBeyondTheSizeOfTheLevel) {
  const int64_t max = INT32_MAX;  // MAX_LOG2_SIZE is 31 in 8K
  EXPECT_EQ(Shapes("ADD_SHAPE", {{max - 1}, {1}}, 1).Verdict(), "valid");
  EXPECT_EQ(Shapes("ADD_SHAPE", {{max}, {1}}, 1).Verdict(), "unpredictable: integer.overflow");
  EXPECT_EQ(Shapes("SUB_SHAPE", {{-max}, {2}}, 1).Verdict(), "unpredictable: integer.overflow");
  EXPECT_EQ(Shapes("MUL_SHAPE", {{65536}, {65536}}, 1).Verdict(),
            "unpredictable: integer.overflow");
  EXPECT_EQ(Shapes("MUL_SHAPE", {{65536}, {65536}}, 1).Verdict({{"MAX_LOG2_SIZE", 63}}), "valid");
  EXPECT_EQ(Shapes("MUL_SHAPE", {{INT64_MAX}, {2}}, 1).Verdict({{"MAX_LOG2_SIZE", 63}}),
            "unpredictable: integer.overflow");
  EXPECT_EQ(Shapes("DIV_SHAPE", {{INT64_MIN}, {-1}}, 1).Verdict({{"MAX_LOG2_SIZE", 63}}),
            "unpredictable: integer.overflow");
}

TEST(DivShape, IsUnpredictableByZero) {
  EXPECT_EQ(Shapes("DIV_SHAPE", {{4, 4}, {2, 0}}, 2).Verdict(),
            "unpredictable: div_shape.zero_divisor");
}

TEST(ConcatShape, JoinsTheListsInTheirOrder) {
  EXPECT_EQ(Shapes("CONCAT_SHAPE", {{1, 2}, {3}, {4, 5, 6}}, 6).Run().Integers(),
            (Shape{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Shapes("CONCAT_SHAPE", {{7}}, 1).Run().Integers(), Shape{7});
  EXPECT_EQ(Shapes("CONCAT_SHAPE", {{1, 2}, {}, {3}}, 3).Run().Integers(), (Shape{1, 2, 3}));
}

TEST(ConcatShape, RejectsAnOutputOfAnotherLength) {
  for (int64_t length : {2, 4}) {
    EXPECT_EQ(Shapes("CONCAT_SHAPE", {{1, 2}, {3}}, length).Verdict(),
              "error: concat_shape.length_sum");
  }
}

TEST(ShapeOperators, TakeShapesOnly) {
  OneOperator add("ADD_SHAPE", "tosa-0.100"), concat("CONCAT_SHAPE", "tosa-0.100");
  add.ShapeIn({1}).Integers(DType::kI32, {1}, {1}).Out(DType::kShape, {1});
  EXPECT_EQ(add.Verdict(), "error: graph.type_row");
  concat.Integers(DType::kI32, {1}, {1}).Out(DType::kShape, {1});
  EXPECT_EQ(concat.Verdict(), "error: graph.type_row");
  OneOperator square("ADD_SHAPE", "tosa-0.100");
  square.Integers(DType::kShape, {1, 1}, {1}).ShapeIn({1}).Out(DType::kShape, {1});
  EXPECT_EQ(square.Verdict(), "error: graph.rank");
}

// RESHAPE to [DIM(x, 1) * 2, 3 - 1]: shapes are constants for what follows, even where DIM asks a
// tensor that has no one value.
TEST(ShapeOperators, FeedTheOperatorsThatReadShapes) {
  const Edition& edition = **FindEdition("tosa-0.100");
  Graph graph = EmptyGraph();
  Block& block = graph.main();
  const auto list = [&](const std::string& name, const std::vector<int64_t>& values) {
    const Shape length = {static_cast<int64_t>(values.size())};
    block.tensors.push_back(
        {name, DType::kShape, length,
         std::make_shared<Tensor>(Tensor::OfIntegers(DType::kShape, length, values))});
    block.operators.push_back({.op = "CONST_SHAPE", .outputs = {name}});
  };
  list("two", {2});
  list("three", {3});
  list("one", {1});
  block.inputs = {"x", "y"};
  block.outputs = {"z"};
  block.tensors.insert(block.tensors.end(), {{"x", DType::kFp32, {1, 3}},
                                             {"e", DType::kFp32, {1, 3}},
                                             {"y", DType::kI8, {12}},
                                             {"d", DType::kShape, {1}},
                                             {"m", DType::kShape, {1}},
                                             {"s", DType::kShape, {1}},
                                             {"c", DType::kShape, {2}},
                                             {"z", DType::kI8, {6, 2}}});
  const std::vector<GraphOperator> operators = {{"EXP", {"x"}, {"e"}, {}},
                                                {"DIM", {"e"}, {"d"}, {{"axis", int64_t{1}}}},
                                                {"MUL_SHAPE", {"d", "two"}, {"m"}, {}},
                                                {"SUB_SHAPE", {"three", "one"}, {"s"}, {}},
                                                {"CONCAT_SHAPE", {"m", "s"}, {"c"}, {}},
                                                {"RESHAPE", {"y", "c"}, {"z"}, {}}};
  block.operators.insert(block.operators.end(), operators.begin(), operators.end());
  const std::map<std::string, Tensor> inputs = {{"x", Tensor(DType::kFp32, {1, 3})},
                                                {"y", Tensor(DType::kI8, {12})}};
  const auto evaluation = Evaluate(graph, inputs, edition, *edition.FindLevel("8K"));
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_EQ(evaluation->outcome, Outcome::kValid);
  block.tensors.back().shape = {3, 4};
  const auto other = Evaluate(graph, inputs, edition, *edition.FindLevel("8K"));
  ASSERT_TRUE(other.ok()) << other.status();
  ASSERT_EQ(other->violations.size(), 1u);
  EXPECT_EQ(other->violations[0].condition, "graph.output_shape");
}

}  // namespace
}  // namespace cts
