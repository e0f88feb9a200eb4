// Faults in features that only symbolic programs have (reference/graph/symbols.h). No recipe of
// static graphs shows any of them.
#pragma once

#include "reference/faults/fault.h"

namespace cts {

// The faults of an edition's symbolic programs; empty for an edition without symbolic programs.
// Fault::op is one of three: an operator that only symbolic programs have; RESHAPE; or "*", for a
// fault of the symbols themselves.
const Faults& SymbolicFaultsOf(const Edition& edition);

// The fault with this id; null if the edition has no such fault.
const Fault* FindSymbolicFault(const Edition& edition, std::string_view id);

}  // namespace cts
