// Faults of FFT2D, RFFT2D.
#include "reference/faults/fault.h"

namespace cts {

Faults Fft2dFaults() { return {}; }

Faults Rfft2dFaults() { return {}; }

}  // namespace cts
