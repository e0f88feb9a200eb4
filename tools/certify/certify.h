// Certifying: makes an evidence directory from a claim, and decides whether such a directory holds.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/check.h"
#include "checker/claim.h"
#include "checker/evidence.h"
#include "generator/recipe.h"
#include "tools/run/runner.h"

namespace cts {

// `certify`, or the edition's word for it.
StatusOr<Recipe> CertifyRecipe(const std::string& edition);

// The recipe of the mandatory cases: `base` for the claim's edition, with the claim's level,
// profiles and extensions, and nothing else changed.
using BaseRecipe = std::function<StatusOr<Recipe>(const std::string& edition)>;
StatusOr<Recipe> MandatoryRecipe(const Claim& claim, const BaseRecipe& base = CertifyRecipe);

// The lock file of suites/ for exactly these cases; its name is empty if there is none.
StatusOr<Lock> FindLock(const Recipe& recipe);

using StageProgress = std::function<void(std::string_view stage, size_t done, size_t total)>;

struct CertifyOptions {
  std::filesystem::path claim, key, out;
  std::filesystem::path suite;  // generated before; empty: generate
  RunOptions run;               // suite and out are set by us
  int jobs = 0;                 // of our own work; 0: one per core
  StageProgress progress = {};
  const std::atomic<bool>* stop = nullptr;  // once true, ends with an error
  BaseRecipe recipe = CertifyRecipe;        // tests take a smaller one
};

struct Certified {
  Report report;  // its paths are those of the evidence
  std::filesystem::path statement;
};

// Works in OUT.partial, which becomes OUT at the end or is removed.
StatusOr<Certified> Certify(const CertifyOptions& options);

struct VerifyOptions {
  std::filesystem::path evidence, key;
  bool regenerate = false;
  int jobs = 0;
  StageProgress progress = {};
  BaseRecipe recipe = CertifyRecipe;
};

struct Verification {
  // The reasons why the evidence does not hold, each with the file or the case. Empty: it holds.
  std::vector<std::string> faults;
  // As far as it was read.
  std::string key_id;
  Claim claim;
  Report report;
  Lock lock;
  size_t files = 0;
  bool regenerated = false;

  bool Holds() const { return faults.empty(); }
};

// Errors: a key or a directory that cannot be read, and evidence of another version of this
// program, which cannot be judged. Everything else is a fault.
StatusOr<Verification> VerifyEvidence(const VerifyOptions& options);

// For a terminal; the verdict is the last line.
std::string FormatVerification(const VerifyOptions& options, const Verification& verification);

}  // namespace cts
