// Ends the program when it finds a mistake in its own code. A mistake in the program's input is
// returned as an error instead (status.h).
#pragma once

#include <cstdio>
#include <cstdlib>

#include "reference/base/status.h"

namespace cts {

// Prints the message and aborts.
template <class... Args>
[[noreturn]] void EndProgram(const Args&... message) {
  std::fprintf(stderr, "%s\n", StrCat(message...).c_str());
  std::abort();
}

}  // namespace cts
