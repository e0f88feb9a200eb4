// Symbolic programs: operators whose dimensions are symbols, the shape helpers, and the forms of
// operators that take their parameters at run time.
#pragma once

#include <vector>

#include "generator/graphs/graphs.h"

namespace cts {

// All symbolic programs. A recipe requests them separately from the other graphs.
std::vector<GraphDomain> SymbolicGraphs();

}  // namespace cts
