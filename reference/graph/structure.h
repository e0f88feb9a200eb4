// Checks that a description is a graph at all. The rules of the specification come after that.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The editions that have the operator: "tosa-0.100, rvtensor"; empty if no edition has it.
std::string EditionsWith(const std::string& op);

// "tosa-1.0 has no operator of that name", and which editions have one.
std::string UnknownOperator(const std::string& op, const Edition& edition);

// Refuses an operator that the edition does not have; the error names its place. The graph must
// have a block, and need not be correct otherwise.
Status CheckOperators(const Graph& graph, const Edition& edition);

// Checks every block: its tensors are declared once, its operators are known and in an order that
// respects their data dependencies (no cycle), and its inputs and outputs are declared and defined.
// Attributes of type tosa_graph_t must name regions of one block each, and no graph may contain
// itself. Errors name the place. Time and memory are proportional to the size of any graph.
Status CheckStructure(const Graph& graph, const Edition& edition);

// Checks the tensors that are given for the inputs of the main block.
Status CheckInputs(const Graph& graph, const std::map<std::string, Tensor>& inputs);

// Says how a tensor exceeds the size that the level allows: section Tensors (1.0), Tensor size
// limit (0.100), Size Limitations (RVTensor, in the words of 0.100). Empty if it does not, and also
// if a dimension is below 1, which graph.dimension refuses.
std::string TensorSizeExcess(const std::string& name, DType dtype, const Shape& shape,
                             const Edition& edition, const Level& level);

// Finds two operators whose order matters, but is not given by a data dependency. The specification
// lets an implementation choose any topological order, and only tensors order the operators that
// read and write a variable. Returns a text about the operators and their place; empty if there are
// no such operators. The structure must have been checked.
std::string FindUnorderedVariable(const Graph& graph);

}  // namespace cts
