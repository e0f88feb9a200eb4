// Faults of CAST.
#include "reference/faults/fault.h"

namespace cts {

Faults CastFaults() { return {}; }

}  // namespace cts
