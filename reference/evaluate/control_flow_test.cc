// COND_IF and WHILE_LOOP: their conditions and their execution.
#include <gmock/gmock.h>

#include <cmath>

#include "reference/evaluate/execution.h"
#include "reference/evaluate/testing.h"
#include "reference/evaluate/trace_testing.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

using namespace testing_graph;  // NOLINT(google-build-using-namespace): helpers of these tests
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y = c ? a + b : a - b.
Graph SumOrDifference() {
  return {{R("main", {"c", "a", "b"}, {"y"}, {Bool("c"), I32("a"), I32("b"), I32("y")},
             {CondIf({"c", "a", "b"}, {"y"}, "then", "else")}),
           R("then", {"a1", "b1"}, {"y1"}, {I32("a1"), I32("b1"), I32("y1")},
             {Op("ADD", {"a1", "b1"}, {"y1"})}),
           R("else", {"a2", "b2"}, {"y2"}, {I32("a2"), I32("b2"), I32("y2")},
             {Op("SUB", {"a2", "b2"}, {"y2"})})}};
}

Tensors Given(bool c, int64_t a = 30, int64_t b = 12) {
  return {{"c", Integers({c}, DType::kBool)}, {"a", Integers({a})}, {"b", Integers({b})}};
}

Block& BlockOf(Graph& graph, size_t region) { return graph.regions[region].blocks.front(); }

// (a, b) = (b, a + b), n times, counted by i.
Graph Fibonacci(int64_t n) {
  return {{R("main", {"i", "a", "b"}, {"p", "q", "r"},
             {I32("i"), I32("a"), I32("b"), I32("p"), I32("q"), I32("r")},
             {WhileLoop({"i", "a", "b"}, {"p", "q", "r"})}),
           R("cond", {"i1", "a1", "b1"}, {"c1"},
             {I32("i1"), I32("a1"), I32("b1"), Constant("n1", n), Bool("c1")},
             {Op("GREATER", {"n1", "i1"}, {"c1"})}),
           R("body", {"i2", "a2", "b2"}, {"j2", "b2", "s2"},
             {I32("i2"), I32("a2"), I32("b2"), Constant("one", 1), I32("j2"), I32("s2")},
             {Op("ADD", {"i2", "one"}, {"j2"}), Op("ADD", {"a2", "b2"}, {"s2"})})}};
}

Tensors Start(int64_t i = 0) {
  return {{"i", Integers({i})}, {"a", Integers({0})}, {"b", Integers({1})}};
}

// COND_IF within COND_IF, `depth` of them; the innermost graph is the identity. Both branches are
// the same graph.
Graph Nested(int64_t depth) {
  Graph graph;
  for (int64_t k = 0; k <= depth; ++k) {
    const std::string c = StrCat("c", k), x = StrCat("x", k), y = StrCat("y", k);
    const std::string inner = StrCat("r", k + 1);
    graph.regions.push_back(
        R(StrCat("r", k), {c, x}, {y}, {Bool(c), I32(x), I32(y)},
          {k < depth ? CondIf({c, c, x}, {y}, inner, inner) : Op("IDENTITY", {x}, {y})}));
  }
  return graph;
}

TEST(CondIf, RunsTheGraphThatTheConditionChooses) {
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    const Setting setting(edition);
    EXPECT_THAT(Values(SumOrDifference(), {Given(true)}, setting), ElementsAre(42));
    EXPECT_THAT(Values(SumOrDifference(), {Given(false)}, setting), ElementsAre(18));
  }
}

// A graph needs no operator: it returns its inputs in any order, and one of them twice. An operand
// may stand in the list twice, too.
TEST(CondIf, TakesGraphsThatReturnTheirInputs) {
  Graph graph = {
      {R("main", {"c", "a", "b"}, {"y", "z"}, {Bool("c"), I32("a"), I32("b"), I32("y"), I32("z")},
         {CondIf({"c", "a", "b"}, {"y", "z"}, "then", "else")}),
       R("then", {"a1", "b1"}, {"b1", "a1"}, {I32("a1"), I32("b1")}, {}),
       R("else", {"a2", "b2"}, {"a2", "a2"}, {I32("a2"), I32("b2")}, {})}};
  EXPECT_THAT(Values(graph, {Given(true)}), ElementsAre(12, 30));
  EXPECT_THAT(Values(graph, {Given(false)}), ElementsAre(30, 30));
  BlockOf(graph, 0).operators[0].inputs = {"c", "b", "b"};
  EXPECT_THAT(Values(graph, {Given(true)}), ElementsAre(12, 12));
}

TEST(CondIf, JudgesTheGraphThatRuns) {
  EXPECT_EQ(Verdict(SumOrDifference(), {Given(true, INT32_MAX, 1)}),
            "unpredictable: integer.overflow");
  EXPECT_EQ(Verdict(SumOrDifference(), {Given(false, INT32_MAX, 1)}), "valid");
}

TEST(CondIf, NamesTheBlockOfTheOperatorThatIsWrong) {
  Graph graph = SumOrDifference();
  BlockOf(graph, 1).operators[0].attributes["axis"] = int64_t{0};
  const Tensors inputs = Given(true);
  const Setting setting;
  const auto evaluation = Evaluate(graph, inputs, setting.edition, setting.level);
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_EQ(evaluation->outcome, Outcome::kError);
  EXPECT_EQ(evaluation->violations[0].condition, "graph.attribute");
  EXPECT_EQ(evaluation->violations[0].op, "ADD (operator 0 of block then)");
}

// The pseudocode executes a graph over its list of inputs and nothing else.
TEST(CondIf, GraphsSeeNothingOfTheGraphAroundThem) {
  Graph graph = SumOrDifference();
  BlockOf(graph, 1).operators[0].inputs[1] = "b";
  EXPECT_THAT(Verdict(graph, {Given(true)}),
              HasSubstr("ADD (operator 0 of block then): tensor b is not declared in the block"));
}

TEST(CondIf, ComparesTheShapesOfItsLists) {
  const auto broken = [](auto change) {
    Graph graph = SumOrDifference();
    change(graph);
    return Verdict(graph, {Given(true)});
  };
  for (const auto& [region, name] : {std::pair(1, "then"), std::pair(2, "else")}) {
    const auto r = static_cast<size_t>(region);
    EXPECT_EQ(broken([r](Graph& g) {
                BlockOf(g, r).tensors.push_back(I32("extra"));
                BlockOf(g, r).inputs.push_back("extra");
              }),
              StrCat("error: cond_if.", name, "_inputs"));
    EXPECT_EQ(broken([r](Graph& g) {
                BlockOf(g, r).tensors[0].shape = {1, 1};
              }),
              StrCat("error: cond_if.", name, "_inputs"));
    EXPECT_EQ(broken([r](Graph& g) { BlockOf(g, r).outputs.clear(); }),
              StrCat("error: cond_if.", name, "_outputs"));
  }
}

TEST(CondIf, SaysWhatItsConditionsFound) {
  const auto found = [](auto change) {
    Graph graph = SumOrDifference();
    change(graph);
    return Findings(graph, {Given(true)});
  };
  EXPECT_EQ(found([](Graph& g) {
              BlockOf(g, 1).tensors.push_back(I32("extra"));
              BlockOf(g, 1).inputs.push_back("extra");
            }),
            "cond_if.then_inputs: input_list and the inputs of then_graph differ in shape: found "
            "the shapes [1], [1] and [1], [1], [1]");
  EXPECT_EQ(found([](Graph& g) {
              BlockOf(g, 2).tensors[0].shape = {1, 1};
            }),
            "cond_if.else_inputs: input_list and the inputs of else_graph differ in shape: found "
            "the shapes [1], [1] and [1,1], [1]");
  EXPECT_EQ(found([](Graph& g) { BlockOf(g, 2).outputs.clear(); }),
            "cond_if.else_outputs: output_list and the outputs of else_graph differ in shape: "
            "found the shapes [1] and none");
  Graph graph = SumOrDifference();
  BlockOf(graph, 0).tensors[0].shape = {1, 2};
  Tensors inputs = Given(true);
  inputs.at("c") = Tensor(DType::kBool, {1, 2});
  EXPECT_EQ(Findings(graph, {inputs}),
            "cond_if.condition_size: condition has not one element: found condition of shape "
            "[1,2]");
  const Tensors nested = {{"c0", Integers({1}, DType::kBool)}, {"x0", Integers({7})}};
  EXPECT_EQ(Findings(Nested(7), {nested}),
            "cond_if.nesting: the operator stands within 6 others, expected fewer than "
            "MAX_NESTING = 6");
}

TEST(CondIf, WantsOneElementOfAnyRank) {
  Graph graph = SumOrDifference();
  Tensors inputs = Given(true);
  const auto with_shape = [&](const Shape& shape, std::string_view edition = "tosa-1.0") {
    BlockOf(graph, 0).tensors[0].shape = shape;
    inputs.at("c") = Tensor(DType::kBool, shape);
    return Verdict(graph, {inputs}, Setting(edition));
  };
  EXPECT_EQ(with_shape({1, 1, 1}), "valid");
  EXPECT_EQ(with_shape({}), "valid");
  EXPECT_EQ(with_shape({}, "tosa-0.100"), "error: graph.rank");
  EXPECT_EQ(with_shape({1, 2}), "error: cond_if.condition_size");
  EXPECT_EQ(with_shape(Shape(7, 1)), "unpredictable: graph.level_rank, cond_if.level_rank");
}

TEST(CondIf, WantsABooleanCondition) {
  Graph graph = SumOrDifference();
  BlockOf(graph, 0).tensors[0].dtype = DType::kI8;
  Tensors inputs = Given(true);
  inputs.at("c") = Integers({1}, DType::kI8);
  EXPECT_EQ(Verdict(graph, {inputs}), "error: graph.type_row");
}

// The conditions compare shapes only; no text says what a tensor of another type means.
TEST(CondIf, IsUnpredictableWhereTypesDiffer) {
  Graph graph = SumOrDifference();
  BlockOf(graph, 2).tensors[1].dtype = DType::kI16;
  EXPECT_EQ(Verdict(graph, {Given(true)}), "unpredictable: graph.subgraph_types");
}

TEST(CondIf, LimitsItsListsToTheLevelIn10) {
  Graph graph = {{R("main", {"c", "x"}, {"y"}, {Bool("c"), I32("x"), I32("y")}, {}),
                  R("same", {}, {"y1"}, {Constant("y1", 5)}, {})}};
  GraphOperator node = CondIf({"c"}, {"y"}, "same", "same");
  for (int k = 0; k < 65; ++k) {
    node.inputs.push_back("x");
    BlockOf(graph, 1).tensors.push_back(I32(StrCat("x", k)));
    BlockOf(graph, 1).inputs.push_back(StrCat("x", k));
  }
  BlockOf(graph, 0).operators.push_back(node);
  const Tensors inputs = {{"c", Integers({1}, DType::kBool)}, {"x", Integers({1})}};
  EXPECT_EQ(Verdict(graph, {inputs}), "unpredictable: cond_if.level_input_list");
  EXPECT_EQ(Verdict(graph, {inputs}, Setting("tosa-0.100")), "valid");
  EXPECT_EQ(Verdict(graph, {inputs}, Setting("tosa-1.0", "none")), "valid");
}

TEST(CondIf, HasTheLimitOfNestingOfTheLevel) {
  const Tensors inputs = {{"c0", Integers({1}, DType::kBool)}, {"x0", Integers({7})}};
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_THAT(Values(Nested(6), {inputs}, Setting(edition)), ElementsAre(7));
    EXPECT_EQ(Verdict(Nested(7), {inputs}, Setting(edition)), "error: cond_if.nesting");
    EXPECT_THAT(Values(Nested(256), {inputs}, Setting(edition, "none")), ElementsAre(7));
    EXPECT_EQ(Verdict(Nested(257), {inputs}, Setting(edition, "none")), "error: cond_if.nesting");
    EXPECT_EQ(Verdict(Nested(10000), {inputs}, Setting(edition)), "error: cond_if.nesting");
  }
}

TEST(CondIf, TakesNoShapesIn10) {
  const auto values = std::make_shared<Tensor>(Tensor::OfIntegers(DType::kShape, {1}, {3}));
  Graph graph = {{R("main", {"c"}, {"y"}, {Bool("c"), {"s", DType::kShape, {1}, values}, I32("y")},
                    {CondIf({"c", "s"}, {"y"}, "same", "same")}),
                  R("same", {"s1"}, {"y1"}, {T("s1", DType::kShape), Constant("y1", 5)}, {})}};
  BlockOf(graph, 0).operators[0].op = "CONST_SHAPE";
  const Tensors inputs = {{"c", Integers({1}, DType::kBool)}};
  EXPECT_EQ(Verdict(graph, {inputs}), "error: graph.shape_interface");
  EXPECT_THAT(Values(graph, {inputs}, Setting("tosa-0.100")), ElementsAre(5));
}

// y = GREATER(x, 0) ? EXP(x) : x.
Graph ExpIfPositive() {
  const DType f = DType::kFp32;
  Graph graph = {
      {R("main", {"x", "zero"}, {"y"}, {T("x", f), T("zero", f), Bool("c"), T("y", f)},
         {Op("GREATER", {"x", "zero"}, {"c"}), CondIf({"c", "x"}, {"y"}, "then", "else")}),
       R("then", {"x1"}, {"y1"}, {T("x1", f), T("y1", f)}, {Op("EXP", {"x1"}, {"y1"})}),
       R("else", {"x2"}, {"x2"}, {T("x2", f)}, {})}};
  return graph;
}

TEST(CondIf, HandsOnTheRuleOfWhatComputedAnOutput) {
  const ExpectedOutput exp =
      Outputs(ExpIfPositive(), {{{"x", Floats({1})}, {"zero", Floats({0})}}})[0];
  EXPECT_EQ(exp.rule.kind, RuleKind::kAbsoluteBound);
  EXPECT_EQ(exp.answers[0].expected.Element(0), std::exp(1.0));
  EXPECT_TRUE(exp.answers[0].bound.has_value());
  const ExpectedOutput same =
      Outputs(ExpIfPositive(), {{{"x", Floats({-1})}, {"zero", Floats({0})}}})[0];
  EXPECT_EQ(same.rule.kind, RuleKind::kExact);
  EXPECT_EQ(same.rule.clause, "tosa-1.0, COND_IF: exact");
  EXPECT_EQ(same.answers[0].expected.Element(0), -1);
}

TEST(CondIf, HandsOnWhatHasABoundButNoOperatorStartsFromIt) {
  Graph graph = ExpIfPositive();
  Block& main = BlockOf(graph, 0);
  main.tensors.push_back(T("z", DType::kFp32));
  main.outputs = {"z"};
  main.operators.push_back(CondIf({"c", "y"}, {"z"}, "else", "else"));
  const Tensors inputs = {{"x", Floats({1})}, {"zero", Floats({0})}};
  EXPECT_EQ(Outputs(graph, {inputs})[0].rule.kind, RuleKind::kAbsoluteBound);
  main.operators.back() = CondIf({"c", "y"}, {"z"}, "then", "then");
  EXPECT_THAT(Verdict(graph, {inputs}), HasSubstr("unsupported: EXP (operator 0 of block then): "
                                                  "x1 is judged within bounds"));
}

// 2^-140 is a subnormal fp32: an implementation that flushes it takes the other branch.
TEST(CondIf, FollowsFlushedSubnormalsToTheOtherBranch) {
  const double tiny = std::ldexp(1, -140);
  const ExpectedOutput out =
      Outputs(ExpIfPositive(), {{{"x", Floats({tiny})}, {"zero", Floats({0})}}})[0];
  ASSERT_EQ(out.answers.size(), 2u);
  EXPECT_EQ(out.answers[0].expected.Element(0), 1);  // e^2^-140 in fp64
  EXPECT_TRUE(out.answers[1].flushed);
  EXPECT_EQ(out.answers[1].expected.Element(0), 0);
}

TEST(CondIf, IsUnpredictableWhereFlushingBreaksARequirement) {
  Graph graph = SumOrDifference();
  Block& main = BlockOf(graph, 0);
  main.inputs = {"x", "zero", "a", "b"};
  main.tensors.push_back(T("x", DType::kFp32));
  main.tensors.push_back(T("zero", DType::kFp32));
  // Not above zero: a - b. Flushed, or not positive, the sum overflows.
  main.operators.insert(main.operators.begin(), Op("GREATER_EQUAL", {"zero", "x"}, {"c"}));
  Tensors inputs = {{"x", Floats({std::ldexp(1, -140)})},
                    {"zero", Floats({0})},
                    {"a", Integers({INT32_MAX})},
                    {"b", Integers({1})}};
  const Setting setting;
  const auto evaluation = Evaluate(graph, inputs, setting.edition, setting.level);
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_EQ(evaluation->outcome, Outcome::kUnpredictable);
  EXPECT_EQ(evaluation->violations[0].condition, "integer.overflow");
  inputs.at("x") = Floats({1});
  EXPECT_EQ(Verdict(graph, {inputs}), "valid");
}

TEST(WhileLoop, ComputesFibonacciNumbers) {
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_THAT(Values(Fibonacci(10), {Start()}, Setting(edition)), ElementsAre(10, 55, 89));
    EXPECT_THAT(Values(Fibonacci(1), {Start()}, Setting(edition)), ElementsAre(1, 1, 1));
  }
}

TEST(WhileLoop, HandsOnItsInputsWhereTheConditionIsFalseAtOnce) {
  EXPECT_THAT(Values(Fibonacci(0), {Start()}), ElementsAre(0, 0, 1));
  EXPECT_THAT(Values(Fibonacci(3), {Start(5)}), ElementsAre(5, 0, 1));
}

TEST(WhileLoop, JudgesEveryIteration) {
  EXPECT_EQ(Verdict(Fibonacci(45), {Start()}), "valid");
  // F(47) = 2971215073 does not fit 31 bits.
  EXPECT_EQ(Verdict(Fibonacci(46), {Start()}), "unpredictable: integer.overflow");
}

TEST(WhileLoop, ComparesTheShapesOfItsLists) {
  const auto broken = [](auto change) {
    Graph graph = Fibonacci(3);
    change(graph);
    return Verdict(graph, {Start()});
  };
  const auto extra_input = [](size_t region) {
    return [region](Graph& g) {
      BlockOf(g, region).tensors.push_back(I32("extra"));
      BlockOf(g, region).inputs.push_back("extra");
    };
  };
  EXPECT_EQ(broken(extra_input(1)), "error: while_loop.cond_inputs");
  EXPECT_EQ(broken(extra_input(2)), "error: while_loop.body_inputs");
  EXPECT_EQ(broken([](Graph& g) { BlockOf(g, 2).outputs.pop_back(); }),
            "error: while_loop.body_outputs");
  EXPECT_EQ(broken([](Graph& g) {
              BlockOf(g, 0).operators[0].outputs.pop_back();
              BlockOf(g, 0).outputs.pop_back();
            }),
            "error: while_loop.outputs");
}

TEST(WhileLoop, WantsOneBooleanOfItsConditionGraph) {
  const auto broken = [](auto change) {
    Graph graph = Fibonacci(3);
    change(BlockOf(graph, 1));
    return Verdict(graph, {Start()});
  };
  EXPECT_EQ(broken([](Block& cond) { cond.outputs = {"i1"}; }), "error: while_loop.condition_type");
  EXPECT_EQ(broken([](Block& cond) { cond.outputs.clear(); }), "error: while_loop.condition_size");
  EXPECT_EQ(broken([](Block& cond) { cond.outputs.push_back("c1"); }),
            "error: while_loop.condition_size");
  EXPECT_EQ(broken([](Block& cond) { cond.tensors.back().shape = {2}; }),
            "error: while_loop.condition_size");
}

TEST(WhileLoop, SaysWhatItsConditionsFound) {
  const auto found = [](auto change) {
    Graph graph = Fibonacci(3);
    change(graph);
    return Findings(graph, {Start()});
  };
  EXPECT_EQ(found([](Graph& g) { BlockOf(g, 1).tensors[2].shape = {2}; }),
            "while_loop.cond_inputs: input_list and the inputs of cond_graph differ in shape: "
            "found the shapes [1], [1], [1] and [1], [1], [2]");
  EXPECT_EQ(found([](Graph& g) { BlockOf(g, 2).outputs.pop_back(); }),
            "while_loop.body_outputs: input_list and the outputs of body_graph differ in shape: "
            "found the shapes [1], [1], [1] and [1], [1]");
  EXPECT_EQ(found([](Graph& g) { BlockOf(g, 1).outputs = {"i1"}; }),
            "while_loop.condition_type: the output of cond_graph is not boolean: found i32");
  EXPECT_EQ(found([](Graph& g) { BlockOf(g, 1).outputs.clear(); }),
            "while_loop.condition_size: the output of cond_graph is not one element: found no "
            "output");
  EXPECT_EQ(found([](Graph& g) { BlockOf(g, 1).tensors.back().shape = {2}; }),
            "while_loop.condition_size: the output of cond_graph is not one element: found outputs "
            "of the shapes [2]");
}

TEST(WhileLoop, IsUnpredictableWhereTypesDiffer) {
  Graph graph = Fibonacci(3);
  BlockOf(graph, 1).tensors[1].dtype = DType::kI8;
  EXPECT_EQ(Verdict(graph, {Start()}), "unpredictable: graph.subgraph_types");
}

TEST(WhileLoop, CountsAmongTheNestedOperators) {
  Graph graph = Nested(6);
  Block& innermost = BlockOf(graph, 6);
  for (Region& region : Fibonacci(2).regions) {
    if (region.name != "main") graph.regions.push_back(region);
  }
  innermost.tensors.push_back(Constant("start", 0));
  innermost.operators = {Op("CONST", {}, {"start"}),
                         WhileLoop({"start", "x6", "x6"}, {"n", "y6", "z"})};
  innermost.tensors.push_back(I32("n"));
  innermost.tensors.push_back(I32("z"));
  const Tensors inputs = {{"c0", Integers({1}, DType::kBool)}, {"x0", Integers({7})}};
  EXPECT_EQ(Verdict(graph, {inputs}), "error: while_loop.nesting");
  EXPECT_THAT(Values(graph, {inputs}, Setting("tosa-1.0", "none")), ElementsAre(14));
}

TEST(WhileLoop, StopsAtAStatedNumberOfIterations) {
  EXPECT_EQ(kMaxGraphExecutions, 32768);
  // The condition runs once more than the body.
  Graph graph = Fibonacci(16383);
  BlockOf(graph, 2).operators[2].op = "BITWISE_XOR";  // nothing overflows
  EXPECT_EQ(Values(graph, {Start()})[0], 16383);
  EXPECT_THAT(Verdict(graph, {Start(-1)}),
              HasSubstr("unsupported: WHILE_LOOP (operator 0): still running; the reference stops "
                        "after 32768 executions"));
}

TEST(WhileLoop, ThatNeverEndsIsReportedAsSuch) {
  Graph graph = Fibonacci(1);
  BlockOf(graph, 2).outputs = {"i2", "b2", "b2"};
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_THAT(Verdict(graph, {Start()}, Setting(edition)), HasSubstr("unsupported: WHILE_LOOP"));
  }
}

// A loop within a loop.
TEST(WhileLoop, CountsTheExecutionsOfAllGraphsTogether) {
  Graph graph = Fibonacci(1 << 10);
  graph.regions.push_back(R("cond_inner", {"k3"}, {"c3"},
                            {I32("k3"), Constant("n3", 16), Bool("c3")},
                            {Op("GREATER", {"n3", "k3"}, {"c3"})}));
  graph.regions.push_back(R("body_inner", {"k4"}, {"l4"},
                            {I32("k4"), Constant("one4", 1), I32("l4")},
                            {Op("ADD", {"k4", "one4"}, {"l4"})}));
  Block& body = BlockOf(graph, 2);
  body.tensors.push_back(I32("s3"));
  body.tensors.push_back(Constant("zero", 0));
  body.operators = {Op("CONST", {}, {"one"}), Op("CONST", {}, {"zero"}),
                    Op("ADD", {"i2", "one"}, {"j2"}),
                    WhileLoop({"zero"}, {"s2"}, "cond_inner", "body_inner")};
  EXPECT_THAT(Verdict(graph, {Start()}), HasSubstr("after 32768 executions"));  // 2^10 * 35
  EXPECT_EQ(Values(graph, {Start(512)})[0], 1024);
}

// 100 branches with 100 more in each, six levels deep: 10^12 executions in a small graph.
TEST(CondIf, ThatMultipliesFromLevelToLevelIsStopped) {
  Graph graph = Nested(6);
  for (size_t k = 0; k < 6; ++k) {
    Block& block = BlockOf(graph, k);
    for (int n = 0; n < 99; ++n) {
      GraphOperator again = block.operators[0];
      again.outputs = {StrCat(again.outputs[0], "_", n)};
      block.tensors.push_back(I32(again.outputs[0]));
      block.operators.push_back(std::move(again));
    }
  }
  const Tensors inputs = {{"c0", Integers({1}, DType::kBool)}, {"x0", Integers({7})}};
  EXPECT_THAT(Verdict(graph, {inputs}), HasSubstr("unsupported: COND_IF (operator "));
}

TEST(WhileLoop, NeedsAConditionWithOneValue) {
  const DType f = DType::kFp32;
  const Graph graph = {{R("main", {"x"}, {"y"}, {T("x", f), T("y", f)}, {WhileLoop({"x"}, {"y"})}),
                        R("cond", {"x1"}, {"c1"}, {T("x1", f), T("e1", f), Bool("c1")},
                          {Op("EXP", {"x1"}, {"e1"}), Op("GREATER", {"x1", "e1"}, {"c1"})}),
                        R("body", {"x2"}, {"x2"}, {T("x2", f)}, {})}};
  EXPECT_THAT(Verdict(graph, {{{"x", Floats({1})}}}),
              HasSubstr("GREATER (operator 1 of block cond): e1 is judged within bounds"));
}

TEST(TraceElement, FollowsAnOutputIntoTheGraphThatMakesIt) {
  const Setting setting;
  const Tensors inputs = Given(false);
  const auto elements =
      TraceElement(SumOrDifference(), inputs, setting.edition, setting.level, "y", 0);
  ASSERT_TRUE(elements.ok()) << elements.status();
  ASSERT_EQ(elements->size(), 2u);
  EXPECT_EQ((*elements)[0].tensor, "a2");
  EXPECT_EQ((*elements)[1].tensor, "b2");
  EXPECT_EQ((*elements)[1].integer, 12);
  // The last iteration of a loop: 8 = 3 + 5.
  const auto last = TraceElement(Fibonacci(5), Start(), setting.edition, setting.level, "r", 0);
  ASSERT_TRUE(last.ok()) << last.status();
  ASSERT_EQ(last->size(), 2u);
  EXPECT_EQ((*last)[0].integer, 3);
  EXPECT_EQ((*last)[1].integer, 5);
}

}  // namespace
}  // namespace cts
