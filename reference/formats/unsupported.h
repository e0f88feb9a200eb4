// The error of a format that has no form for something of a graph, or of a file that has more than
// is known here.
#pragma once

#include "reference/base/status.h"

namespace cts {

template <class... Args>
Status Unsupported(const Args&... args) {
  return {absl::StatusCode::kUnimplemented, StrCat(args...)};
}

}  // namespace cts
