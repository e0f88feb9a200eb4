// Checks that a description is a symbolic program; its binding is checked later.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// Checks what a symbolic program needs beyond what CheckStructure asks of any graph: one block
// without variables, over an edition that has symbolic programs, and operands and attributes as the
// symbolic operators take them.
Status CheckSymbolicStructure(const Graph& program, const Edition& edition);

}  // namespace cts
