// The checks behind an operator that the reference cannot compute: CUSTOM, tensors that are too
// large, loops without an end, results within bounds.
#include <gmock/gmock.h>

#include "reference/evaluate/execution.h"
#include "reference/evaluate/testing.h"

namespace cts {
namespace {

using namespace testing_graph;  // NOLINT(google-build-using-namespace): helpers of these tests
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

GraphOperator Custom(Names inputs, Names outputs) {
  return Op("CUSTOM", std::move(inputs), std::move(outputs),
            {{"operator_name", std::string("warp")},
             {"domain_name", std::string("example.org")},
             {"implementation_attrs", std::string()}});
}

GraphTensor Given(std::string name, DType type, const std::vector<int64_t>& values) {
  auto tensor = std::make_shared<Tensor>(
      Tensor::OfIntegers(type, {static_cast<int64_t>(values.size())}, values));
  return {std::move(name), type, tensor->shape(), std::move(tensor)};
}

// y = OP(CUSTOM(x), constants).
struct Behind {
  GraphTensor custom;
  std::string op;
  std::vector<GraphTensor> constants;
  GraphTensor result;
  std::map<std::string, AttributeValue> attributes = {};
  bool custom_is_second = false;
};

std::string VerdictOf(const Behind& b, const char* edition = "tosa-1.0") {
  const Setting setting(edition);
  std::vector<GraphTensor> tensors = {I32("x"), b.custom, b.result};
  Names inputs = {b.custom.name};
  for (const GraphTensor& constant : b.constants) {
    tensors.push_back(constant);
    inputs.push_back(constant.name);
  }
  if (b.custom_is_second) std::swap(inputs[0], inputs[1]);
  Graph graph = {
      {R("main", {"x"}, {b.result.name}, tensors,
         {Custom({"x"}, {b.custom.name}), Op(b.op, inputs, {b.result.name}, b.attributes)})}};
  for (GraphOperator& node : graph.main().operators) {
    if (node.op != "CONST") continue;
    if (graph.main().Find(node.outputs[0])->dtype == DType::kShape) node.op = "CONST_SHAPE";
  }
  return Verdict(graph, {{{"x", Integers({1})}}}, setting);
}

TEST(BehindCustom, TypesAreChecked) {
  EXPECT_EQ(VerdictOf({T("c", DType::kI8), "ABS", {}, T("y", DType::kI8)}),
            "error: graph.type_row");
  EXPECT_THAT(VerdictOf({I32("c"), "ABS", {}, I32("y")}),
              HasSubstr("unsupported: CUSTOM (operator 0)"));
}

TEST(BehindCustom, ShapesAreChecked) {
  EXPECT_EQ(VerdictOf({I32("c", {2}), "ABS", {}, I32("y", {3})}), "error: graph.shape");
  EXPECT_EQ(VerdictOf({I32("c", {2}), "ADD", {Constant("k", 1)}, I32("y", {3})}),
            "error: add.broadcast");
  EXPECT_EQ(
      VerdictOf({I32("c", {2, 3}), "REDUCE_SUM", {}, I32("y", {2, 4}), {{"axis", int64_t{0}}}}),
      "error: reduce_sum.output_axis");
  // No condition of the operator compares these dimensions.
  EXPECT_EQ(
      VerdictOf({I32("c", {2, 3}), "REDUCE_SUM", {}, I32("y", {1, 4}), {{"axis", int64_t{0}}}}),
      "error: graph.output_shape");
  EXPECT_EQ(
      VerdictOf({I32("c", {1, 1, 1, 1, 1, 1, 1}), "ABS", {}, I32("y", {1, 1, 1, 1, 1, 1, 1})}),
      "unpredictable: graph.level_rank, graph.level_rank, abs.level_rank");
}

TEST(BehindCustom, AttributesAreChecked) {
  EXPECT_EQ(VerdictOf({I32("c", {2}), "REDUCE_SUM", {}, I32("y", {1}), {{"axis", int64_t{1}}}}),
            "error: reduce_sum.axis_range");
  EXPECT_EQ(VerdictOf({T("c", DType::kI8, {2}),
                       "CLAMP",
                       {},
                       T("y", DType::kI8, {2}),
                       {{"min_val", int64_t{5}},
                        {"max_val", int64_t{-1}},
                        {"nan_mode", std::string("PROPAGATE")}}}),
            "error: clamp.bounds_order");
  EXPECT_EQ(VerdictOf({I32("c", {2}), "REDUCE_SUM", {}, I32("y", {1})}), "error: graph.attribute");
}

TEST(BehindCustom, ConstantsAreChecked) {
  // A zero point of i16.
  EXPECT_EQ(VerdictOf({T("c", DType::kI16, {2}),
                       "NEGATE",
                       {Given("z", DType::kI16, {1}), Given("o", DType::kI16, {0})},
                       T("y", DType::kI16, {2})}),
            "error: negate.input1_zp");
  EXPECT_EQ(VerdictOf({T("c", DType::kI8, {2}),
                       "MUL",
                       {Given("k", DType::kI8, {3}), Given("s", DType::kI8, {1})},
                       I32("y", {2})}),
            "unpredictable: mul.shift_type");
  // Shapes that CONST_SHAPE yields.
  EXPECT_EQ(
      VerdictOf({I32("c", {2}), "RESHAPE", {Given("s", DType::kShape, {1, 3})}, I32("y", {1, 3})}),
      "error: reshape.size_mismatch");
  EXPECT_EQ(
      VerdictOf({I32("c", {2}), "RESHAPE", {Given("s", DType::kShape, {2, 1})}, I32("y", {1, 2})}),
      "error: graph.output_shape");
  EXPECT_EQ(VerdictOf({I32("c", {4}),
                       "SLICE",
                       {Given("b", DType::kShape, {3}), Given("s", DType::kShape, {2})},
                       I32("y", {2})}),
            "error: slice.end_range");
}

// A zero point that is not known says nothing of the one that is.
TEST(BehindCustom, AZeroPointIsCheckedBesideOneThatIsNotKnown) {
  Graph graph = {
      {R("main", {"x"}, {"y"},
         {T("x", DType::kI16), T("a", DType::kI16, {1, 1, 1}), T("b", DType::kI16, {1, 1, 1}),
          T("az", DType::kI16), Given("bz", DType::kI16, {3}), T("y", DType::kI48, {1, 1, 1})},
         {Custom({"x"}, {"a", "b", "az"}), Op("MATMUL", {"a", "b", "az", "bz"}, {"y"})})}};
  const Tensors inputs = {{"x", Integers({1}, DType::kI16)}};
  EXPECT_EQ(Verdict(graph, {inputs}), "error: matmul.zero_point");
  auto zero = std::make_shared<Tensor>(Integers({0}, DType::kI16));
  for (GraphTensor& tensor : graph.main().tensors) {
    if (tensor.name == "bz") tensor.values = zero;
  }
  EXPECT_THAT(Verdict(graph, {inputs}), HasSubstr("unsupported: CUSTOM"));
}

TEST(BehindCustom, RequirementsOfOperandsThatAreKnownAreChecked) {
  EXPECT_EQ(VerdictOf({I32("c", {2}), "INTDIV", {Given("k", DType::kI32, {1, 0})}, I32("y", {2})}),
            "unpredictable: intdiv.zero_divisor");
  EXPECT_EQ(
      VerdictOf(
          {I32("c", {2}), "LOGICAL_LEFT_SHIFT", {Given("k", DType::kI32, {1, 40})}, I32("y", {2})}),
      "unpredictable: logical_left_shift.shift_range");
  const std::map<std::string, AttributeValue> scale = {
      {"scale32", true},
      {"rounding_mode", std::string("SINGLE_ROUND")},
      {"per_channel", false},
      {"input_unsigned", false},
      {"output_unsigned", false}};
  const auto rescale = [&](int64_t multiplier, int64_t shift) {
    return VerdictOf({I32("c", {2}),
                      "RESCALE",
                      {Given("m", DType::kI32, {multiplier}), Given("s", DType::kI8, {shift}),
                       Given("z", DType::kI32, {0}), Given("o", DType::kI32, {0})},
                      I32("y", {2}),
                      scale});
  };
  EXPECT_EQ(rescale(1 << 30, 63), "unpredictable: apply_scale_32.shift_range");
  EXPECT_EQ(rescale(-1, 30), "unpredictable: apply_scale_32.multiplier_negative");
  EXPECT_THAT(rescale(1 << 30, 30), HasSubstr("unsupported"));
  Behind gather = {I32("c", {1, 3, 1}), "GATHER", {}, I32("y", {1, 1, 1})};
  gather.constants = {
      GraphTensor{"i",
                  DType::kI32,
                  {1, 1},
                  std::make_shared<Tensor>(Tensor::OfIntegers(DType::kI32, {1, 1}, {3}))}};
  EXPECT_EQ(VerdictOf(gather), "unpredictable: gather.index_range");
}

// Values that depend on CUSTOM's results are unknown: a divisor, an exponent, an index.
TEST(BehindCustom, NothingIsSaidOfValuesThatAreNotKnown) {
  EXPECT_THAT(VerdictOf({I32("c"), "INTDIV", {Constant("k", 1)}, I32("y"), {}, true}),
              HasSubstr("unsupported"));
  auto values = std::make_shared<Tensor>(Floats({0}));
  const GraphTensor zero = {"k", DType::kFp32, {1}, values};
  EXPECT_THAT(VerdictOf({T("c", DType::kFp32), "POW", {zero}, T("y", DType::kFp32)}),
              HasSubstr("unsupported"));
  const GraphTensor negative = {"k", DType::kFp32, {1}, std::make_shared<Tensor>(Floats({-1}))};
  EXPECT_EQ(VerdictOf({T("c", DType::kFp32), "POW", {negative}, T("y", DType::kFp32), {}, true}),
            "unpredictable: pow.base_negative");
}

// The shape of a tensor is known, and so is what the shape operators of 0.100 make of it.
TEST(BehindCustom, ShapesOfItsResultsAreKnown) {
  const auto reshaped = [](const Shape& to) {
    Graph graph = {{R("main", {"x"}, {"y"},
                      {I32("x"), I32("c", {2, 3}), T("d", DType::kShape), T("e", DType::kShape),
                       T("s", DType::kShape, {2}), I32("y", to)},
                      {Custom({"x"}, {"c"}), Op("DIM", {"c"}, {"d"}, {{"axis", int64_t{0}}}),
                       Op("DIM", {"c"}, {"e"}, {{"axis", int64_t{1}}}),
                       Op("CONCAT_SHAPE", {"e", "d"}, {"s"}), Op("RESHAPE", {"c", "s"}, {"y"})})}};
    return Verdict(graph, {{{"x", Integers({1})}}}, Setting("tosa-0.100"));
  };
  EXPECT_THAT(reshaped({3, 2}), HasSubstr("unsupported"));
  EXPECT_EQ(reshaped({1, 6}), "error: graph.output_shape");
}

// Operators that do not depend on CUSTOM are computed, and every condition that their data break is
// found.
TEST(BehindCustom, OperatorsBesideItAreComputed) {
  Graph graph = {{R("main", {"x"}, {"c", "y"}, {I32("x"), I32("c"), Constant("k", 0), I32("y")},
                    {Custom({"x"}, {"c"}), Op("INTDIV", {"x", "k"}, {"y"})})}};
  EXPECT_EQ(Verdict(graph, {{{"x", Integers({1})}}}), "unpredictable: intdiv.zero_divisor");
}

TEST(BehindCustom, TheMessageSaysWhatComesBefore) {
  const Setting setting;
  const Graph graph = {{R("main", {"x"}, {"y"}, {I32("x"), T("c", DType::kI8), T("y", DType::kI8)},
                          {Custom({"x"}, {"c"}), Op("ABS", {"c"}, {"y"})})}};
  const auto evaluation = Evaluate(graph, {{"x", Integers({1})}}, setting.edition, setting.level);
  ASSERT_TRUE(evaluation.ok());
  EXPECT_EQ(evaluation->violations[0].op, "ABS (operator 1)");
  EXPECT_THAT(evaluation->message, HasSubstr("CUSTOM (operator 0)"));
}

// --- Control flow.

// COND_IF of two branches of these types, by a condition of CUSTOM.
std::string Branches(DType then_type, DType else_type) {
  const auto branch = [](const std::string& name, DType type) {
    const std::string x = "x_" + name, a = "a_" + name, y = "y_" + name, z = "z_" + name;
    return R(name, {x}, {y}, {I32(x), T(a, type), T(z, type), I32(y)},
             {Op("CAST", {x}, {a}), Op("ABS", {a}, {z}), Op("IDENTITY", {x}, {y})});
  };
  const Graph graph = {{R("main", {"x"}, {"y"}, {I32("x"), Bool("c"), I32("y")},
                          {Custom({"x"}, {"c"}), CondIf({"c", "x"}, {"y"}, "then", "else")}),
                        branch("then", then_type), branch("else", else_type)}};
  return Verdict(graph, {{{"x", Integers({1})}}});
}

TEST(BehindCustom, ABranchThatMayRunIsNamed) {
  EXPECT_THAT(Branches(DType::kFp32, DType::kFp32), HasSubstr("unsupported"));
  EXPECT_EQ(Branches(DType::kI8, DType::kI8), "error: graph.type_row");
  for (const bool first : {false, true}) {
    EXPECT_THAT(
        first ? Branches(DType::kI8, DType::kFp32) : Branches(DType::kFp32, DType::kI8),
        AllOf(HasSubstr("unsupported: CUSTOM (operator 0)"), HasSubstr("ABS (operator 1 of block "),
              HasSubstr("runs or not"), HasSubstr("graph.type_row")));
  }
}

// A condition may be there so that nothing is divided by zero.
TEST(BehindCustom, ABranchThatOnlyDataForbidIsNotNamed) {
  const Graph graph = {
      {R("main", {"x"}, {"y"}, {I32("x"), Bool("c"), I32("y")},
         {Custom({"x"}, {"c"}), CondIf({"c", "x"}, {"y"}, "then", "else")}),
       R("then", {"x1"}, {"y1"}, {I32("x1"), Constant("k1", 0), I32("y1")},
         {Op("INTDIV", {"x1", "k1"}, {"y1"})}),
       R("else", {"x2"}, {"y2"}, {I32("x2"), I32("y2")}, {Op("IDENTITY", {"x2"}, {"y2"})})}};
  EXPECT_THAT(Verdict(graph, {{{"x", Integers({1})}}}),
              AllOf(HasSubstr("unsupported"), Not(HasSubstr("runs or not"))));
}

// while (cond(v)) v = body(v), from a value of CUSTOM.
std::string Loop(DType in_cond, DType in_body) {
  const auto abs = [](const std::string& name, DType type) {
    return std::vector<GraphTensor>{T("a_" + name, type), T("z_" + name, type)};
  };
  std::vector<GraphTensor> cond = {I32("v1"), Constant("n1", 9), Bool("c1")};
  std::vector<GraphTensor> body = {I32("v2"), Constant("one", 1), I32("w2")};
  for (GraphTensor& t : abs("cond", in_cond)) cond.push_back(t);
  for (GraphTensor& t : abs("body", in_body)) body.push_back(t);
  const Graph graph = {{R("main", {"x"}, {"y"}, {I32("x"), I32("v"), I32("y")},
                          {Custom({"x"}, {"v"}), WhileLoop({"v"}, {"y"})}),
                        R("cond", {"v1"}, {"c1"}, cond,
                          {Op("GREATER", {"n1", "v1"}, {"c1"}), Op("CAST", {"n1"}, {"a_cond"}),
                           Op("ABS", {"a_cond"}, {"z_cond"})}),
                        R("body", {"v2"}, {"w2"}, body,
                          {Op("ADD", {"v2", "one"}, {"w2"}), Op("CAST", {"one"}, {"a_body"}),
                           Op("ABS", {"a_body"}, {"z_body"})})}};
  return Verdict(graph, {{{"x", Integers({1})}}});
}

TEST(BehindCustom, ALoopsConditionRunsAndItsBodyMayRun) {
  EXPECT_THAT(Loop(DType::kFp32, DType::kFp32), HasSubstr("unsupported"));
  EXPECT_EQ(Loop(DType::kI8, DType::kFp32), "error: graph.type_row");
  EXPECT_THAT(Loop(DType::kFp32, DType::kI8),
              AllOf(HasSubstr("unsupported"), HasSubstr("runs or not")));
}

// A branch that is known not to run is not judged, as everywhere (schemas/editions/notes.md).
TEST(BehindCustom, AGraphIsCheckedThatRunsOnWhatIsNotKnown) {
  const auto graph = [](bool taken) {
    auto c = std::make_shared<Tensor>(Tensor::OfIntegers(DType::kBool, {1}, {taken}));
    return Graph{{R("main", {"x"}, {"y"},
                    {I32("x"), T("v", DType::kI8), GraphTensor{"c", DType::kBool, {1}, c},
                     T("y", DType::kI8)},
                    {Custom({"x"}, {"v"}), CondIf({"c", "v"}, {"y"}, "then", "else")}),
                  R("then", {"v1"}, {"y1"}, {T("v1", DType::kI8), T("y1", DType::kI8)},
                    {Op("ABS", {"v1"}, {"y1"})}),
                  R("else", {"v2"}, {"y2"}, {T("v2", DType::kI8), T("y2", DType::kI8)},
                    {Op("BITWISE_NOT", {"v2"}, {"y2"})})}};
  };
  EXPECT_EQ(Verdict(graph(true), {{{"x", Integers({1})}}}), "error: graph.type_row");
  EXPECT_THAT(Verdict(graph(false), {{{"x", Integers({1})}}}), HasSubstr("unsupported"));
}

// Branches that multiply from level to level by a condition that is not known.
TEST(BehindCustom, BranchesThatMultiplyAreStopped) {
  Graph graph = {{R("main", {"x"}, {"y0"}, {I32("x"), Bool("c"), I32("y0")},
                    {Custom({"x"}, {"c"}), CondIf({"c", "c", "x"}, {"y0"}, "r1", "r1")})}};
  const int depth = 40;
  for (int k = 1; k <= depth; ++k) {
    const std::string c = StrCat("c", k), x = StrCat("x", k), y = StrCat("z", k);
    const std::string inner = StrCat("r", k + 1);
    graph.regions.push_back(
        R(StrCat("r", k), {c, x}, {y}, {Bool(c), I32(x), I32(y)},
          {k < depth ? CondIf({c, c, x}, {y}, inner, inner) : Op("IDENTITY", {x}, {y})}));
  }
  EXPECT_THAT(Verdict(graph, {{{"x", Integers({1})}}}, Setting("tosa-1.0", "none")),
              HasSubstr("unsupported"));
}

// --- Variables.

TEST(BehindCustom, VariablesHoldWhatIsNotKnown) {
  const auto named = [] {
    return std::map<std::string, AttributeValue>{{"name", std::string("v")}};
  };
  auto declared = named();
  declared["type"] = std::string("INT8");
  declared["var_shape"] = std::vector<int64_t>{1};
  const auto graph = [&](const std::string& op) {
    return Graph{{R("main", {"x"}, {"y"},
                    {I32("x"), T("c", DType::kI8), T("r", DType::kI8), T("y", DType::kI8)},
                    {Op("VARIABLE", {}, {}, declared), Custom({"x"}, {"c"}),
                     Op("VARIABLE_WRITE", {"c"}, {}, named()), Op(op, {"c"}, {"y"})})}};
  };
  EXPECT_THAT(Verdict(graph("BITWISE_NOT"), {{{"x", Integers({1})}}}), HasSubstr("unsupported"));
  EXPECT_EQ(Verdict(graph("ABS"), {{{"x", Integers({1})}}}), "error: graph.type_row");
  Graph wrong = graph("BITWISE_NOT");
  wrong.main().operators[0].attributes["var_shape"] = std::vector<int64_t>{2};
  EXPECT_EQ(Verdict(wrong, {{{"x", Integers({1})}}}), "unpredictable: variable_write.shape");
}

// --- Other reasons to stop.

TEST(BehindALargeTensor, TheRestIsChecked) {
  const Setting unlimited("tosa-1.0", "none");
  const Shape large = {1 << 15, 1 << 15};
  const auto graph = [&](DType type) {
    return Graph{{R("main", {"x"}, {"y", "b"},
                    {I32("x", {1, 1}), GraphTensor(Given("m", DType::kShape, {1 << 15, 1 << 15})),
                     I32("t", large), I32("y", large), T("a", type), T("b", type)},
                    {Op("TILE", {"x", "m"}, {"t"}), Op("ABS", {"t"}, {"y"}), Custom({"t"}, {"a"}),
                     Op("ABS", {"a"}, {"b"})})}};
  };
  const Tensors inputs = {{"x", Tensor::OfIntegers(DType::kI32, {1, 1}, {1})}};
  Graph wrong = graph(DType::kI8), right = graph(DType::kI32);
  for (Graph* each : {&wrong, &right}) each->main().operators[0].op = "CONST_SHAPE";
  EXPECT_EQ(Verdict(wrong, {inputs}, unlimited), "error: graph.type_row");
  EXPECT_THAT(Verdict(right, {inputs}, unlimited), HasSubstr("at most 268435456 elements"));
}

TEST(BehindAnEndlessLoop, TheRestIsChecked) {
  const auto graph = [](DType type) {
    return Graph{
        {R("main", {"x"}, {"z"}, {I32("x"), I32("y"), T("a", type), T("z", type)},
           {WhileLoop({"x"}, {"y"}), Custom({"y"}, {"a"}), Op("ABS", {"a"}, {"z"})}),
         R("cond", {"v1"}, {"c1"}, {I32("v1"), Bool("c1")}, {Op("EQUAL", {"v1", "v1"}, {"c1"})}),
         R("body", {"v2"}, {"w2"}, {I32("v2"), I32("w2")}, {Op("IDENTITY", {"v2"}, {"w2"})})}};
  };
  EXPECT_EQ(Verdict(graph(DType::kI8), {{{"x", Integers({1})}}}), "error: graph.type_row");
  EXPECT_THAT(Verdict(graph(DType::kI32), {{{"x", Integers({1})}}}), HasSubstr("still running"));
}

TEST(BehindAResultWithinBounds, TheRestIsChecked) {
  const auto graph = [](const Shape& shape) {
    return Graph{{R("main", {"x"}, {"y"},
                    {T("x", DType::kFp32), T("e", DType::kFp32), T("y", DType::kFp32, shape)},
                    {Op("EXP", {"x"}, {"e"}), Op("EXP", {"e"}, {"y"})})}};
  };
  EXPECT_EQ(Verdict(graph({2}), {{{"x", Floats({1})}}}), "error: graph.shape");
  EXPECT_THAT(Verdict(graph({1}), {{{"x", Floats({1})}}}), HasSubstr("judged within bounds"));
}

}  // namespace
}  // namespace cts
