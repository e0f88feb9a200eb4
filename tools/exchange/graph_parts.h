// Parts of a graph that stand for themselves, and the level that a graph is judged by.
#pragma once

#include <string>

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The edition's level of that name, or an error.
StatusOr<const Level*> FindLevel(const Edition& edition, const std::string& name);

bool IsVariableOperator(const GraphOperator& op);

// The graph with only those operators of the main block on which an output depends. Variables need
// nothing more: tensors order the reads and writes of a variable (graph.variable_order).
Graph DownTo(const Graph& graph, const std::string& output);

// A graph of one operator of the main block, with the constants that it reads.
Graph TakeOut(const Graph& graph, const GraphOperator& op);

}  // namespace cts
