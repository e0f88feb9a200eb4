// Faults made from the ladder of sizes (reference/ops/size_ladder.h).
#pragma once

#include "reference/faults/fault.h"

namespace cts {

// A rung is a range of sizes. For each dimension of the operator and each rung, there is an
// implementation that returns zeros if the dimension's size is in the rung. There is a second
// implementation if the dimension belongs to a tensor and the rung's block (Rung::above) is a
// positive multiple of 8. It reads or returns zeros in place of the elements beyond the block. A
// suite that catches the first implementation at every rung catches any implementation that is
// wrong from some size on.
Faults SizeFaults(const OperatorSpec& spec);

}  // namespace cts
