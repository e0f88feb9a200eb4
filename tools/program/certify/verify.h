// Verifies evidence: a folder or an archive.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
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

// What the status list of a registry says of a certificate.
struct RegisteredAs {
  std::string number, issuer, issued, valid_until;
  int64_t sequence = 0;  // of the list
};

struct Verification {
  // The reasons why the evidence does not hold, each with the file or the case. Empty: it holds.
  std::vector<std::string> faults;
  // The members below, as far as the evidence was read.
  std::string key_id;
  std::string statement_file, statement_digest;  // that is signed, and its SHA-256
  std::string payload_digest;  // of what the signature covers, however the file is spelled
  Claim claim;
  Report report;
  Lock lock;
  std::optional<SealedAnswers> answers;  // of a blind run
  size_t files = 0;
  bool regenerated = false;
  std::string release;                     // the release that made it; empty if no release did
  bool by_this = true;                     // whether this build made it
  ByRulings by_rulings;                    // only if not by_this
  std::optional<RegisteredAs> registered;  // if a status list was asked (registry.h)

  bool Holds() const { return faults.empty(); }
  // Whether everything mandatory passed, by the signed statement and by the rules of this version.
  bool Passed() const;
};

// Errors: a key or evidence that cannot be read, and an archive that certify did not write.
// Evidence by another build is an error, too, unless a release with a frozen suite for the claim
// made it: only that build can judge it. Everything else is a fault.
StatusOr<Verification> VerifyEvidence(const VerifyOptions& options);

// The verdict of evidence that holds, a line that names `place`.
std::string VerdictLine(const Verification& verification, const std::string& place);

// How the results came about, where that is more than one run by certify: a fact a line.
std::vector<std::string> CourseOf(const RunInfo& run);

// For a terminal; the verdict is the last line.
std::string FormatVerification(const VerifyOptions& options, const Verification& verification);

}  // namespace cts
