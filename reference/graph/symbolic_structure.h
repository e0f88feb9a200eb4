// What makes a description a symbolic program at all; its binding comes after that.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// What makes a symbolic program one, beyond what CheckStructure says of any graph: one block
// without variables, over an edition that has symbolic programs; operands and attributes as the
// symbolic operators take them.
Status CheckSymbolicStructure(const Graph& program, const Edition& edition);

}  // namespace cts
