#include "tools/program/certify/freeze.h"

#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "checker/judge/build_state.h"
#include "cts_locks.h"
#include "generator/generate.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/new_folder.h"
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
