// Faults of compilers: wrong rewrites of graphs, and results that overwrite data before its last
// use.
#pragma once

#include "reference/faults/fault.h"

namespace cts {

Faults GraphRewriteFaults(const Edition& edition, const OperatorSpec& spec);

}  // namespace cts
