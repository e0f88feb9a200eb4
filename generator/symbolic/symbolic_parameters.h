// Symbolic programs of operators whose parameters are as in a static graph.
#pragma once

#include "generator/ops/domain.h"

namespace cts::symbolic_graphs {

Domain Matmul();
Domain Pool();
Domain Reduced();
Domain Identity();
Domain Indexed();
Domain Padded();
Domain Resized();
Domain Transformed();

}  // namespace cts::symbolic_graphs
