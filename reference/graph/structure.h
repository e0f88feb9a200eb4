// Checks that a Graph is well formed. Other code checks the rules of the specification later.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The editions that have the operator, as text: "tosa-0.100, rvtensor". Empty if no edition has the
// operator.
std::string EditionsWith(const std::string& op);

// Returns the message "tosa-1.0 has no operator of that name". The message also names the editions
// that have the operator. If no edition has the operator, the message suggests similar names.
std::string UnknownOperator(const std::string& op, const Edition& edition);

// Returns an error if an operator of the graph is neither an operator of the edition nor one of
// symbolic programs. The error names the place of the operator. The graph must have a main block;
// no other requirement of CheckStructure need hold.
Status CheckOperators(const Graph& graph, const Edition& edition);

// Checks every block. The tensors of a block must be declared once. The inputs and outputs must be
// declared, and an input or an operator must define every output. Every operator must be an
// operator of the edition or of symbolic programs, and must follow the operators whose results it
// reads. Every region must have a name of its own and exactly one block, attributes of type
// tosa_graph_t must name regions, and no graph may contain itself. Errors name the place. Time and
// memory are proportional to the size of the graph.
Status CheckStructure(const Graph& graph, const Edition& edition);

// Checks the types and shapes of the tensors that `inputs` contains for the inputs of the main
// block. Does not check that all inputs are given. If an input has symbols, only its type and rank
// are checked.
Status CheckInputs(const Graph& graph, const std::map<std::string, Tensor>& inputs);

// Returns a message if a tensor exceeds the size that the level allows. The limits are in the
// sections Tensors (1.0), Tensor size limit (0.100) and Size Limitations (RVTensor, worded as in
// 0.100). Returns an empty text if the size is allowed, or if a dimension is below 1, which the
// condition graph.dimension refuses.
std::string TensorSizeExcess(const std::string& name, DType dtype, const Shape& shape,
                             const Edition& edition, const Level& level);

// Finds two operators that access the same variable in an undetermined order: at least one of them
// writes the variable, and no data dependency orders them. The specification lets an implementation
// choose any topological order, so a graph with two such operators has no definite result. Returns
// a text that names the variable and both operators, or an empty text if the graph has no such
// operators. CheckStructure must have accepted the graph.
std::string FindUnorderedVariable(const Graph& graph);

}  // namespace cts
