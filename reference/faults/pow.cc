// Faults of POW.
#include "reference/faults/fault.h"

namespace cts {

Faults PowFaults() { return {}; }

}  // namespace cts
