// Symbolic programs, with values worked out by hand.
#include "reference/evaluate/resolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "reference/evaluate/native.h"
#include "reference/evaluate/testing.h"
#include "reference/graph/symbols.h"

namespace cts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_graph::I32;
using testing_graph::Names;
using testing_graph::Op;
using testing_graph::R;
using testing_graph::T;
using testing_graph::Tensors;

const Edition& Tosa10() { return **FindEdition("tosa-1.0"); }
const Level& Level8K() { return *Tosa10().FindLevel("8K"); }

// A tensor whose dimensions are sizes or, where `symbols` has one, symbols.
GraphTensor Symbolic(GraphTensor tensor, std::vector<std::string> symbols) {
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (!symbols[i].empty()) tensor.shape[i] = -1;
  }
  tensor.symbols = std::move(symbols);
  return tensor;
}
GraphTensor Index(std::string name) { return T(std::move(name), DType::kShape, {1}); }
Tensor Values(const Shape& shape, const std::vector<int64_t>& values) {
  return Tensor::OfIntegers(DType::kI32, shape, values);
}

struct Answered {
  std::string verdict;  // "valid", "error: symbol.unbound", or the message of a status
  std::vector<Tensor> outputs;
};

// The answer of the program, both directly and through its static graph. The two must be the same,
// and so must the result of builtin:native.
Answered Ask(const Graph& program, const Binding& binding, const Tensors& inputs) {
  const ExecutionInputs given(&inputs, &binding);
  const auto direct = EvaluateSequence(program, {given}, Tosa10(), Level8K());
  if (!direct.ok()) return {Message(direct.status()), {}};
  const Evaluation& evaluation = direct->front();
  Answered answered{std::string(Name(evaluation.outcome)), {}};
  for (const Violation& violation : evaluation.violations) {
    answered.verdict += StrCat(": ", violation.condition);
  }
  const auto native = ExecuteNativeSequence(program, {given}, Tosa10(), Level8K());
  EXPECT_TRUE(native.ok()) << native.status();
  if (!native.ok()) return answered;
  EXPECT_EQ(native->front().outcome, evaluation.outcome);
  const auto resolution = Resolve(program, binding, inputs, Tosa10(), Level8K());
  EXPECT_TRUE(resolution.ok()) << resolution.status();
  if (!resolution.ok()) return answered;
  if (!resolution->graph) {
    EXPECT_EQ(resolution->violations[0].condition, evaluation.violations[0].condition);
    return answered;
  }
  EXPECT_TRUE(RequireStatic(*resolution->graph).ok());
  const auto after = Evaluate(*resolution->graph, inputs, Tosa10(), Level8K());
  EXPECT_TRUE(after.ok()) << after.status();
  if (!after.ok()) return answered;
  EXPECT_EQ(after->outcome, evaluation.outcome);
  for (size_t i = 0; i < evaluation.outputs.size(); ++i) {
    const Tensor& expected = evaluation.outputs[i].answers[0].expected;
    EXPECT_EQ(after->outputs[i].answers[0].expected, expected);
    if (!IsFloat(evaluation.outputs[i].dtype)) {
      EXPECT_EQ(native->front().outputs.at(evaluation.outputs[i].name), expected);
    }
    answered.outputs.push_back(expected);
  }
  return answered;
}

// One operator over index values that are constants.
Graph OverConstants(const GraphTensor& output, const std::string& op,
                    const std::vector<int64_t>& values,
                    std::map<std::string, AttributeValue> attributes = {}) {
  std::vector<GraphTensor> tensors = {output};
  std::vector<GraphOperator> operators;
  Names inputs;
  for (const int64_t value : values) {
    inputs.push_back(StrCat("i", inputs.size()));
    tensors.push_back(Index(inputs.back()));
    operators.push_back(Op("INDEX_CONST", {}, {inputs.back()}, {{"value", value}}));
  }
  operators.push_back(Op(op, inputs, {output.name}, std::move(attributes)));
  return {{R("main", {}, {output.name}, std::move(tensors), std::move(operators))}};
}

Graph Range(DType type, const std::vector<int64_t>& range) {
  return OverConstants(Symbolic(T("y", type, {0}), {"y_0"}), "IOTA", range);
}

TEST(Symbolic, IotaCountsAsARangeDoes) {
  EXPECT_THAT(Ask(Range(DType::kI32, {4}), {}, {}).outputs, ElementsAre(Values({4}, {0, 1, 2, 3})));
  EXPECT_THAT(Ask(Range(DType::kI32, {-2, 1}), {}, {}).outputs,
              ElementsAre(Values({3}, {-2, -1, 0})));
  EXPECT_THAT(Ask(Range(DType::kI32, {1, 8, 3}), {}, {}).outputs,
              ElementsAre(Values({3}, {1, 4, 7})));
  EXPECT_THAT(Ask(Range(DType::kI32, {1, 7, 3}), {}, {}).outputs, ElementsAre(Values({2}, {1, 4})));
  EXPECT_THAT(Ask(Range(DType::kI32, {5, 0, -2}), {}, {}).outputs,
              ElementsAre(Values({3}, {5, 3, 1})));
}

TEST(Symbolic, IotaRefusesWhatItHasNot) {
  EXPECT_EQ(Ask(Range(DType::kI32, {0}), {}, {}).verdict, "error: iota.range");
  EXPECT_EQ(Ask(Range(DType::kI32, {3, 3}), {}, {}).verdict, "error: iota.range");
  EXPECT_EQ(Ask(Range(DType::kI32, {3, 5, 0}), {}, {}).verdict, "error: iota.range");
  EXPECT_EQ(Ask(Range(DType::kI8, {127, 129}), {}, {}).verdict, "error: iota.range");
  EXPECT_EQ(Ask(Range(DType::kI8, {126, 128}), {}, {}).verdict, "valid");
  EXPECT_EQ(Ask(Range(DType::kFp16, {2048, 2050}), {}, {}).verdict, "error: iota.range");
  EXPECT_EQ(Ask(Range(DType::kFp16, {2046, 2049}), {}, {}).verdict, "valid");
}

TEST(Symbolic, IotaOfMoreThanATensorMayHave) {
  EXPECT_EQ(Ask(Range(DType::kI32, {int64_t{1} << 40}), {}, {}).verdict,
            "unpredictable: graph.tensor_size");
  EXPECT_EQ(Ask(Range(DType::kI32, {INT64_MIN, INT64_MAX}), {}, {}).verdict,
            "unpredictable: graph.tensor_size");
  // A call that the level allows, and the reference does not compute.
  const Graph large = Range(DType::kI8, {(int64_t{1} << 28) + 1});
  const Binding none;
  const Tensors inputs;
  const auto evaluation = EvaluateSequence(large, {{&inputs, &none}}, Tosa10(), Level8K());
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_EQ(evaluation->front().outcome, Outcome::kUnsupported);
  EXPECT_THAT(Message(Resolve(large, none, inputs, Tosa10(), Level8K()).status()),
              HasSubstr("IOTA (operator 1): the reference computes at most 268435456 elements"));
}

TEST(Symbolic, DimsToTensorKeepsTheOrder) {
  const Graph graph = OverConstants(I32("y", {3}), "DIMS_TO_TENSOR", {7, -1, 5});
  EXPECT_THAT(Ask(graph, {}, {}).outputs, ElementsAre(Values({3}, {7, -1, 5})));
  const Graph narrow = OverConstants(T("y", DType::kI8, {1}), "DIMS_TO_TENSOR", {128});
  EXPECT_EQ(Ask(narrow, {}, {}).verdict, "error: symbol.value_range");
  const Graph longer = OverConstants(I32("y", {4}), "DIMS_TO_TENSOR", {7, -1, 5});
  EXPECT_EQ(Ask(longer, {}, {}).verdict, "error: graph.output_shape");
}

// One input [N, 2], one operator on it.
Graph OnInput(const GraphTensor& output, const std::string& op,
              std::map<std::string, AttributeValue> attributes, GraphTensor x = I32("x", {1, 2}),
              const std::vector<std::string>& symbols = {"N", ""}) {
  return {{R("main", {"x"}, {output.name}, {Symbolic(std::move(x), symbols), output},
             {Op(op, {"x"}, {output.name}, std::move(attributes))})}};
}

TEST(Symbolic, ExpandDimsInsertsBeforeTheDimensionsThatItNames) {
  const auto expand = [](std::vector<int64_t> indices, GraphTensor y,
                         std::vector<std::string> symbols) {
    return Ask(OnInput(Symbolic(std::move(y), std::move(symbols)), "EXPAND_DIMS",
                       {{"indices", std::move(indices)}}),
               {{"N", 3}}, {{"x", Values({3, 2}, {1, 2, 3, 4, 5, 6})}});
  };
  EXPECT_THAT(expand({0, 2}, I32("y", {1, 0, 2, 1}), {"", "y_1", "", ""}).outputs,
              ElementsAre(Values({1, 3, 2, 1}, {1, 2, 3, 4, 5, 6})));
  EXPECT_THAT(expand({1}, I32("y", {0, 1, 2}), {"y_0", "", ""}).outputs,
              ElementsAre(Values({3, 1, 2}, {1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(expand({3}, I32("y", {0, 2, 1}), {"y_0", "", ""}).verdict,
            "error: expand_dims.indices");
  EXPECT_EQ(expand({1, 1}, I32("y", {0, 1, 1, 2}), {"y_0", "", "", ""}).verdict,
            "error: expand_dims.indices");
}

TEST(Symbolic, CollapseDimsRemovesLiteralOnesOnly) {
  const auto collapse = [](std::vector<int64_t> indices, GraphTensor y,
                           std::vector<std::string> symbols) {
    return Ask(
        OnInput(Symbolic(std::move(y), std::move(symbols)), "COLLAPSE_DIMS",
                {{"indices", std::move(indices)}}, I32("x", {1, 1, 2, 1}), {"", "N", "", ""}),
        {{"N", 1}}, {{"x", Values({1, 1, 2, 1}, {8, 9})}});
  };
  EXPECT_THAT(collapse({0, 3}, I32("y", {0, 2}), {"y_0", ""}).outputs,
              ElementsAre(Values({1, 2}, {8, 9})));
  EXPECT_EQ(collapse({0, 1}, I32("y", {2, 1}), {"", ""}).verdict, "error: collapse_dims.not_one");
  EXPECT_EQ(collapse({3, 0}, I32("y", {0, 2}), {"y_0", ""}).verdict,
            "error: collapse_dims.indices");
}

// x[N, 2] + y[K, 2].
Graph Sum(std::vector<std::string> of_x, std::vector<std::string> of_y) {
  return {{R("main", {"x", "y"}, {"z"},
             {Symbolic(I32("x", {1, 2}), std::move(of_x)),
              Symbolic(I32("y", {1, 2}), std::move(of_y)), Symbolic(I32("z", {1, 2}), {"z_0", ""})},
             {Op("ADD", {"x", "y"}, {"z"})})}};
}

TEST(Symbolic, OnlyALiteralOneBroadcasts) {
  const Tensors inputs = {{"x", Values({2, 2}, {1, 2, 3, 4})}, {"y", Values({1, 2}, {10, 20})}};
  EXPECT_THAT(Ask(Sum({"N", ""}, {}), {{"N", 2}}, inputs).outputs,
              ElementsAre(Values({2, 2}, {11, 22, 13, 24})));
  EXPECT_EQ(Ask(Sum({"N", ""}, {"K", ""}), {{"N", 2}, {"K", 1}}, inputs).verdict,
            "error: symbol.broadcast");
  const Tensors ones = {{"x", Values({1, 2}, {1, 2})}, {"y", Values({1, 2}, {10, 20})}};
  EXPECT_EQ(Ask(Sum({"N", ""}, {"K", ""}), {{"N", 1}, {"K", 1}}, ones).verdict, "valid");
}

TEST(Symbolic, RefusesBindings) {
  const Tensors inputs = {{"x", Values({2, 2}, {1, 2, 3, 4})}};
  const Graph sum = Sum({"N", ""}, {"N", ""});
  EXPECT_EQ(Ask(sum, {}, {}).verdict, "error: symbol.unbound");
  EXPECT_EQ(Ask(sum, {{"N", 0}}, {}).verdict, "error: symbol.not_positive");
  EXPECT_EQ(Ask(sum, {{"N", -4}}, {}).verdict, "error: symbol.not_positive");
  EXPECT_EQ(Ask(sum, {{"N", 3}}, inputs).verdict, "error: symbol.contradiction");
  // A dimension of the result, as the binding has it and as the operator makes it.
  const Tensors both = {{"x", Values({2, 2}, {1, 2, 3, 4})}, {"y", Values({2, 2}, {1, 1, 1, 1})}};
  EXPECT_EQ(Ask(sum, {{"N", 2}, {"z_0", 5}}, both).verdict, "error: symbol.contradiction");
  EXPECT_EQ(Ask(sum, {{"N", 2}, {"z_0", 2}}, both).verdict, "valid");
  EXPECT_THAT(Ask(sum, {{"N", 2}, {"M", 2}}, both).verdict,
              HasSubstr("found symbol M, which no tensor has; the inputs have N"));
  // 2^62 rows of 8 bytes are more than can be counted, of x and of y.
  constexpr int64_t kHuge = int64_t{1} << 62;
  EXPECT_EQ(Ask(sum, {{"N", kHuge}}, {}).verdict,
            "unpredictable: graph.tensor_size: graph.tensor_size");
  // That outranks everything else that is wrong, as in a static graph.
  EXPECT_EQ(Ask(Sum({"N", ""}, {"K", ""}), {{"N", kHuge}, {"K", 1}}, {}).verdict,
            "unpredictable: graph.tensor_size");
  EXPECT_EQ(Ask(sum, {{"N", kHuge}}, inputs).verdict,
            "unpredictable: symbol.contradiction: graph.tensor_size: graph.tensor_size");
}

// y[?, ?] = x[N, M] from the start and of the size that `where` holds.
Graph SliceAt() {
  std::vector<GraphTensor> tensors = {Symbolic(I32("x", {1, 1}), {"N", "M"}), I32("where", {4}),
                                      Symbolic(I32("y", {1, 1}), {"y_0", "y_1"})};
  std::vector<GraphOperator> operators;
  Names operands = {"x"};
  for (int64_t i = 0; i < 4; ++i) {
    operands.push_back(StrCat("i", i));
    tensors.push_back(Index(operands.back()));
    operators.push_back(Op("EXTRACT_DIM", {"where"}, {operands.back()}, {{"dim_index", i}}));
  }
  operators.push_back(Op("DATA_DEPENDENT_SLICE", operands, {"y"}));
  return {{R("main", {"x", "where"}, {"y"}, std::move(tensors), std::move(operators))}};
}

TEST(Symbolic, ASliceDependsOnData) {
  const Binding binding = {{"N", 2}, {"M", 3}};
  const auto slice = [&](const std::vector<int64_t>& where) {
    return Ask(SliceAt(), binding,
               {{"x", Values({2, 3}, {1, 2, 3, 4, 5, 6})}, {"where", Values({4}, where)}});
  };
  EXPECT_THAT(slice({1, 0, 1, 2}).outputs, ElementsAre(Values({1, 2}, {4, 5})));
  EXPECT_THAT(slice({0, 1, 2, 2}).outputs, ElementsAre(Values({2, 2}, {2, 3, 5, 6})));
  EXPECT_EQ(slice({0, 2, 2, 2}).verdict, "error: slice.end_range");
  EXPECT_EQ(slice({-1, 0, 2, 2}).verdict, "error: slice.start_negative");
  EXPECT_EQ(slice({0, 0, 0, 2}).verdict, "error: symbol.not_positive");
}

// An index value that nothing needs may be larger than a size of the level.
TEST(Symbolic, WhatAnExtractedElementDependsOnHasNoOtherIndexValues) {
  const Graph graph = {{R("main", {"x"}, {"y"},
                          {I32("x", {1}), I32("copy", {1}), Index("large"), Index("i"),
                           Symbolic(I32("y", {1}), {"y_0"})},
                          {Op("INDEX_CONST", {}, {"large"}, {{"value", int64_t{1} << 40}}),
                           Op("IDENTITY", {"x"}, {"copy"}),
                           Op("EXTRACT_DIM", {"copy"}, {"i"}, {{"dim_index", int64_t{0}}}),
                           Op("IOTA", {"i"}, {"y"})})}};
  EXPECT_THAT(Ask(graph, {}, {{"x", Values({1}, {3})}}).outputs,
              ElementsAre(Values({3}, {0, 1, 2})));
}

// y counts from -2 to 0, or to 1 if x is more than 0. For a subnormal x both are possible.
TEST(Symbolic, NoShapeDependsOnWhatIsFlushed) {
  const auto zero = std::make_shared<const Tensor>(Tensor::OfFloats(DType::kFp32, {1}, {0.0}));
  GraphTensor constant = T("zero", DType::kFp32, {1});
  constant.values = zero;
  const Graph graph = {
      {R("main", {"x"}, {"y"},
         {T("x", DType::kFp32, {1}), constant, T("more", DType::kBool, {1}),
          T("count", DType::kI8, {1}), Index("i"), Index("from"), Symbolic(I32("y", {1}), {"y_0"})},
         {Op("GREATER", {"x", "zero"}, {"more"}), Op("CAST", {"more"}, {"count"}),
          Op("EXTRACT_DIM", {"count"}, {"i"}, {{"dim_index", int64_t{0}}}),
          Op("INDEX_CONST", {}, {"from"}, {{"value", int64_t{-2}}}),
          Op("IOTA", {"from", "i"}, {"y"})})}};
  const auto inputs = [](double x) {
    return Tensors{{"x", Tensor::OfFloats(DType::kFp32, {1}, {x})}};
  };
  EXPECT_THAT(Ask(graph, {}, inputs(1)).outputs, ElementsAre(Values({3}, {-2, -1, 0})));
  const Binding none;
  const Tensors subnormal = inputs(0x1p-140);
  const auto evaluation = EvaluateSequence(graph, {{&subnormal, &none}}, Tosa10(), Level8K());
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_EQ(evaluation->front().outcome, Outcome::kUnsupported);
  EXPECT_EQ(evaluation->front().message,
            "the shape of y depends on whether subnormal numbers are flushed");
  EXPECT_TRUE(evaluation->front().outputs.empty());
  EXPECT_THAT(Message(Resolve(graph, none, subnormal, Tosa10(), Level8K()).status()),
              HasSubstr("depend on whether subnormal numbers are flushed, and a dimension"));
}

// A name of a case has 100 letters at most.
TEST(Symbolic, NamesOfTheStaticGraphAreThoseThatACaseMayHave) {
  Graph graph = SliceAt();
  Block& block = graph.main();
  const std::string longest(100, 'y');
  for (GraphTensor& tensor : block.tensors) {
    if (tensor.name == "y") tensor.name = longest;
  }
  // The first that the constants would get.
  block.tensors.push_back(I32(std::string(94, 'y') + "_start", {4}));
  block.operators.back().outputs = {longest};
  block.operators.push_back(Op("IDENTITY", {"where"}, {block.tensors.back().name}));
  block.outputs = {longest, block.tensors.back().name};
  const Tensors inputs = {{"x", Values({2, 3}, {1, 2, 3, 4, 5, 6})},
                          {"where", Values({4}, {0, 1, 2, 2})}};
  const Binding binding = {{"N", 2}, {"M", 3}};
  EXPECT_EQ(Ask(graph, binding, inputs).verdict, "valid");
  const auto resolution = Resolve(graph, binding, inputs, Tosa10(), Level8K());
  ASSERT_TRUE(resolution.ok()) << resolution.status();
  std::set<std::string> names;
  for (const GraphTensor& tensor : resolution->graph->main().tensors) {
    EXPECT_LE(tensor.name.size(), 100u);
    EXPECT_TRUE(names.insert(tensor.name).second) << tensor.name;
  }
}

TEST(Symbolic, AConvolutionTakesItsParametersInTheirOrder) {
  // One row and one column of kernel elements tell top from left: 1x1 kernel, padding only.
  std::vector<GraphTensor> tensors = {
      Symbolic(T("x", DType::kI8, {1, 1, 1, 1}), {"", "H", "W", ""}),
      T("w", DType::kI8, {1, 1, 1, 1}),
      I32("b", {1}),
      T("xz", DType::kI8, {1}),
      T("wz", DType::kI8, {1}),
      Symbolic(I32("y", {1, 1, 1, 1}), {"", "y_1", "y_2", ""})};
  std::vector<GraphOperator> operators;
  Names operands = {"x", "w", "b", "xz", "wz"};
  // Top 1, bottom 0, left 0, right 2; stride 1 down and 2 across; dilation 1.
  for (const int64_t value : {1, 0, 0, 2, 1, 2, 1, 1}) {
    operands.push_back(StrCat("i", operands.size()));
    tensors.push_back(Index(operands.back()));
    operators.push_back(Op("INDEX_CONST", {}, {operands.back()}, {{"value", value}}));
  }
  operators.push_back(
      Op("DATA_DEPENDENT_CONV2D", operands, {"y"}, {{"acc_type", std::string("INT32")}}));
  const Graph graph = {
      {R("main", {"x", "w", "b", "xz", "wz"}, {"y"}, std::move(tensors), std::move(operators))}};
  const auto i8 = [](const Shape& shape, const std::vector<int64_t>& values) {
    return Tensor::OfIntegers(DType::kI8, shape, values);
  };
  const Answered answered = Ask(graph, {{"H", 2}, {"W", 3}},
                                {{"x", i8({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6})},
                                 {"w", i8({1, 1, 1, 1}, {10})},
                                 {"b", Values({1}, {7})},
                                 {"xz", i8({1}, {0})},
                                 {"wz", i8({1}, {0})}});
  EXPECT_EQ(answered.verdict, "valid");
  // Rows: padding, 1 2 3, 4 5 6; columns 0, 2 and 4, of which the last is padding.
  EXPECT_THAT(answered.outputs, ElementsAre(Values({1, 3, 3, 1}, {7, 7, 7, 17, 37, 7, 47, 67, 7})));
}

TEST(Symbolic, GatherTakesItsIndicesBatchByBatch) {
  const auto gather = [](const std::vector<int64_t>& indices) {
    std::vector<GraphTensor> tensors = {Symbolic(I32("x", {2, 1, 1}), {"", "K", ""}),
                                        Symbolic(I32("y", {2, 1, 1}), {"", "y_1", ""})};
    std::vector<GraphOperator> operators;
    Names operands = {"x"};
    for (const int64_t index : indices) {
      operands.push_back(StrCat("i", operands.size()));
      tensors.push_back(Index(operands.back()));
      operators.push_back(Op("INDEX_CONST", {}, {operands.back()}, {{"value", index}}));
    }
    operators.push_back(Op("DATA_DEPENDENT_GATHER", operands, {"y"}));
    const Graph graph = {{R("main", {"x"}, {"y"}, std::move(tensors), std::move(operators))}};
    return Ask(graph, {{"K", 3}}, {{"x", Values({2, 3, 1}, {1, 2, 3, 4, 5, 6})}});
  };
  EXPECT_THAT(gather({2, 0, 1, 1}).outputs, ElementsAre(Values({2, 2, 1}, {3, 1, 5, 5})));
  EXPECT_EQ(gather({2, 0, 1}).verdict, "error: symbol.index_count");
  EXPECT_EQ(gather({2, int64_t{1} << 31}).verdict, "error: symbol.value_range");
}

// As many indices for each batch: of no batch, and of less than none, too.
TEST(Symbolic, GatherOfNoBatchHasADimensionBelowOne) {
  for (const int64_t batches : {0, -2}) {
    std::vector<GraphTensor> tensors = {Symbolic(I32("x", {batches, 1, 1}), {"", "K", ""}),
                                        Index("i"),
                                        Symbolic(I32("y", {batches, 1, 1}), {"", "y_1", ""})};
    const Graph graph = {{R("main", {"x"}, {"y"}, std::move(tensors),
                            {Op("INDEX_CONST", {}, {"i"}, {{"value", int64_t{0}}}),
                             Op("DATA_DEPENDENT_GATHER", {"x", "i"}, {"y"})})}};
    EXPECT_THAT(Ask(graph, {{"K", 3}}, {}).verdict, HasSubstr("unpredictable: graph.dimension"));
  }
}

// A fault of a static operator is also one of that in the static graph.
TEST(Symbolic, AnOperatorHasAsManyOutputsAsInTheStaticGraph) {
  const Graph graph = {
      {R("main", {"x"}, {"y", "z"},
         {Symbolic(I32("x", {1, 2}), {"N", ""}), Symbolic(I32("y", {1, 2}), {"y_0", ""}),
          Symbolic(I32("z", {1, 2}), {"z_0", ""})},
         {Op("IDENTITY", {"x"}, {"y", "z"})})}};
  EXPECT_EQ(Ask(graph, {{"N", 1}}, {{"x", Values({1, 2}, {1, 2})}}).verdict,
            "error: graph.operand_count");
}

// A size of 0 is the program's own, and no symbol's.
TEST(Symbolic, AnInputWithoutElementsIsNone) {
  const Graph range = {
      {R("main", {"x"}, {"y"}, {I32("x", {0}), Index("i"), Symbolic(I32("y", {1}), {"y_0"})},
         {Op("GET_DIM", {"x"}, {"i"}, {{"dim_index", int64_t{0}}}), Op("IOTA", {"i"}, {"y"})})}};
  EXPECT_EQ(Ask(range, {}, {}).verdict, "unpredictable: graph.dimension");
  const Graph copy =
      OnInput(Symbolic(I32("y", {1, 1}), {"y_0", "y_1"}), "IDENTITY", {}, I32("x", {1, 0}));
  EXPECT_EQ(Ask(copy, {{"N", 1}}, {}).verdict, "unpredictable: graph.dimension");
}

// If no size follows, the operator says why; the binding of its result is not blamed.
TEST(Symbolic, WhatHasNoSizeContradictsNothing) {
  const Graph graph = OnInput(Symbolic(I32("y", {1, 1}), {"y_0", "y_1"}), "TRANSPOSE",
                              {{"perms", std::vector<int64_t>{0, 5}}});
  EXPECT_THAT(
      Ask(graph, {{"N", 3}, {"y_0", 7}}, {{"x", Values({3, 2}, {1, 2, 3, 4, 5, 6})}}).verdict,
      HasSubstr("error: transpose."));
}

TEST(Symbolic, ReshapeTakesTheSizesOfItsSymbols) {
  std::vector<GraphTensor> tensors = {Symbolic(I32("x", {1, 6}), {"N", ""}), Index("n"),
                                      Index("three"),
                                      Symbolic(I32("y", {1, 2, 1}), {"y_0", "", "y_2"})};
  const auto graph = [&](int64_t value, std::vector<int64_t> new_shape) {
    return Graph{
        {R("main", {"x"}, {"y"}, tensors,
           {Op("GET_DIM", {"x"}, {"n"}, {{"dim_index", int64_t{0}}}),
            Op("INDEX_CONST", {}, {"three"}, {{"value", value}}),
            Op("RESHAPE", {"x", "three", "n"}, {"y"}, {{"new_shape", std::move(new_shape)}})})}};
  };
  const Tensors inputs = {{"x", Values({2, 6}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})}};
  const Answered answered = Ask(graph(3, {-1, 2, -1}), {{"N", 2}}, inputs);
  ASSERT_EQ(answered.verdict, "valid");
  EXPECT_EQ(answered.outputs[0].shape(), (Shape{3, 2, 2}));
  EXPECT_EQ(answered.outputs[0].Integers(), inputs.at("x").Integers());
  EXPECT_EQ(Ask(graph(4, {-1, 2, -1}), {{"N", 2}}, inputs).verdict, "error: reshape.size_mismatch");
  EXPECT_THAT(Ask(graph(3, {-1, 3, -1}), {{"N", 2}}, inputs).verdict,
              HasSubstr("new_shape: found [-1,3,-1] for y: i32[y_0,2,y_2]"));
  EXPECT_THAT(Ask(graph(3, {3, 2, -1}), {{"N", 2}}, inputs).verdict,
              HasSubstr("found 3 inputs, expected 1 tensor and 1 index value"));
}

TEST(Symbolic, RefusesWhatIsNoProgram) {
  const auto ask = [](const Graph& graph) { return Ask(graph, {{"N", 1}}, {}).verdict; };
  EXPECT_THAT(ask(OnInput(I32("y", {1}), "GET_DIM", {{"dim_index", int64_t{0}}})),
              HasSubstr("GET_DIM (operator 0): output y: found i32[1], expected an index value"));
  EXPECT_THAT(ask(OnInput(Index("y"), "GET_DIM", {{"dim_index", int64_t{0}}})),
              HasSubstr("as an input or output of the graph, expected a tensor"));
  EXPECT_THAT(ask(OnInput(I32("y", {2}), "EXPAND_DIMS", {})),
              HasSubstr("expected attribute indices, a list of integers"));
  EXPECT_THAT(ask(OnInput(I32("y", {2}), "DIMS_TO_TENSOR", {})),
              HasSubstr("input x: found i32[N,2], expected an index value"));
  EXPECT_THAT(ask(OnInput(I32("y", {2}), "IOTAS", {})), HasSubstr("has no operator of that name"));
  EXPECT_THAT(
      ask({{R("main", {}, {"y"}, {Symbolic(I32("y", {1}), {"y_0"})}, {Op("CONST", {}, {"y"})})}}),
      HasSubstr("CONST (operator 0): output y: found i32[y_0], expected no symbol"));
}

// Everybody who resolves it is told the same. It may be what a file says.
TEST(Symbolic, HasNoStaticGraphOfWhatIsNoProgram) {
  const auto ask = [](const Graph& graph) {
    return Message(Resolve(graph, {{"N", 1}}, {}, Tosa10(), Level8K()).status());
  };
  const auto two = [](GraphOperator op) {
    return Graph{
        {R("main", {"x"}, {"y"},
           {Symbolic(I32("x", {1, 2}), {"N", ""}), Index("i"), Symbolic(I32("y", {1}), {"y_0"})},
           {std::move(op), Op("IOTA", {"i"}, {"y"})})}};
  };
  EXPECT_THAT(ask(two(Op("INDEX_CONST", {}, {"i"}))),
              HasSubstr("INDEX_CONST (operator 0): expected attribute value, an integer"));
  EXPECT_THAT(ask(two(Op("GET_DIM", {"x"}, {"i"}, {{"dim_index", std::string("N")}}))),
              HasSubstr("expected attribute dim_index, an integer"));
  EXPECT_THAT(ask(two(Op("GET_DIM", {}, {"i"}, {{"dim_index", int64_t{0}}}))),
              HasSubstr("found 0 inputs, expected 1 tensor"));
  EXPECT_THAT(ask(two(Op("CONST_SHAPE", {}, {"i"}))),
              HasSubstr("CONST_SHAPE (operator 0): tensor i has no values"));
  EXPECT_THAT(ask(OnInput(I32("y", {2}), "RESHAPE", {{"new_shape", int64_t{2}}})),
              HasSubstr("expected attribute new_shape, a list of integers"));
  EXPECT_THAT(ask(OnInput(Symbolic(I32("y", {1, 2}), {"y_0", ""}), "RESHAPE",
                          {{"new_shape", std::vector<int64_t>{-1, 2}}})),
              HasSubstr("found 1 inputs, expected 1 tensor and 1 index value"));
}

TEST(Symbolic, AStaticGraphIsAskedForByName) {
  EXPECT_THAT(Message(RequireStatic(Sum({"N", ""}, {}))),
              HasSubstr("tensor x: i32[N,2]), expected a static graph; tensor-cts resolve"));
  const auto evaluation = Evaluate(Sum({"N", ""}, {}), {}, Tosa10(), Level8K());
  EXPECT_THAT(Message(evaluation.status()), HasSubstr("expected a static graph"));
}

}  // namespace
}  // namespace cts
