#include "tools/program/certify/releases.h"

#include <zstd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "checker/judge/build_state.h"
#include "checker/text/printable.h"
#include "cts_errata.h"
#include "cts_release_groups.h"
#include "cts_releases.h"
#include "reference/base/contains.h"
#include "reference/base/digest.h"
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

// The cases of a release of this name; none if the release left no such file.
StatusOr<std::vector<ReleasedCases>> KnownCases(const std::string& release) {
  for (const EmbeddedFile& file : EmbeddedReleaseGroups()) {
    CTS_ASSIGN_OR_RETURN(const std::string text, DecompressGroups(file.text, file.name));
    CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(text, file.name));
    if (!json.is_object() || json.value("release", "") != release) continue;
    return CasesFromJson(json, StrCat("groups of the release ", release));
  }
  return std::vector<ReleasedCases>();
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

std::vector<std::string> NamesOf(const Claim& claim) {
  Names names = claim.profiles;
  names.insert(names.end(), claim.extensions.begin(), claim.extensions.end());
  if (claim.symbolic) names.push_back(kSymbolicName);
  return Sorted(std::move(names));
}

std::string DigestOfEntries(const std::vector<const SuiteEntry*>& entries) {
  Sha256Stream digest;
  for (const SuiteEntry* entry : entries) {
    const Json line = {{"id", entry->id},
                       {"operator", entry->op},
                       {"outcome", entry->outcome},
                       {"digest", entry->digest},
                       {"conditions", entry->conditions},
                       {"teeth", entry->teeth ? Json(*entry->teeth) : Json()},
                       {"neighbour", entry->neighbour}};
    digest.Add(line.dump() + "\n");
  }
  return digest.Finish();
}

std::vector<std::string> Among(const std::vector<std::string>& some,
                               const std::vector<std::string>& all) {
  Names both;
  std::set_intersection(some.begin(), some.end(), all.begin(), all.end(), std::back_inserter(both));
  return both;
}

bool CaseGroup::IsOf(const Claim& claim) const {
  return Contains(lists, Among(names, NamesOf(claim))) != except;
}

bool ReleasedCases::Admits(const Claim& claim) const {
  const bool profiles_known = std::any_of(profiles.begin(), profiles.end(), [&](const Names& set) {
    return Sorted(set) == Sorted(claim.profiles);
  });
  return profiles_known && (symbolic || !claim.symbolic) &&
         std::all_of(claim.extensions.begin(), claim.extensions.end(), [&](const auto& name) {
           return std::any_of(extensions.begin(), extensions.end(), [&](const Extension& one) {
             const Names& base = one.base;
             return one.name == name &&
                    (base.empty() ||
                     std::any_of(base.begin(), base.end(), [&](const auto& profile) {
                       return Contains(claim.profiles, profile);
                     }));
           });
         });
}

Json ReleasedCases::RecipeOf(const Claim& claim) const {
  Json whole = recipe;
  Json names = Json::array();
  for (const Names& set : profiles) {
    if (Sorted(set) == Sorted(claim.profiles)) names = set;
  }
  for (const Extension& extension : extensions) {
    if (Contains(claim.extensions, extension.name)) names.push_back(extension.name);
  }
  whole["profiles"] = names;
  if (claim.symbolic) whole["symbolic"] = true;
  return whole;
}

StatusOr<std::optional<ReleasedCases>> Release::FindCases(const Claim& claim) const {
  if (!cases) return std::optional<ReleasedCases>();
  CTS_ASSIGN_OR_RETURN(std::vector<ReleasedCases> editions, cases());
  for (ReleasedCases& one : editions) {
    if (one.edition != claim.edition || one.level != claim.level) continue;
    if (one.Admits(claim)) return std::optional(std::move(one));
  }
  return std::optional<ReleasedCases>();
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

StatusOr<std::vector<ReleasedCases>> CasesFromJson(const Json& json, std::string_view origin) {
  CTS_RETURN_IF_ERROR(ValidateJson(json, "release_groups", origin));
  std::vector<ReleasedCases> cases;
  for (const Json& edition : json["editions"]) {
    ReleasedCases one;
    one.edition = edition["edition"];
    one.level = edition["level"];
    one.profiles = edition["profiles"].get<std::vector<Names>>();
    for (const Json& extension : edition["extensions"]) {
      one.extensions.push_back({extension["name"], extension["base"]});
    }
    one.symbolic = edition["symbolic"];
    one.recipe = edition["recipe"];
    for (const Json& group : edition["groups"]) {
      one.groups.push_back({group["names"], group["lists"], group.value("except", false),
                            group["digest"], group["cases"]});
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

std::string CompressGroups(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  constexpr int kSmallest = 19;
  const size_t size =
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), kSmallest);
  if (ZSTD_isError(size) != 0) return "";
  packed.resize(size);
  return packed;
}

StatusOr<std::string> DecompressGroups(std::string_view packed, std::string_view origin) {
  constexpr uint64_t kMaxGroups = 64 << 20;
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size > kMaxGroups) {
    return InvalidArgument(origin, ": expected one frame of zstd that states its size");
  }
  std::string text(size, '\0');
  const size_t done = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
  if (ZSTD_isError(done) != 0 || done != text.size()) {
    return InvalidArgument(origin, ": cannot be decompressed");
  }
  return text;
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
    release.cases = [name = release.name]() { return KnownCases(name); };
    releases.push_back(std::move(release));
  }
  return releases;
}

StatusOr<std::vector<Erratum>> KnownErrata() {
  const EmbeddedFile& file = EmbeddedErrata().front();
  CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(file.text, file.name));
  return ErrataFromJson(json, file.name);
}

StatusOr<std::string> WhoCanVerify(const Claim& claim, const std::vector<Release>& releases) {
  const Json build = BuildStateToJson(ThisBuild());
  for (const Release& release : releases) {
    if (release.build != build) continue;
    if (release.Find(claim) == nullptr) {
      CTS_ASSIGN_OR_RETURN(const std::optional<ReleasedCases> cases, release.FindCases(claim));
      if (!cases) return StrCat("the release ", release.name, " alone: it froze no such suite");
    }
    return StrCat("the release ", release.name, " and every later version");
  }
  return std::string("this build alone: it is not a release");
}

}  // namespace cts
