// The requirements that a graph and its inputs must meet before the graph is executed.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// An error if the structure of the graph is wrong, or if the reference does not support the edition
// or an operator of the graph.
Status CheckProgram(const Graph& graph, const Edition& edition);

// An error if the tensors, or the binding of the symbols, do not fit the graph's inputs.
Status CheckGiven(const Graph& graph, const ExecutionInputs& given);

}  // namespace cts
