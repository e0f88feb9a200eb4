// Faults of MATMUL.
#include "reference/faults/fault.h"

namespace cts {

Faults MatmulFaults() { return {}; }

}  // namespace cts
