// Support for files whose sub-graphs use tensors of a surrounding graph.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/graph.h"

namespace cts {

// Turns captured tensors into inputs, since the specification's COND_IF and WHILE_LOOP pass every
// tensor that their graphs use. If a block uses a tensor that it does not declare, the operator
// that runs the block gets this tensor as a further input. A loop gets it as an output, too, and
// its body passes it on unchanged. If the tensor is the result of a CONST or CONST_SHAPE, it
// becomes a constant of the block instead. Tensor names must be unique in the graph.
//
// Errors:
// - No surrounding block declares a captured tensor. (The result of a CONST or CONST_SHAPE may be
//   declared in any block of the graph.)
// - Two operators name the same graph, and this graph captures a tensor.
// - Two operators name the same graph, one of them also names another graph, and that other graph
//   captures a tensor that is no constant.
// - An operator names one graph twice, and this graph captures a tensor that is no constant.
// - Graphs are nested more than 512 deep.
Status PassCaptures(Graph& graph);

}  // namespace cts
