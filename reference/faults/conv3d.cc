// Faults of CONV3D.
#include "reference/faults/fault.h"

namespace cts {

Faults Conv3dFaults() { return {}; }

}  // namespace cts
