#include "reference/evaluate/evaluate.h"

#include <gmock/gmock.h>

#include <cmath>

#include "reference/evaluate/check_call.h"
#include "reference/evaluate/native.h"
#include "reference/evaluate/trace_testing.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Edition& Tosa10() { return **FindEdition("tosa-1.0"); }
const Level& Level8K() { return *Tosa10().FindLevel("8K"); }

// y = x + c in i32, with c a constant.
Graph AddConstant(Shape shape) {
  Graph graph = EmptyGraph();
  Block& block = graph.main();
  block.inputs = {"x"};
  block.outputs = {"y"};
  const auto c = std::make_shared<Tensor>(Tensor::OfIntegers(DType::kI32, {1}, {40}));
  block.tensors = {
      {"x", DType::kI32, shape}, {"c", DType::kI32, {1}, c}, {"y", DType::kI32, shape}};
  block.operators = {{.op = "CONST", .outputs = {"c"}},
                     {.op = "ADD", .inputs = {"x", "c"}, .outputs = {"y"}}};
  return graph;
}

std::map<std::string, Tensor> X(std::vector<int64_t> values) {
  const int64_t size = static_cast<int64_t>(values.size());
  return {{"x", Tensor::OfIntegers(DType::kI32, {size}, values)}};
}

std::string ErrorOf(const Graph& graph) {
  const auto evaluation = Evaluate(graph, X({1, 2}), Tosa10(), Level8K());
  return evaluation.ok() ? "" : Message(evaluation.status());
}

TEST(Evaluate, RunsAGraphWithAConstant) {
  const auto evaluation = Evaluate(AddConstant({2}), X({1, 2}), Tosa10(), Level8K());
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_EQ(evaluation->outcome, Outcome::kValid);
  EXPECT_THAT(evaluation->outputs[0].answers[0].expected.Integers(), ElementsAre(41, 42));
}

// An output of another shape is an error; a REQUIRE about the data has nothing to do with it.
TEST(Evaluate, ARequirementAboutTheDataOutranksAnOutputsShape) {
  const auto divided = [](int64_t divisor, Shape out) {
    OneOperator op("INTDIV");
    op.Integers(DType::kI32, {2}, {7, 8}).Integers(DType::kI32, {2}, {2, divisor});
    return op.Out(DType::kI32, std::move(out)).Verdict();
  };
  EXPECT_EQ(divided(4, {2}), "valid");
  EXPECT_EQ(divided(0, {2}), "unpredictable: intdiv.zero_divisor");
  EXPECT_EQ(divided(4, {3}), "error: intdiv.broadcast");
  EXPECT_EQ(divided(0, {3}), "unpredictable: intdiv.broadcast, intdiv.zero_divisor");
  const auto shifted = [](const char* name, int64_t shift, Shape out) {
    OneOperator op(name);
    op.Integers(DType::kI32, {1}, {7}).Integers(DType::kI32, {1}, {shift});
    if (name == std::string("ARITHMETIC_RIGHT_SHIFT")) op.Set("round", false);
    return op.Out(DType::kI32, std::move(out)).Verdict();
  };
  for (const char* op : {"ARITHMETIC_RIGHT_SHIFT", "LOGICAL_LEFT_SHIFT", "LOGICAL_RIGHT_SHIFT"}) {
    EXPECT_THAT(shifted(op, 3, {2}), ::testing::StartsWith("error: ")) << op;
    EXPECT_THAT(shifted(op, 40, {2}), ::testing::StartsWith("unpredictable: ")) << op;
    EXPECT_THAT(shifted(op, 40, {2}), HasSubstr(".shift_range")) << op;
  }
  // POW judges its data by conditions.
  OneOperator pow("POW");
  pow.Floats(DType::kFp32, {1}, {-2}).Floats(DType::kFp32, {1}, {0.5}).Out(DType::kFp32, {2});
  EXPECT_EQ(pow.Verdict(), "unpredictable: pow.broadcast, pow.base_negative");
  // The argument table alone speaks of this shape.
  OneOperator abs("ABS");
  abs.Integers(DType::kI32, {1}, {IntegerMin(DType::kI32)}).Out(DType::kI32, {2});
  EXPECT_EQ(abs.Verdict(), "unpredictable: graph.shape, integer.overflow");
  OneOperator gather("GATHER");
  gather.Floats(DType::kFp32, {1, 2, 1}, {1, 2}).Integers(DType::kI32, {1, 1}, {2});
  EXPECT_THAT(gather.Out(DType::kFp32, {1, 2, 1}).Verdict(),
              ::testing::StartsWith("unpredictable: "));
}

// A condition that says the same, and one that is an error by itself, stay errors.
TEST(Evaluate, ErrorsThatSayWhatARequirementSaysStayErrors) {
  OneOperator clamp("CLAMP");
  clamp.Integers(DType::kI8, {1}, {1}).Set("min_val", int64_t{5}).Set("max_val", int64_t{-1});
  clamp.Set("nan_mode", std::string("PROPAGATE")).Out(DType::kI8, {2});
  EXPECT_THAT(clamp.Verdict(), ::testing::StartsWith("error: "));
}

TEST(Evaluate, FeedsExactResultsToTheNextOperator) {
  Graph graph = AddConstant({2});
  graph.main().tensors.push_back({"z", DType::kI32, {2}});
  graph.main().outputs = {"z"};
  graph.main().operators.push_back({.op = "ADD", .inputs = {"y", "y"}, .outputs = {"z"}});
  const auto evaluation = Evaluate(graph, X({1, 2}), Tosa10(), Level8K());
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_THAT(evaluation->outputs[0].answers[0].expected.Integers(), ElementsAre(82, 84));
}

TEST(Evaluate, RefusesToBuildOnAResultThatIsOnlyBounded) {
  Graph graph = EmptyGraph();
  Block& block = graph.main();
  block.inputs = {"x"};
  block.outputs = {"z"};
  block.tensors = {{"x", DType::kFp32, {1}}, {"y", DType::kFp32, {1}}, {"z", DType::kFp32, {1}}};
  block.operators = {{.op = "EXP", .inputs = {"x"}, .outputs = {"y"}},
                     {.op = "EXP", .inputs = {"y"}, .outputs = {"z"}}};
  const auto evaluation = Evaluate(graph, {{"x", Tensor(DType::kFp32, {1})}}, Tosa10(), Level8K());
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_EQ(evaluation->outcome, Outcome::kUnsupported);
  EXPECT_THAT(evaluation->message, HasSubstr("EXP (operator 1): y is judged within bounds"));
}

// x -> `first` -> y -> `second` -> z, in one type and these shapes.
Graph Chain(GraphOperator first, GraphOperator second, DType dtype, Shape x, Shape y, Shape z) {
  Graph graph = EmptyGraph();
  Block& block = graph.main();
  block.inputs = {"x"};
  block.outputs = {"z"};
  block.tensors = {{"x", dtype, std::move(x)}, {"y", dtype, std::move(y)}, {"z", dtype, z}};
  const auto add = [&](GraphOperator& op, const char* from, const char* to) {
    op.inputs.insert(op.inputs.begin(), from);
    op.outputs = {to};
    block.operators.push_back(std::move(op));
  };
  add(first, "x", "y");
  add(second, "y", "z");
  return graph;
}

// The first operator overflows or is refused; the second does the other.
TEST(Evaluate, StopsAtTheFirstOperatorThatBreaksACondition) {
  const auto reverse = [](int64_t axis) {
    return GraphOperator{.op = "REVERSE", .attributes = {{"axis", axis}}};
  };
  const auto verdict = [](const Graph& graph) {
    std::map<std::string, Tensor> inputs = X({INT32_MIN, 0});
    const auto evaluation = Evaluate(graph, inputs, Tosa10(), Level8K());
    if (!evaluation.ok()) return Message(evaluation.status());
    std::string found(Name(evaluation->outcome));
    for (const Violation& v : evaluation->violations) found += StrCat(" ", v.condition);
    return found;
  };
  const Shape two = {2};
  EXPECT_EQ(verdict(Chain(reverse(1), {.op = "ABS"}, DType::kI32, two, two, two)),
            "error reverse.axis_range");
  EXPECT_EQ(verdict(Chain({.op = "ABS"}, reverse(1), DType::kI32, two, two, two)),
            "unpredictable integer.overflow");
}

// The output of a graph of one input x.
ExpectedOutput OutputOf(const Graph& graph, const Tensor& x) {
  const auto evaluation = Evaluate(graph, {{"x", x}}, Tosa10(), Level8K());
  EXPECT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_EQ(evaluation->outcome, Outcome::kValid) << evaluation->message;
  return evaluation->outputs.empty() ? ExpectedOutput{} : evaluation->outputs[0];
}

TEST(Evaluate, MovesBoundsWithTheirElements) {
  const Tensor x = Tensor::OfFloats(DType::kFp32, {2, 3}, {-100, 0, 1, 2, 3, 4});
  const ExpectedOutput plain =
      OutputOf(Chain({.op = "IDENTITY"}, {.op = "EXP"}, DType::kFp32, {2, 3}, {2, 3}, {2, 3}), x);
  const Graph transposed = Chain(
      {.op = "EXP"}, {.op = "TRANSPOSE", .attributes = {{"perms", std::vector<int64_t>{1, 0}}}},
      DType::kFp32, {2, 3}, {2, 3}, {3, 2});
  const ExpectedOutput moved = OutputOf(transposed, x);
  EXPECT_EQ(moved.rule.kind, RuleKind::kAbsoluteBound);
  EXPECT_EQ(moved.rule.clause, plain.rule.clause);
  EXPECT_TRUE(plain.rule.zero_sign);
  EXPECT_FALSE(moved.rule.zero_sign);  // TRANSPOSE is free to lose it
  EXPECT_EQ(moved.shape, (Shape{3, 2}));
  const Answer &from = plain.answers[0], &to = moved.answers[0];
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t column = 0; column < 3; ++column) {
      const int64_t i = 3 * row + column, k = 2 * column + row;
      EXPECT_EQ(to.expected.Element(k), from.expected.Element(i));
      EXPECT_EQ(to.bound->Element(k), from.bound->Element(i));
    }
  }
}

// fp32 holds every fp16: the interval that CAST is judged by is one number.
TEST(Evaluate, GoesOnFromWhatWasWidened) {
  Graph graph = Chain({.op = "CAST"}, {.op = "CAST"}, DType::kFp16, {4}, {4}, {4});
  graph.main().tensors[1].dtype = DType::kFp32;
  const ExpectedOutput output =
      OutputOf(graph, Tensor::OfFloats(DType::kFp16, {4}, {0.1, -0.0, 65504, 1}));
  EXPECT_EQ(output.answers[0].expected, output.answers[0].upper);
  EXPECT_THAT(output.answers[0].expected.Elements(), ElementsAre(0x1.998p-4, -0.0, 65504, 1));
  // In the other direction a number that is nearer to the next may become that or the one below.
  graph.main().tensors[0].dtype = graph.main().tensors[2].dtype = DType::kFp32;
  graph.main().tensors[1].dtype = DType::kFp16;
  const auto narrowed =
      Evaluate(graph, {{"x", Tensor::OfFloats(DType::kFp32, {4}, {1 + 0x1.cp-11, 2, 3, 4})}},
               Tosa10(), Level8K());
  ASSERT_TRUE(narrowed.ok()) << narrowed.status();
  EXPECT_EQ(narrowed->outcome, Outcome::kUnsupported);
}

// 1 - 2^-24 passes for 1 where i8 becomes fp32 within half an ulp: rounded back it is 1 again. 2049
// may become 2048 or 2050 in fp16.
TEST(Evaluate, GoesOnFromWhatAnIntegerSettles) {
  Graph graph = Chain({.op = "CAST"}, {.op = "CAST"}, DType::kI8, {5}, {5}, {5});
  graph.main().tensors[1].dtype = DType::kFp32;
  const ExpectedOutput output =
      OutputOf(graph, Tensor::OfIntegers(DType::kI8, {5}, {-128, -1, 0, 1, 127}));
  EXPECT_EQ(output.rule.kind, RuleKind::kExact);
  EXPECT_THAT(output.answers[0].expected.Integers(), ElementsAre(-128, -1, 0, 1, 127));

  graph.main().tensors[0].dtype = graph.main().tensors[2].dtype = DType::kI16;
  graph.main().tensors[1].dtype = DType::kFp16;
  const auto verdict = [&](int64_t value) {
    const Tensor x = Tensor::OfIntegers(DType::kI16, {5}, {0, 1, -5, 77, value});
    const auto evaluation = Evaluate(graph, {{"x", x}}, Tosa10(), Level8K());
    EXPECT_TRUE(evaluation.ok()) << evaluation.status();
    return evaluation->outcome;
  };
  EXPECT_EQ(verdict(500), Outcome::kValid);
  EXPECT_EQ(verdict(2049), Outcome::kUnsupported);

  // Nothing says whether a zero is exact; bool would show it.
  graph.main().tensors[0].dtype = DType::kI8;
  graph.main().tensors[1].dtype = DType::kFp32;
  graph.main().tensors[2].dtype = DType::kBool;
  const auto truth = Evaluate(graph, {{"x", Tensor(DType::kI8, {5})}}, Tosa10(), Level8K());
  ASSERT_TRUE(truth.ok()) << truth.status();
  EXPECT_NE(truth->outcome, Outcome::kValid);
}

// Elements come from several tensors, and some twice: each is judged by itself.
TEST(Evaluate, MovesUlpsThroughConcat) {
  Graph graph = Chain({.op = "ERF"}, {.op = "CONCAT", .attributes = {{"axis", int64_t{0}}}},
                      DType::kFp32, {2}, {2}, {6});
  Block& block = graph.main();
  block.tensors.push_back({"w", DType::kFp32, {2}});
  block.operators.insert(block.operators.begin() + 1,
                         {.op = "REVERSE", .inputs = {"y"}, .outputs = {"w"}});
  block.operators[1].attributes["axis"] = int64_t{0};
  block.operators[2].inputs = {"y", "w", "y"};
  const ExpectedOutput moved =
      OutputOf(graph, Tensor::OfFloats(DType::kFp32, {2}, {0.5, INFINITY}));
  EXPECT_EQ(moved.rule.kind, RuleKind::kUlp);
  EXPECT_EQ(moved.rule.ulp, 5);
  const double erf = moved.answers[0].expected.Element(0);
  EXPECT_NEAR(erf, 0.5204998778130465, 1e-15);
  EXPECT_THAT(moved.answers[0].expected.Elements(), ElementsAre(erf, 1, 1, erf, erf, 1));
}

// The dot-product rule counts every element of a tensor once.
TEST(Evaluate, MovesASumOfProductsOnlyAsAWhole) {
  const auto sum = [] {
    return GraphOperator{.op = "REDUCE_SUM", .attributes = {{"axis", int64_t{1}}}};
  };
  const Tensor x = Tensor::OfFloats(DType::kFp32, {2, 2}, {1, 2, 3, 5});
  const Graph reversed = Chain(sum(), {.op = "REVERSE", .attributes = {{"axis", int64_t{0}}}},
                               DType::kFp32, {2, 2}, {2, 1}, {2, 1});
  const ExpectedOutput output = OutputOf(reversed, x);
  EXPECT_EQ(output.rule.kind, RuleKind::kDotProduct);
  EXPECT_EQ(output.rule.kernel_size, 2);
  EXPECT_THAT(output.answers[0].expected.Elements(), ElementsAre(8, 3));
  const Graph twice = Chain(sum(), {.op = "CONCAT", .attributes = {{"axis", int64_t{1}}}},
                            DType::kFp32, {2, 2}, {2, 1}, {2, 1});
  const auto refused = Evaluate(twice, {{"x", x}}, Tosa10(), Level8K());
  ASSERT_TRUE(refused.ok()) << refused.status();
  EXPECT_EQ(refused->outcome, Outcome::kUnsupported);
  EXPECT_THAT(refused->message, HasSubstr("CONCAT (operator 1): y is judged within bounds"));
}

TEST(Evaluate, MovesIntervalsOfIntegers) {
  Graph graph = Chain({.op = "RESCALE"}, {.op = "REVERSE", .attributes = {{"axis", int64_t{0}}}},
                      DType::kI8, {3}, {3}, {3});
  Block& block = graph.main();
  const auto constant = [&](const char* name, DType type, int64_t value) {
    auto values = std::make_shared<Tensor>(Tensor::OfIntegers(type, {1}, {value}));
    block.tensors.push_back({name, type, {1}, values});
    block.operators.insert(block.operators.begin(), {.op = "CONST", .outputs = {name}});
    return std::string(name);
  };
  GraphOperator& rescale = block.operators[0];
  rescale.attributes = {{"scale32", true},
                        {"rounding_mode", std::string("INEXACT_ROUND")},
                        {"per_channel", false},
                        {"input_unsigned", false},
                        {"output_unsigned", false}};
  rescale.inputs = {"x", "multiplier", "shift", "input_zp", "output_zp"};
  constant("multiplier", DType::kI32, 1 << 30);
  constant("shift", DType::kI8, 31);
  constant("input_zp", DType::kI8, 0);
  constant("output_zp", DType::kI8, 0);
  const ExpectedOutput moved = OutputOf(graph, Tensor::OfIntegers(DType::kI8, {3}, {20, 41, -128}));
  EXPECT_EQ(moved.rule.kind, RuleKind::kInterval);
  // 20.5 is within both ends, -64 and 10 are within theirs; the other way round.
  const Answer& answer = moved.answers[0];
  EXPECT_LE(answer.expected.Integer(0), -64);
  EXPECT_GE(answer.upper->Integer(0), -64);
  EXPECT_LE(answer.expected.Integer(1), 20);
  EXPECT_GE(answer.upper->Integer(1), 21);
  EXPECT_LE(answer.expected.Integer(2), 10);
  EXPECT_GE(answer.upper->Integer(2), 10);
  EXPECT_LT(answer.upper->Integer(2), 20);
}

// An unsigned RESCALE makes the outputs y, whose elements are unsigned numbers, and what an
// IDENTITY makes of them, z, which is a tensor as any other.
TEST(Evaluate, CallsTheOutputOfAnUnsignedRescaleUnsigned) {
  for (const bool is_unsigned : {false, true}) {
    for (const char* const mode : {"SINGLE_ROUND", "INEXACT_ROUND"}) {
      const bool exact = std::string(mode) == "SINGLE_ROUND";
      Graph graph;
      graph.regions = {
          R("main", {"x"}, {"y"}, {T("x", DType::kI8, {2}), T("y", DType::kI8, {2})},
            {Op("RESCALE", {"x", "multiplier", "shift", "input_zp", "output_zp"}, {"y"},
                {{"scale32", true},
                 {"rounding_mode", std::string(mode)},
                 {"per_channel", false},
                 {"input_unsigned", false},
                 {"output_unsigned", is_unsigned}})})};
      Block& block = graph.main();
      if (exact) {
        block.tensors.push_back(T("z", DType::kI8, {2}));
        block.operators.push_back(Op("IDENTITY", {"y"}, {"z"}));
        block.outputs.push_back("z");
      }
      const auto constant = [&](const char* name, DType dtype, int64_t value) {
        block.tensors.push_back(T(name, dtype, {1}));
        block.tensors.back().values =
            std::make_shared<const Tensor>(Tensor::OfIntegers(dtype, {1}, {value}));
        block.operators.insert(block.operators.begin(), Op("CONST", {}, {name}));
      };
      constant("multiplier", DType::kI32, 1 << 30);
      constant("shift", DType::kI8, 29);
      constant("input_zp", DType::kI8, 0);
      constant("output_zp", DType::kI8, 0);
      const auto evaluation = Evaluate(
          graph, {{"x", Tensor::OfIntegers(DType::kI8, {2}, {100, 3})}}, Tosa10(), Level8K());
      ASSERT_TRUE(evaluation.ok()) << evaluation.status();
      ASSERT_EQ(evaluation->outcome, Outcome::kValid) << evaluation->message;
      const ExpectedOutput& y = evaluation->outputs[0];
      EXPECT_EQ(y.rule.kind, exact ? RuleKind::kExact : RuleKind::kInterval);
      EXPECT_EQ(y.rule.is_unsigned, is_unsigned) << mode;
      if (!exact) continue;
      // 200 is kept as -56.
      EXPECT_EQ(y.answers[0].expected.Integer(0), is_unsigned ? -56 : 127);
      EXPECT_EQ(RuleToJson(y.rule).contains("unsigned"), is_unsigned);
      EXPECT_FALSE(evaluation->outputs[1].rule.is_unsigned);
      EXPECT_FALSE(RuleToJson(evaluation->outputs[1].rule).contains("unsigned"));
    }
  }
}

TEST(Evaluate, OverflowIsUnpredictable) {
  const auto evaluation = Evaluate(AddConstant({2}), X({1, INT32_MAX}), Tosa10(), Level8K());
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_EQ(evaluation->outcome, Outcome::kUnpredictable);
  EXPECT_EQ(evaluation->violations[0].condition, "integer.overflow");
}

TEST(Evaluate, OverflowEndsTheGraphBeforeTheNextOperator) {
  Graph graph = AddConstant({2});
  graph.main().tensors.push_back({"z", DType::kI32, {2}});
  graph.main().outputs = {"z"};
  graph.main().operators.push_back({.op = "ADD", .inputs = {"y", "y"}, .outputs = {"z"}});
  const auto evaluation = Evaluate(graph, X({1, INT32_MAX}), Tosa10(), Level8K());
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_EQ(evaluation->outcome, Outcome::kUnpredictable);
  ASSERT_EQ(evaluation->violations.size(), 1u);
  EXPECT_EQ(evaluation->violations[0].condition, "integer.overflow");
  const auto native = ExecuteNative(graph, X({1, INT32_MAX}), Tosa10(), Level8K());
  ASSERT_TRUE(native.ok()) << native.status();
  EXPECT_EQ(native->outcome, Outcome::kUnpredictable);
}

TEST(Evaluate, NamesWhatIsNoGraph) {
  Graph unknown = AddConstant({2});
  unknown.main().operators[1].op = "ADDD";
  EXPECT_THAT(ErrorOf(unknown), HasSubstr("ADDD (operator 1): tosa-1.0 has no operator"));
  Graph dangling = AddConstant({2});
  dangling.main().operators[1].inputs[1] = "q";
  EXPECT_THAT(ErrorOf(dangling), HasSubstr("tensor q is not declared"));
  Graph cycle = AddConstant({2});
  cycle.main().operators[1].inputs[1] = "y";
  EXPECT_THAT(ErrorOf(cycle), HasSubstr("input y is used before"));
  Graph twice = AddConstant({2});
  twice.main().operators.push_back(twice.main().operators[1]);
  EXPECT_THAT(ErrorOf(twice), HasSubstr("tensor y is defined twice"));
  Graph nothing = AddConstant({2});
  nothing.main().outputs = {"x2"};
  EXPECT_THAT(ErrorOf(nothing), HasSubstr("x2"));
  EXPECT_THAT(ErrorOf(AddConstant({3})), HasSubstr("given as i32[2], declared as i32[3]"));
}

TEST(Evaluate, FlushedAnswerStandsBesideTheOther) {
  const double subnormal = std::ldexp(1, -130);
  OneOperator op("MAXIMUM");
  op.Floats(DType::kFp32, {2}, {subnormal, 1}).Floats(DType::kFp32, {2}, {-1, 0});
  op.Set("nan_mode", std::string("PROPAGATE")).Out(DType::kFp32, {2});
  const ExpectedOutput out = op.Output();
  ASSERT_EQ(out.answers.size(), 2u);
  EXPECT_THAT(out.answers[0].expected.Elements(), ElementsAre(subnormal, 1));
  EXPECT_TRUE(out.answers[1].flushed);
  EXPECT_THAT(out.answers[1].expected.Elements(), ElementsAre(0, 1));
}

TEST(Evaluate, FlushingChangesWhatArgmaxFinds) {
  OneOperator op("ARGMAX");
  op.Floats(DType::kFp16, {2}, {0, std::ldexp(1, -20)});
  op.Set("axis", int64_t{0}).Set("nan_mode", std::string("PROPAGATE")).Out(DType::kI32, {});
  const ExpectedOutput out = op.Output();
  ASSERT_EQ(out.answers.size(), 2u);
  EXPECT_EQ(out.answers[0].expected.Integer(0), 1);
  EXPECT_EQ(out.answers[1].expected.Integer(0), 0);
}

TEST(Evaluate, Fp8IsNeverFlushed) {
  OneOperator op("IDENTITY");
  op.Floats(DType::kFp8E4M3, {1}, {std::ldexp(1, -9)}).Out(DType::kFp8E4M3, {1});
  EXPECT_EQ(op.Output().answers.size(), 1u);
}

TEST(Evaluate, RequireOutranksErrorIf) {
  // A shift of 64 (REQUIRE) and an output of the wrong shape (ERROR_IF).
  OneOperator op("MUL");
  op.Integers(DType::kI32, {1}, {1}).Integers(DType::kI32, {1}, {1});
  op.Integers(DType::kI8, {1}, {64}).Out(DType::kI32, {2});
  EXPECT_THAT(op.Verdict(), HasSubstr("unpredictable"));
}

TEST(Evaluate, ArgumentTablesMakeErrors) {
  OneOperator types("ADD");
  types.Integers(DType::kI8, {1}, {1}).Integers(DType::kI8, {1}, {1}).Out(DType::kI8, {1});
  EXPECT_EQ(types.Verdict(), "error: graph.type_row");
  OneOperator mixed("ADD");
  mixed.Integers(DType::kI32, {1}, {1}).Floats(DType::kFp32, {1}, {1}).Out(DType::kI32, {1});
  EXPECT_EQ(mixed.Verdict(), "error: graph.type_row");
  OneOperator count("ADD");
  count.Integers(DType::kI32, {1}, {1}).Out(DType::kI32, {1});
  EXPECT_EQ(count.Verdict(), "error: graph.operand_count");
  OneOperator attribute("ARGMAX");
  attribute.Integers(DType::kI8, {1}, {1}).Out(DType::kI32, {});
  EXPECT_EQ(attribute.Verdict(), "error: graph.attribute");
  OneOperator rank("ARGMAX");
  rank.Integers(DType::kI8, {}, {1}).Set("axis", int64_t{0});
  rank.Set("nan_mode", std::string("PROPAGATE")).Out(DType::kI32, {});
  EXPECT_EQ(rank.Verdict(), "error: graph.rank");
  OneOperator shape("EXP");
  shape.Floats(DType::kFp32, {2}, {1, 1}).Out(DType::kFp32, {3});
  EXPECT_EQ(shape.Verdict(), "error: graph.shape");
  OneOperator sum("REDUCE_SUM");
  sum.Integers(DType::kI32, {2, 2}, {1, 1, 1, 1}).Set("axis", int64_t{0}).Out(DType::kI32, {1, 3});
  EXPECT_EQ(sum.Verdict(), "error: graph.output_shape");
}

TEST(Evaluate, NoShapeEntersOrLeavesAGraph) {
  Graph graph = EmptyGraph();
  const auto values = std::make_shared<Tensor>(Tensor::OfIntegers(DType::kShape, {2}, {3, 4}));
  graph.main().tensors = {{"s", DType::kShape, {2}, values}};
  graph.main().outputs = {"s"};
  graph.main().operators = {{.op = "CONST_SHAPE", .outputs = {"s"}}};
  const auto released = Evaluate(graph, {}, Tosa10(), Level8K());
  ASSERT_TRUE(released.ok()) << released.status();
  EXPECT_EQ(released->outcome, Outcome::kError);
  EXPECT_EQ(released->violations[0].condition, "graph.shape_interface");
  // The draft does not say so.
  const Edition& draft = **FindEdition("tosa-0.100");
  const auto drafted = Evaluate(graph, {}, draft, *draft.FindLevel("8K"));
  ASSERT_TRUE(drafted.ok()) << drafted.status();
  EXPECT_EQ(drafted->outcome, Outcome::kValid);
}

TEST(Evaluate, TableOfAnotherSizeIsUnpredictable) {
  OneOperator op("TABLE");
  op.Integers(DType::kI8, {1}, {0}).Integers(DType::kI8, {3}, {1, 2, 3}).Out(DType::kI8, {1});
  EXPECT_EQ(op.Verdict(), "unpredictable: table.size");
}

TEST(Evaluate, ADimensionOfZeroIsUnpredictable) {
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    OneOperator op("IDENTITY", edition);
    op.Integers(DType::kI32, {1}, {1}).Out(DType::kI32, {0});
    EXPECT_EQ(op.Verdict(), "unpredictable: graph.dimension");
  }
}

TEST(Evaluate, RankBeyondTheLevelIsUnpredictableWhereTheOperatorChecksNoRank) {
  OneOperator identity("IDENTITY");
  identity.Integers(DType::kI32, Shape(7, 1), {1}).Out(DType::kI32, Shape(7, 1));
  EXPECT_EQ(identity.Verdict(), "unpredictable: graph.level_rank, graph.level_rank");
  OneOperator sum("REDUCE_SUM");
  sum.Integers(DType::kI32, Shape(7, 1), {1}).Set("axis", int64_t{0});
  sum.Out(DType::kI32, Shape(7, 1));
  EXPECT_EQ(sum.Verdict(), "unpredictable: graph.level_rank, graph.level_rank");
}

TEST(Evaluate, RankBeyondTheLevelIsUnpredictable) {
  OneOperator op("EXP");
  op.Floats(DType::kFp32, Shape(7, 1), {1}).Out(DType::kFp32, Shape(7, 1));
  EXPECT_EQ(op.Verdict(), "unpredictable: graph.level_rank, graph.level_rank, exp.level_rank");
}

// A REQUIRE outranks every error, also that of types that no row has.
TEST(Evaluate, RankBeyondTheLevelOutranksTheTypeTable) {
  OneOperator op("EXP");
  op.Integers(DType::kI8, Shape(7, 1), {1}).Out(DType::kI8, Shape(7, 1));
  EXPECT_EQ(op.Verdict(), "unpredictable: graph.level_rank, graph.level_rank, graph.type_row");
}

TEST(Evaluate, PropagatesNanWhereTheModeIsLeftOut) {
  OneOperator op("MAXIMUM");
  op.Floats(DType::kFp32, {1}, {std::nan("")}).Floats(DType::kFp32, {1}, {2});
  op.Out(DType::kFp32, {1});
  EXPECT_TRUE(std::isnan(op.Run().Element(0)));
}

// tensor_size_t ends at 2^31 - 1 at level 8K.
TEST(Evaluate, AShapeBeyondTheLevelIsUnpredictable) {
  for (const auto& [multiple, verdict] :
       {std::pair(int64_t{1} << 31, "unpredictable: integer.overflow"),
        std::pair((int64_t{1} << 31) - 1, "error: tile.output_dimension")}) {
    OneOperator op("TILE");
    op.Integers(DType::kI8, {1}, {1}).ShapeIn({multiple}).Out(DType::kI8, {1});
    EXPECT_EQ(op.Verdict(), verdict);
  }
}

TEST(Evaluate, NativeRoundsToTheTypeAfterEveryStep) {
  // 2048 + 1 is 2048 in fp16, ten bits of fraction: the sum never moves on.
  OneOperator op("REDUCE_SUM");
  op.Floats(DType::kFp16, {3}, {2048, 1, 1}).Set("axis", int64_t{0}).Out(DType::kFp16, {1});
  EXPECT_EQ(op.RunNative().Element(0), 2048);
  EXPECT_EQ(op.Output().answers[0].expected.Element(0), 2050);
}

// A message about an unpredictable graph names what makes it so, not the error beside it.
TEST(DecidingViolation, IsTheOneThatOutranksErrors) {
  const Violation error{"resize.scale_numerator_limit", "RESIZE (operator 4)", "too great"};
  const Violation level{"graph.level_rank", "RESIZE (operator 4)", "too many"};
  EXPECT_EQ(DecidingViolation({}, Tosa10()), nullptr);
  const std::vector<Violation> both = {error, level}, alone = {error};
  EXPECT_EQ(DecidingViolation(both, Tosa10()), &both[1]);
  EXPECT_EQ(DecidingViolation(alone, Tosa10()), &alone[0]);
}

TEST(TraceElement, GivesTheElementsInTheOrderOfTheText) {
  const auto elements = TraceElement(AddConstant({2}), X({1, 2}), Tosa10(), Level8K(), "y", 1);
  ASSERT_TRUE(elements.ok()) << elements.status();
  ASSERT_EQ(elements->size(), 2u);
  EXPECT_EQ((*elements)[0].tensor, "x");
  EXPECT_THAT((*elements)[0].index, ElementsAre(1));
  EXPECT_EQ((*elements)[0].integer, 2);
  EXPECT_EQ((*elements)[1].tensor, "c");
  EXPECT_EQ((*elements)[1].integer, 40);
}

TEST(TraceElement, TellsTheFactorsOfEveryProduct) {
  // [1 2] * [3 4] transposed, with zero points 1 and -2: (1 - 1) * (3 + 2) + (2 - 1) * (4 + 2).
  OneOperator op("MATMUL");
  op.Integers(DType::kI8, {1, 1, 2}, {1, 2}).Integers(DType::kI8, {1, 2, 1}, {3, 4});
  op.Integers(DType::kI8, {1}, {1}).Integers(DType::kI8, {1}, {-2}).Out(DType::kI32, {1, 1, 1});
  const auto elements = op.Trace(0);
  ASSERT_TRUE(elements.ok()) << elements.status();
  ASSERT_EQ(elements->size(), 4u);
  EXPECT_EQ((*elements)[0].factors, std::nullopt);
  EXPECT_EQ((*elements)[1].factors, std::make_pair(0.0, 5.0));
  EXPECT_EQ((*elements)[2].factors, std::nullopt);
  EXPECT_EQ((*elements)[3].factors, std::make_pair(1.0, 6.0));
}

}  // namespace
}  // namespace cts
