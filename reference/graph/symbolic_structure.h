// Checks that a graph is a well-formed symbolic program. Its binding is checked later.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// Checks the requirements of a symbolic program that CheckStructure does not check. The edition
// must have symbolic programs. The program must be a single block without variables and CUSTOM
// operators. No input or output may be a shape, and no constant and no shape may have a symbol. The
// operands and attributes of the symbolic operators must be right.
Status CheckSymbolicStructure(const Graph& program, const Edition& edition);

}  // namespace cts
