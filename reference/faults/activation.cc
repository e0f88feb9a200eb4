// Faults of CLAMP, ERF, SIGMOID, TANH.
#include "reference/faults/fault.h"

namespace cts {

Faults ClampFaults() { return {}; }

Faults ErfFaults() { return {}; }

Faults SigmoidFaults() { return {}; }

Faults TanhFaults() { return {}; }

}  // namespace cts
