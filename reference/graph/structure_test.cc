#include "reference/graph/structure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/graph/symbolic_structure.h"
#include "reference/graph/symbols.h"

namespace cts {
namespace {

using ::testing::HasSubstr;

const Edition& Get(std::string_view id) { return **FindEdition(id); }

std::string Excess(std::string_view edition, std::string_view level, DType dtype,
                   const Shape& shape) {
  return TensorSizeExcess("x", dtype, shape, Get(edition), *Get(edition).FindLevel(level));
}

// tensor_size_t of 1.0 ends at 2^MAX_LOG2_SIZE - 1 bytes, with MAX_LOG2_SIZE 31 and 63.
TEST(TensorSizeExcess, CountsBytesToTheEndOfTensorSize) {
  const int64_t g = int64_t{1} << 30;
  EXPECT_EQ(Excess("tosa-1.0", "8K", DType::kI8, {2 * g - 1}), "");
  EXPECT_EQ(Excess("tosa-1.0", "8K", DType::kI8, {2, g}),
            "x: i8[2,1073741824], expected at most 2147483647 bytes");
  EXPECT_EQ(Excess("tosa-1.0", "8K", DType::kI16, {g - 1}), "");
  EXPECT_NE(Excess("tosa-1.0", "8K", DType::kI16, {g}), "");
  // Types below a byte take one.
  EXPECT_EQ(Excess("tosa-1.0", "8K", DType::kI4, {2 * g - 1}), "");
  EXPECT_EQ(Excess("tosa-1.0", "none", DType::kI8, {g, 4 * g}), "");
  EXPECT_NE(Excess("tosa-1.0", "none", DType::kI16, {g, 4 * g}), "");
  // 2^64 bytes and more wrap in 64 bits.
  EXPECT_NE(Excess("tosa-1.0", "none", DType::kI8, {g, g, 16}), "");
  EXPECT_NE(Excess("tosa-1.0", "none", DType::kFp32, {g, g, g, g}), "");
}

// size_t of 0.100 has a bit more, which a dimension alone may not use (notes.md).
TEST(TensorSizeExcess, GivesTheDraftABitMore) {
  const int64_t g = int64_t{1} << 30;
  EXPECT_EQ(Excess("tosa-0.100", "8K", DType::kI8, {2, 2 * g - 1}), "");
  EXPECT_EQ(Excess("tosa-0.100", "8K", DType::kI8, {2 * g}),
            "x: i8[2147483648], expected at most 4294967295 bytes, and 2147483647 in a dimension");
  EXPECT_NE(Excess("tosa-0.100", "8K", DType::kI8, {4, g}), "");
}

TEST(TensorSizeExcess, LeavesSizesBelowOneToTheirOwnCondition) {
  EXPECT_EQ(Excess("tosa-1.0", "8K", DType::kI8, {0, int64_t{1} << 40}), "");
}

TEST(UnknownOperator, NamesEditionsThatHaveItOrTheNearest) {
  EXPECT_EQ(
      UnknownOperator("DIM", Get("tosa-1.0")),
      "tosa-1.0 has no operator of that name; one of tosa-0.100, tosa-1.1-draft: a graph is of "
      "one edition, which its case names");
  EXPECT_EQ(UnknownOperator("LOGICAL_ANT", Get("tosa-1.0")).substr(0, 72),
            "tosa-1.0 has no operator of that name; did you mean LOGICAL_AND, LOGICAL");
}

// x is read and written by operators without a tensor between them.
Graph TouchesOf(std::string_view first, std::string_view second) {
  Graph graph = EmptyGraph();
  const auto touch = [](std::string_view op, const std::string& tensor) {
    const bool reads = op == "VARIABLE_READ";
    return GraphOperator{std::string(op),
                         reads ? std::vector<std::string>{} : std::vector<std::string>{tensor},
                         reads ? std::vector<std::string>{tensor} : std::vector<std::string>{},
                         {{"name", std::string("x")}}};
  };
  graph.main().operators = {touch(first, "a"), touch(second, "b")};
  return graph;
}

TEST(FindUnorderedVariable, IsAboutWritesThatNoTensorOrders) {
  EXPECT_EQ(FindUnorderedVariable(TouchesOf("VARIABLE_READ", "VARIABLE_READ")), "");
  EXPECT_EQ(FindUnorderedVariable(TouchesOf("VARIABLE_READ", "VARIABLE_WRITE")),
            "variable x: no tensor orders VARIABLE_READ (operator 0) and VARIABLE_WRITE (operator "
            "1)");
  EXPECT_NE(FindUnorderedVariable(TouchesOf("VARIABLE_WRITE", "VARIABLE_READ")), "");
  EXPECT_NE(FindUnorderedVariable(TouchesOf("VARIABLE_WRITE", "VARIABLE_WRITE")), "");
  // The value that is read is written back, by way of an operator between them.
  Graph ordered = TouchesOf("VARIABLE_READ", "VARIABLE_WRITE");
  ordered.main().operators.insert(ordered.main().operators.begin() + 1, {"ABS", {"a"}, {"b"}, {}});
  EXPECT_EQ(FindUnorderedVariable(ordered), "");
}

GraphTensor Symbolic(const std::string& name, DType dtype) {
  return {name, dtype, {-1}, nullptr, {"N"}};
}

std::string Refusal(const Graph& graph, std::string_view edition = "tosa-1.0") {
  return Message(CheckSymbolicStructure(graph, Get(edition)));
}

// A program of one operator from x: i32[N] to y: i32[N].
Graph Program(GraphOperator op) {
  Graph graph = EmptyGraph();
  Block& block = graph.main();
  block.tensors = {Symbolic("x", DType::kI32), Symbolic("y", DType::kI32)};
  block.inputs = {"x"};
  block.outputs = {"y"};
  block.operators = {std::move(op)};
  return graph;
}

TEST(CheckSymbolicStructure, RefusesWhatIsOfNoProgram) {
  const Graph legal = Program({"ABS", {"x"}, {"y"}, {}});
  EXPECT_EQ(Refusal(legal), "");
  EXPECT_THAT(Refusal(Program({"CUSTOM", {"x"}, {"y"}, {}})),
              HasSubstr("graph, CUSTOM (operator 0): found it in a symbolic program, expected no"));
  Graph two = legal;
  two.regions.push_back({"then", {Block{.name = "then"}}});
  EXPECT_EQ(Refusal(two),
            "graph: found region then in a symbolic program, expected no control flow");
  Graph constant = legal;
  constant.main().tensors[0].values =
      std::make_shared<const Tensor>(Tensor::OfIntegers(DType::kI32, {1}, {1}));
  EXPECT_EQ(Refusal(constant), "graph, tensor x: found i32[N], expected no symbol in a constant");
  Graph shape = legal;
  shape.main().tensors.push_back(Symbolic("s", DType::kShape));
  EXPECT_EQ(Refusal(shape), "graph, tensor s: found shape[N], expected no symbol in a shape");
}

TEST(CheckSymbolicStructure, KnowsWhatHelpersTake) {
  // A parameter that is given at run time is no attribute.
  EXPECT_EQ(Refusal(Program(
                {"DATA_DEPENDENT_PAD", {"x"}, {"y"}, {{"padding", std::vector<int64_t>{0, 0}}}})),
            "graph, DATA_DEPENDENT_PAD (operator 0): found attribute padding, expected index "
            "values for it");
  Graph iota = Program({"IOTA", {"n"}, {"y"}, {}});
  iota.main().tensors.push_back({"n", DType::kShape, {1}});
  EXPECT_EQ(Refusal(iota), "");
  iota.main().tensors[1].dtype = DType::kFp32;
  EXPECT_EQ(Refusal(iota), "") << "IOTA makes numbers of any type";
  iota.main().tensors[1].dtype = DType::kBool;
  EXPECT_EQ(Refusal(iota),
            "graph, IOTA (operator 0): output y: found bool[N], expected numbers in one dimension");
  Graph sizes = Program({"DIMS_TO_TENSOR", {"n"}, {"y"}, {}});
  sizes.main().tensors.push_back({"n", DType::kShape, {1}});
  EXPECT_EQ(Refusal(sizes), "");
  sizes.main().tensors[1].dtype = DType::kFp32;
  EXPECT_EQ(Refusal(sizes),
            "graph, DIMS_TO_TENSOR (operator 0): output y: found fp32[N], expected integers in one "
            "dimension");
  Graph three = Program({"IOTA", {"n", "n", "n", "n"}, {"y"}, {}});
  three.main().tensors.push_back({"n", DType::kShape, {1}});
  EXPECT_EQ(Refusal(three),
            "graph, IOTA (operator 0): found 4 inputs, expected 0 tensors and 1 to 3 index values");
}

TEST(Symbols, AreThoseOfInputsOrOfAllTensors) {
  Graph graph = Program({"ABS", {"x"}, {"y"}, {}});
  graph.main().tensors[1].symbols = {"M"};
  EXPECT_EQ(InputSymbols(graph), std::set<std::string>({"N"}));
  EXPECT_EQ(AllSymbols(graph), std::set<std::string>({"M", "N"}));
  EXPECT_TRUE(CheckBinding(graph, {{"N", 1}, {"M", 1}}).ok());
  EXPECT_EQ(Message(CheckBinding(graph, {{"K", 1}})),
            "found symbol K, which no tensor has; the inputs have N");
}

TEST(RequireStatic, NamesTheFirstSymbolOrSymbolicOperator) {
  Graph graph = Program({"ABS", {"x"}, {"y"}, {}});
  EXPECT_EQ(Message(RequireStatic(graph)),
            "found a symbolic program (tensor x: i32[N]), expected a static graph; tensor-cts "
            "resolve makes one");
  for (GraphTensor& tensor : graph.main().tensors) tensor.symbols.clear();
  EXPECT_TRUE(RequireStatic(graph).ok());
  // RESHAPE is one of them by its attribute alone.
  graph.main().operators[0] = {"RESHAPE", {"x"}, {"y"}, {}};
  EXPECT_TRUE(RequireStatic(graph).ok());
  graph.main().operators[0].attributes["new_shape"] = std::vector<int64_t>{-1};
  EXPECT_THAT(Message(RequireStatic(graph)),
              HasSubstr("found a symbolic program (RESHAPE (operator 0)), expected a static"));
}

}  // namespace
}  // namespace cts
