// The suite that a claim makes mandatory, and how a suite on disk differs from it.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/evidence/claim.h"
#include "checker/evidence/evidence.h"
#include "generator/recipe/recipe.h"
#include "reference/base/status.h"
#include "reference/bundle/suite.h"

namespace cts {

// The recipe, for example `certify`, that the edition names for claims.
StatusOr<Recipe> CertifyRecipe(const std::string& edition);

// Returns, for an edition, the recipe that MandatoryRecipe adapts to a claim.
using BaseRecipe = std::function<StatusOr<Recipe>(const std::string& edition)>;
// The recipe of the mandatory cases: `base` for the claim's edition, but with the level, profiles,
// extensions and member `symbolic` of the claim.
StatusOr<Recipe> MandatoryRecipe(const Claim& claim, const BaseRecipe& base = CertifyRecipe);

// Compares two recipes. Lists their differences in the form that Differences
// (checker/evidence/evidence.h) returns. Ignores names, summaries and the order of the profiles,
// which do not change the cases.
StatusOr<std::vector<std::string>> DifferentCases(const Recipe& found, const Recipe& expected);

// Finds the lock file (the recorded counts and digests of a suite, in suites/) for exactly the
// cases of the recipe. The lock's name is empty if there is no such file.
StatusOr<Lock> FindLock(const Recipe& recipe);

using StageProgress = std::function<void(std::string_view stage, size_t done, size_t total)>;

// Returns the differences between a suite's manifest and the suite that the recipe yields, but only
// the first few of each kind.
StatusOr<std::vector<std::string>> CompareManifest(const Suite& suite, const Recipe& recipe,
                                                   const Lock& lock);

// Generates every case of the recipe again, in memory, and returns the cases that differ from the
// manifest.
StatusOr<std::vector<std::string>> CompareRegenerated(const Suite& suite, const Recipe& recipe,
                                                      int jobs, const StageProgress& progress,
                                                      const std::atomic<bool>* stop);

// The paths of the files of a suite in `root`, each with `prefix` before it.
StatusOr<std::set<std::string>> SuiteFiles(const std::filesystem::path& root, const Suite& suite,
                                           const std::string& prefix);

}  // namespace cts
