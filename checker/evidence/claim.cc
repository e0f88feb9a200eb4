#include "checker/evidence/claim.h"

#include <algorithm>

#include "checker/text/names.h"
#include "checker/text/printable.h"
#include "reference/base/contains.h"
#include "reference/base/json.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

std::string Join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += StrCat(text.empty() ? "" : ", ", name);
  return text.empty() ? "none" : text;
}

// Puts messages together: file, pointer, found, expected.
class ClaimPlace {
 public:
  ClaimPlace(const Json& json, std::string_view origin) : json_(json), origin_(origin) {}
  template <class... What>
  Status Wrong(const std::string& pointer, const What&... what) const {
    return InvalidArgument(origin_, ": ", pointer, ": found ",
                           Printable(json_[Json::json_pointer(pointer)].dump()), ", ", what...);
  }

 private:
  const Json& json_;
  const std::string_view origin_;
};

// The names in `member`, in its order. Each must be a name of the edition and of this kind.
StatusOr<std::vector<std::string>> ReadNames(const Json& json, const ClaimPlace& place,
                                             const Edition& edition, const std::string& member,
                                             bool extensions) {
  std::vector<std::string> known;
  std::vector<std::string> others;
  for (const ProfileSpec& profile : edition.profiles) {
    (profile.extension == extensions ? known : others).push_back(profile.name);
  }
  std::vector<std::string> claimed;
  for (size_t i = 0; i < json[member].size(); ++i) {
    const std::string pointer = StrCat("/", member, "/", i);
    const std::string name = json[member][i];
    if (Contains(others, name)) {
      return place.Wrong(pointer, "which is ", extensions ? "a profile" : "an extension",
                         ": expected it under \"", extensions ? "profiles" : "extensions", "\"");
    }
    if (!Contains(known, name)) {
      return place.Wrong(pointer, "expected one of ", Join(known), " of ", edition.id);
    }
    if (Contains(claimed, name)) return place.Wrong(pointer, "expected every name once");
    claimed.push_back(name);
  }
  const auto position = [&](const std::string& name) {
    return std::find(known.begin(), known.end(), name);
  };
  std::sort(claimed.begin(), claimed.end(),
            [&](const std::string& a, const std::string& b) { return position(a) < position(b); });
  return claimed;
}

// The place of a name in the file.
std::string PointerOf(const Json& json, const std::string& member, const std::string& name) {
  const Json& names = json[member];
  return StrCat("/", member, "/", std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

StatusOr<Claim> ClaimFromJson(const Json& json, std::string_view origin) {
  CTS_RETURN_IF_ERROR(ValidateJson(json, "claim", origin));
  const ClaimPlace place(json, origin);
  for (const char* member : {"name", "version", "vendor", "hardware"}) {
    const std::string text = json[member];
    const StatusOr<std::string> fault = FaultOfName(text);
    if (!fault.ok()) return Annotate(fault.status(), StrCat(origin, ": /", member));
    if (!fault->empty()) return place.Wrong(StrCat("/", member), *fault);
  }
  Claim claim;
  claim.name = json["name"];
  claim.version = json["version"];
  claim.vendor = json["vendor"];
  claim.hardware = json["hardware"];
  claim.edition = json["edition"];
  claim.level = json["level"];
  claim.symbolic = json.value("symbolic", false);
  claim.waived_findings = json.value("waived_findings", std::vector<std::string>());
  const StatusOr<const Edition*> found = FindEdition(claim.edition);
  if (!found.ok()) return Annotate(found.status(), StrCat(origin, ": /edition"));
  const Edition& edition = **found;
  if (json.contains("declared")) {
    const std::string member = StrCat(origin, ": /declared");
    CTS_ASSIGN_OR_RETURN(claim.declared, DeclaredFromJson(json["declared"], member));
    CTS_RETURN_IF_ERROR(CheckDeclared(*claim.declared, claim.edition, member));
  }
  if (claim.symbolic && !edition.Has(Feature::kSymbolicPrograms)) {
    return place.Wrong("/symbolic", "expected false: symbolic programs are those of ",
                       EditionsThatHave(Feature::kSymbolicPrograms));
  }
  if (edition.FindLevel(claim.level) == nullptr) {
    std::vector<std::string> levels;
    for (const Level& level : edition.levels) levels.push_back(level.name);
    return place.Wrong("/level", "expected one of ", Join(levels), " of ", edition.id);
  }
  // Level none has the limits of the types: no suite can be at all of them, so no suite can be
  // mandatory.
  if (claim.level == "none") {
    return place.Wrong("/level",
                       "expected a level with limits, such as 8K: no suite can show that ",
                       "an implementation is without limits");
  }
  CTS_ASSIGN_OR_RETURN(claim.profiles, ReadNames(json, place, edition, "profiles", false));
  CTS_ASSIGN_OR_RETURN(claim.extensions, ReadNames(json, place, edition, "extensions", true));
  for (const ProfileSpec& spec : edition.profiles) {
    if (Contains(claim.profiles, spec.name) && spec.status == "In development") {
      return place.Wrong(PointerOf(json, "profiles", spec.name), "which ", edition.id,
                         " has in development, without anything to test yet: expected a profile ",
                         "that is complete");
    }
    // As Main Inference of 0.100 includes Base Inference (Main Inference Profile Compliance).
    for (const std::string& included : spec.includes) {
      if (Contains(claim.profiles, spec.name) && !Contains(claim.profiles, included)) {
        return place.Wrong(PointerOf(json, "profiles", spec.name), "which includes ", included,
                           " in ", edition.id, ": expected both");
      }
    }
    if (!Contains(claim.extensions, spec.name) || spec.base.empty()) continue;
    // 1.0, Profile Extensions: the profiles that an extension extends; any one suffices.
    if (std::none_of(spec.base.begin(), spec.base.end(),
                     [&](const std::string& base) { return Contains(claim.profiles, base); })) {
      return place.Wrong(PointerOf(json, "extensions", spec.name), "which extends ",
                         Join(spec.base), ": expected ",
                         spec.base.size() == 1 ? "it" : "one of these", " among the profiles");
    }
  }
  return claim;
}

StatusOr<Claim> ReadClaim(const std::filesystem::path& path) {
  CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(path, ""));
  return ClaimFromJson(json, path.string());
}

Json ClaimToJson(const Claim& claim) {
  Json json = {{"format", "tensor-cts-claim-1"},
               {"name", claim.name},
               {"version", claim.version},
               {"vendor", claim.vendor},
               {"hardware", claim.hardware},
               {"edition", claim.edition},
               {"profiles", claim.profiles},
               {"extensions", claim.extensions},
               {"level", claim.level}};
  if (claim.symbolic) json["symbolic"] = true;
  if (!claim.waived_findings.empty()) json["waived_findings"] = claim.waived_findings;
  if (claim.declared) json["declared"] = DeclaredToJson(*claim.declared);
  return json;
}

}  // namespace cts
