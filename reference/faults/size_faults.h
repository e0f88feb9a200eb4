// Faults made from the ladder of sizes (reference/ops/size_ladder.h).
#pragma once

#include "reference/faults/fault.h"

namespace cts {

// For each dimension of the operator and each rung: implementations that answer zeros there, and
// that take or answer zeros for elements beyond a block. A suite that catches the first at every
// rung catches an implementation that is wrong from a size on.
Faults SizeFaults(const OperatorSpec& spec);

}  // namespace cts
