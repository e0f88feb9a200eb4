// Ends the program after a mistake in the program's own code. For a mistake in the program's input,
// functions return an error instead (status.h).
#pragma once

#include <cstdio>
#include <cstdlib>

#include "reference/base/status.h"

namespace cts {

// Prints the message to standard error and aborts.
template <class... Args>
[[noreturn]] void EndProgram(const Args&... message) {
  std::fprintf(stderr, "%s\n", StrCat(message...).c_str());
  std::abort();
}

}  // namespace cts
