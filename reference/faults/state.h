// Faults that only a second execution of a graph shows: answers that are kept, memory that is not
// cleared.
#pragma once

#include "reference/faults/fault.h"

namespace cts {

// The faults of state that an implementation of the operator can have. Empty unless the operator
// computes tensors from the values of its operands. So the list is empty for operators on shapes,
// for constants, for control flow, for CUSTOM, and for variables, which rightly keep values.
Faults StateFaults(const Edition& edition, const OperatorSpec& given);

}  // namespace cts
