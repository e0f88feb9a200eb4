// Symbolic programs whose operators take their parameters at run time.
#pragma once

#include "generator/ops/domain.h"

namespace cts::symbolic_graphs {

Domain Slice();
Domain Pad();
Domain Gather();
Domain Scatter();

}  // namespace cts::symbolic_graphs
