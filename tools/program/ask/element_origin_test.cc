#include "tools/program/ask/element_origin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "reference/ops/conditions.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A case of one operator, and its reference.
struct Traced {
  explicit Traced(const OneOperator& op) {
    c.edition = op.edition().id;
    c.level = "8K";
    c.graph = op.graph();
    c.inputs = op.inputs();
    const StatusOr<Evaluation> evaluation =
        Evaluate(c.graph, c.inputs, op.edition(), *op.edition().FindLevel("8K"));
    EXPECT_TRUE(evaluation.ok()) << evaluation.status();
    EXPECT_EQ(evaluation->outcome, Outcome::kValid);
    c.outputs = evaluation->outputs;
  }
  ElementOrigin Of(int64_t offset, size_t k = 0) const { return OriginOf(c, c.outputs[k], offset); }

  // Works the expression out again, term by term, in fp64.
  double Sum(int64_t offset, size_t k = 0) const {
    const ElementOrigin made = Of(offset, k);
    double sum = 0;
    for (std::string term : made.terms) {
      double product = 1;
      for (size_t at = 0; at != std::string::npos;) {
        const size_t star = term.find(" * ", at);
        product *= Factor(term.substr(at, star - at));
        at = star == std::string::npos ? star : star + 3;
      }
      sum += product;
    }
    return sum / static_cast<double>(made.divisor);
  }
  // "in0[1,2] 3.5", "(in0[1,2] 3 - 2)" or "0.25".
  static double Factor(const std::string& text) {
    const size_t bracket = text.find(']');
    if (bracket == std::string::npos) return std::strtod(text.c_str(), nullptr);
    char* end = nullptr;
    const double value = std::strtod(text.c_str() + bracket + 1, &end);
    const std::string rest = end;
    if (rest.size() < 3 || rest[0] == '\0') return value;
    const double zero_point = std::strtod(rest.c_str() + 3, nullptr);
    return rest[1] == '-' ? value - zero_point : value + zero_point;
  }
  // Every element of every output against the reference.
  void ExpectSums(double tolerance = 0) const {
    for (size_t k = 0; k < c.outputs.size(); ++k) {
      const Tensor& expected = c.outputs[k].answers[0].expected;
      for (int64_t i = 0; i < expected.size(); ++i) {
        const double reference = IsFloat(expected.dtype())
                                     ? expected.Element(i)
                                     : static_cast<double>(expected.Integer(i));
        EXPECT_NEAR(Sum(i, k), reference, tolerance) << k << " " << i;
      }
    }
  }
  Case c;
};

std::vector<double> Ramp(int64_t n, double from = -3.5) {
  std::vector<double> values;
  for (int64_t i = 0; i < n; ++i) values.push_back(from + 0.75 * static_cast<double>(i % 13));
  return values;
}
// The offsets of a set.
std::vector<int64_t> OffsetsOf(const std::vector<NamedSet>& sets, const std::string& words) {
  std::vector<int64_t> offsets;
  for (const NamedSet& set : sets) {
    if (set.words != words) continue;
    for (size_t i = 0; i < set.has.size(); ++i) {
      if (set.has[i]) offsets.push_back(static_cast<int64_t>(i));
    }
  }
  return offsets;
}

// 4 x 4 of one channel, a kernel of 3 x 3, a pad of 1 on each side.
OneOperator PaddedConvolution() {
  OneOperator op("CONV2D");
  op.Integers(DType::kI8, {1, 4, 4, 1}, std::vector<int64_t>(16, 1))
      .Integers(DType::kI8, {1, 3, 3, 1}, std::vector<int64_t>(9, 1))
      .Integers(DType::kI32, {1}, {0})
      .Integers(DType::kI8, {1}, {0})
      .Integers(DType::kI8, {1}, {0})
      .Set("pad", std::vector<int64_t>{1, 1, 1, 1})
      .Set("stride", std::vector<int64_t>{1, 1})
      .Set("dilation", std::vector<int64_t>{1, 1})
      .Set("acc_type", std::string("INT32"))
      .Set("local_bound", false)
      .Out(DType::kI32, {1, 4, 4, 1});
  return op;
}

TEST(WindowSetsOf, AreThoseOfTheKernelAndThePads) {
  // 4 x 4 of one channel, kernel 3 with dilation 1, stride 1: of the 4 x 4 results the middle ones
  // meet no padding.
  const OneOperator op = PaddedConvolution();
  Traced traced(op);
  const auto sets = WindowSetsOf(traced.c, traced.c.outputs[0]);
  EXPECT_THAT(OffsetsOf(sets, "windows that meet no padding"), ElementsAre(5, 6, 9, 10));
  EXPECT_THAT(OffsetsOf(sets, "windows that meet the padding at the top"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(OffsetsOf(sets, "windows that meet the padding at the right"),
              ElementsAre(3, 7, 11, 15));
  EXPECT_EQ(OffsetsOf(sets, "windows that meet the padding").size(), 12U);
}

TEST(WindowSetsOf, OfAPoolCountOnlyWhatItsStrideReaches) {
  OneOperator op("MAX_POOL2D");
  op.Integers(DType::kI8, {1, 5, 5, 2}, std::vector<int64_t>(50, 1))
      .Set("kernel", std::vector<int64_t>{2, 2})
      .Set("stride", std::vector<int64_t>{2, 2})
      .Set("pad", std::vector<int64_t>{0, 1, 0, 1})
      .Set("nan_mode", std::string("PROPAGATE"))
      .Out(DType::kI8, {1, 3, 3, 2});
  Traced traced(op);
  const auto sets = WindowSetsOf(traced.c, traced.c.outputs[0]);
  EXPECT_THAT(OffsetsOf(sets, "windows that meet the padding at the bottom"),
              ElementsAre(12, 13, 14, 15, 16, 17));
  EXPECT_THAT(OffsetsOf(sets, "windows that meet the padding at the top"), IsEmpty());
}

// 2 x 3 of one channel, two steps apart, and a kernel of 1 x 2, with one row below and one column
// at the left: (2 - 1) * 2 + 1 + 1 rows, and (3 - 1) * 2 + 1 + 2 columns.
TEST(WindowSetsOf, OfATransposedConvolutionLieOnTheSpreadInput) {
  OneOperator op("TRANSPOSE_CONV2D");
  op.Integers(DType::kI8, {1, 2, 3, 1}, std::vector<int64_t>(6, 1))
      .Integers(DType::kI8, {1, 1, 2, 1}, std::vector<int64_t>(2, 1))
      .Integers(DType::kI32, {1}, {0})
      .Integers(DType::kI8, {1}, {0})
      .Integers(DType::kI8, {1}, {0})
      .Set("out_pad", std::vector<int64_t>{0, 1, 1, 0})
      .Set("stride", std::vector<int64_t>{2, 2})
      .Set("acc_type", std::string("INT32"))
      .Set("local_bound", false)
      .Out(DType::kI32, {1, 4, 7, 1});
  Traced traced(op);
  const auto sets = WindowSetsOf(traced.c, traced.c.outputs[0]);
  // Row 3 is below the input's last row. Column 0 is before its first column; in column 1 the
  // kernel begins one before it, in column 6 it ends one behind its last.
  EXPECT_THAT(OffsetsOf(sets, "windows that meet the padding at the top"), IsEmpty());
  EXPECT_THAT(OffsetsOf(sets, "windows that meet the padding at the bottom"),
              ElementsAre(21, 22, 23, 24, 25, 26, 27));
  EXPECT_THAT(OffsetsOf(sets, "windows that meet the padding at the left"),
              ElementsAre(0, 1, 7, 8, 14, 15, 21, 22));
  EXPECT_THAT(OffsetsOf(sets, "windows that meet the padding at the right"),
              ElementsAre(6, 13, 20, 27));
  // Between two rows of the input, below them, and left of them.
  EXPECT_THAT(OffsetsOf(sets, "windows without an element of the input, which get the bias alone"),
              ElementsAre(0, 7, 8, 9, 10, 11, 12, 13, 14, 21, 22, 23, 24, 25, 26, 27));
}

// A convolution of 4 x 4, and an operator that keeps its shape.
Case ConvolutionThen(const std::string& then) {
  Case c = Traced(PaddedConvolution()).c;
  Block& block = c.graph.main();
  block.tensors.push_back({"then", DType::kI32, {1, 4, 4, 1}, nullptr});
  block.operators.push_back({then, {c.outputs[0].name}, {"then"}, {}});
  c.outputs[0].name = "then";
  return c;
}

TEST(WindowSetsOf, GoThroughElementwiseOperatorsAlone) {
  for (const char* const then : {"ABS", "CLAMP", "RESCALE", "TANH", "ADD"}) {
    const Case c = ConvolutionThen(then);
    EXPECT_FALSE(WindowSetsOf(c, c.outputs[0]).empty()) << then;
  }
  for (const char* const then :
       {"REVERSE", "TRANSPOSE", "MATMUL", "RESIZE", "WHILE_LOOP", "REDUCE_SUM"}) {
    const Case c = ConvolutionThen(then);
    EXPECT_THAT(WindowSetsOf(c, c.outputs[0]), IsEmpty()) << then;
  }
}

TEST(WindowSetsOf, AreEmptyWhereADimensionHasNoSize) {
  Case c = ConvolutionThen("ABS");
  for (GraphTensor& tensor : c.graph.main().tensors) {
    if (tensor.shape == Shape{1, 4, 4, 1}) tensor.shape[1] = -1;
  }
  EXPECT_THAT(WindowSetsOf(c, c.outputs[0]), IsEmpty());
}

TEST(WindowSetsOf, AreEmptyForAnOperatorWithoutWindow) {
  OneOperator op("ABS");
  op.Integers(DType::kI32, {2, 2}, {1, 2, 3, 4}).Out(DType::kI32, {2, 2});
  Traced traced(op);
  EXPECT_THAT(WindowSetsOf(traced.c, traced.c.outputs[0]), IsEmpty());
}

TEST(OriginOf, WritesAConvolutionAsAnExpression) {
  OneOperator op("CONV2D");
  op.Integers(DType::kI8, {1, 1, 2, 1}, {5, 7}).Integers(DType::kI8, {1, 1, 2, 1}, {-3, 4});
  op.Integers(DType::kI32, {1}, {100});
  op.Integers(DType::kI8, {1}, {2}).Integers(DType::kI8, {1}, {-1}).Out(DType::kI32, {1, 1, 1, 1});
  op.Set("pad", std::vector<int64_t>{0, 0, 0, 0}).Set("stride", std::vector<int64_t>{1, 1});
  op.Set("dilation", std::vector<int64_t>{1, 1}).Set("acc_type", std::string("INT32"));
  op.Set("local_bound", false);
  const Traced traced(op);
  EXPECT_THAT(traced.Of(0).terms,
              ElementsAre("(in0[0,0,0,0] 5 - 2) * (in1[0,0,0,0] -3 + 1)",
                          "(in0[0,0,1,0] 7 - 2) * (in1[0,0,1,0] 4 + 1)", "in2[0] 100"));
  // (5-2)(-3+1) + (7-2)(4+1) + 100
  EXPECT_EQ(traced.c.outputs[0].answers[0].expected.Integer(0), 119);
  traced.ExpectSums();
}

TEST(OriginOf, LeavesOutThePadding) {
  OneOperator op("CONV2D");
  op.Floats(DType::kFp32, {1, 3, 4, 2}, Ramp(24)).Floats(DType::kFp32, {2, 3, 3, 2}, Ramp(36, -2));
  op.Floats(DType::kFp32, {2}, {0.5, -1}).Floats(DType::kFp32, {1}, {0});
  op.Floats(DType::kFp32, {1}, {0}).Out(DType::kFp32, {1, 3, 4, 2});
  op.Set("pad", std::vector<int64_t>{1, 1, 1, 1}).Set("stride", std::vector<int64_t>{1, 1});
  op.Set("dilation", std::vector<int64_t>{1, 1}).Set("acc_type", std::string("FP32"));
  op.Set("local_bound", false);
  const Traced traced(op);
  // A corner sees 2 * 2 of 3 * 3 places, of 2 channels each, and the bias.
  EXPECT_EQ(traced.Of(0).terms.size(), 9u);
  traced.ExpectSums();
}

TEST(OriginOf, AddsUpMatrixProductsAndSums) {
  OneOperator matmul("MATMUL");
  matmul.Floats(DType::kFp16, {2, 3, 4}, Ramp(24)).Floats(DType::kFp16, {2, 4, 5}, Ramp(40, -1));
  matmul.Floats(DType::kFp16, {1}, {0}).Floats(DType::kFp16, {1}, {0});
  Traced(matmul.Out(DType::kFp32, {2, 3, 5})).ExpectSums();
  OneOperator sum("REDUCE_SUM");
  sum.Floats(DType::kBf16, {3, 5}, Ramp(15)).Set("axis", int64_t{1}).Out(DType::kBf16, {3, 1});
  const Traced traced(sum);
  EXPECT_EQ(traced.Of(1).terms.size(), 5u);
  EXPECT_EQ(traced.Of(1).terms[0], "in0[1,0] 0.25");
  traced.ExpectSums();
}

TEST(OriginOf, DividesAMean) {
  OneOperator op("AVG_POOL2D");
  op.Floats(DType::kFp32, {1, 3, 3, 1}, Ramp(9)).Floats(DType::kFp32, {1}, {0});
  op.Floats(DType::kFp32, {1}, {0}).Out(DType::kFp32, {1, 3, 3, 1});
  op.Set("kernel", std::vector<int64_t>{3, 3}).Set("stride", std::vector<int64_t>{1, 1});
  op.Set("pad", std::vector<int64_t>{1, 1, 1, 1}).Set("acc_type", std::string("FP32"));
  const Traced traced(op);
  EXPECT_EQ(traced.Of(0).divisor, 4);
  EXPECT_EQ(traced.Of(4).divisor, 9);
  traced.ExpectSums(1e-15);
}

TEST(OriginOf, ShowsTheCoefficientsOfATransform) {
  OneOperator op("RFFT2D");
  op.Floats(DType::kFp32, {1, 2, 4}, Ramp(8)).Set("local_bound", false);
  op.Out(DType::kFp32, {1, 2, 3}).AndOut(DType::kFp32, {1, 2, 3});
  const Traced traced(op);
  EXPECT_EQ(traced.Of(4).terms[0], "in0[0,0,0] -3.5 * 1");
  traced.ExpectSums(1e-7);  // nine digits of a coefficient are shown
}

TEST(OriginOf, ListsWhatIsNoSum) {
  OneOperator op("ADD");
  op.Integers(DType::kI32, {2}, {1, 2}).Integers(DType::kI32, {2}, {3, 4}).Out(DType::kI32, {2});
  const ElementOrigin made = Traced(op).Of(1);
  EXPECT_THAT(made.terms, IsEmpty());
  EXPECT_THAT(made.inputs, ElementsAre("in0[1] = 2", "in1[1] = 4"));
}

TEST(MeaningOf, IsTheParaphraseWhereTheCaseDoesNotBreakTheCondition) {
  Case c;
  c.edition = "tosa-1.0";
  c.op = "CONCAT";
  for (const Condition& condition :
       ConditionsOf(*FindOperator("CONCAT"), **FindEdition("tosa-1.0"))) {
    c.condition = condition.id;
    EXPECT_EQ(MeaningOf(c), condition.paraphrase);
    EXPECT_NE(MeaningOf(c), "");
  }
  c.condition = "no.such";
  EXPECT_EQ(MeaningOf(c), "");
}

TEST(MeaningOf, SaysWhereTheOfficialModelIsLenient) {
  const auto meaning = [](Shape shift, Shape output) {
    OneOperator mul("MUL");
    mul.Integers(DType::kI32, {1}, {6}).Integers(DType::kI32, {1}, {7});
    mul.In(Tensor(DType::kI8, std::move(shift))).Out(DType::kI32, std::move(output));
    Case c;
    c.op = "MUL";
    c.edition = "tosa-1.0";
    c.level = "8K";
    c.graph = mul.graph();
    c.inputs = mul.inputs();
    c.outcome = Outcome::kError;
    c.condition = "graph.shape";
    return MeaningOf(c);
  };
  EXPECT_THAT(meaning({2}, {1}), testing::HasSubstr("; the argument table of MUL in tosa-1.0 says "
                                                    "so, where Arm's reference model is lenient"));
  EXPECT_THAT(meaning({1}, {2}), testing::Not(testing::HasSubstr("lenient")));
}

TEST(MeaningOf, IsTheLineThatEvalShows) {
  OneOperator op("CLAMP");
  op.Integers(DType::kI8, {2}, {1, 2}).Set("min_val", int64_t{5}).Set("max_val", int64_t{-1});
  op.Set("nan_mode", std::string("PROPAGATE")).Out(DType::kI8, {2});
  Case c;
  c.edition = "tosa-1.0";
  c.level = "8K";
  c.op = "CLAMP";
  c.graph = op.graph();
  c.inputs = op.inputs();
  c.condition = "clamp.bounds_order";
  EXPECT_EQ(MeaningOf(c), "max_val -1 is below min_val 5");
}

}  // namespace
}  // namespace cts
