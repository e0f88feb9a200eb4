// The name of JSON values, for headers that only mention them: <nlohmann/json.hpp> compiles slowly.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace cts {

// Objects keep their members sorted by name: the same bytes everywhere.
using Json = nlohmann::json;

}  // namespace cts
