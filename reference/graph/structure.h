// What makes a description a graph at all; the specification starts after that.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The editions that have the operator: "tosa-0.100, rvtensor"; empty if none has.
std::string EditionsWith(const std::string& op);

// "tosa-1.0 has no operator of that name", and which editions have one.
std::string UnknownOperator(const std::string& op, const Edition& edition);

// An error that names the place of an operator that the edition has not. Of a graph that has a
// block; it need not be more than that.
Status CheckOperators(const Graph& graph, const Edition& edition);

// An error that names the place unless in every block: tensors are declared once, operators are
// known and in an order that respects their data dependencies (no cycle), inputs and outputs are
// declared and defined, attributes of type tosa_graph_t name regions of one block each, and no
// graph contains itself. Takes time and memory in proportion to the graph, whatever it is.
Status CheckStructure(const Graph& graph, const Edition& edition);

// The same for what is given for the inputs of the main block.
Status CheckInputs(const Graph& graph, const std::map<std::string, Tensor>& inputs);

// In how far a tensor is larger than the level allows: section Tensors (1.0), Tensor size limit
// (0.100), Size Limitations (RVTensor, in the words of 0.100). Empty if it is not, and where a
// dimension is below 1, which is graph.dimension's.
std::string TensorSizeExcess(const std::string& name, DType dtype, const Shape& shape,
                             const Edition& edition, const Level& level);

// Two operators whose order no data dependency decides though it matters: the specification lets an
// implementation choose any topological order, and only a tensor orders what reads a variable and
// what writes it. Empty if there are none; else what and where. The structure has been checked.
std::string FindUnorderedVariable(const Graph& graph);

}  // namespace cts
