// Faults of RESIZE.
#include "reference/faults/fault.h"

namespace cts {

Faults ResizeFaults() { return {}; }

}  // namespace cts
