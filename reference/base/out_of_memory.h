// Lack of memory as a status.
#pragma once

#include <new>
#include <string>
#include <string_view>

#include "reference/base/status.h"

namespace cts {

inline Status OutOfMemory(std::string_view what) {
  return Unavailable(what, what.empty() ? "" : ": ",
                     "not enough memory; free some, or allow more (ulimit -v)");
}

// Returns the status or StatusOr that `f` returns. If std::bad_alloc ends `f`, returns OutOfMemory
// with `what`: a file, a case.
template <class F>
auto CatchBadAlloc(const std::string& what, F f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return OutOfMemory(what);
  }
}

}  // namespace cts
