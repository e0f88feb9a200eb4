// Symbolic programs about dimensions: several operands with one symbol each, the helpers that take
// dimensions and make shapes of them, and lists of values.
#pragma once

#include "generator/ops/domain.h"

namespace cts::symbolic_graphs {

// Several operands, one symbol each.
Domain TwoBatches();
Domain Concat();

// Shape helpers.
Domain Expanded();
Domain Collapsed();
Domain Heads();
Domain Flattened();
Domain Masked();
Domain IndexValues();

}  // namespace cts::symbolic_graphs
