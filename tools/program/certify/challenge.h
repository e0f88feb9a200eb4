// Challenges: an issuer gives a vendor a fresh blind suite, and takes the results once.
//
// The issuer publishes these files:
//
//   CHALLENGE/public/challenge.json   signed by the issuer: number, digests, keys, times
//   CHALLENGE/public/claim.json       the claim that the challenge tests
//   CHALLENGE/public/suite            the blind suite, packed
//   CHALLENGE/public/answers.json     only of a sample, for practice
//
// The issuer keeps these files:
//
//   CHALLENGE/secret/answers.json     the sealed answers
//   CHALLENGE/received/DIGEST         an answer, by the digest of its signed payload
//   CHALLENGE/receipt.json            signed by the issuer: which answer was taken, and when
//
// The vendor makes these files:
//
//   ANSWER/answer.json                signed by the vendor: digests of challenge and results
//   ANSWER/results                    the results, packed
//
// An answer is taken in the moment in which receipt.json gets its name, by link(2). From then on no
// call of this program replaces or removes it. Each of the three signed files is a DSSE envelope
// (checker/evidence/dsse.h), whose payload fits a part of schemas/challenge.schema.json.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "checker/evidence/dsse.h"
#include "checker/judge/check.h"
#include "reference/base/status.h"
#include "tools/program/certify/blind_evidence.h"
#include "tools/program/certify/mandatory_suite.h"
#include "tools/program/run/surroundings.h"

namespace cts {

struct OpenOptions {
  std::filesystem::path claim;            // a claim, or the registration.json of a product
  std::filesystem::path key, passphrase;  // the issuer's private key
  std::filesystem::path vendor;           // the vendor's public key
  std::string issuer;
  std::string until;          // a time, or a day in UTC, up to whose end answers are taken
  bool sample = false;        // publish the answers; then no verdict becomes evidence
  std::filesystem::path out;  // CHALLENGE; must not exist, or be empty
  int jobs = 0;
  StageProgress progress = {};
  const std::atomic<bool>* stop = nullptr;
  BaseRecipe recipe = CertifyRecipe;  // tests use a smaller recipe
};
struct OpenedChallenge {
  Challenge challenge;
  size_t cases = 0;
};
// Draws a seed, and writes CHALLENGE as a whole or not at all.
StatusOr<OpenedChallenge> OpenNewChallenge(const OpenOptions& options);

struct AnswerOptions {
  std::filesystem::path challenge;                  // CHALLENGE/public
  std::filesystem::path results;                    // of a whole run of CHALLENGE/public/suite
  std::filesystem::path key, passphrase;            // the vendor's private key
  std::optional<std::filesystem::path> issuer_key;  // the public key that must have signed
  std::filesystem::path out;                        // ANSWER; must not exist, or be empty
  int jobs = 0;
  const std::atomic<bool>* stop = nullptr;
};
// Checks the results as ReceiveAnswer does, and writes ANSWER as a whole or not at all.
StatusOr<Challenge> AnswerChallenge(const AnswerOptions& options);

struct ReceiveOptions {
  std::filesystem::path challenge;        // CHALLENGE
  std::filesystem::path answer;           // ANSWER, which is not trusted
  std::filesystem::path key, passphrase;  // the issuer's private key
  int jobs = 0;
  const std::atomic<bool>* stop = nullptr;
  std::function<std::string()> clock = UtcNow;  // the issuer's
};
// Takes the first answer that arrives in time. An error says whether the answer was taken: only if
// the disk fails after that moment, an error comes although it was.
StatusOr<Receipt> ReceiveAnswer(const ReceiveOptions& options);

struct VerdictOptions {
  std::filesystem::path challenge;        // CHALLENGE
  std::filesystem::path key, passphrase;  // the issuer's private key
  std::filesystem::path out;              // the evidence, as for Certify
  bool archive = false;
  int jobs = 0;
  StageProgress progress = {};
  const std::atomic<bool>* stop = nullptr;
  BaseRecipe recipe = CertifyRecipe;
};
struct ChallengeVerdict {
  Report report;
  std::string text;  // for a terminal
};
// Judges the answer that was taken, and makes evidence of it. For a sample, writes the judged suite
// and results with a report, and signs nothing.
StatusOr<ChallengeVerdict> JudgeChallenge(const VerdictOptions& options);

}  // namespace cts
