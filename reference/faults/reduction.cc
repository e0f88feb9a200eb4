// Faults of REDUCE_ALL, REDUCE_ANY, REDUCE_MAX, REDUCE_MIN, REDUCE_PRODUCT, REDUCE_SUM.
#include "reference/faults/fault.h"

namespace cts {

Faults ReduceAllFaults() { return {}; }

Faults ReduceAnyFaults() { return {}; }

Faults ReduceMaxFaults() { return {}; }

Faults ReduceMinFaults() { return {}; }

Faults ReduceProductFaults() { return {}; }

Faults ReduceSumFaults() { return {}; }

}  // namespace cts
