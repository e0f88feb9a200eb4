// The demands of an operator's mode, in words, for explain.
#pragma once

#include <string>

#include "reference/bundle/case.h"

namespace cts {

// A paragraph for each nan_mode that operators on floating-point numbers have in the case's main
// graph; empty if there is none.
std::string NanModeText(const Case& c);

}  // namespace cts
