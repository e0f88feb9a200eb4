// Faults of GATHER, SCATTER.
#include "reference/faults/fault.h"

namespace cts {

Faults GatherFaults() { return {}; }

Faults ScatterFaults() { return {}; }

}  // namespace cts
