// Whether evidence holds, a folder or an archive.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checker/evidence/claim.h"
#include "checker/evidence/evidence.h"
#include "checker/judge/check.h"
#include "reference/base/status.h"
#include "tools/program/certify/blind_evidence.h"
#include "tools/program/certify/mandatory_suite.h"
#include "tools/program/certify/released_evidence.h"
#include "tools/program/certify/releases.h"

namespace cts {

struct VerifyOptions {
  std::filesystem::path evidence, key;
  bool regenerate = false;
  int jobs = 0;
  StageProgress progress = {};
  const std::atomic<bool>* stop = nullptr;  // once true, ends with an error
  BaseRecipe recipe = CertifyRecipe;
  ReleasesSource releases = KnownReleases;  // tests have releases of their own
  ErrataSource errata = KnownErrata;
};

struct Verification {
  // The reasons why the evidence does not hold, each with the file or the case. Empty: it holds.
  std::vector<std::string> faults;
  // As far as it was read.
  std::string key_id;
  std::string statement_file, statement_digest;  // that is signed, and its SHA-256
  Claim claim;
  Report report;
  Lock lock;
  std::optional<SealedAnswers> answers;  // of a blind run
  size_t files = 0;
  bool regenerated = false;
  std::string release;   // of the build that made it; empty if that is none
  bool by_this = true;   // this build made it
  ByRulings by_rulings;  // only if not by_this

  bool Holds() const { return faults.empty(); }
  // Whether everything mandatory passed, by what is signed and by the rules of this version.
  bool Passed() const;
};

// Errors: a key or evidence that cannot be read, an archive that certify did not write, and
// evidence of another build of this program that is no release whose suite for the claim is frozen:
// that build alone can judge it. Everything else is a fault.
StatusOr<Verification> VerifyEvidence(const VerifyOptions& options);

// For a terminal; the verdict is the last line.
std::string FormatVerification(const VerifyOptions& options, const Verification& verification);

}  // namespace cts
