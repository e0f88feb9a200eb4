// Faults of compilers: rewrites of graphs that do not hold, and results written over what is read
// again.
#pragma once

#include "reference/faults/fault.h"

namespace cts {

Faults GraphRewriteFaults(const Edition& edition, const OperatorSpec& spec);

}  // namespace cts
