// Faults made from the ladder of sizes (reference/ops/size_ladder.h).
#pragma once

#include "reference/faults/fault.h"

namespace cts {

// For each dimension of the operator and each rung: an implementation that returns zeros for the
// sizes of the rung. If the dimension belongs to a tensor, and the rung's block is a multiple of 8,
// also one that reads or returns zeros for the elements beyond the block. A suite that catches the
// first kind at every rung catches any implementation that is wrong from some size on.
Faults SizeFaults(const OperatorSpec& spec);

}  // namespace cts
