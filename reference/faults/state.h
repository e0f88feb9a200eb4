// Faults that only a second execution of a graph shows: answers that are kept, memory that is not
// cleared.
#pragma once

#include "reference/faults/fault.h"

namespace cts {

// The faults of state that an implementation of the operator can have. None of operators whose
// answer the values of no operand decide, of control flow, and of variables, which keep something
// by right.
Faults StateFaults(const Edition& edition, const OperatorSpec& given);

}  // namespace cts
