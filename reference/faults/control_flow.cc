// Faults of COND_IF, WHILE_LOOP.
#include "reference/faults/fault.h"

namespace cts {

Faults CondIfFaults() { return {}; }

Faults WhileLoopFaults() { return {}; }

}  // namespace cts
