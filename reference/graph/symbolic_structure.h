// Checks that a graph is a well-formed symbolic program (symbols.h). Other code checks the values
// of the symbols (the binding) later.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// Checks the requirements of a symbolic program that CheckStructure does not check. The edition
// must have symbolic programs. The program must have a single region, without control flow,
// variables and CUSTOM operators. No input or output of the program may be a shape. Constants and
// shapes must not have symbols. If only symbolic programs have an operator, its operands and
// attributes must fit it.
Status CheckSymbolicStructure(const Graph& program, const Edition& edition);

}  // namespace cts
