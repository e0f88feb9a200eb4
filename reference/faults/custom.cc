// Faults of CUSTOM.
#include "reference/faults/fault.h"

namespace cts::custom_faults {

Faults CustomFaults() { return {}; }

}  // namespace cts::custom_faults
