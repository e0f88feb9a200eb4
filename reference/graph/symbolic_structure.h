// Checks that a graph is a well-formed symbolic program. Its binding is checked later.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// Checks the requirements of a symbolic program that CheckStructure does not: a single block
// without variables, an edition with symbolic programs, and the operands and attributes of the
// symbolic operators.
Status CheckSymbolicStructure(const Graph& program, const Edition& edition);

}  // namespace cts
