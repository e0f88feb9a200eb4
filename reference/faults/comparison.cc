// Faults of EQUAL, GREATER, GREATER_EQUAL.
#include "reference/faults/fault.h"

namespace cts {

Faults EqualFaults() { return {}; }

Faults GreaterFaults() { return {}; }

Faults GreaterEqualFaults() { return {}; }

}  // namespace cts
