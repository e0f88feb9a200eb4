// The error if a format cannot express a part of a graph, or if a file has a part that this program
// does not know.
#pragma once

#include "reference/base/status.h"

namespace cts {

template <class... Args>
Status Unsupported(const Args&... args) {
  return {absl::StatusCode::kUnimplemented, StrCat(args...)};
}

}  // namespace cts
