// Faults of ARGMAX.
#include "reference/faults/fault.h"

namespace cts {

Faults ArgmaxFaults() { return {}; }

}  // namespace cts
