// Faults of what only symbolic programs have (reference/graph/symbols.h). No recipe of static
// graphs shows any of them.
#pragma once

#include "reference/faults/fault.h"

namespace cts {

// Empty of an edition that has no symbolic programs. `op` of a fault is an operator that only they
// have, RESHAPE, or "*" where it is the symbols' own.
const Faults& SymbolicFaultsOf(const Edition& edition);

// The one of which the id is that; null if there is none.
const Fault* FindSymbolicFault(const Edition& edition, std::string_view id);

}  // namespace cts
