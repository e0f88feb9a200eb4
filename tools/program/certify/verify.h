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
#include "checker/evidence/dsse.h"
#include "checker/evidence/evidence.h"
#include "checker/evidence/timestamp.h"
#include "checker/judge/check.h"
#include "reference/base/status.h"
#include "tools/program/certify/blind_evidence.h"
#include "tools/program/certify/mandatory_suite.h"
#include "tools/program/certify/released_evidence.h"
#include "tools/program/certify/releases.h"

namespace cts {

struct VerifyOptions {
  std::filesystem::path evidence, key;
  std::vector<std::filesystem::path> more_keys;  // public keys beside `key`
  size_t threshold = 0;  // how many of the keys must have signed; 0: all keys
  // The reply of a time stamping authority about the statement's file, and the certificates (PEM)
  // that vouch for the authority; both may be empty.
  std::filesystem::path timestamp, timestamp_ca;
  bool regenerate = false;
  int jobs = 0;
  StageProgress progress = {};
  const std::atomic<bool>* stop = nullptr;  // once true, VerifyEvidence ends with an error
  BaseRecipe recipe = CertifyRecipe;
  ReleasesSource releases = KnownReleases;  // tests use other releases
  ErrataSource errata = KnownErrata;
};

// The entry of a certificate in the status list of a registry.
struct RegisteredAs {
  std::string number, issuer, issued, valid_until;
  int64_t sequence = 0;  // the sequence number of the list
};

struct Verification {
  // The reasons why the evidence does not hold, each with the file or the case. Empty if the
  // evidence holds.
  std::vector<std::string> faults;
  // The members below are set as far as the evidence could be read.
  std::vector<std::string> signers;              // the ids of the given keys that have signed
  std::string statement_file, statement_digest;  // the signed statement's file and its SHA-256
  std::string payload_digest;  // of the signed payload; does not depend on the file's formatting
  Claim claim;
  Report report;
  Lock lock;
  std::optional<SealedAnswers> answers;     // only for a blind run
  std::optional<ChallengeFacts> challenge;  // only for the answer to a challenge
  size_t files = 0;                         // the number of files in the evidence
  bool regenerated = false;
  std::string release;  // the release that made the evidence; empty if no release did
  bool by_this = true;  // whether this build made the evidence
  // Only if not by_this: the effects of rulings (schemas/editions/errata.json).
  ByRulings by_rulings;
  std::optional<TimeStamp> timestamp;      // only if the options name one
  std::optional<RegisteredAs> registered;  // only if a status list was given (registry.h)

  bool Holds() const { return faults.empty(); }
  // Whether everything mandatory passed, both in the signed statement and by the rules of this
  // version.
  bool Passed() const;
};

// Errors: a key or evidence that cannot be read, and an archive that certify did not write.
// Evidence of another build is an error, too, because only that build can judge it. The exception
// is evidence of a release that froze a suite for the claim. Everything else that is wrong is a
// fault.
StatusOr<Verification> VerifyEvidence(const VerifyOptions& options);

// Adds a signature by `key`, a private key, to the signed statement of the evidence. The evidence
// must hold (Verification::Holds). Errors: evidence in an
// archive; evidence that does not hold; a key that cannot be read or that has signed already; a
// statement that changed since it was verified.
Status Countersign(const VerifyOptions& options, const Verification& verification,
                   const Ed25519Key& key);

// Returns the verdict on evidence that holds, as a line that names `place`.
std::string VerdictLine(const Verification& verification, const std::string& place);

// Returns one line for each fact about how the results were made. Returns no line if a single,
// uninterrupted run of `certify` made all of them.
std::vector<std::string> CourseOf(const RunInfo& run);

// The verification as text for a terminal; the verdict is the last line.
std::string FormatVerification(const VerifyOptions& options, const Verification& verification);

}  // namespace cts
