// Checks that a description is a well-formed graph. The rules of the specification are checked
// later.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The editions that have the operator, as text: "tosa-0.100, rvtensor". Empty if no edition has it.
std::string EditionsWith(const std::string& op);

// A message: "tosa-1.0 has no operator of that name". It also says which editions have such an
// operator, or which names are similar.
std::string UnknownOperator(const std::string& op, const Edition& edition);

// Refuses an operator that the edition does not have; the error names its place. The graph must
// have a block, and need not be correct otherwise.
Status CheckOperators(const Graph& graph, const Edition& edition);

// Checks every block. Its tensors must be declared once, and its inputs and outputs must be
// declared and defined. Its operators must be known, and in an order that respects their data
// dependencies (no cycle). Every region must have one block, attributes of type tosa_graph_t must
// name regions, and no graph may contain itself. Errors name the place. Time and memory are
// proportional to the size of the graph.
Status CheckStructure(const Graph& graph, const Edition& edition);

// Checks the types and shapes of the tensors that are given for inputs of the main block.
Status CheckInputs(const Graph& graph, const std::map<std::string, Tensor>& inputs);

// Says how a tensor exceeds the size that the level allows: section Tensors (1.0), Tensor size
// limit (0.100), Size Limitations (RVTensor, worded as in 0.100). Empty if the size is allowed.
// Also empty if a dimension is below 1, since the condition graph.dimension refuses that.
std::string TensorSizeExcess(const std::string& name, DType dtype, const Shape& shape,
                             const Edition& edition, const Level& level);

// Finds two operators that access the same variable, if at least one of them writes it and no data
// dependency determines their order. The specification lets an implementation choose any
// topological order, so such a graph has no definite result. Returns a text with the variable and
// both operators; empty if there are no such operators. The structure of the graph must have been
// checked.
std::string FindUnorderedVariable(const Graph& graph);

}  // namespace cts
