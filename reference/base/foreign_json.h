// JSON that other programs wrote.
#pragma once

#include <string_view>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"

namespace cts {

// Like ParseJson, but reads an integer beyond 64 bits as a double if it equals one, since some
// writers print 2^127 with all its digits. Refuses any other integer beyond 64 bits.
StatusOr<Json> ParseForeignJson(std::string_view text, std::string_view origin);

}  // namespace cts
