// For tests: makes a claim in the form of claim.json.
#pragma once

#include <string>
#include <vector>

#include "reference/base/json.h"

namespace cts {

inline Json ClaimOf(const std::vector<std::string>& profiles,
                    const std::vector<std::string>& extensions = {},
                    const std::string& edition = "tosa-1.0") {
  return {{"format", "tensor-cts-claim-1"},
          {"name", "NPU"},
          {"version", "1.2"},
          {"vendor", "Acme"},
          {"hardware", "board"},
          {"edition", edition},
          {"profiles", profiles},
          {"extensions", extensions},
          {"level", "8K"}};
}

}  // namespace cts
