#include "tools/program/certify/mandatory_suite.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>

#include "checker/text/printable.h"
#include "cts_locks.h"
#include "generator/generate.h"
#include "reference/base/digest.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/base/pack.h"
#include "reference/bundle/bundle.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

// The part of a recipe that determines the cases: without its name, and with all profiles by name.
StatusOr<Json> EssenceOf(Recipe recipe) {
  recipe.name = "";
  recipe.summary = "";
  if (recipe.profiles.empty()) {
    CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(recipe.edition));
    for (const ProfileSpec& profile : edition->profiles) recipe.profiles.push_back(profile.name);
  }
  std::sort(recipe.profiles.begin(), recipe.profiles.end());
  return RecipeToJson(recipe);
}

}  // namespace

StatusOr<Recipe> CertifyRecipe(const std::string& edition) {
  CTS_ASSIGN_OR_RETURN(const Edition* const known, FindEdition(edition));
  StatusOr<Recipe> recipe = FindRecipe(known->certify);
  if (!recipe.ok()) return Annotate(recipe.status(), StrCat("edition ", edition, ": /certify"));
  recipe->edition = edition;
  return recipe;
}

StatusOr<Recipe> MandatoryRecipe(const Claim& claim, const BaseRecipe& base) {
  CTS_ASSIGN_OR_RETURN(Recipe recipe, base(claim.edition));
  recipe.level = claim.level;
  recipe.symbolic = claim.symbolic;
  recipe.profiles = claim.profiles;
  recipe.profiles.insert(recipe.profiles.end(), claim.extensions.begin(), claim.extensions.end());
  return recipe;
}

StatusOr<std::vector<std::string>> DifferentCases(const Recipe& found, const Recipe& expected) {
  CTS_ASSIGN_OR_RETURN(const Json a, EssenceOf(found));
  CTS_ASSIGN_OR_RETURN(const Json b, EssenceOf(expected));
  return Differences(a, b);
}

StatusOr<Lock> FindLock(const Recipe& recipe) {
  constexpr std::string_view kSuffix = ".lock.json";
  CTS_ASSIGN_OR_RETURN(const Json wanted, EssenceOf(recipe));
  for (const EmbeddedFile& file : EmbeddedLocks()) {
    CTS_ASSIGN_OR_RETURN(const Recipe other,
                         FindRecipe(file.name.substr(0, file.name.size() - kSuffix.size())));
    CTS_ASSIGN_OR_RETURN(const Json essence, EssenceOf(other));
    if (essence != wanted) continue;
    CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(file.text, file.name));
    return Lock{std::string(file.name), Sha256(file.text), json["digest"]};
  }
  return Lock();
}

StatusOr<std::vector<std::string>> CompareManifest(const Suite& suite, const Recipe& recipe,
                                                   const Lock& lock) {
  constexpr size_t kShown = 5;
  const std::string file = "suite/suite.json: ";
  std::vector<std::string> faults;
  const auto other = [&](const char* member, const std::string& has, const std::string& wants) {
    faults.push_back(StrCat(file, "/", member, ": found ", Shortened(Printable(has), 100),
                            ", expected ", wants, " for this claim"));
  };
  // In another edition everything else differs, too.
  if (suite.edition != recipe.edition) {
    other("edition", suite.edition, recipe.edition);
    return faults;
  }
  const Json expected = RecipeToJson(recipe);
  CTS_ASSIGN_OR_RETURN(const Json found,
                       ParseJson(suite.recipe.empty() ? "{}" : suite.recipe, "recipe"));
  for (const std::string& difference : Differences(found, expected)) {
    faults.push_back(StrCat(file, "/recipe", difference, " for this claim"));
  }
  if (suite.level != recipe.level) other("level", suite.level, recipe.level);
  if (suite.name != recipe.name) other("name", suite.name, recipe.name);
  if (suite.seed != recipe.seed) {
    faults.push_back(StrCat(file, "/seed: found ", suite.seed, ", expected ", recipe.seed));
  }
  CTS_ASSIGN_OR_RETURN(const std::vector<PlannedCase> planned, PlanCases(recipe));
  std::vector<std::string> wanted(planned.size());
  std::vector<std::string> present(suite.cases.size());
  std::transform(planned.begin(), planned.end(), wanted.begin(), [](auto& c) { return c.id; });
  std::transform(suite.cases.begin(), suite.cases.end(), present.begin(),
                 [](auto& entry) { return entry.id; });
  const auto report = [&](const std::vector<std::string>& a, const std::vector<std::string>& b,
                          const char* what) {
    std::vector<std::string> only;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only));
    for (size_t i = 0; i < std::min(only.size(), kShown); ++i) {
      faults.push_back(StrCat(file, "case ", only[i], " ", what));
    }
    if (only.size() > kShown) {
      faults.push_back(StrCat(file, only.size() - kShown, " more like that"));
    }
  };
  report(wanted, present, "is mandatory for this claim, and missing");
  report(present, wanted, "is not mandatory for this claim: expected the mandatory ones alone");
  if (!lock.name.empty() && suite.digest != lock.suite) {
    faults.push_back(StrCat(file, "/digest: found ", suite.digest, ", expected ", lock.suite,
                            " as in ", lock.name, ": the cases are not those of the recipe"));
  }
  return faults;
}

StatusOr<std::vector<std::string>> CompareRegenerated(const Suite& suite, const Recipe& recipe,
                                                      int jobs, const StageProgress& progress,
                                                      const std::atomic<bool>* stop) {
  GenerateOptions options;
  options.recipe = recipe;
  options.jobs = jobs;
  options.stop = stop;
  if (progress) {
    options.progress = [&](size_t done, size_t total) { progress("regenerate", done, total); };
  }
  std::mutex mutex;
  std::vector<std::string> faults;
  CTS_RETURN_IF_ERROR(ForEachEntry(options, [&](const SuiteEntry& made) -> Status {
    const SuiteEntry* const entry = suite.Find(made.id);
    const std::lock_guard<std::mutex> lock(mutex);
    if (entry == nullptr) {
      faults.push_back(StrCat("suite/suite.json: case ", made.id, " is missing"));
    } else if (entry->digest != made.digest) {
      faults.push_back(StrCat("suite/", made.id, ": found the digest ", entry->digest,
                              ", made again it is ", made.digest));
    } else {
      for (const std::string& difference :
           Differences(SuiteEntryToJson(*entry), SuiteEntryToJson(made))) {
        faults.push_back(StrCat("suite/suite.json: case ", made.id, ": ", difference));
      }
    }
    return absl::OkStatus();
  }));
  std::sort(faults.begin(), faults.end());
  return faults;
}

StatusOr<std::set<std::string>> SuiteFiles(const std::filesystem::path& root, const Suite& suite,
                                           const std::string& prefix) {
  std::set<std::string> known = {prefix + "suite.json"};
  std::set<std::string> packs, packed;
  for (const SuiteEntry& entry : suite.cases) {
    CTS_ASSIGN_OR_RETURN(const std::set<std::string> bundle, BundleFileNames(root / entry.id));
    CTS_ASSIGN_OR_RETURN(const bool unpacked, IsTaken(root / entry.id));
    for (const std::string& name : bundle) {
      unpacked ? known.insert(StrCat(prefix, entry.id, "/", name))
               : packed.insert(StrCat(entry.id, "/", name));
    }
    if (unpacked) continue;
    packs.insert(StrCat(entry.id.substr(0, entry.id.find('/')), kPackSuffix));
  }
  for (const std::string& name : packs) {
    CTS_ASSIGN_OR_RETURN(const std::shared_ptr<const Pack> pack, Pack::Open(root / name));
    for (const std::string& file : pack->Names()) {
      if (packed.count(file) > 0) continue;
      return InvalidArgument((root / name).string(), ": ", Shortened(Printable(file), 300),
                             ": is no part of the suite");
    }
    known.insert(prefix + name);
  }
  return known;
}

}  // namespace cts
