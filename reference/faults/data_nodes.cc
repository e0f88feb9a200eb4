// Faults of CONST, IDENTITY.
#include "reference/faults/fault.h"

namespace cts {

Faults ConstFaults() { return {}; }

Faults IdentityFaults() { return {}; }

}  // namespace cts
