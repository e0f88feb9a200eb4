// Sub-graphs that use tensors of the graph around them, as some files have it.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/graph.h"

namespace cts {

// The specification's COND_IF and WHILE_LOOP hand over all that their graphs may see. Where a block
// names a tensor that it does not declare, its operator gets that as a further input (a loop also
// as an output, which the body hands on as it is), and what CONST or CONST_SHAPE yields becomes a
// constant of the block itself. Tensor names are unique in the graph. An error if no block around
// declares such a tensor, or if a graph that needs one is named by two operators.
Status PassCaptures(Graph& graph);

}  // namespace cts
