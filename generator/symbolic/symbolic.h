// Symbolic programs: operators whose dimensions are symbols, operators that yield sizes (shape
// helpers), and the forms of operators that take their parameters at run time.
#pragma once

#include <vector>

#include "generator/graphs/graphs.h"

namespace cts {

// All symbolic programs. A recipe requests symbolic programs separately from other graphs
// (Recipe::symbolic).
std::vector<GraphDomain> SymbolicGraphs();

}  // namespace cts
