// Says in words what an operator's mode demands, for `tensor-cts explain`.
#pragma once

#include <string>

#include "reference/bundle/case.h"

namespace cts {

// A paragraph for each nan_mode of the floating-point operators in the case's main graph; empty if
// they have no nan_mode.
std::string NanModeText(const Case& c);

}  // namespace cts
