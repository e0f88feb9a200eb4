// Faults of TABLE.
#include "reference/faults/fault.h"

namespace cts {

Faults TableFaults() { return {}; }

}  // namespace cts
