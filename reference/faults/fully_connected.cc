// Faults of FULLY_CONNECTED.
#include "reference/faults/fault.h"

namespace cts {

Faults FullyConnectedFaults() { return {}; }

}  // namespace cts
