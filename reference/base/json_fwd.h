// Declares the type of JSON values, for headers that need only its name, since <nlohmann/json.hpp>
// compiles slowly.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace cts {

// Objects keep their members sorted by name, so the order in which members were added does not
// change the written bytes.
using Json = nlohmann::json;

}  // namespace cts
