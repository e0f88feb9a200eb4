#include "tools/program/certify/releases.h"

#include <algorithm>
#include <utility>

#include "checker/text/printable.h"
#include "cts_errata.h"
#include "cts_releases.h"
#include "reference/base/contains.h"
#include "reference/base/pattern.h"

namespace cts {
namespace {

using Names = std::vector<std::string>;

Names Sorted(Names names) {
  std::sort(names.begin(), names.end());
  return names;
}

ReleasedSuite SuiteFrom(const Json& json) {
  ReleasedSuite suite;
  suite.edition = json["edition"];
  suite.level = json["level"];
  suite.profiles = Sorted(json["profiles"].get<Names>());
  suite.extensions = Sorted(json["extensions"].get<Names>());
  suite.symbolic = json.value("symbolic", false);
  suite.cases = json["cases"];
  suite.recipe = json["recipe"];
  suite.digest = json["digest"];
  suite.manifest = json["manifest"];
  if (json.contains("lock")) {
    suite.lock = {json["lock"]["name"], json["lock"]["sha256"], suite.digest};
  }
  return suite;
}

}  // namespace

std::string ReleasedSuite::Name() const {
  std::string names;
  for (const auto* list : {&profiles, &extensions}) {
    for (const std::string& name : *list) names += " " + name;
  }
  return StrCat(recipe.value("name", ""), " of ", edition, names, ", level ", level,
                symbolic ? ", with symbolic programs" : "");
}

const ReleasedSuite* Release::Find(const Claim& claim) const {
  const auto found = std::find_if(suites.begin(), suites.end(), [&](const ReleasedSuite& suite) {
    return suite.edition == claim.edition && suite.level == claim.level &&
           suite.symbolic == claim.symbolic && suite.profiles == Sorted(claim.profiles) &&
           suite.extensions == Sorted(claim.extensions);
  });
  return found == suites.end() ? nullptr : &*found;
}

bool Erratum::Concerns(const Release& release, const std::string& of,
                       const std::string& name) const {
  return edition == of && Contains(releases, release.name) &&
         std::any_of(cases.begin(), cases.end(),
                     [&](const std::string& pattern) { return MatchesPattern(pattern, name); });
}

std::string Erratum::Words() const { return StrCat(id, " of ", date, ", ", clause, ": ", ruling); }

std::string_view Name(Erratum::Effect effect) {
  switch (effect) {
    case Erratum::Effect::kStands:
      return "stands";
    case Erratum::Effect::kVoid:
      return "void";
    case Erratum::Effect::kFalls:
      return "falls";
  }
  return "";
}

StatusOr<Release> ReleaseFromJson(const Json& json, std::string_view origin) {
  CTS_RETURN_IF_ERROR(ValidateJson(json, "release", origin));
  Release release{json["release"], json["date"], json["build"], {}};
  for (const Json& suite : json["suites"]) release.suites.push_back(SuiteFrom(suite));
  const std::string version = json["build"]["version"];
  release.generator = json.value("generator", StrCat("tensor-cts ", version));
  return release;
}

StatusOr<std::vector<Erratum>> ErrataFromJson(const Json& json, std::string_view origin) {
  CTS_RETURN_IF_ERROR(ValidateJson(json, "errata", origin));
  std::vector<Erratum> errata;
  for (const Json& one : json["errata"]) {
    Erratum erratum{one["id"],   one["edition"],  one["clause"], one["ruling"],
                    one["date"], one["releases"], one["cases"],  Erratum::Effect::kStands};
    for (const Erratum::Effect effect : {Erratum::Effect::kVoid, Erratum::Effect::kFalls}) {
      if (one["effect"] == Name(effect)) erratum.effect = effect;
    }
    for (const Erratum& other : errata) {
      if (other.id != erratum.id) continue;
      return InvalidArgument(origin, ": found ", Printable(erratum.id),
                             " twice, expected every id once");
    }
    errata.push_back(std::move(erratum));
  }
  return errata;
}

StatusOr<std::vector<Release>> KnownReleases() {
  std::vector<Release> releases;
  for (const EmbeddedFile& file : EmbeddedReleases()) {
    CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(file.text, file.name));
    CTS_ASSIGN_OR_RETURN(Release release, ReleaseFromJson(json, file.name));
    releases.push_back(std::move(release));
  }
  return releases;
}

StatusOr<std::vector<Erratum>> KnownErrata() {
  const EmbeddedFile& file = EmbeddedErrata().front();
  CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(file.text, file.name));
  return ErrataFromJson(json, file.name);
}

}  // namespace cts
