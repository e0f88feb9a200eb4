#include "reference/faults/symbolic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "reference/evaluate/native.h"
#include "reference/evaluate/testing.h"
#include "reference/faults/catalogue.h"
#include "reference/graph/symbols.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

using testing_graph::I32;
using testing_graph::Op;
using testing_graph::R;
using testing_graph::T;
using testing_graph::Tensors;

const Edition& Tosa10() { return **FindEdition("tosa-1.0"); }

TEST(SymbolicFaults, HaveIdsOfTheirOwn) {
  std::set<std::string> ids;
  for (const Fault& fault : FaultsOf(Tosa10())) ids.insert(fault.id);
  for (const Fault& fault : SymbolicFaultsOf(Tosa10())) {
    EXPECT_TRUE(ids.insert(fault.id).second) << fault.id << " stands there twice";
    EXPECT_FALSE(fault.sentence.empty()) << fault.id;
    EXPECT_FALSE(fault.sentence.ends_with(".")) << fault.id;
    EXPECT_FALSE(fault.clause.empty()) << fault.id;
    EXPECT_NE(fault.As<GraphRewrite>() != nullptr, !fault.Missed().empty()) << fault.id;
    EXPECT_EQ(*FindFault(Tosa10(), fault.id), &fault);
  }
  EXPECT_TRUE(SymbolicFaultsOf(**FindEdition("tosa-0.100")).empty());
}

TEST(SymbolicFaults, EveryOperatorAndConditionHasOne) {
  std::set<std::string> ops, accepted;
  for (const Fault& fault : SymbolicFaultsOf(Tosa10())) {
    ops.insert(fault.op);
    accepted.emplace(fault.Missed());
  }
  for (const std::string_view op : SymbolicOperatorNames()) {
    EXPECT_TRUE(ops.contains(std::string(op))) << op;
  }
  for (const Condition& condition : SymbolConditions()) {
    EXPECT_TRUE(accepted.contains(std::string(condition.id))) << condition.id;
  }
}

// y = x[where[0] .. , where[1] ..] of the size where[2], where[3].
Graph SliceAt() {
  const auto open = [](GraphTensor tensor, std::vector<std::string> symbols) {
    tensor.shape.assign(symbols.size(), -1);
    tensor.symbols = std::move(symbols);
    return tensor;
  };
  std::vector<GraphTensor> tensors = {open(I32("x", {1, 1}), {"N", "M"}), I32("where", {4}),
                                      open(I32("y", {1, 1}), {"y_0", "y_1"})};
  std::vector<GraphOperator> operators;
  std::vector<std::string> operands = {"x"};
  for (int64_t i = 0; i < 4; ++i) {
    operands.push_back(StrCat("i", i));
    tensors.push_back(T(operands.back(), DType::kShape, {1}));
    operators.push_back(Op("EXTRACT_DIM", {"where"}, {operands.back()}, {{"dim_index", i}}));
  }
  operators.push_back(Op("DATA_DEPENDENT_SLICE", operands, {"y"}));
  return {{R("main", {"x", "where"}, {"y"}, std::move(tensors), std::move(operators))}};
}

NativeResult SliceWith(const char* id, const std::vector<int64_t>& where) {
  const Tensors inputs = {
      {"x", Tensor::OfIntegers(DType::kI32, {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})},
      {"where", Tensor::OfIntegers(DType::kI32, {4}, where)}};
  const Binding binding = {{"N", 3}, {"M", 3}};
  const auto results = ExecuteFaulty(**FindFault(Tosa10(), id), SliceAt(), {{&inputs, &binding}},
                                     Tosa10(), *Tosa10().FindLevel("8K"));
  EXPECT_TRUE(results.ok()) << results.status();
  return results->front();
}

TEST(SymbolicFaults, AnswerAsTheySay) {
  // Right is [8]: from (2, 1), of size 1 x 1.
  EXPECT_EQ(SliceWith("get_dim.next_dimension", {2, 1, 1, 1}).outputs.at("y").Integers(),
            (std::vector<int64_t>{8}));
  // From (1, 1), of size 2 x 1.
  EXPECT_EQ(
      SliceWith("data_dependent_slice.size_before_start", {2, 1, 1, 1}).outputs.at("y").Integers(),
      (std::vector<int64_t>{5, 8}));
  // From (2, 1), of size 1 x 1: start 2 and size 1 of the rows, start 1 and size 1 of the columns.
  EXPECT_EQ(SliceWith("data_dependent_slice.pairs", {2, 1, 1, 1}).outputs.at("y").Integers(),
            (std::vector<int64_t>{8}));
  // From (0, 1), of size 2 x 2, where right is from (0, 2), of size 1 x 2, which is beyond the end.
  EXPECT_EQ(SliceWith("data_dependent_slice.pairs", {0, 2, 1, 2}).outputs.at("y").Integers(),
            (std::vector<int64_t>{2, 3, 5, 6}));
  EXPECT_EQ(SliceWith("extract_dim.first_element", {1, 0, 2, 2}).outputs.at("y").Integers(),
            (std::vector<int64_t>{5}));
}

TEST(SymbolicFaults, AcceptWhatIsBroken) {
  EXPECT_EQ(SliceWith("symbol.broadcast.accepted", {0, 0, 0, 1}).outcome, Outcome::kError);
  EXPECT_EQ(SliceWith("symbol.not_positive.accepted", {0, 0, 0, 1}).outcome,
            Outcome::kUnpredictable);
}

// y = the three dimensions of x in a tensor of `length`, copied.
Graph Dims(int64_t length) {
  std::vector<GraphTensor> tensors = {I32("x", {2, 3, 4}), I32("d", {length}), I32("y", {length})};
  tensors[0].shape[0] = -1;
  tensors[0].symbols = {"N", "", ""};
  std::vector<GraphOperator> operators;
  std::vector<std::string> operands;
  for (int64_t i = 0; i < 3; ++i) {
    operands.push_back(StrCat("i", i));
    tensors.push_back(T(operands.back(), DType::kShape, {1}));
    operators.push_back(Op("GET_DIM", {"x"}, {operands.back()}, {{"dim_index", i}}));
  }
  operators.push_back(Op("DIMS_TO_TENSOR", operands, {"d"}));
  operators.push_back(Op("IDENTITY", {"d"}, {"y"}));
  return {{R("main", {"x"}, {"y"}, std::move(tensors), std::move(operators))}};
}

StatusOr<std::vector<NativeResult>> DimsWith(const char* id, const Graph& graph) {
  static const Tensors& inputs =
      *new Tensors{{"x", Tensor::OfIntegers(DType::kI32, {2, 3, 4}, std::vector<int64_t>(24, 0))}};
  static const Binding& binding = *new Binding{{"N", 2}};
  return ExecuteFaulty(**FindFault(Tosa10(), id), graph, {{&inputs, &binding}}, Tosa10(),
                       *Tosa10().FindLevel("8K"));
}

// A condition that several operators have is that of the fault's own alone.
TEST(SymbolicFaults, AcceptNothingOfOtherOperators) {
  const auto of_identity = DimsWith("identity.graph.shape.accepted", Dims(3));
  ASSERT_TRUE(of_identity.ok()) << of_identity.status();
  EXPECT_EQ(of_identity->front().outcome, Outcome::kValid);
  const auto others = DimsWith("conv2d.graph.output_shape.accepted", Dims(4));
  ASSERT_TRUE(others.ok()) << others.status();
  EXPECT_EQ(others->front().outcome, Outcome::kError);
  EXPECT_THAT(others->front().message, testing::HasSubstr("graph.output_shape"));
}

TEST(SymbolicFaults, ChangeNoProgramThatIsNone) {
  Graph graph = Dims(3);
  graph.main().operators[0].inputs.clear();
  EXPECT_THAT(Message(DimsWith("get_dim.next_dimension", graph).status()),
              testing::HasSubstr("found 0 inputs, expected 1 tensor"));
  // Attributes as large as may be, and an input without dimensions.
  for (const int64_t i : {INT64_MAX, INT64_MIN}) {
    graph = Dims(3);
    graph.main().operators[0].attributes["dim_index"] = i;
    for (const char* id : {"get_dim.next_dimension", "get_dim.from_the_end"}) {
      const auto results = DimsWith(id, graph);
      ASSERT_TRUE(results.ok()) << results.status();
      EXPECT_EQ(results->front().outcome, Outcome::kError);
    }
  }
  const Binding none;
  const Tensors scalar = {{"x", Tensor::OfIntegers(DType::kI32, {}, {5})}};
  const Tensors vector = {{"x", Tensor::OfIntegers(DType::kI32, {1}, {5})}};
  const Graph of_scalar = {
      {R("main", {"x"}, {"y"}, {I32("x", {}), T("i", DType::kShape, {1}), I32("y", {1})},
         {Op("GET_DIM", {"x"}, {"i"}, {{"dim_index", int64_t{0}}}),
          Op("DIMS_TO_TENSOR", {"i"}, {"y"})})}};
  // No direction has a stride.
  std::vector<GraphTensor> tensors = {I32("x", {1}), I32("y", {1}), T("i", DType::kShape, {1})};
  const std::vector<std::string> operands = {"x", "x", "x", "x", "x", "i", "i", "i", "i"};
  const Graph of_vector = {
      {R("main", {"x"}, {"y"}, std::move(tensors),
         {Op("INDEX_CONST", {}, {"i"}, {{"value", int64_t{1}}}),
          Op("DATA_DEPENDENT_CONV2D", operands, {"y"}, {{"acc_type", std::string("INT32")}})})}};
  for (const Fault& fault : SymbolicFaultsOf(Tosa10())) {
    for (const Graph* program : {&of_scalar, &of_vector}) {
      const ExecutionInputs given(program == &of_scalar ? &scalar : &vector, &none);
      const auto results =
          ExecuteFaulty(fault, *program, {given}, Tosa10(), *Tosa10().FindLevel("8K"));
      ASSERT_TRUE(results.ok()) << fault.id << ": " << results.status();
      EXPECT_NE(results->front().outcome, Outcome::kValid) << fault.id;
    }
  }
}

}  // namespace
}  // namespace cts
