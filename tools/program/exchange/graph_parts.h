// Parts of a graph that are graphs themselves.
#pragma once

#include <string>

#include "reference/graph/graph.h"

namespace cts {

bool IsVariableOperator(const GraphOperator& op);

// Returns the graph with only those operators of the main block on which `output` depends, and with
// all VARIABLE operators of the main block. The condition graph.variable_order demands that tensors
// order the reads and writes of a variable. So `output` depends on a write to a variable only if
// tensors connect the two.
Graph DownTo(const Graph& graph, const std::string& output);

// Returns a graph of one operator of the main block, with the constants that the operator reads.
Graph TakeOut(const Graph& graph, const GraphOperator& op);

// If an output of the main block is also an input or occurs twice, gives the output a tensor of its
// own, which IDENTITY computes. A network may have such outputs (`return %arg0`), but a case may
// not.
void GiveOutputsTensors(Graph* graph);

}  // namespace cts
