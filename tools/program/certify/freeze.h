// Freezes the suites of a release, so that later versions can find out which cases the claims of
// the release made mandatory.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "checker/evidence/claim.h"
#include "reference/base/json.h"
#include "reference/base/status.h"
#include "tools/program/certify/mandatory_suite.h"

namespace cts {

struct FreezeOptions {
  std::string release, date;  // "0.2.0", "2026-12-31"
  // The claims whose mandatory suites are frozen.
  std::vector<Claim> claims;
  // A folder. If this same build wrote an index (release.json) into the folder before, the index
  // gets further entries.
  std::filesystem::path out;
  int jobs = 0;  // 0: one per core
  BaseRecipe recipe = CertifyRecipe;
  std::function<void(const std::string& suite)> progress = {};  // called before each suite is made
};

// Writes OUT/release.json (the index), and beside it the lock files that it names. This takes as
// long as generating every suite. An index of another build in OUT is an error: a release is frozen
// once.
Status FreezeRelease(const FreezeOptions& options);

// Writes OUT/groups.json.zst: the mandatory cases of every claim on the editions of
// OUT/release.json, in groups (releases.h). Plans the suites of all claims, and generates a few of
// these suites, until every case was made once. This may take two hours. It is an error if a suite
// in release.json does not follow from the groups, or if another build wrote release.json. The
// function uses only `out`, `jobs`, `recipe` and `progress`. If the file exists, the function does
// nothing.
Status FreezeGroups(const FreezeOptions& options);

// Reads suites/released/claims.json: edition, level, profiles and extensions of each claim.
StatusOr<std::vector<Claim>> ReadClaimsToFreeze(const std::filesystem::path& file);

// Makes sample evidence of a few cases by the embedded implementation: OUT/evidence.tar.zst,
// key.pub, and release.json with the mandatory suite of the claim in this evidence. Later versions
// must still be able to verify this evidence. The key is the published key of RFC 8032, section
// 7.1, test 2. If OUT/release.json exists, the function does nothing.
Status MakeSample(const std::string& release, const std::string& date,
                  const std::filesystem::path& out);

// The recipe of the sample.
StatusOr<Recipe> SampleRecipe(const std::string& edition);

}  // namespace cts
