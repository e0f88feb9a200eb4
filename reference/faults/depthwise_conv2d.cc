// Faults of DEPTHWISE_CONV2D.
#include "reference/faults/fault.h"

namespace cts {

Faults DepthwiseConv2dFaults() { return {}; }

}  // namespace cts
