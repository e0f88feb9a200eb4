// JSON that other programs wrote.
#pragma once

#include <string_view>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"

namespace cts {

// Like ParseJson, except for integers beyond 64 bits. If a double equals such an integer, the
// integer is read as that double, since some writers print 2^127 with all its digits. Any other
// such integer is refused.
StatusOr<Json> ParseForeignJson(std::string_view text, std::string_view origin);

}  // namespace cts
