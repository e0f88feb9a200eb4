// Faults of SELECT.
#include "reference/faults/fault.h"

namespace cts {

Faults SelectFaults() { return {}; }

}  // namespace cts
