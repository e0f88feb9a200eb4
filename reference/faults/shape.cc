// Faults of ADD_SHAPE, CONCAT_SHAPE, CONST_SHAPE, DIV_SHAPE, MUL_SHAPE, SUB_SHAPE.
#include "reference/faults/fault.h"

namespace cts {

Faults AddShapeFaults() { return {}; }

Faults ConcatShapeFaults() { return {}; }

Faults ConstShapeFaults() { return {}; }

Faults DivShapeFaults() { return {}; }

Faults MulShapeFaults() { return {}; }

Faults SubShapeFaults() { return {}; }

}  // namespace cts
