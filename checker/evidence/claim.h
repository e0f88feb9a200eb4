// The claim about an implementation (schemas/claim.schema.json).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/judge/declared.h"
#include "reference/base/json_fwd.h"
#include "reference/base/status.h"

namespace cts {

struct Claim {
  std::string name, version, vendor, hardware;
  std::string edition, level;
  // Names as the edition spells them, in the edition's order.
  std::vector<std::string> profiles, extensions;
  bool symbolic = false;  // the implementation accepts symbolic programs
  // Kinds of findings that do not make the implementation fail. Only moved_not_computed may be
  // waived.
  std::vector<std::string> waived_findings;
  std::optional<Declared> declared;  // what the implementation supports; changes no verdict
};

// Refuses a claim that cannot be confirmed, such as a claim with a name that the edition does not
// have, or with a profile that no case can test. If a claim names a profile, it must also name the
// profiles that this profile includes. If a claim names an extension, it must also name a profile
// that this extension extends. Errors name `origin`, the JSON pointer and what was expected.
StatusOr<Claim> ClaimFromJson(const Json& json, std::string_view origin);
StatusOr<Claim> ReadClaim(const std::filesystem::path& path);

// Returns the JSON with the member `format`. ClaimFromJson can read the JSON back.
Json ClaimToJson(const Claim& claim);

}  // namespace cts
