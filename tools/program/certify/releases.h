// Releases, whose suites are frozen, and the errata since then. Both come from the sources of the
// verifying program, never from evidence.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/evidence/claim.h"
#include "checker/evidence/evidence.h"
#include "reference/base/json.h"
#include "reference/base/status.h"

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

// suites/released/RELEASE/release.json (schemas/release.schema.json).
struct Release {
  std::string name, date;
  Json build;  // in the form of BuildStateToJson
  std::vector<ReleasedSuite> suites;
  std::string generator;  // the generator's name in the release's suites

  // Returns the suite that the release froze for the claim; null if there is none.
  const ReleasedSuite* Find(const Claim& claim) const;
};

// A ruling, made after a release, that changes the meaning of its certificates
// (schemas/errata.schema.json).
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
StatusOr<std::vector<Erratum>> ErrataFromJson(const Json& json, std::string_view origin);

// The releases and errata that this program knows.
StatusOr<std::vector<Release>> KnownReleases();
StatusOr<std::vector<Erratum>> KnownErrata();
using ReleasesSource = std::function<StatusOr<std::vector<Release>>()>;
using ErrataSource = std::function<StatusOr<std::vector<Erratum>>()>;

}  // namespace cts
