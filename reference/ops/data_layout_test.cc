#include <algorithm>
#include <cmath>
#include <numeric>

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
    const bool is_nan = input.Element(i) != input.Element(i);
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

// --- What the operators that move elements share.

// A level at which a shape may hold any number of 64 bits.
const std::map<std::string, int64_t> kWideSizes = {{"MAX_LOG2_SIZE", 63}};

constexpr std::string_view kEditions[] = {"tosa-1.0", "tosa-0.100"};

// 0, 1, 2, ...: every element is another number.
Tensor Counting(DType type, Shape shape) {
  Tensor tensor(type, std::move(shape));
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.SetInteger(i, i);
  return tensor;
}

Shape Permuted(const Shape& shape, const Shape& perms) {
  Shape result;
  for (int64_t axis : perms) result.push_back(shape[static_cast<size_t>(axis)]);
  return result;
}

OneOperator Pad(const Tensor& input, const std::vector<int64_t>& padding, int64_t value, Shape out,
                std::string_view edition = kDefaultEdition) {
  OneOperator op("PAD", edition);
  op.In(input).ShapeIn(padding);
  if (edition == "tosa-1.0") {
    op.Integers(input.dtype(), {1}, {value});
  } else {
    op.Set("pad_const", value);
  }
  return op.Out(input.dtype(), std::move(out));
}

OneOperator Reshape(const Tensor& input, const Shape& shape,
                    std::string_view edition = kDefaultEdition) {
  OneOperator op("RESHAPE", edition);
  return op.In(input).ShapeIn(shape).Out(input.dtype(), shape);
}

OneOperator Reverse(const Tensor& input, int64_t axis, std::string_view edition = kDefaultEdition) {
  OneOperator op("REVERSE", edition);
  return op.In(input).Set("axis", axis).Out(input.dtype(), input.shape());
}

OneOperator Slice(const Tensor& input, const Shape& start, const Shape& size, Shape out,
                  std::string_view edition = kDefaultEdition) {
  OneOperator op("SLICE", edition);
  return op.In(input).ShapeIn(start).ShapeIn(size).Out(input.dtype(), std::move(out));
}

OneOperator Tile(const Tensor& input, const Shape& multiples, Shape out,
                 std::string_view edition = kDefaultEdition) {
  OneOperator op("TILE", edition);
  return op.In(input).ShapeIn(multiples).Out(input.dtype(), std::move(out));
}

OneOperator Transpose(const Tensor& input, const Shape& perms, Shape out,
                      std::string_view edition = kDefaultEdition) {
  OneOperator op("TRANSPOSE", edition);
  return op.In(input).Set("perms", perms).Out(input.dtype(), std::move(out));
}

// Every operator with parameters that leave each element where it is.
std::vector<OneOperator> Identities(const Tensor& input, std::string_view edition) {
  const Shape& shape = input.shape();
  const Shape zeros(shape.size(), 0), ones(shape.size(), 1);
  std::vector<OneOperator> operators;
  OneOperator pad("PAD", edition);
  pad.In(input).ShapeIn(Shape(2 * shape.size(), 0));
  if (edition == "tosa-1.0") {
    pad.In(Tensor(input.dtype(), {1}));
  } else if (IsFloat(input.dtype())) {
    pad.Set("pad_const", 0.0);
  } else {
    pad.Set("pad_const", int64_t{0});
  }
  operators.push_back(pad.Out(input.dtype(), shape));
  operators.push_back(Reshape(input, shape, edition));
  operators.push_back(Slice(input, zeros, shape, shape, edition));
  operators.push_back(Tile(input, ones, shape, edition));
  Shape perms(shape.size());
  std::iota(perms.begin(), perms.end(), 0);
  operators.push_back(Transpose(input, perms, shape, edition));
  return operators;
}

TEST(DataLayout, KeepsEveryPatternOfEveryType) {
  for (std::string_view edition : kEditions) {
    for (DType type : {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp16, DType::kBf16}) {
      const Tensor input = EveryPattern(type);
      std::vector<OneOperator> operators = Identities(input, edition);
      for (const OneOperator& op : operators) {
        const Tensor result = op.RunNative();
        const ExpectedOutput output = op.Output();
        EXPECT_EQ(output.rule.kind, RuleKind::kExact);
        for (int64_t i = 0; i < input.size(); ++i) {
          if (std::isnan(input.Element(i))) {
            ASSERT_TRUE(std::isnan(result.Element(i)));
            ASSERT_TRUE(std::isnan(output.answers[0].expected.Element(i)));
          } else {
            ASSERT_EQ(result.Bits(i), input.Bits(i));
            ASSERT_EQ(output.answers[0].expected.Element(i), input.Element(i));
          }
        }
      }
    }
    for (DType type : {DType::kBool, DType::kI8, DType::kI16, DType::kI32}) {
      const Tensor input = Tensor::OfIntegers(
          type, {2, 2}, {IntegerMin(type), IntegerMax(type), IntegerMin(type), 1});
      for (const OneOperator& op : Identities(input, edition)) EXPECT_EQ(op.Run(), input);
    }
  }
}

TEST(DataLayout, KeepsSubnormalsOrFlushesThemAll) {
  const Tensor input = Tensor::OfFloats(DType::kFp32, {3}, {std::ldexp(1, -140), -1, INFINITY});
  for (std::string_view edition : kEditions) {
    for (const OneOperator& op : Identities(input, edition)) {
      const ExpectedOutput out = op.Output();
      ASSERT_EQ(out.answers.size(), 2u);
      EXPECT_EQ(out.answers[0].expected.Elements(), input.Elements());
      EXPECT_EQ(out.answers[1].expected.Elements(), (std::vector<double>{0, -1, INFINITY}));
    }
  }
}

// --- PAD

TEST(Pad, PlacesTheInputWithinTheConstant) {
  // Worked out by hand: one column before, two after, one row after.
  const Tensor input = Tensor::OfIntegers(DType::kI8, {2, 2}, {1, 2, 3, 4});
  for (std::string_view edition : kEditions) {
    EXPECT_EQ(Pad(input, {0, 1, 1, 2}, -7, {3, 5}, edition).Run().Integers(),
              (std::vector<int64_t>{-7, 1, 2, -7, -7,  //
                                    -7, 3, 4, -7, -7,  //
                                    -7, -7, -7, -7, -7}));
  }
}

// The pseudocode compares the wrong index with the wrong length: padding longer than the input
// shows whether anything is read from there.
TEST(Pad, IsLongerThanTheInputWithoutWrapping) {
  const Tensor input = Tensor::OfIntegers(DType::kI16, {2}, {5, 6});
  EXPECT_EQ(Pad(input, {3, 4}, 9, {9}).Run().Integers(),
            (std::vector<int64_t>{9, 9, 9, 5, 6, 9, 9, 9, 9}));
}

// SLICE takes the padding off again.
TEST(Pad, IsUndoneBySlice) {
  const Tensor input = Counting(DType::kI32, {2, 3, 4});
  const Tensor padded = Pad(input, {1, 0, 2, 1, 0, 3}, -1, {3, 6, 7}).Run();
  EXPECT_EQ(Slice(padded, {1, 2, 0}, {2, 3, 4}, {2, 3, 4}).Run(), input);
  int64_t constants = 0;
  for (int64_t value : padded.Integers()) constants += value == -1;
  EXPECT_EQ(constants, 3 * 6 * 7 - 24);
}

TEST(Pad, TakesFloatingPointAndBooleanConstants) {
  for (double value : {-2.5, double{INFINITY}, std::ldexp(1, -24)}) {
    OneOperator released("PAD"), draft("PAD", "tosa-0.100");
    released.Floats(DType::kFp16, {1}, {1}).ShapeIn({0, 1}).Floats(DType::kFp16, {1}, {value});
    draft.Floats(DType::kFp16, {1}, {1}).ShapeIn({0, 1}).Set("pad_const", value);
    for (OneOperator* op : {&released, &draft}) {
      const ExpectedOutput out = op->Out(DType::kFp16, {2}).Output();
      EXPECT_EQ(out.answers[0].expected.Elements(), (std::vector<double>{1, value}));
      // A subnormal constant may be flushed as any other element.
      ASSERT_EQ(out.answers.size(), value == std::ldexp(1, -24) ? 2u : 1u);
      EXPECT_EQ(out.answers.back().expected.Element(1), out.answers.size() == 2 ? 0 : value);
    }
  }
  OneOperator draft("PAD", "tosa-0.100");
  draft.Integers(DType::kBool, {1}, {0}).ShapeIn({1, 0}).Set("pad_const", true);
  EXPECT_EQ(draft.Out(DType::kBool, {2}).Run().Integers(), (std::vector<int64_t>{1, 0}));
}

TEST(Pad, RejectsAConstantOfAnotherType) {
  const Tensor input(DType::kI8, {1});
  EXPECT_EQ(Pad(input, {0, 0}, 127, {1}, "tosa-0.100").Verdict(), "valid");
  EXPECT_EQ(Pad(input, {0, 0}, 128, {1}, "tosa-0.100").Verdict(), "error: graph.attribute");
  OneOperator op("PAD", "tosa-0.100");
  op.In(input).ShapeIn({0, 0}).Set("pad_const", std::nan("")).Out(DType::kI8, {1});
  EXPECT_EQ(op.Verdict(), "error: graph.attribute");
}

TEST(Pad, RejectsOutputOfAnotherRank) {
  const Tensor input(DType::kI8, {2});
  for (std::string_view edition : kEditions) {
    EXPECT_EQ(Pad(input, {0, 0}, 0, {2, 1}, edition).Verdict(), "error: pad.rank_mismatch");
  }
}

TEST(Pad, RejectsNegativePadding) {
  const Tensor input(DType::kI8, {2});
  for (std::string_view edition : kEditions) {
    EXPECT_EQ(Pad(input, {-1, 1}, 0, {2}, edition).Verdict(), "error: pad.padding_negative");
    EXPECT_EQ(Pad(input, {1, -1}, 0, {2}, edition).Verdict(), "error: pad.padding_negative");
  }
}

TEST(Pad, RejectsOutputThatIsNotInputAndPadding) {
  const Tensor input(DType::kI8, {2});
  for (std::string_view edition : kEditions) {
    EXPECT_EQ(Pad(input, {1, 1}, 0, {4}, edition).Verdict(), "valid");
    EXPECT_EQ(Pad(input, {1, 1}, 0, {3}, edition).Verdict(), "error: pad.output_dimension");
    EXPECT_EQ(Pad(input, {1, 1}, 0, {5}, edition).Verdict(), "error: pad.output_dimension");
    EXPECT_EQ(Pad(input, {INT64_MAX, INT64_MAX}, 0, {1}, edition).Verdict(kWideSizes),
              "error: pad.output_dimension");
  }
}

// The argument table of 1.0 has the length; 0.100 reads elements that are not there.
TEST(Pad, WantsTwoElementsForEachDimension) {
  const Tensor input(DType::kI8, {2});
  EXPECT_EQ(Pad(input, {0}, 0, {2}).Verdict(), "error: graph.shape");
  EXPECT_EQ(Pad(input, {0, 0, 0, 0}, 0, {2}).Verdict(), "error: graph.shape");
  EXPECT_EQ(Pad(input, {0}, 0, {2}, "tosa-0.100").Verdict(), "unpredictable: pad.padding_length");
}

// --- DIM

OneOperator Dim(const Tensor& input, int64_t axis) {
  OneOperator op("DIM", "tosa-0.100");
  return op.In(input).Set("axis", axis).Out(DType::kShape, {1});
}

// The draft lets a graph return a shape.
TEST(Dim, YieldsTheSizeOfTheAxis) {
  for (DType type : {DType::kBool, DType::kI8, DType::kFp8E5M2, DType::kFp32}) {
    const Tensor input(type, {4, 1, 7});
    EXPECT_EQ(Dim(input, 0).Run().Integers(), Shape{4});
    EXPECT_EQ(Dim(input, 1).Run().Integers(), Shape{1});
    EXPECT_EQ(Dim(input, 2).Run().Integers(), Shape{7});
  }
}

TEST(Dim, RejectsAxisOutOfRange) {
  const Tensor input(DType::kI8, {4, 5});
  EXPECT_EQ(Dim(input, 1).Verdict(), "valid");
  EXPECT_EQ(Dim(input, 2).Verdict(), "error: dim.axis_range");
  EXPECT_EQ(Dim(input, -1).Verdict(), "error: dim.axis_range");
}

TEST(Dim, YieldsOneElement) {
  OneOperator op("DIM", "tosa-0.100");
  op.In(Tensor(DType::kI8, {4})).Set("axis", int64_t{0}).Out(DType::kShape, {2});
  EXPECT_EQ(op.Verdict(), "error: graph.output_shape");
  OneOperator scalar("DIM", "tosa-0.100");
  scalar.In(Tensor(DType::kI8, {})).Set("axis", int64_t{0}).Out(DType::kShape, {1});
  EXPECT_EQ(scalar.Verdict(), "error: graph.rank");
}

TEST(Dim, LimitsTheRankToTheLevel) {
  const OneOperator op = Dim(Tensor(DType::kI8, {1, 1}), 0);
  EXPECT_TRUE(op.Breaks("dim.level_rank", {{"MAX_RANK", 1}}));
  EXPECT_FALSE(op.Breaks("dim.level_rank", {{"MAX_RANK", 2}}));
}

// --- RESHAPE

TEST(Reshape, KeepsTheOrderOfTheElements) {
  const Tensor input = Counting(DType::kI16, {2, 3, 4});
  for (std::string_view edition : kEditions) {
    for (const Shape& shape : std::vector<Shape>{{24}, {4, 3, 2}, {1, 24, 1}, {6, 4}}) {
      EXPECT_EQ(Reshape(input, shape, edition).Run(), Counting(DType::kI16, shape));
    }
  }
}

// Rank 0 came with 1.0; its shape is the empty list.
TEST(Reshape, TakesAndMakesScalarsIn10Only) {
  const Tensor one = Tensor::OfIntegers(DType::kI8, {1, 1}, {5});
  const Tensor scalar = Tensor::OfIntegers(DType::kI8, {}, {5});
  EXPECT_EQ(Reshape(one, {}).Run(), scalar);
  EXPECT_EQ(Reshape(scalar, {1, 1}).Run(), one);
  EXPECT_EQ(Reshape(one, {}, "tosa-0.100").Verdict(), "error: graph.rank");
  EXPECT_EQ(Reshape(scalar, {1, 1}, "tosa-0.100").Verdict(), "error: graph.rank");
}

TEST(Reshape, RejectsAnotherNumberOfElements) {
  const Tensor input(DType::kI8, {2, 3});
  for (std::string_view edition : kEditions) {
    EXPECT_EQ(Reshape(input, {5}, edition).Verdict(), "error: reshape.size_mismatch");
    EXPECT_EQ(Reshape(input, {7}, edition).Verdict(), "error: reshape.size_mismatch");
    // A product that overflows is no tensor at all.
    EXPECT_EQ(Reshape(input, {int64_t{1} << 40, int64_t{1} << 40}, edition).Verdict(),
              "unpredictable: graph.tensor_size");
  }
}

// No condition compares the operand `shape` with the shape that the output has.
TEST(Reshape, RejectsAnOutputThatIsNotTheOperand) {
  const auto verdict = [](const Shape& shape, const Shape& out, std::string_view edition) {
    OneOperator op("RESHAPE", edition);
    op.In(Tensor(DType::kI8, {2, 3})).ShapeIn(shape).Out(DType::kI8, out);
    return op.Verdict();
  };
  for (std::string_view edition : kEditions) {
    EXPECT_EQ(verdict({3, 2}, {3, 2}, edition), "valid");
    EXPECT_EQ(verdict({3, 2}, {2, 3}, edition), "error: graph.output_shape");
    EXPECT_EQ(verdict({-1, 2}, {3, 2}, edition), "error: graph.output_shape");
  }
  // The length of the operand is the rank of the output, which has the same name in the table.
  EXPECT_EQ(verdict({6}, {3, 2}, "tosa-1.0"), "error: graph.shape");
  EXPECT_EQ(verdict({6}, {3, 2}, "tosa-0.100"), "error: graph.output_shape");
}

TEST(Reshape, LimitsBothRanksToTheLevel) {
  const Tensor wide(DType::kI8, {1, 1}), narrow(DType::kI8, {1});
  const std::map<std::string, int64_t> one = {{"MAX_RANK", 1}};
  EXPECT_TRUE(Reshape(wide, {1}).Breaks("reshape.level_rank_input1", one));
  EXPECT_FALSE(Reshape(wide, {1}).Breaks("reshape.level_rank_output", one));
  EXPECT_TRUE(Reshape(narrow, {1, 1}).Breaks("reshape.level_rank_output", one));
  EXPECT_FALSE(Reshape(narrow, {1, 1}).Breaks("reshape.level_rank_input1", one));
}

// --- REVERSE

TEST(Reverse, TurnsTheAxisRound) {
  const Tensor input = Counting(DType::kI8, {2, 3});
  for (std::string_view edition : kEditions) {
    EXPECT_EQ(Reverse(input, 0, edition).Run().Integers(), (Shape{3, 4, 5, 0, 1, 2}));
    EXPECT_EQ(Reverse(input, 1, edition).Run().Integers(), (Shape{2, 1, 0, 5, 4, 3}));
  }
}

TEST(Reverse, TwiceIsTheIdentity) {
  const Tensor input = Counting(DType::kI32, {3, 4, 2, 5});
  for (int64_t axis = 0; axis < 4; ++axis) {
    const Tensor once = Reverse(input, axis).Run();
    EXPECT_NE(once, input);
    EXPECT_EQ(Reverse(once, axis).Run(), input);
  }
}

TEST(Reverse, RejectsAxisOutOfRange) {
  for (std::string_view edition : kEditions) {
    const Tensor input(DType::kI8, {2, 3});
    EXPECT_EQ(Reverse(input, 2, edition).Verdict(), "error: reverse.axis_range");
    EXPECT_EQ(Reverse(input, -1, edition).Verdict(), "error: reverse.axis_range");
  }
}

TEST(Reverse, LimitsTheRankToTheLevel) {
  for (std::string_view edition : kEditions) {
    const OneOperator op = Reverse(Tensor(DType::kI8, {1, 1}), 0, edition);
    EXPECT_TRUE(op.Breaks("reverse.level_rank", {{"MAX_RANK", 1}}));
    EXPECT_FALSE(op.Breaks("reverse.level_rank", {{"MAX_RANK", 2}}));
  }
}

// --- SLICE

TEST(Slice, TakesTheElementsFromStartOn) {
  const Tensor input = Counting(DType::kI8, {3, 4});
  for (std::string_view edition : kEditions) {
    EXPECT_EQ(Slice(input, {1, 2}, {2, 2}, {2, 2}, edition).Run().Integers(),
              (Shape{6, 7, 10, 11}));
  }
}

// Cut in two along any axis at any place and joined again, a tensor is as it was.
TEST(Slice, JoinedByConcatIsTheWhole) {
  const Tensor input = Counting(DType::kI32, {3, 4, 5});
  for (int64_t axis = 0; axis < 3; ++axis) {
    for (int64_t cut = 1; cut < input.shape()[axis]; ++cut) {
      Shape first = input.shape(), second = input.shape(), start = {0, 0, 0};
      first[axis] = cut;
      second[axis] -= cut;
      start[axis] = cut;
      OneOperator concat("CONCAT");
      concat.In(Slice(input, {0, 0, 0}, first, first).Run());
      concat.In(Slice(input, start, second, second).Run());
      EXPECT_EQ(concat.Set("axis", axis).Out(DType::kI32, input.shape()).Run(), input);
    }
  }
}

TEST(Slice, RejectsListsThatAreNotAsLongAsTheRank) {
  const Tensor input(DType::kI8, {2, 3});
  for (std::string_view edition : kEditions) {
    for (const OneOperator& op : {Slice(input, {0}, {2, 3}, {2, 3}, edition),
                                  Slice(input, {0, 0}, {2, 3, 1}, {2, 3}, edition)}) {
      // The argument table says the same and comes first.
      EXPECT_EQ(op.Verdict(), "error: graph.shape");
      EXPECT_TRUE(op.Breaks("slice.list_length"));
    }
    EXPECT_FALSE(Slice(input, {0, 0}, {2, 3}, {2, 3}, edition).Breaks("slice.list_length"));
  }
}

TEST(Slice, RejectsOutputOfAnotherRank) {
  for (std::string_view edition : kEditions) {
    EXPECT_EQ(Slice(Tensor(DType::kI8, {2}), {0}, {2}, {2, 1}, edition).Verdict(),
              "error: slice.rank_mismatch");
  }
}

TEST(Slice, RejectsCoordinatesOutsideOfTheInput) {
  const Tensor input(DType::kI8, {4});
  for (std::string_view edition : kEditions) {
    const auto verdict = [&](int64_t start, int64_t size, int64_t out) {
      return Slice(input, {start}, {size}, {out}, edition).Verdict(kWideSizes);
    };
    EXPECT_EQ(verdict(0, 4, 4), "valid");
    EXPECT_EQ(verdict(3, 1, 1), "valid");
    EXPECT_EQ(verdict(-1, 4, 4), "error: slice.start_negative");
    EXPECT_EQ(verdict(1, 4, 4), "error: slice.end_range");
    EXPECT_EQ(verdict(4, 1, 1), "error: slice.end_range");
    EXPECT_EQ(verdict(INT64_MAX, INT64_MAX, 1), "error: slice.end_range, slice.output_dimension");
    EXPECT_EQ(verdict(0, 0, 1), "error: slice.size_not_positive");
    EXPECT_EQ(verdict(0, -1, 4), "error: slice.size_not_positive");
    EXPECT_EQ(verdict(0, INT64_MIN, 4), "error: slice.size_not_positive");
    EXPECT_EQ(verdict(0, 3, 4), "error: slice.output_dimension");
    EXPECT_EQ(verdict(0, 3, 2), "error: slice.output_dimension");
  }
}

TEST(Slice, LimitsTheRankToTheLevel) {
  const OneOperator op = Slice(Tensor(DType::kI8, {1, 1}), {0, 0}, {1, 1}, {1, 1});
  EXPECT_TRUE(op.Breaks("slice.level_rank", {{"MAX_RANK", 1}}));
  EXPECT_FALSE(op.Breaks("slice.level_rank", {{"MAX_RANK", 2}}));
}

// --- TILE

TEST(Tile, EqualsConcatOfCopies) {
  const Tensor input = Counting(DType::kI16, {2, 3, 2});
  for (std::string_view edition : kEditions) {
    for (int64_t axis = 0; axis < 3; ++axis) {
      Shape multiples = {1, 1, 1}, out = input.shape();
      multiples[axis] = 3;
      out[axis] *= 3;
      OneOperator concat("CONCAT", edition);
      concat.In(input).In(input).In(input).Set("axis", axis).Out(DType::kI16, out);
      EXPECT_EQ(Tile(input, multiples, out, edition).Run(), concat.Run());
    }
  }
  // Worked out by hand along two axes.
  EXPECT_EQ(Tile(Counting(DType::kI8, {1, 2}), {2, 2}, {2, 4}).Run().Integers(),
            (Shape{0, 1, 0, 1, 0, 1, 0, 1}));
}

TEST(Tile, RejectsOutputOfAnotherRank) {
  for (std::string_view edition : kEditions) {
    EXPECT_EQ(Tile(Tensor(DType::kI8, {2}), {1}, {2, 1}, edition).Verdict(),
              "error: tile.rank_mismatch");
  }
}

TEST(Tile, RejectsOutputThatIsNotTheMultiple) {
  const Tensor input(DType::kI8, {2});
  for (std::string_view edition : kEditions) {
    EXPECT_EQ(Tile(input, {3}, {6}, edition).Verdict(), "valid");
    for (int64_t multiple : {2, 4, 0, -3}) {
      EXPECT_EQ(Tile(input, {multiple}, {6}, edition).Verdict(), "error: tile.output_dimension");
    }
    EXPECT_EQ(Tile(input, {3}, {7}, edition).Verdict(), "error: tile.output_dimension");
    EXPECT_EQ(Tile(input, {INT64_MAX}, {6}, edition).Verdict(kWideSizes),
              "error: tile.output_dimension");
    EXPECT_EQ(Tile(input, {3, 1}, {6}, edition).Verdict(), "error: graph.shape");
  }
}

TEST(Tile, LimitsTheRankToTheLevel) {
  const OneOperator op = Tile(Tensor(DType::kI8, {1, 1}), {1, 1}, {1, 1});
  EXPECT_TRUE(op.Breaks("tile.level_rank", {{"MAX_RANK", 1}}));
  EXPECT_FALSE(op.Breaks("tile.level_rank", {{"MAX_RANK", 2}}));
}

// --- TRANSPOSE

TEST(Transpose, MovesEveryElementToItsPermutedIndex) {
  const Tensor input = Counting(DType::kI32, {2, 3, 4});
  Shape perms = {0, 1, 2};
  do {
    const Shape out = Permuted(input.shape(), perms);
    const Tensor result = Transpose(input, perms, out).Run();
    EXPECT_EQ(Transpose(input, perms, out, "tosa-0.100").Run(), result);
    for (int64_t i = 0; i < input.size(); ++i) {
      // The pseudocode by indices: output[index] is input[tmp] with tmp[perms[k]] = index[k].
      const Shape at = Permuted(Index(input.shape(), i), perms);
      EXPECT_EQ(result.Integer(Offset(out, at)), i);
    }
  } while (std::next_permutation(perms.begin(), perms.end()));
}

TEST(Transpose, IsUndoneByTheInversePermutation) {
  const Tensor input = Counting(DType::kI16, {2, 3, 4, 5});
  Shape perms = {0, 1, 2, 3};
  do {
    Shape inverse(4);
    for (int64_t i = 0; i < 4; ++i) inverse[perms[i]] = i;
    const Tensor moved = Transpose(input, perms, Permuted(input.shape(), perms)).Run();
    EXPECT_EQ(Transpose(moved, inverse, input.shape()).Run(), input);
  } while (std::next_permutation(perms.begin(), perms.end()));
}

TEST(Transpose, RejectsOutputOfAnotherRankOrSize) {
  const Tensor input(DType::kI8, {2, 3});
  for (std::string_view edition : kEditions) {
    EXPECT_EQ(Transpose(input, {1, 0}, {3, 2}, edition).Verdict(), "valid");
    EXPECT_EQ(Transpose(input, {1, 0}, {3, 2, 1}, edition).Verdict(),
              "error: transpose.rank_mismatch");
    EXPECT_EQ(Transpose(input, {1, 0}, {3, 3}, edition).Verdict(),
              "error: transpose.size_mismatch");
  }
}

TEST(Transpose, RejectsWhatIsNoPermutation) {
  const Tensor input(DType::kI8, {2, 2});
  for (std::string_view edition : kEditions) {
    EXPECT_EQ(Transpose(input, {0, 2}, {2, 2}, edition).Verdict(),
              "error: transpose.perm_too_large");
    EXPECT_EQ(Transpose(input, {-1, 1}, {2, 2}, edition).Verdict(),
              "error: transpose.perm_negative");
    EXPECT_EQ(Transpose(input, {1, 1}, {2, 2}, edition).Verdict(),
              "error: transpose.perm_repeated");
    EXPECT_EQ(Transpose(input, {0}, {2, 2}, edition).Verdict(), "error: graph.attribute");
    EXPECT_EQ(Transpose(input, {0, 1, 2}, {2, 2}, edition).Verdict(), "error: graph.attribute");
  }
}

TEST(Transpose, RejectsOutputThatIsNotPermuted) {
  for (std::string_view edition : kEditions) {
    EXPECT_EQ(Transpose(Tensor(DType::kI8, {2, 3}), {1, 0}, {2, 3}, edition).Verdict(),
              "error: transpose.output_dimension");
  }
}

TEST(Transpose, LimitsTheRankToTheLevel) {
  const OneOperator op = Transpose(Tensor(DType::kI8, {1, 1}), {1, 0}, {1, 1});
  EXPECT_TRUE(op.Breaks("transpose.level_rank", {{"MAX_RANK", 1}}));
  EXPECT_FALSE(op.Breaks("transpose.level_rank", {{"MAX_RANK", 2}}));
}

TEST(Pad, LimitsTheRankToTheLevel) {
  const OneOperator op = Pad(Tensor(DType::kI8, {1, 1}), {0, 0, 0, 0}, 0, {1, 1});
  EXPECT_TRUE(op.Breaks("pad.level_rank", {{"MAX_RANK", 1}}));
  EXPECT_FALSE(op.Breaks("pad.level_rank", {{"MAX_RANK", 2}}));
}

// Edition 1.1 has a row of block-scaled types, and none of i48. Its conditions are not listed yet,
// so the kind of the verdict means nothing.
TEST(Reverse, PlainTensorFitsNoRowOfBlockScaledTypes) {
  const auto verdict = [](DType type) {
    OneOperator op("REVERSE", "tosa-1.1-draft");
    return op.Integers(type, {2}, {1, 2}).Set("axis", int64_t{0}).Out(type, {2}).Verdict();
  };
  EXPECT_EQ(verdict(DType::kI32), "valid");
  EXPECT_TRUE(verdict(DType::kI48).ends_with(": graph.type_row"));
}

}  // namespace
}  // namespace cts
