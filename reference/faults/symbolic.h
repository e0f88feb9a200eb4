// Faults in features that only symbolic programs have (reference/graph/symbols.h). No recipe of
// static graphs shows any of them.
#pragma once

#include "reference/faults/fault.h"

namespace cts {

// Empty for an edition without symbolic programs. Fault::op is one of three: an operator that only
// symbolic programs have; RESHAPE; or "*", for a fault of the symbols themselves.
const Faults& SymbolicFaultsOf(const Edition& edition);

// The fault with that id; null if there is none.
const Fault* FindSymbolicFault(const Edition& edition, std::string_view id);

}  // namespace cts
