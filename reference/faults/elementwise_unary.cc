// Faults: Elementwise Unary Operators.
#include "reference/faults/fault.h"

namespace cts {

Faults AbsFaults() { return {}; }

Faults BitwiseNotFaults() { return {}; }

Faults CeilFaults() { return {}; }

Faults ClzFaults() { return {}; }

Faults CosFaults() { return {}; }

Faults ExpFaults() { return {}; }

Faults FloorFaults() { return {}; }

Faults LogFaults() { return {}; }

Faults LogicalNotFaults() { return {}; }

Faults NegateFaults() { return {}; }

Faults ReciprocalFaults() { return {}; }

Faults RsqrtFaults() { return {}; }

Faults SinFaults() { return {}; }

}  // namespace cts
