#include "tools/run/announced_name.h"

#include <tuple>

#include "checker/names.h"
#include "checker/printable.h"

namespace cts {

Status CheckAnnouncedName(const ImplementationName& said, const std::optional<ClaimedName>& claimed,
                          const std::string& place) {
  for (const auto& [member, found, expected] :
       {std::tuple("name", said.name, claimed ? claimed->name : ""),
        std::tuple("version", said.version, claimed ? claimed->version : "")}) {
    if (!claimed && found.empty()) continue;
    const std::string what =
        StrCat(place, member, ": found \"", Shortened(Printable(found), 200), "\", ");
    if (const std::string fault = FaultOfName(NormalName(found)); !fault.empty()) {
      return InvalidArgument(what, fault);
    }
    if (claimed && NormalName(found) != NormalName(expected)) {
      return InvalidArgument(what, "expected \"", expected, "\" as in ", claimed->origin, ": /",
                             member, "; claim and implementation must say the same");
    }
  }
  return absl::OkStatus();
}

}  // namespace cts
