// Faults of CONCAT, PAD, DIM, RESHAPE, REVERSE, SLICE, TILE, TRANSPOSE.
#include "reference/faults/fault.h"

namespace cts {

Faults ConcatFaults() { return {}; }

Faults PadFaults() { return {}; }

Faults DimFaults() { return {}; }

Faults ReshapeFaults() { return {}; }

Faults ReverseFaults() { return {}; }

Faults SliceFaults() { return {}; }

Faults TileFaults() { return {}; }

Faults TransposeFaults() { return {}; }

}  // namespace cts
