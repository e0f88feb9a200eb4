// Faults of CUSTOM.
#include "reference/faults/fault.h"

namespace cts {

Faults CustomFaults() { return {}; }

}  // namespace cts
