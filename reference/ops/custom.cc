// CUSTOM (section Custom Operators): only an implementation knows what it does.
#include <cassert>

#include "reference/ops/operator.h"

namespace cts {

Conditions CustomConditions() { return {}; }

void ComputeCustom(const Call&, Computation&) { assert(false && "only its maker can"); }

}  // namespace cts
