// Faults made from the ladder of sizes (reference/ops/size_ladder.h).
#pragma once

#include "reference/faults/fault.h"

namespace cts {

// A rung is a range of sizes. For each dimension of the operator and each rung, there is an
// implementation that returns zeros if the dimension's size is in the rung. There is a second
// implementation if the dimension belongs to a tensor and the rung's block (Rung::above) is a
// positive multiple of 8. The second implementation has zeros in place of the tensor's elements
// beyond the block: it reads zeros from an operand, or returns zeros in a result. A suite that
// catches the first implementation at every rung catches any implementation that is wrong at all
// sizes above some size.
Faults SizeFaults(const OperatorSpec& spec);

}  // namespace cts
