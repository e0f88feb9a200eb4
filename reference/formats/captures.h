// For sub-graphs that use tensors of the graph around them, as in some files.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/graph.h"

namespace cts {

// Makes captured tensors inputs, since the specification's COND_IF and WHILE_LOOP hand over every
// tensor that their graphs may see. If a block names a tensor that it does not declare, its
// operator gets that as a further input (a loop also as an output, which the body hands on
// unchanged). The result of a CONST or CONST_SHAPE becomes a constant of the block itself. Tensor
// names must be unique in the graph. An error if no block around declares such a tensor, or if two
// operators name a graph that needs one.
Status PassCaptures(Graph& graph);

}  // namespace cts
