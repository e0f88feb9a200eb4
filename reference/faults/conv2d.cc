// Faults of CONV2D.
#include "reference/faults/fault.h"

namespace cts {

Faults Conv2dFaults() { return {}; }

}  // namespace cts
