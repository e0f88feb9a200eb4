// Faults: The operators of section Elementwise Binary Operators, but POW and TABLE.
#include "reference/faults/fault.h"

namespace cts {

Faults AddFaults() { return {}; }

Faults ArithmeticRightShiftFaults() { return {}; }

Faults BitwiseAndFaults() { return {}; }

Faults BitwiseOrFaults() { return {}; }

Faults BitwiseXorFaults() { return {}; }

Faults IntdivFaults() { return {}; }

Faults LogicalAndFaults() { return {}; }

Faults LogicalLeftShiftFaults() { return {}; }

Faults LogicalRightShiftFaults() { return {}; }

Faults LogicalOrFaults() { return {}; }

Faults LogicalXorFaults() { return {}; }

Faults MaximumFaults() { return {}; }

Faults MinimumFaults() { return {}; }

Faults MulFaults() { return {}; }

Faults SubFaults() { return {}; }

}  // namespace cts
