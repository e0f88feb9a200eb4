// JSON that other programs wrote.
#pragma once

#include <string_view>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"

namespace cts {

// As ParseJson, but an integer beyond 64 bits is read as the double that it equals: some writers
// print 2^127 with all its digits. An integer that equals no double is refused here as well.
StatusOr<Json> ParseForeignJson(std::string_view text, std::string_view origin);

}  // namespace cts
