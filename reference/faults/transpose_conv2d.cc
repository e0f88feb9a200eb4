// Faults of TRANSPOSE_CONV2D.
#include "reference/faults/fault.h"

namespace cts {

Faults TransposeConv2dFaults() { return {}; }

}  // namespace cts
