// Releases, whose suites are frozen, and the errata that were published after the releases.
// Releases and errata come from the sources of the verifying program, never from evidence.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/evidence/claim.h"
#include "checker/evidence/evidence.h"
#include "reference/base/json.h"
#include "reference/base/status.h"
#include "reference/bundle/suite.h"

namespace cts {

// The suite that a claim of a release makes mandatory.
struct ReleasedSuite {
  std::string edition, level;
  std::vector<std::string> profiles, extensions;  // sorted
  bool symbolic = false;
  size_t cases = 0;
  Json recipe;         // in the form of suite.json
  std::string digest;  // of the suite
  // SHA-256 of suite.json: it covers everything that suite.json says about each case.
  std::string manifest;
  Lock lock;  // its name is empty if the release has no lock file for exactly these cases

  // "certify of tosa-1.0 PRO-INT EXT-INT16, level 8K"
  std::string Name() const;
};

// Cases of a release that the same claims make mandatory.
struct CaseGroup {
  // The names that decide whether a claim has these cases; a claim's other names (NamesOf) have no
  // influence. Sorted.
  std::vector<std::string> names;
  // Take the claim's names that are also in `names`. If `except` is false, the claim has the cases
  // if these names form one of the lists. If `except` is true, the claim has the cases if they form
  // no list.
  std::vector<std::vector<std::string>> lists;
  bool except = false;
  std::string digest;              // DigestOfEntries of the cases
  std::vector<std::string> cases;  // ids, sorted

  bool IsOf(const Claim& claim) const;
};

// All cases that any claim on an edition makes mandatory, and the claims that were possible when
// the release was made. A later version may have further profiles and extensions, which the release
// never tested.
struct ReleasedCases {
  struct Extension {
    std::string name;
    std::vector<std::string> base;  // a claim must have one of these profiles; empty: any profile
  };

  std::string edition, level;
  std::vector<std::vector<std::string>> profiles;  // the sets of profiles that a claim could have
  std::vector<Extension> extensions;
  bool symbolic = false;  // a claim could include symbolic programs
  Json recipe;            // in the form of suite.json, without the members that a claim determines
  std::vector<CaseGroup> groups;

  // Whether the release allowed this claim.
  bool Admits(const Claim& claim) const;
  // The recipe of a claim's mandatory suite, in the form of suite.json. The names are in the order
  // of the release's edition.
  Json RecipeOf(const Claim& claim) const;
};

// Returns the names in a claim that determine its mandatory cases, sorted: the names of profiles
// and extensions, and kSymbolicName if the claim includes symbolic programs.
std::vector<std::string> NamesOf(const Claim& claim);
inline constexpr char kSymbolicName[] = "(symbolic)";  // no profile or extension has such a name
// Returns the names of `some` that `all` has, too. `some` and `all` must be sorted.
std::vector<std::string> Among(const std::vector<std::string>& some,
                               const std::vector<std::string>& all);
// Returns the SHA-256 over the entries. Its form must never change, because the groups of earlier
// releases contain such digests.
std::string DigestOfEntries(const std::vector<const SuiteEntry*>& entries);

// suites/released/RELEASE/release.json (schemas/release.schema.json).
struct Release {
  std::string name, date;
  Json build;  // in the form of BuildStateToJson
  std::vector<ReleasedSuite> suites;
  std::string generator;  // the generator's name in the release's suites
  // Reads the cases of all claims; used for claims that `suites` lacks.
  std::function<StatusOr<std::vector<ReleasedCases>>()> cases = nullptr;

  // Returns the suite that the release froze for the claim; null if there is no such suite.
  const ReleasedSuite* Find(const Claim& claim) const;
  // Returns the cases that the release froze for the claim's edition and level; nullopt if there
  // are no such cases, or if the claim was not possible then.
  StatusOr<std::optional<ReleasedCases>> FindCases(const Claim& claim) const;
};

// A ruling (schemas/errata.schema.json). It was made after a release, and changes the meaning of
// the release's certificates.
struct Erratum {
  enum class Effect { kStands, kVoid, kFalls };

  std::string id, edition, clause, ruling, date;
  std::vector<std::string> releases;  // the releases whose certificates the ruling concerns
  std::vector<std::string> cases;     // patterns of case ids and of finding/<kind>
  Effect effect = Effect::kStands;

  // Whether the ruling concerns a case or finding of a suite of the release. `of` is the id of the
  // suite's edition; `name` is the id of a case, or finding/<kind>.
  bool Concerns(const Release& release, const std::string& of, const std::string& name) const;
  // "E1 of 2027-01-15, tosa-1.0, 2.1: a sentence"
  std::string Words() const;
};
std::string_view Name(Erratum::Effect effect);  // "stands", "void", "falls"

StatusOr<Release> ReleaseFromJson(const Json& json, std::string_view origin);
// Reads the decompressed JSON of suites/released/RELEASE/groups.json.zst.
StatusOr<std::vector<ReleasedCases>> CasesFromJson(const Json& json, std::string_view origin);
// CompressGroups returns one frame of zstd that states the size of the text; empty if zstd fails.
std::string CompressGroups(const std::string& text);
StatusOr<std::string> DecompressGroups(std::string_view packed, std::string_view origin);
StatusOr<std::vector<Erratum>> ErrataFromJson(const Json& json, std::string_view origin);

// Returns the releases and errata in the sources of this program.
StatusOr<std::vector<Release>> KnownReleases();
StatusOr<std::vector<Erratum>> KnownErrata();
// Says which versions can verify the evidence that this build makes for the claim: "this build
// alone: it is not a release", or "the release 0.3.0 and every later version".
StatusOr<std::string> WhoCanVerify(const Claim& claim, const std::vector<Release>& releases);
using ReleasesSource = std::function<StatusOr<std::vector<Release>>()>;
using ErrataSource = std::function<StatusOr<std::vector<Erratum>>()>;

}  // namespace cts
