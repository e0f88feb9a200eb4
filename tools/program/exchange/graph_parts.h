// Parts of a graph that are graphs themselves.
#pragma once

#include <string>

#include "reference/graph/graph.h"

namespace cts {

bool IsVariableOperator(const GraphOperator& op);

// The graph with only those operators of the main block on which an output depends. Variables need
// nothing more: tensors order the reads and writes of a variable (graph.variable_order).
Graph DownTo(const Graph& graph, const std::string& output);

// A graph of one operator of the main block, with the constants that it reads.
Graph TakeOut(const Graph& graph, const GraphOperator& op);

// Gives an output of the main block a tensor of its own, made by IDENTITY, if it is also an input
// or occurs twice: `return %arg0` is a network, but not a case.
void GiveOutputsTensors(Graph* graph);

}  // namespace cts
