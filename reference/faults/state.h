// Faults that only a second execution of a graph shows: answers that are kept, memory that is not
// cleared.
#pragma once

#include "reference/faults/fault.h"

namespace cts {

// The faults of state that an implementation of the operator can have. Empty for operators whose
// answer does not depend on the operands' values, and for control flow. Also empty for variables,
// which rightly keep values.
Faults StateFaults(const Edition& edition, const OperatorSpec& given);

}  // namespace cts
