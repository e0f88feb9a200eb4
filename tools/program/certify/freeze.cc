#include "tools/program/certify/freeze.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "checker/judge/build_state.h"
#include "cts_locks.h"
#include "generator/generate.h"
#include "reference/base/contains.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/new_folder.h"
#include "reference/base/parallel_for.h"
#include "reference/spec/edition.h"
#include "tools/program/certify/certify.h"
#include "tools/program/certify/releases.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

Json ClaimJson(const Json& part) {
  Json claim = part;
  claim["format"] = "tensor-cts-claim-1";
  for (const char* member : {"name", "version", "vendor", "hardware"}) claim[member] = "any";
  return claim;
}

Status MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return absl::OkStatus();
  return Unavailable(folder.string(), ": cannot be created: ", error.message());
}

// The entry of a claim, and the lock of its suite.
StatusOr<std::pair<Json, Lock>> Frozen(const Claim& claim, const FreezeOptions& options) {
  GenerateOptions generate;
  CTS_ASSIGN_OR_RETURN(generate.recipe, MandatoryRecipe(claim, options.recipe));
  CTS_ASSIGN_OR_RETURN(const Lock lock, FindLock(generate.recipe));
  CTS_ASSIGN_OR_RETURN(const NewFolder work, NewFolder::Beside(options.out / "suite"));
  generate.out = work.path() / "suite";
  generate.jobs = options.jobs;
  generate.pack = true;
  CTS_ASSIGN_OR_RETURN(const Suite suite, Generate(generate));
  CTS_ASSIGN_OR_RETURN(const std::string manifest,
                       ReadFile(generate.out / "suite.json", kMaxSuiteJson));
  if (!lock.name.empty() && lock.suite != suite.digest) {
    return InvalidArgument(lock.name, ": found the digest ", lock.suite, ", but its recipe yields ",
                           suite.digest, ": renew the locks before a release is frozen");
  }
  Json entry = {{"edition", claim.edition},
                {"level", claim.level},
                {"profiles", claim.profiles},
                {"extensions", claim.extensions},
                {"recipe", Json::parse(suite.recipe)},
                {"cases", suite.cases.size()},
                {"digest", suite.digest},
                {"manifest", Sha256(manifest)}};
  if (claim.symbolic) entry["symbolic"] = true;
  if (!lock.name.empty()) entry["lock"] = {{"name", lock.name}, {"sha256", lock.digest}};
  return std::pair(std::move(entry), lock);
}

}  // namespace

StatusOr<std::vector<Claim>> ReadClaimsToFreeze(const fs::path& file) {
  CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(file, ""));
  if (!json.is_array()) return InvalidArgument(file.string(), ": expected an array of claims");
  std::vector<Claim> claims;
  for (size_t i = 0; i < json.size(); ++i) {
    CTS_ASSIGN_OR_RETURN(Claim claim,
                         ClaimFromJson(ClaimJson(json[i]), StrCat(file.string(), ": /", i)));
    claims.push_back(std::move(claim));
  }
  return claims;
}

Status FreezeRelease(const FreezeOptions& options) {
  const fs::path index = options.out / "release.json";
  Json json = {{"format", "tensor-cts-release-1"},
               {"release", options.release},
               {"date", options.date},
               {"build", BuildStateToJson(ThisBuild())},
               {"generator", kSuiteGenerator},
               {"suites", Json::array()}};
  Release before;
  CTS_ASSIGN_OR_RETURN(const bool there, IsTaken(index));
  if (there) {
    CTS_ASSIGN_OR_RETURN(json, LoadJson(index, ""));
    CTS_ASSIGN_OR_RETURN(before, ReleaseFromJson(json, index.string()));
    if (before.name != options.release || before.build != BuildStateToJson(ThisBuild())) {
      return InvalidArgument(index.string(), ": found the release ", before.name,
                             " of another build, expected ", options.release, " of this one: what ",
                             "is frozen never changes");
    }
  }
  CTS_RETURN_IF_ERROR(MakeFolder(options.out));
  for (const Claim& claim : options.claims) {
    if (before.Find(claim) != nullptr) continue;
    if (options.progress) options.progress(ClaimToJson(claim).dump());
    CTS_ASSIGN_OR_RETURN(const auto frozen, Frozen(claim, options));
    json["suites"].push_back(frozen.first);
    for (const EmbeddedFile& file : EmbeddedLocks()) {
      if (file.name != frozen.second.name) continue;
      CTS_RETURN_IF_ERROR(WriteFile(options.out / file.name, file.text));
    }
    // Each is there before the next, which takes minutes.
    CTS_RETURN_IF_ERROR(ReleaseFromJson(json, index.string()).status());
    CTS_RETURN_IF_ERROR(SaveJson(index, json));
  }
  return absl::OkStatus();
}

namespace {

// The cases of all claims on an edition, in groups.
class Grouping {
 public:
  Grouping(const FreezeOptions& options, const Release& release, std::string edition,
           std::string level)
      : options_(options), release_(release) {
    cases_.edition = std::move(edition);
    cases_.level = std::move(level);
  }

  StatusOr<Json> Run() {
    CTS_RETURN_IF_ERROR(FindClaims());
    CTS_RETURN_IF_ERROR(Plan());
    CTS_RETURN_IF_ERROR(MakeCases());
    CTS_RETURN_IF_ERROR(FindGroups());
    CTS_RETURN_IF_ERROR(Confirm());
    return ToJson();
  }

 private:
  using Names = std::vector<std::string>;
  using Claims = std::vector<bool>;  // those of claims_ that make a case mandatory

  std::string Where() const { return StrCat(cases_.edition, ", level ", cases_.level); }

  Status FindClaims() {
    CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(cases_.edition));
    // Each further name doubles the time, which is an hour and a half for 13 names.
    constexpr size_t kMost = 16;
    const size_t names = edition->profiles.size();
    if (names > kMost) {
      return InvalidArgument(Where(), ": found ", names, " profiles and extensions, expected at ",
                             "most ", kMost, ": planning the suites of all claims would not end");
    }
    for (const ProfileSpec& spec : edition->profiles) {
      if (spec.extension) cases_.extensions.push_back({spec.name, spec.base});
    }
    for (size_t set = 0; set < size_t{1} << names; ++set) {
      Json part = {{"edition", cases_.edition},
                   {"level", cases_.level},
                   {"profiles", Json::array()},
                   {"extensions", Json::array()}};
      for (size_t i = 0; i < names; ++i) {
        const ProfileSpec& spec = edition->profiles[i];
        if ((set >> i & 1) == 0) continue;
        part[spec.extension ? "extensions" : "profiles"].push_back(spec.name);
      }
      for (const bool symbolic : {false, true}) {
        part["symbolic"] = symbolic;
        StatusOr<Claim> claim = ClaimFromJson(ClaimJson(part), cases_.edition);
        if (!claim.ok()) continue;
        cases_.symbolic = cases_.symbolic || symbolic;
        if (!Contains(cases_.profiles, claim->profiles)) cases_.profiles.push_back(claim->profiles);
        claims_.push_back(*std::move(claim));
      }
    }
    if (claims_.empty()) {
      return InvalidArgument(Where(), ": found no claim, expected at least one");
    }
    CTS_ASSIGN_OR_RETURN(const Recipe recipe, MandatoryRecipe(claims_.front(), options_.recipe));
    cases_.recipe = RecipeToJson(recipe);
    cases_.recipe.erase("profiles");
    cases_.recipe.erase("symbolic");
    return absl::OkStatus();
  }

  Status Plan() {
    std::mutex mutex;
    ParallelOptions parallel;
    parallel.jobs = options_.jobs;
    parallel.progress = [&](size_t done, size_t total) {
      if (!options_.progress || done % 100 != 0) return;
      options_.progress(StrCat(Where(), ": planned ", done, " of ", total, " claims"));
    };
    return ParallelFor(claims_.size(), parallel, [&](size_t i) -> Status {
      const Claim& claim = claims_[i];
      CTS_ASSIGN_OR_RETURN(const Recipe recipe, MandatoryRecipe(claim, options_.recipe));
      CTS_ASSIGN_OR_RETURN(const std::vector<PlannedCase> planned, PlanCases(recipe));
      if (!cases_.Admits(claim) || cases_.RecipeOf(claim) != RecipeToJson(recipe)) {
        return InvalidArgument(ClaimToJson(claim).dump(), ": its recipe does not follow from that ",
                               "of another claim: the groups need further members");
      }
      // The statement of such evidence names a lock, which only release.json has.
      CTS_ASSIGN_OR_RETURN(const Lock lock, FindLock(recipe));
      if (!lock.name.empty() && release_.Find(claim) == nullptr) {
        return InvalidArgument(ClaimToJson(claim).dump(), ": found the lock ", lock.name,
                               " for it, expected this claim among those that are frozen");
      }
      const std::lock_guard<std::mutex> guard(mutex);
      for (const PlannedCase& one : planned) {
        Claims& claims = members_[one.id];
        claims.resize(claims_.size());
        claims[i] = true;
      }
      return absl::OkStatus();
    });
  }

  Status FindGroups() {
    std::map<Claims, std::vector<const SuiteEntry*>> groups;
    for (const auto& [id, claims] : members_) {
      // The contents of few cases depend on the profiles.
      std::map<std::string, Claims> contents;
      std::map<std::string, const SuiteEntry*> entries;
      for (size_t i = 0; i < claims.size(); ++i) {
        if (!claims[i]) continue;
        const SuiteEntry& entry = made_.at(id).at(claims_[i].profiles);
        const std::string text = SuiteEntryToJson(entry).dump();
        Claims& having = contents[text];
        having.resize(claims.size());
        having[i] = true;
        entries[text] = &entry;
      }
      for (const auto& [text, having] : contents) groups[having].push_back(entries.at(text));
    }
    for (const auto& [claims, entries] : groups) {
      CaseGroup group;
      group.names = NamesThatDecide(claims);
      Claims others = claims;
      others.flip();
      std::set<Names> lists = ListsOf(claims, group.names),
                      other_lists = ListsOf(others, group.names);
      group.except = other_lists.size() < lists.size();
      if (group.except) lists.swap(other_lists);
      group.lists.assign(lists.begin(), lists.end());
      group.digest = DigestOfEntries(entries);
      for (const SuiteEntry* entry : entries) group.cases.push_back(entry->id);
      for (size_t i = 0; i < claims_.size(); ++i) {
        if (group.IsOf(claims_[i]) == claims[i]) continue;
        return InvalidArgument(ClaimToJson(claims_[i]).dump(), ": its names do not say whether ",
                               group.cases.front(), " is mandatory");
      }
      cases_.groups.push_back(std::move(group));
      entries_.push_back(entries);
    }
    return absl::OkStatus();
  }

  // The lists of those among the names that the claims have, once each.
  std::set<Names> ListsOf(const Claims& claims, const Names& names) const {
    std::set<Names> lists;
    for (size_t i = 0; i < claims.size(); ++i) {
      if (claims[i]) lists.insert(Among(names, NamesOf(claims_[i])));
    }
    return lists;
  }

  // As few names as tell the claims that have a group from those that do not.
  Names NamesThatDecide(const Claims& claims) const {
    std::set<std::string> all;
    for (const Claim& claim : claims_) {
      const Names names = NamesOf(claim);
      all.insert(names.begin(), names.end());
    }
    Names few(all.begin(), all.end());
    for (const std::string& name : all) {
      Names fewer = few;
      std::erase(fewer, name);
      if (Decide(claims, fewer)) few = fewer;
    }
    return few;
  }

  bool Decide(const Claims& claims, const Names& names) const {
    const std::set<Names> lists = ListsOf(claims, names);
    for (size_t i = 0; i < claims.size(); ++i) {
      if (!claims[i] && lists.count(Among(names, NamesOf(claims_[i]))) > 0) return false;
    }
    return true;
  }

  // For each set of profiles, generates the suites of as few claims as have every case of these
  // profiles, those with most cases first.
  Status MakeCases() {
    for (const Names& profiles : cases_.profiles) {
      while (true) {
        std::vector<size_t> left(claims_.size());
        for (const auto& [id, claims] : members_) {
          const auto made = made_.find(id);
          if (made != made_.end() && made->second.count(profiles) > 0) continue;
          for (size_t i = 0; i < claims.size(); ++i) {
            left[i] += claims[i] && claims_[i].profiles == profiles ? 1 : 0;
          }
        }
        const auto next = std::max_element(left.begin(), left.end());
        if (*next == 0) break;
        CTS_RETURN_IF_ERROR(MakeCasesOf(claims_[static_cast<size_t>(next - left.begin())]));
      }
    }
    return absl::OkStatus();
  }

  // A case must have one content for all claims on the same profiles.
  Status MakeCasesOf(const Claim& claim) {
    if (options_.progress) options_.progress(ClaimToJson(claim).dump());
    GenerateOptions generate;
    CTS_ASSIGN_OR_RETURN(generate.recipe, MandatoryRecipe(claim, options_.recipe));
    generate.jobs = options_.jobs;
    std::mutex mutex;
    return ForEachEntry(generate, [&](const SuiteEntry& entry) -> Status {
      const std::lock_guard<std::mutex> lock(mutex);
      const auto [known, added] = made_[entry.id].try_emplace(claim.profiles, entry);
      if (added || SuiteEntryToJson(known->second) == SuiteEntryToJson(entry)) {
        return absl::OkStatus();
      }
      return InvalidArgument(entry.id, ": found other contents for ", ClaimToJson(claim).dump(),
                             " than for another claim on these profiles: expected the same");
    });
  }

  // Every suite that the release froze by itself must follow from the groups, with every byte of
  // its manifest.
  Status Confirm() const {
    for (const ReleasedSuite& frozen : release_.suites) {
      if (frozen.edition != cases_.edition || frozen.level != cases_.level) continue;
      const auto claim = std::find_if(claims_.begin(), claims_.end(), [&](const Claim& one) {
        return release_.Find(one) == &frozen;
      });
      if (claim == claims_.end()) {
        return InvalidArgument(frozen.Name(), ": is not among the claims of ", cases_.edition);
      }
      CTS_ASSIGN_OR_RETURN(const Recipe recipe, MandatoryRecipe(*claim, options_.recipe));
      Suite suite;
      suite.name = recipe.name;
      suite.edition = cases_.edition;
      suite.level = cases_.level;
      suite.generator = release_.generator;
      suite.seed = recipe.seed;
      suite.recipe = cases_.RecipeOf(*claim).dump();
      for (size_t i = 0; i < cases_.groups.size(); ++i) {
        if (!cases_.groups[i].IsOf(*claim)) continue;
        for (const SuiteEntry* entry : entries_[i]) suite.cases.push_back(*entry);
      }
      std::sort(suite.cases.begin(), suite.cases.end(),
                [](const SuiteEntry& a, const SuiteEntry& b) { return a.id < b.id; });
      suite.digest = SuiteDigest(suite.cases);
      const std::string manifest = Sha256(FormatJson(SuiteToJson(suite)));
      if (suite.digest == frozen.digest && manifest == frozen.manifest) continue;
      return InvalidArgument(frozen.Name(), ": found the digest ", frozen.digest,
                             " and the manifest ", frozen.manifest,
                             " in release.json, but the groups yield ", suite.digest, " and ",
                             manifest, ": build this from the sources of the release");
    }
    return absl::OkStatus();
  }

  Json ToJson() const {
    Json extensions = Json::array(), groups = Json::array();
    for (const ReleasedCases::Extension& one : cases_.extensions) {
      extensions.push_back({{"name", one.name}, {"base", one.base}});
    }
    for (const CaseGroup& group : cases_.groups) {
      groups.push_back({{"names", group.names},
                        {"lists", group.lists},
                        {"digest", group.digest},
                        {"cases", group.cases}});
      if (group.except) groups.back()["except"] = true;
    }
    return {{"edition", cases_.edition},   {"level", cases_.level},
            {"profiles", cases_.profiles}, {"extensions", extensions},
            {"symbolic", cases_.symbolic}, {"recipe", cases_.recipe},
            {"groups", std::move(groups)}};
  }

  const FreezeOptions& options_;
  const Release& release_;
  ReleasedCases cases_;
  std::vector<Claim> claims_;                                // all
  std::map<std::string, Claims> members_;                    // by id
  std::map<std::string, std::map<Names, SuiteEntry>> made_;  // by id, then by profiles
  std::vector<std::vector<const SuiteEntry*>> entries_;      // of the groups
};

}  // namespace

Status FreezeGroups(const FreezeOptions& options) {
  const fs::path file = options.out / "groups.json.zst";
  CTS_ASSIGN_OR_RETURN(const bool there, IsTaken(file));
  if (there) return absl::OkStatus();
  const fs::path index = options.out / "release.json";
  CTS_ASSIGN_OR_RETURN(const Json frozen, LoadJson(index, ""));
  CTS_ASSIGN_OR_RETURN(const Release release, ReleaseFromJson(frozen, index.string()));
  if (release.build != BuildStateToJson(ThisBuild()) || release.generator != kSuiteGenerator) {
    return InvalidArgument(index.string(), ": found the release ", release.name,
                           " of another build, expected one of this build");
  }
  std::set<std::pair<std::string, std::string>> places;
  for (const ReleasedSuite& suite : release.suites) places.emplace(suite.edition, suite.level);
  Json json = {{"format", "tensor-cts-release-groups-1"},
               {"release", release.name},
               {"editions", Json::array()}};
  for (const auto& [edition, level] : places) {
    CTS_ASSIGN_OR_RETURN(Json groups, Grouping(options, release, edition, level).Run());
    json["editions"].push_back(std::move(groups));
  }
  CTS_RETURN_IF_ERROR(CasesFromJson(json, file.string()).status());
  return WriteFile(file, CompressGroups(json.dump()));
}

StatusOr<Recipe> SampleRecipe(const std::string& edition) {
  CTS_ASSIGN_OR_RETURN(Recipe recipe, FindRecipe("smoke"));
  recipe.name = "sample";
  recipe.edition = edition;
  recipe.operators = {"ABS", "CLZ"};
  return recipe;
}

Status MakeSample(const std::string& release, const std::string& date, const fs::path& out) {
  CTS_RETURN_IF_ERROR(MakeFolder(out));
  // The index comes last: without it the call before this one did not come to its end.
  CTS_ASSIGN_OR_RETURN(const bool made, IsTaken(out / "release.json"));
  if (made) return absl::OkStatus();
  std::error_code ignored;
  fs::remove(out / "evidence.tar.zst", ignored);
  Json claim = ClaimJson({{"edition", std::string(kDefaultEdition)},
                          {"level", "8K"},
                          {"profiles", {"PRO-INT"}},
                          {"extensions", Json::array()}});
  claim["vendor"] = "Example";
  // Evidence says where it was made: the maintainer's folders do not belong in it.
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  CTS_ASSIGN_OR_RETURN(const NewFolder work, NewFolder::Beside(temporary / "tensor-cts-sample"));
  CertifyOptions options;
  options.claim = work.path() / "claim.json";
  options.key = work.path() / "key.pem";
  options.out = work.path() / "evidence.tar.zst";
  options.archive = true;
  options.recipe = SampleRecipe;
  options.run.builtin = "native";
  options.run.pack = true;
  CTS_RETURN_IF_ERROR(SaveJson(options.claim, claim));
  // RFC 8032, section 7.1, TEST 2: a published key, so that the sample cannot be taken for a
  // certificate.
  CTS_RETURN_IF_ERROR(WriteFile(options.key,
                                "-----BEGIN PRIVATE KEY-----\n"
                                "MC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7\n"
                                "-----END PRIVATE KEY-----\n"));
  CTS_RETURN_IF_ERROR(WriteFile(out / "key.pub",
                                "-----BEGIN PUBLIC KEY-----\n"
                                "MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n"
                                "-----END PUBLIC KEY-----\n"));
  CTS_RETURN_IF_ERROR(Certify(options).status());
  fs::copy_file(options.out, out / "evidence.tar.zst", error);
  if (error) return Unavailable(out.string(), ": cannot be written: ", error.message());
  FreezeOptions freeze;
  freeze.release = release;
  freeze.date = date;
  freeze.out = out;
  freeze.recipe = SampleRecipe;
  CTS_ASSIGN_OR_RETURN(Claim claimed, ClaimFromJson(claim, "the sample's claim"));
  freeze.claims.push_back(std::move(claimed));
  return FreezeRelease(freeze);
}

}  // namespace cts
