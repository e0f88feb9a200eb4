// Operators by themselves, each in a symbolic program of its own.
#pragma once

#include "generator/ops/domain.h"

namespace cts::symbolic_graphs {

Domain OwnOperator();

}  // namespace cts::symbolic_graphs
