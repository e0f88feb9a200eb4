// A graph of operators in the structure of TOSA serialization: regions, blocks, tensors, operators.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reference/base/tensor.h"

namespace cts {

// The greatest number of elements of a tensor that the reference computes (2 GiB in fp64).
inline constexpr uint64_t kMaxElements = 1 << 28;

// The value of an attribute. A floating-point scalar (a bound of CLAMP) is a double, and a list
// (pad, stride) is a list of integers. An enumeration value is its name, and a graph is the name of
// its region. The initial value of a VARIABLE is the name of a tensor of the block, and this tensor
// has values.
using AttributeValue = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>>;

struct GraphTensor {
  std::string name;
  DType dtype;
  Shape shape;
  std::shared_ptr<const Tensor> values;  // null unless the tensor is a constant or initial value
  // In a symbolic program (graph/symbols.h): the symbol of each dimension, or an empty text for a
  // dimension without a symbol. A dimension with a symbol is -1 in `shape`. The list is empty if no
  // dimension has a symbol.
  std::vector<std::string> symbols = {};
};

struct GraphOperator {
  std::string op;                    // "CONV2D"
  std::vector<std::string> inputs;   // tensor names, in the edition's order of arguments
  std::vector<std::string> outputs;  // tensor names, in the edition's order of arguments
  std::map<std::string, AttributeValue> attributes;
};

// Whether the operator is CONST or CONST_SHAPE. The output tensor of these operators has their
// values.
inline bool IsConstant(std::string_view op) { return op == "CONST" || op == "CONST_SHAPE"; }
inline bool IsConstant(const GraphOperator& op) { return IsConstant(op.op); }

struct Block {
  std::string name;
  std::vector<std::string> inputs;   // tensor names
  std::vector<std::string> outputs;  // tensor names
  std::vector<GraphTensor> tensors;
  std::vector<GraphOperator> operators;  // each after the operators whose results it reads

  const GraphTensor* Find(std::string_view tensor) const;
};

struct Region {
  std::string name;
  std::vector<Block> blocks;
};

struct Graph {
  std::vector<Region> regions;  // the first block of the first region is the graph that runs

  // The block that an operator runs if its attribute of type tosa_graph_t has the value `region`:
  // the first block of this region. Null if there is no such block.
  const Block* FindGraph(std::string_view region) const;

  Block& main() { return regions.front().blocks.front(); }
  const Block& main() const { return regions.front().blocks.front(); }
};

// The values of dimension symbols, by name.
using Binding = std::map<std::string, int64_t>;

// The inputs of one execution of a graph: tensors by name and, for a symbolic program, the values
// of the inputs' symbols.
struct ExecutionInputs {
  // NOLINTNEXTLINE(google-explicit-constructor): most graphs have no symbols.
  ExecutionInputs(const std::map<std::string, Tensor>* given, const Binding* symbols = nullptr)
      : tensors(given), binding(symbols) {}
  const std::map<std::string, Tensor>& operator*() const { return *tensors; }
  const std::map<std::string, Tensor>* operator->() const { return tensors; }

  const std::map<std::string, Tensor>* tensors;
  const Binding* binding;
};
using InputSequence = std::vector<ExecutionInputs>;

// A graph with one region and one empty block, both named "main".
Graph EmptyGraph();

// Describes the operator at `position` of `block`: "COND_IF (operator 3 of block then)". For the
// main block, the text is only "COND_IF (operator 3)".
std::string Place(const Graph& graph, const Block& block, size_t position);

// Describes the type and the dimensions of a tensor: "i8[N,4]". A dimension is a size or a symbol.
std::string Describe(const GraphTensor& tensor);

}  // namespace cts
