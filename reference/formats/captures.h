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
// An error if no surrounding block declares the tensor (for a constant: if no block does). Also an
// error if two operators name the same graph, and this graph captures a tensor, or the other graph
// of one of them captures a tensor that is no constant. Also an error if an operator names one
// graph twice, and the graph captures a tensor that is no constant.
Status PassCaptures(Graph& graph);

}  // namespace cts
