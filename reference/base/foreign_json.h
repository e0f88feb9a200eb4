// Parses JSON texts that other programs wrote.
#pragma once

#include <string_view>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"

namespace cts {

// Like ParseJson, but accepts an integer beyond 64 bits if a double has exactly its value. The
// integer is then read as that double, since some programs write 2^127 with all its digits. Any
// other integer beyond 64 bits is an error.
StatusOr<Json> ParseForeignJson(std::string_view text, std::string_view origin);

}  // namespace cts
