// Turns a lack of memory into a status.
#pragma once

#include <new>
#include <string>
#include <string_view>

#include "reference/base/status.h"

namespace cts {

// Returns an error kUnavailable. `what` names a file or a case for the message, or is empty.
inline Status OutOfMemory(std::string_view what) {
  return Unavailable(what, what.empty() ? "" : ": ",
                     "not enough memory; free some, or allow more (ulimit -v)");
}

// Calls `f` and returns its Status or StatusOr. If `f` throws std::bad_alloc, returns
// OutOfMemory(what).
template <class F>
auto CatchBadAlloc(const std::string& what, F f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return OutOfMemory(what);
  }
}

}  // namespace cts
