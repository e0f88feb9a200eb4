// Faults of VARIABLE, VARIABLE_WRITE, VARIABLE_READ.
#include "reference/faults/fault.h"

namespace cts {

Faults VariableFaults() { return {}; }

Faults VariableWriteFaults() { return {}; }

Faults VariableReadFaults() { return {}; }

}  // namespace cts
