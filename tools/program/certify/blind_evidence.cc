#include "tools/program/certify/blind_evidence.h"

#include <utility>

#include "checker/gate/gate.h"
#include "checker/judge/run_record.h"
#include "checker/text/printable.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "tools/program/blind/unblind.h"
#include "tools/program/certify/mandatory_suite.h"
#include "tools/program/run/result_digests.h"

namespace cts {

StatusOr<std::optional<SealedAnswers>> FindAnswers(const std::filesystem::path& evidence) {
  CTS_ASSIGN_OR_RETURN(const bool blind, IsTaken(evidence / kAnswersFile));
  if (!blind) return std::optional<SealedAnswers>();
  CTS_ASSIGN_OR_RETURN(SealedAnswers answers, ReadAnswers(evidence / kAnswersFile));
  return std::optional<SealedAnswers>(std::move(answers));
}

StatusOr<Recipe> BlindRecipe(const Recipe& mandatory, const SealedAnswers& answers,
                             const std::string& file) {
  const std::string place = file + ": /recipe";
  if (answers.recipe.seed == mandatory.seed) {
    return InvalidArgument(place, "/seed: found ", mandatory.seed, ", the recipe's own, whose ",
                           "answers everybody can have: let generate --blind draw one");
  }
  Recipe recipe = mandatory;
  recipe.seed = answers.recipe.seed;
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> differences,
                       DifferentCases(answers.recipe, recipe));
  if (differences.empty()) return recipe;
  return InvalidArgument(place, differences.front(), " for this claim");
}

StatusOr<std::vector<std::string>> BlindFaults(const std::filesystem::path& evidence,
                                               const std::optional<SealedAnswers>& answers,
                                               const Report& report, int jobs,
                                               const std::atomic<bool>* stop) {
  const std::filesystem::path results = evidence / "results";
  CTS_ASSIGN_OR_RETURN(const RunRecord run, ReadRunRecord(results));
  if (answers.has_value() != run.blind.has_value()) {
    return std::vector<std::string>{
        answers ? "results/run.json: /blind: found nothing, expected the digests of a blind run"
                : "results/run.json: /blind: found a blind run, but no answers.json beside it"};
  }
  if (!answers) return std::vector<std::string>();
  std::vector<std::string> faults;
  const auto compare = [&](const std::string& place, const std::string& found,
                           const std::string& expected, std::string_view of) {
    if (found == expected) return;
    faults.push_back(StrCat(place, ": found ", found, ", expected ", expected, " of ", of));
  };
  const std::string file(kAnswersFile);
  compare(file + ": /suite", answers->suite, report.suite.digest, "the suite");
  CTS_ASSIGN_OR_RETURN(const std::string blind,
                       BlindDigest(evidence / "suite", report.suite, answers->salt, jobs, stop));
  compare(file + ": /blind", answers->blind, blind, "the suite without its answers");
  compare("results/run.json: /blind/suite_digest", run.blind->suite_digest, blind,
          "the suite without its answers");
  CTS_ASSIGN_OR_RETURN(const ResultDigests listed, ReadResultDigests(results));
  compare("results/run.json: /blind/results_digest", run.blind->results_digest,
          BlindResultsDigest(listed, answers->salt), "the results under their neutral names");
  return faults;
}

std::optional<BlindSuiteName> NameOf(const std::optional<SealedAnswers>& answers) {
  if (!answers) return std::nullopt;
  return BlindSuiteName{answers->blind, answers->recipe.seed};
}

namespace {

// A payload of one kind, and its digest.
struct SignedPayload {
  Json json;
  std::string digest;
};

StatusOr<SignedPayload> OpenSigned(const Ed25519Key& key, std::string_view type,
                                   std::string_view kind, std::string_view text,
                                   std::string_view origin) {
  CTS_ASSIGN_OR_RETURN(const std::string payload, OpenEnvelope(key, type, text, origin));
  CTS_ASSIGN_OR_RETURN(Json json, ParseJson(payload, origin));
  CTS_RETURN_IF_ERROR(ValidateJson(json, StrCat("challenge/", kind), origin));
  return SignedPayload{std::move(json), Sha256(payload)};
}

StatusOr<Ed25519Key> KeyOf(const Json& json, const char* member, std::string_view origin) {
  const std::string place = StrCat(origin, ": /", member);
  const StatusOr<std::string> der = FromBase64(json[member].get_ref<const std::string&>());
  if (!der.ok()) return Annotate(der.status(), place);
  return Ed25519Key::PublicFromDer(*der, place);
}

}  // namespace

bool IsTime(const std::string& text) {
  constexpr size_t kDay = 10;
  constexpr std::string_view kForm = "T00:00:00Z";
  if (text.size() != kDay + kForm.size() || !IsDate(text.substr(0, kDay))) return false;
  for (size_t i = 0; i < kForm.size(); ++i) {
    const char c = text[kDay + i];
    if (kForm[i] == '0' ? c < '0' || c > '9' : c != kForm[i]) return false;
  }
  return text.substr(11, 2) <= "23" && text.substr(14, 2) <= "59" && text.substr(17, 2) <= "59";
}

StatusOr<std::string> ReadSigned(const std::filesystem::path& path) {
  constexpr uint64_t kMaxSigned = uint64_t{1} << 20;
  return ReadFile(path, kMaxSigned);
}

StatusOr<Challenge> OpenChallenge(std::string_view text, std::string_view origin) {
  // The payload names the key by which it must be signed.
  CTS_ASSIGN_OR_RETURN(const Json envelope, ParseJson(text, origin));
  CTS_RETURN_IF_ERROR(ValidateJson(envelope, "envelope", origin));
  const StatusOr<std::string> payload =
      FromBase64(envelope["payload"].get_ref<const std::string&>());
  if (!payload.ok()) return Annotate(payload.status(), StrCat(origin, ": /payload"));
  CTS_ASSIGN_OR_RETURN(const Json unsigned_json, ParseJson(*payload, origin));
  CTS_RETURN_IF_ERROR(ValidateJson(unsigned_json, "challenge/challenge", origin));
  CTS_ASSIGN_OR_RETURN(Ed25519Key issuer_key, KeyOf(unsigned_json, "issuer_key", origin));
  CTS_ASSIGN_OR_RETURN(const SignedPayload opened,
                       OpenSigned(issuer_key, kChallengeType, "challenge", text, origin));
  const Json& json = opened.json;
  CTS_ASSIGN_OR_RETURN(Ed25519Key vendor_key, KeyOf(json, "vendor_key", origin));
  Challenge challenge{.number = json["number"],
                      .issuer = json["issuer"],
                      .issuer_key = std::move(issuer_key),
                      .vendor_key = std::move(vendor_key),
                      .sample = json["sample"],
                      .opened = json["opened"],
                      .until = json["until"],
                      .tensor_cts = json["tensor_cts"],
                      .claim = json["claim"],
                      .suite = json["suite"],
                      .answers = json["answers"],
                      .digest = opened.digest};
  if (IsTime(challenge.opened) && IsTime(challenge.until)) return challenge;
  return InvalidArgument(origin, ": found a challenge from ", challenge.opened, " until ",
                         challenge.until, ", expected times that exist");
}

StatusOr<ChallengeAnswer> OpenAnswer(const Challenge& challenge, std::string_view text,
                                     const std::string& origin) {
  StatusOr<SignedPayload> opened =
      OpenSigned(challenge.vendor_key, kAnswerType, "answer", text, origin);
  CTS_RETURN_IF_ERROR(opened.status());
  const Json& json = opened->json;
  if (json["challenge"] != challenge.digest) {
    return InvalidArgument(origin, ": /challenge: found ", json["challenge"].get<std::string>(),
                           ", expected ", challenge.digest, " of the challenge ", challenge.number,
                           ": it answers another challenge");
  }
  ChallengeAnswer answer{.digest = opened->digest, .results_digest = json["results_digest"]};
  for (const Json& file : json["files"]) {
    const std::string path = file["path"];
    if (!answer.sizes.emplace(path, file["size"].get<uint64_t>()).second) {
      return InvalidArgument(origin, ": /files: found ", path, " twice, expected each file once");
    }
    answer.digests[path] = file["sha256"];
  }
  return answer;
}

StatusOr<Receipt> OpenReceipt(const Challenge& challenge, std::string_view text,
                              const std::string& origin) {
  StatusOr<SignedPayload> opened =
      OpenSigned(challenge.issuer_key, kReceiptType, "receipt", text, origin);
  CTS_RETURN_IF_ERROR(opened.status());
  const Json& json = opened->json;
  if (json["challenge"] != challenge.digest || json["number"] != challenge.number) {
    return InvalidArgument(origin, ": /challenge: found ", json["challenge"].get<std::string>(),
                           " of ", Printable(json["number"].get<std::string>()), ", expected ",
                           challenge.digest, " of ", challenge.number);
  }
  Receipt receipt{json["challenge"], json["answer"], json["received"]};
  if (receipt.received >= challenge.opened && receipt.received <= challenge.until) return receipt;
  return InvalidArgument(origin, ": /received: found ", receipt.received, ", expected a time from ",
                         challenge.opened, " to ", challenge.until);
}

StatusOr<std::optional<ChallengeFacts>> FindChallenge(const std::filesystem::path& evidence,
                                                      const std::optional<SealedAnswers>& answers,
                                                      std::vector<std::string>* faults) {
  const std::string folder(kChallengeFolder);
  CTS_ASSIGN_OR_RETURN(const bool there, IsTaken(evidence / folder));
  if (!there) return std::optional<ChallengeFacts>();
  const std::string challenge_name = StrCat(folder, "/", kChallengeFiles[0]),
                    answer_name = StrCat(folder, "/", kChallengeFiles[1]),
                    receipt_name = StrCat(folder, "/", kChallengeFiles[2]);
  CTS_ASSIGN_OR_RETURN(const std::string challenge_text, ReadSigned(evidence / challenge_name));
  CTS_ASSIGN_OR_RETURN(const std::string answer_text, ReadSigned(evidence / answer_name));
  CTS_ASSIGN_OR_RETURN(const std::string receipt_text, ReadSigned(evidence / receipt_name));
  CTS_ASSIGN_OR_RETURN(const Challenge challenge, OpenChallenge(challenge_text, challenge_name));
  CTS_ASSIGN_OR_RETURN(const ChallengeAnswer answer,
                       OpenAnswer(challenge, answer_text, answer_name));
  CTS_ASSIGN_OR_RETURN(const Receipt receipt, OpenReceipt(challenge, receipt_text, receipt_name));
  CTS_ASSIGN_OR_RETURN(const RunRecord run, ReadRunRecord(evidence / "results"));
  const auto fault = [&](const auto&... what) { faults->push_back(StrCat(what...)); };
  if (!answers || !run.blind) {
    fault(folder, ": found a challenge, expected one only beside a blind run");
    return std::optional<ChallengeFacts>();
  }
  CTS_ASSIGN_OR_RETURN(const std::string claim_text,
                       ReadFile(evidence / kClaimFile, MostBytesOf(kClaimFile)));
  CTS_ASSIGN_OR_RETURN(const std::string sealed,
                       ReadFile(evidence / kAnswersFile, MostBytesOf(kAnswersFile)));
  if (challenge.sample) {
    fault(challenge_name, ": /sample: found a sample, whose answers are public");
  }
  const auto compare = [&](const std::string& place, const std::string& found,
                           const std::string& expected, std::string_view of) {
    if (found != expected) fault(place, ": found ", found, ", expected ", expected, " of ", of);
  };
  compare(challenge_name + ": /claim", challenge.claim, Sha256(claim_text), kClaimFile);
  compare(challenge_name + ": /suite", challenge.suite, answers->blind, "the blind suite");
  compare(challenge_name + ": /answers", challenge.answers, Sha256(sealed), kAnswersFile);
  compare(answer_name + ": /results_digest", answer.results_digest, run.blind->results_digest,
          "the results under their neutral names");
  compare(receipt_name + ": /answer", receipt.answer, answer.digest, answer_name);
  return std::optional(ChallengeFacts{challenge.number, challenge.issuer, challenge.issuer_key.id(),
                                      challenge.vendor_key.id(), challenge.opened, challenge.until,
                                      receipt.received, false});
}

}  // namespace cts
