// Faults of AVG_POOL2D, MAX_POOL2D.
#include "reference/faults/fault.h"

namespace cts {

Faults AvgPool2dFaults() { return {}; }

Faults MaxPool2dFaults() { return {}; }

}  // namespace cts
