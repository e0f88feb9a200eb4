// Says in words what an operator's mode demands, for `tensor-cts explain`.
#pragma once

#include <string>

#include "reference/bundle/case.h"

namespace cts {

// A paragraph for each floating-point operator with a nan_mode in the case's main block, without
// duplicates; empty if there is no such operator.
std::string NanModeText(const Case& c);

}  // namespace cts
