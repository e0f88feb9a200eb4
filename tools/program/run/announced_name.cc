#include "tools/program/run/announced_name.h"

#include <tuple>

#include "checker/text/names.h"
#include "checker/text/printable.h"
#include "reference/base/json.h"

namespace cts {

Status CheckAnnouncedName(const ImplementationName& said, const std::optional<ClaimedName>& claimed,
                          const std::string& place) {
  for (const auto& [member, found, expected] :
       {std::tuple("name", said.name, claimed ? claimed->name : ""),
        std::tuple("version", said.version, claimed ? claimed->version : "")}) {
    if (!claimed && found.empty()) continue;
    const std::string what =
        StrCat(place, member, ": found \"", Shortened(Printable(found), 200), "\", ");
    CTS_ASSIGN_OR_RETURN(const std::string normal, NormalName(found));
    CTS_ASSIGN_OR_RETURN(const std::string fault, FaultOfName(normal));
    if (!fault.empty()) return InvalidArgument(what, fault);
    CTS_ASSIGN_OR_RETURN(const std::string normal_claim, NormalName(expected));
    if (claimed && normal != normal_claim) {
      return InvalidArgument(what, "expected \"", expected, "\" as in ", claimed->origin, ": /",
                             member, "; claim and implementation must say the same");
    }
  }
  return absl::OkStatus();
}

StatusOr<ImplementationName> NameOf(const WorkerLine& announcement, const std::string& place) {
  ImplementationName said = {announcement.name, announcement.version, announcement.about};
  if (announcement.declared.empty()) return said;
  const std::string origin = place + "declared";
  CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(announcement.declared, origin));
  CTS_ASSIGN_OR_RETURN(said.declared, DeclaredFromJson(json, origin));
  return said;
}

}  // namespace cts
