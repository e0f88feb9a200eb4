// Faults of RESCALE.
#include "reference/faults/fault.h"

namespace cts {

Faults RescaleFaults() { return {}; }

}  // namespace cts
