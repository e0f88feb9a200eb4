// Whether evidence holds, a folder or an archive.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checker/check.h"
#include "checker/claim.h"
#include "checker/evidence.h"
#include "reference/base/status.h"
#include "tools/certify/blind_evidence.h"
#include "tools/certify/mandatory_suite.h"

namespace cts {

struct VerifyOptions {
  std::filesystem::path evidence, key;
  bool regenerate = false;
  int jobs = 0;
  StageProgress progress = {};
  const std::atomic<bool>* stop = nullptr;  // once true, ends with an error
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
  std::optional<Answers> answers;  // of a blind run
  size_t files = 0;
  bool regenerated = false;

  bool Holds() const { return faults.empty(); }
};

// Errors: a key or evidence that cannot be read, an archive that certify did not write, and
// evidence of another version of this program, which cannot be judged. Everything else is a fault.
StatusOr<Verification> VerifyEvidence(const VerifyOptions& options);

// For a terminal; the verdict is the last line.
std::string FormatVerification(const VerifyOptions& options, const Verification& verification);

}  // namespace cts
