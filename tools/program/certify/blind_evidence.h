// Evidence of a blind run: EVIDENCE/answers.json beside the suite and the results.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/evidence/dsse.h"
#include "checker/evidence/evidence.h"
#include "checker/judge/check.h"
#include "reference/base/status.h"
#include "tools/program/blind/blind_suite.h"

namespace cts {

// Reads EVIDENCE/answers.json. nullopt if the run was not blind.
StatusOr<std::optional<SealedAnswers>> FindAnswers(const std::filesystem::path& evidence);

// Returns `mandatory`, the recipe of a claim, with the seed of the answers in place of the recipe's
// own seed. Returns kInvalidArgument if the answers are for another claim. Also returns
// kInvalidArgument if the answers have the seed of `mandatory`, since everybody can generate the
// answers of that seed. `file` is the name of the answers' file in messages.
StatusOr<Recipe> BlindRecipe(const Recipe& mandatory, const SealedAnswers& answers,
                             const std::string& file);

// Returns the reasons why suite, results and answers do not belong to the same blind run; returns
// no reason if they do. Without answers, the results must not be those of a blind run.
StatusOr<std::vector<std::string>> BlindFaults(const std::filesystem::path& evidence,
                                               const std::optional<SealedAnswers>& answers,
                                               const Report& report, int jobs,
                                               const std::atomic<bool>* stop);

// Returns the name that the signed statement gives the blind suite; nullopt if the run was not
// blind.
std::optional<BlindSuiteName> NameOf(const std::optional<SealedAnswers>& answers);

// --- Challenges (challenge.h): the three signed files, and how evidence holds them.

inline constexpr std::string_view kChallengeType = "application/vnd.tensor-cts.challenge+json";
inline constexpr std::string_view kAnswerType = "application/vnd.tensor-cts.challenge-answer+json";
inline constexpr std::string_view kReceiptType =
    "application/vnd.tensor-cts.challenge-receipt+json";

// The payload of challenge.json. Times are like 2026-11-30T09:26:52Z.
struct Challenge {
  std::string number, issuer;  // `issuer` is a free text of the key's holder
  Ed25519Key issuer_key, vendor_key;
  bool sample = false;
  std::string opened, until;
  std::string tensor_cts;             // the version of the program that the vendor has to use
  std::string claim, suite, answers;  // digests: of the two files, and of the blind suite
  std::string digest;                 // SHA-256 of this payload
};
// Reads challenge.json, which must be signed by the issuer's key that its payload names. Errors
// name `origin`.
StatusOr<Challenge> OpenChallenge(std::string_view text, std::string_view origin);

// The payload of answer.json, signed by the vendor.
struct ChallengeAnswer {
  std::string digest;  // SHA-256 of this payload
  std::string results_digest;
  FileSizes sizes;
  FileDigests digests;
};
// Reads answer.json, which must be an answer to this challenge. Errors name `origin`.
StatusOr<ChallengeAnswer> OpenAnswer(const Challenge& challenge, std::string_view text,
                                     const std::string& origin);

// The payload of receipt.json, signed by the issuer.
struct Receipt {
  std::string challenge, answer;  // SHA-256 of the signed payloads
  std::string received;
};
// Reads receipt.json. It must be of this challenge, with a time at which the challenge was open.
// Errors name `origin`.
StatusOr<Receipt> OpenReceipt(const Challenge& challenge, std::string_view text,
                              const std::string& origin);

// Reads one of the three signed files, each of which has a few hundred bytes.
StatusOr<std::string> ReadSigned(const std::filesystem::path& path);
// Whether the text is a time that exists, such as 2026-11-30T09:26:52Z. Such times are ordered as
// texts.
bool IsTime(const std::string& text);

// The texts of kChallengeFiles by their names; empty for evidence of no challenge.
using ChallengeFiles = std::map<std::string, std::string>;

// What evidence says about its challenge.
struct ChallengeFacts {
  std::string number, issuer;
  std::string issuer_key, vendor_key;  // ids
  std::string opened, until, received;
  bool issuer_known = false;  // whether verify was given the issuer's key; set by verify
};
// Checks the challenge in evidence of a blind run: its signatures, and that claim, suite, answers
// and results are those of the challenge. Adds what is wrong to `faults`. nullopt if the evidence
// has no challenge.
StatusOr<std::optional<ChallengeFacts>> FindChallenge(const std::filesystem::path& evidence,
                                                      const std::optional<SealedAnswers>& answers,
                                                      std::vector<std::string>* faults);

}  // namespace cts
