// The conditions that a graph and its inputs must meet before it is executed.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// An error if the graph is not one, or if the reference cannot execute one of its operators.
Status CheckProgram(const Graph& graph, const Edition& edition);

// An error if the tensors, or the binding of the symbols, do not fit the graph's inputs.
Status CheckGiven(const Graph& graph, const ExecutionInputs& given);

}  // namespace cts
