#include "tools/program/certify/challenge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <set>

#include "checker/evidence/claim_testing.h"
#include "checker/evidence/evidence.h"
#include "checker/judge/suite_on_disk.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "cts_schemas.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/pack.h"
#include "tools/program/blind/unblind.h"
#include "tools/program/certify/blind_evidence.h"
#include "tools/program/certify/certificate.h"
#include "tools/program/certify/certify.h"
#include "tools/program/certify/verify.h"
#include "tools/program/run/result_digests.h"
#include "tools/program/run/runner.h"

// A namespace of its own: other tests of this room have functions of the same names.
namespace cts::challenge_testing {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing_suite::Directory;

// Keys of RFC 8032, section 7.1, tests 2 and 1.
constexpr char kIssuer[] = "MC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7";
constexpr char kIssuerPublic[] = "MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=";
constexpr char kVendor[] = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g";
constexpr char kVendorPublic[] = "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

constexpr char kChallengeType[] = "application/vnd.tensor-cts.challenge+json";
constexpr char kAnswerType[] = "application/vnd.tensor-cts.challenge-answer+json";
constexpr char kReceiptType[] = "application/vnd.tensor-cts.challenge-receipt+json";

std::string Pem(const std::string& kind, const std::string& base64) {
  return StrCat("-----BEGIN ", kind, "-----\n", base64, "\n-----END ", kind, "-----\n");
}

// A few cases, for the tests alone.
StatusOr<Recipe> FewCases(const std::string& edition) {
  CTS_ASSIGN_OR_RETURN(Recipe recipe, FindRecipe("smoke"));
  recipe.name = "tiny";
  recipe.edition = edition;
  recipe.operators = {"CLZ"};
  return recipe;
}

std::string Read(const fs::path& path) {
  const auto text = ReadFile(path);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *text : "";
}

void Write(const fs::path& path, const std::string& text) {
  EXPECT_TRUE(WriteFile(path, text).ok());
}

std::string Refusal(const Status& status) { return status.ok() ? "ok" : Message(status); }

// A clock that stands still.
std::function<std::string()> At(const std::string& time) {
  return [time] { return time; };
}

// Makes the results those of the claimed product.
void NameProduct(Json& run) {
  run["command"] = "npu-adapter";
  run["implementation"] = {{"name", "NPU"}, {"version", "1.2"}};
}

void ChangeJson(const fs::path& path, const std::function<void(Json&)>& change) {
  Json json = *LoadJson(path, "");
  change(json);
  ASSERT_TRUE(SaveJson(path, json).ok());
}

void CopyFolder(const fs::path& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  fs::copy(from, to, fs::copy_options::recursive);
}

// A challenge, right results and an answer, made once; every test has a challenge of its own.
class Challenges : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new Directory;
    Write(*shared_ / "issuer.pem", Pem("PRIVATE KEY", kIssuer));
    Write(*shared_ / "issuer.pub", Pem("PUBLIC KEY", kIssuerPublic));
    Write(*shared_ / "vendor.pem", Pem("PRIVATE KEY", kVendor));
    Write(*shared_ / "vendor.pub", Pem("PUBLIC KEY", kVendorPublic));
    Write(*shared_ / "claim.json", FormatJson(ClaimOf({"PRO-INT"})));
    for (const char* const name : {"challenge", "other"}) {
      const auto opened = OpenNewChallenge(Options(*shared_ / name));
      ASSERT_TRUE(opened.ok()) << opened.status();
    }
    RunNative(*shared_ / "challenge", *shared_ / "results", "native");
    ASSERT_TRUE(
        AnswerChallenge(AnswerTo(*shared_ / "challenge", *shared_ / "results", *shared_ / "answer"))
            .ok());
  }
  static void TearDownTestSuite() { delete shared_; }

  static OpenOptions Options(const fs::path& out) {
    OpenOptions options;
    options.claim = *shared_ / "claim.json";
    options.key = *shared_ / "issuer.pem";
    options.vendor = *shared_ / "vendor.pub";
    options.issuer = "Example Lab";
    options.until = "9999-12-31";
    options.out = out;
    options.recipe = FewCases;
    return options;
  }

  // Results of the challenge, under the name of the product.
  static void RunNative(const fs::path& challenge, const fs::path& out,
                        const std::string& builtin) {
    RunOptions run;
    run.suite = challenge / "public/suite";
    run.out = out;
    run.builtin = builtin;
    const auto summary = RunSuite(run, {});
    ASSERT_TRUE(summary.ok()) << summary.status();
    ChangeJson(out / "run.json", NameProduct);
  }

  // Makes one result wrong, and the digests that follow from it.
  static void ChangeOneOutput(const fs::path& results) {
    fs::path output;
    for (const auto& entry : fs::recursive_directory_iterator(results)) {
      if (entry.path().extension() == ".npy") output = std::max(output, entry.path());
    }
    ASSERT_FALSE(output.empty());
    std::string bytes = Read(output);
    bytes.back() = static_cast<char>(bytes.back() ^ 0x40);
    Write(output, bytes);
    ResultDigests digests = *ReadResultDigests(results);
    const std::string id = fs::relative(output.parent_path(), results).string();
    ASSERT_TRUE(digests.contains(id)) << id;
    digests[id] = *ResultDigest(results, id);
    ASSERT_TRUE(WriteResultDigests(results, digests).ok());
    ChangeJson(results / "run.json", [&](Json& run) { run["results_digest"] = DigestOf(digests); });
  }

  static AnswerOptions AnswerTo(const fs::path& challenge, const fs::path& results,
                                const fs::path& out) {
    return {.challenge = challenge / "public",
            .results = results,
            .key = *shared_ / "vendor.pem",
            .issuer_key = *shared_ / "issuer.pub",
            .out = out};
  }

  Challenges() : challenge_(directory_ / "challenge"), answer_(directory_ / "answer") {
    CopyFolder(*shared_ / "challenge", challenge_);
    CopyFolder(*shared_ / "answer", answer_);
    opened_ = Opened().opened;
  }

  Challenge Opened() const {
    return *OpenChallenge(Read(challenge_ / "public/challenge.json"), "challenge.json");
  }

  StatusOr<Receipt> Receive(const std::string& now = "") {
    return ReceiveAnswer({.challenge = challenge_,
                          .answer = answer_,
                          .key = *shared_ / "issuer.pem",
                          .clock = At(now.empty() ? opened_ : now)});
  }

  VerdictOptions VerdictTo(const fs::path& out) const {
    VerdictOptions options;
    options.challenge = challenge_;
    options.key = *shared_ / "issuer.pem";
    options.out = out;
    options.recipe = FewCases;
    return options;
  }

  static VerifyOptions VerifyOf(const fs::path& evidence) {
    VerifyOptions options;
    options.evidence = evidence;
    options.key = *shared_ / "issuer.pub";
    options.recipe = FewCases;
    return options;
  }

  static Json PayloadOf(const fs::path& path) {
    const Json envelope = *LoadJson(path, "envelope");
    return *ParseJson(*FromBase64(envelope["payload"].get<std::string>()), "");
  }

  static void Seal(const fs::path& path, const std::string& key, const std::string& type,
                   const Json& payload) {
    const auto signer = Ed25519Key::ReadPrivate(*shared_ / key);
    Write(path, *SealEnvelope(*signer, type, FormatJson(payload)));
  }

  // Does what a vendor can do without this program: signs the answer with the files as they are.
  void SignAnswer(const std::function<void(Json&)>& change = [](Json&) {}) const {
    Json payload = PayloadOf(answer_ / "answer.json");
    for (Json& file : payload["files"]) {
      const std::string bytes = Read(answer_ / file["path"].get<std::string>());
      file["size"] = bytes.size();
      file["sha256"] = Sha256(bytes);
    }
    change(payload);
    Seal(answer_ / "answer.json", "vendor.pem", kAnswerType, payload);
  }

  // The answer is refused with these words, nothing is recorded, and the right answer is then
  // taken.
  void ExpectRefused(const std::string& words) {
    const std::string refusal = Refusal(Receive().status());
    EXPECT_THAT(refusal, AllOf(HasSubstr(words), HasSubstr("; this call took no answer")));
    EXPECT_FALSE(fs::exists(challenge_ / "receipt.json"));
    fs::remove_all(answer_);
    CopyFolder(*shared_ / "answer", answer_);
  }

  static Directory* shared_;
  Directory directory_;
  const fs::path challenge_, answer_;
  std::string opened_;
};
Directory* Challenges::shared_ = nullptr;

TEST_F(Challenges, EndInEvidenceThatHolds) {
  const auto receipt = Receive();
  ASSERT_TRUE(receipt.ok()) << receipt.status();
  const fs::path out = directory_ / "evidence";
  const auto verdict = JudgeChallenge(VerdictTo(out));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_TRUE(Conformant(verdict->report));
  EXPECT_THAT(verdict->text, HasSubstr("which says PASSED"));
  const auto verification = VerifyEvidence(VerifyOf(out));
  ASSERT_TRUE(verification.ok()) << verification.status();
  EXPECT_THAT(verification->faults, IsEmpty());
  EXPECT_TRUE(verification->Passed());
  const Challenge challenge = Opened();
  const std::string text = FormatVerification(VerifyOf(out), *verification);
  EXPECT_THAT(text, HasSubstr(StrCat("challenge ", challenge.number, ", opened ", challenge.opened,
                                     " by the key ", challenge.issuer_key.id(),
                                     "\n          its holder claims to be \"Example Lab\"\n")));
  EXPECT_THAT(text, HasSubstr(StrCat("received  ", receipt->received, ", open until ",
                                     "9999-12-31T23:59:59Z, signed by the key ",
                                     challenge.vendor_key.id(), "\n")));
  EXPECT_THAT(text, HasSubstr(": CONFORMANT on the mandatory suite"));
  const Json json = VerificationToJson(VerifyOf(out), *verification);
  EXPECT_TRUE(ValidateJson(json, "verification", "").ok());
  EXPECT_EQ(json["suite"]["challenge"]["number"], challenge.number);
  EXPECT_EQ(json["suite"]["challenge"]["received"], receipt->received);
  EXPECT_EQ(json["suite"]["challenge"]["issuer_says"], "Example Lab");
}

TEST_F(Challenges, EndInEvidenceAsOneFile) {
  ASSERT_TRUE(Receive().ok());
  VerdictOptions options = VerdictTo(directory_ / "evidence");
  options.archive = true;
  EXPECT_THAT(Refusal(JudgeChallenge(options).status()), HasSubstr("--out: found "));
  options.out = directory_ / "evidence.tar.zst";
  ASSERT_TRUE(JudgeChallenge(options).ok());
  const auto verification = VerifyEvidence(VerifyOf(options.out));
  ASSERT_TRUE(verification.ok()) << verification.status();
  EXPECT_THAT(verification->faults, IsEmpty());
  ASSERT_TRUE(verification->challenge.has_value());
  EXPECT_EQ(verification->challenge->number, Opened().number);
}

// Another signer of the statement vouches for it, and did not open the challenge.
TEST_F(Challenges, AreShownWithTheirKeyIfAnotherKeySigned) {
  ASSERT_TRUE(Receive().ok());
  const fs::path out = directory_ / "evidence";
  ASSERT_TRUE(JudgeChallenge(VerdictTo(out)).ok());
  const auto verification = VerifyEvidence(VerifyOf(out));
  ASSERT_TRUE(verification.ok());
  ASSERT_TRUE(
      Countersign(VerifyOf(out), *verification, *Ed25519Key::ReadPrivate(*shared_ / "vendor.pem"))
          .ok());
  VerifyOptions other = VerifyOf(out);
  other.key = *shared_ / "vendor.pub";
  const auto by_other = VerifyEvidence(other);
  ASSERT_TRUE(by_other.ok()) << by_other.status();
  EXPECT_THAT(by_other->faults, IsEmpty());
  const std::string unknown =
      StrCat("by the key ", Opened().issuer_key.id(), ", which no --key names");
  const std::string one = "issuer and vendor are one key";
  EXPECT_THAT(FormatVerification(other, *by_other), AllOf(HasSubstr(unknown), Not(HasSubstr(one))));
  const auto page = CertificatePage(other, *by_other);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(*page, AllOf(HasSubstr(unknown), HasSubstr("claims to be &quot;Example Lab&quot;"),
                           HasSubstr("open until 9999-12-31T23:59:59Z"), Not(HasSubstr(one))));
  const Json json = VerificationToJson(other, *by_other);
  EXPECT_TRUE(ValidateJson(json, "verification", "").ok());
  EXPECT_EQ(json["suite"]["challenge"]["issuer_known"], false);
  EXPECT_EQ(VerificationToJson(VerifyOf(out), *verification)["suite"]["challenge"]["issuer_known"],
            true);
  EXPECT_THAT(*CertificatePage(VerifyOf(out), *verification),
              AllOf(HasSubstr("claims to be"), Not(HasSubstr("which no --key names"))));
  Verification own = *by_other;
  own.challenge->issuer_key = own.challenge->vendor_key;
  EXPECT_THAT(FormatVerification(other, own), HasSubstr(one));
  EXPECT_THAT(*CertificatePage(other, own), HasSubstr(one));
}

TEST_F(Challenges, NameAWrongCaseAndAreNoCertificate) {
  CopyFolder(*shared_ / "results", directory_ / "wrong");
  ChangeOneOutput(directory_ / "wrong");
  const AnswerOptions options = AnswerTo(challenge_, directory_ / "wrong", directory_ / "bad");
  ASSERT_TRUE(AnswerChallenge(options).ok());
  fs::remove_all(answer_);
  CopyFolder(directory_ / "bad", answer_);
  ASSERT_TRUE(Receive().ok());
  const fs::path out = directory_ / "evidence";
  const auto verdict = JudgeChallenge(VerdictTo(out));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_FALSE(Conformant(verdict->report));
  EXPECT_THAT(verdict->text, AllOf(HasSubstr("NOT CONFORMANT"), HasSubstr("which says FAILED")));
  std::vector<std::string> wrong;
  for (const CaseReport& c : verdict->report.cases) {
    if (c.verdict != Verdict::kPass) wrong.push_back(c.id);
  }
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_THAT(wrong[0], StartsWith("clz/"));
  EXPECT_THAT(verdict->text, HasSubstr(wrong[0]));
  EXPECT_EQ(PayloadOf(out / kFailureFile)["predicate"]["failedTests"], Json(wrong));
  EXPECT_FALSE(fs::exists(out / kCertificateFile));
  EXPECT_TRUE(fs::exists(out / kFailureFile));
  const auto verification = VerifyEvidence(VerifyOf(out));
  ASSERT_TRUE(verification.ok()) << verification.status();
  EXPECT_THAT(verification->faults, IsEmpty());
  EXPECT_FALSE(verification->Passed());
  EXPECT_THAT(VerdictLine(*verification, "E"), HasSubstr("NOT CONFORMANT"));
}

TEST_F(Challenges, AsSamplesPublishTheirAnswersAndSignNothing) {
  fs::remove_all(challenge_);
  OpenOptions options = Options(challenge_);
  options.sample = true;
  const auto opened = OpenNewChallenge(options);
  ASSERT_TRUE(opened.ok()) << opened.status();
  // The vendor practises alone.
  RunNative(challenge_, directory_ / "results", "native");
  UnblindOptions unblind;
  unblind.results = directory_ / "results";
  unblind.answers = *ReadAnswers(challenge_ / "public/answers.json");
  ASSERT_TRUE(Unblind(unblind, directory_ / "judged", directory_ / "judged").ok());
  // And with the issuer.
  fs::remove_all(answer_);
  ASSERT_TRUE(AnswerChallenge(AnswerTo(challenge_, directory_ / "results", answer_)).ok());
  opened_ = opened->challenge.opened;
  ASSERT_TRUE(Receive().ok());
  VerdictOptions verdict_options = VerdictTo(directory_ / "verdict");
  verdict_options.archive = true;
  EXPECT_THAT(Refusal(JudgeChallenge(verdict_options).status()),
              HasSubstr("--archive: found a sample"));
  verdict_options.archive = false;
  const auto verdict = JudgeChallenge(verdict_options);
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_TRUE(Conformant(verdict->report));
  EXPECT_THAT(verdict->text, HasSubstr("nothing was signed, and this is no evidence"));
  EXPECT_TRUE(fs::exists(directory_ / "verdict/report.json"));
  EXPECT_THAT(VerifyEvidence(VerifyOf(directory_ / "verdict"))->faults,
              ElementsAre(HasSubstr("certificate.intoto.json: is missing")));
  // No certificate can name it, either.
  CertifyOptions certify;
  certify.claim = challenge_ / "public/claim.json";
  certify.key = *shared_ / "issuer.pem";
  certify.out = directory_ / "evidence";
  certify.results = directory_ / "results";
  certify.answers = challenge_ / "secret/answers.json";
  certify.challenge = {{"challenge.json", Read(challenge_ / "public/challenge.json")},
                       {"answer.json", Read(answer_ / "answer.json")},
                       {"receipt.json", Read(challenge_ / "receipt.json")}};
  certify.recipe = FewCases;
  EXPECT_THAT(Refusal(Certify(certify).status()),
              AllOf(HasSubstr("challenge/challenge.json: /sample: found a sample"),
                    HasSubstr("no evidence was written, and the answer that was taken stays")));
  EXPECT_FALSE(fs::exists(certify.out));
}

// --- Opening.

TEST_F(Challenges, KeepTheirAnswersSecret) {
  EXPECT_EQ(fs::status(*shared_ / "challenge/secret").permissions() & fs::perms::mask,
            fs::perms::owner_all);
  EXPECT_FALSE(fs::exists(challenge_ / "public/answers.json"));
  EXPECT_NE(Opened().suite,
            OpenChallenge(Read(*shared_ / "other/public/challenge.json"), "")->suite)
      << "each seed is drawn";
  EXPECT_NE(Opened().number,
            OpenChallenge(Read(*shared_ / "other/public/challenge.json"), "")->number);
}

TEST_F(Challenges, AreRefusedBeforeAnythingIsMade) {
  const auto refusal = [&](const std::function<void(OpenOptions&)>& change) {
    OpenOptions options = Options(directory_ / "new");
    change(options);
    return Refusal(OpenNewChallenge(options).status());
  };
  for (const char* const until :
       {"2026-02-30", "2026-11-30T24:00:00Z", "2026-11-30T00:60:00Z", "2026-11-30T00:00:60Z",
        "2026-11-30T00:00:00", "2026-11-30 00:00:00Z", "tomorrow", ""}) {
    EXPECT_THAT(refusal([&](OpenOptions& options) { options.until = until; }),
                HasSubstr(StrCat("--until: found ", until, ", expected a time in UTC")));
  }
  EXPECT_THAT(refusal([](OpenOptions& options) { options.until = "2020-01-01"; }),
              HasSubstr("--until: found 2020-01-01T23:59:59Z, expected a time after 20"));
  for (const std::string& name :
       {std::string(), std::string(201, 'a'), std::string("a\nb"), std::string("a\u202e")}) {
    EXPECT_THAT(refusal([&](OpenOptions& options) { options.issuer = name; }),
                HasSubstr(StrCat("--issuer: found \"", Printable(name), "\", ", name.size(),
                                 " bytes, expected a printable name of 1 to 200 bytes")));
  }
  EXPECT_THAT(refusal([](OpenOptions& options) { options.vendor = *shared_ / "vendor.pem"; }),
              HasSubstr("vendor.pem: found a private key"));
  EXPECT_THAT(refusal([](OpenOptions& options) { options.key = *shared_ / "issuer.pub"; }),
              HasSubstr("issuer.pub: found a public key"));
  EXPECT_THAT(refusal([](OpenOptions& options) { options.claim = *shared_ / "none"; }),
              HasSubstr("none: no such file"));
  EXPECT_THAT(refusal([&](OpenOptions& options) { options.out = challenge_; }),
              HasSubstr("expected a folder that does not exist yet"));
  EXPECT_FALSE(fs::exists(directory_ / "new"));
}

TEST_F(Challenges, TestARegisteredProduct) {
  Json product = ClaimOf({"PRO-INT"});
  product.erase("format");
  const fs::path file = directory_ / "registration.json";
  ASSERT_TRUE(SaveJson(file, {{"format", "tensor-cts-registration-1"},
                              {"number", "2026-0001"},
                              {"issued", "2026-11-30"},
                              {"valid_until", "2028-11-30"},
                              {"signer", "acme"},
                              {"statement", std::string(64, '0')},
                              {"product", product}})
                  .ok());
  OpenOptions options = Options(directory_ / "new");
  options.claim = file;
  const auto opened = OpenNewChallenge(options);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(ReadClaim(directory_ / "new/public/claim.json")->name, "NPU");
  ChangeJson(file, [](Json& json) { json.erase("product"); });
  options.out = directory_ / "newer";
  EXPECT_THAT(Refusal(OpenNewChallenge(options).status()), HasSubstr("registration.json"));
}

TEST_F(Challenges, OfOtherFilesAreRefused) {
  const auto refusal = [&] {
    const std::string answering = Refusal(
        AnswerChallenge(AnswerTo(challenge_, *shared_ / "results", directory_ / "new")).status());
    EXPECT_FALSE(fs::exists(directory_ / "new"));
    EXPECT_THAT(Refusal(Receive().status()), HasSubstr(answering)) << "the issuer's side agrees";
    EXPECT_THAT(Refusal(JudgeChallenge(VerdictTo(directory_ / "new")).status()),
                HasSubstr(answering));
    fs::remove_all(challenge_);
    CopyFolder(*shared_ / "challenge", challenge_);
    return answering;
  };
  const fs::path published = challenge_ / "public";
  ChangeJson(published / "claim.json", [](Json& json) { json["version"] = "9"; });
  EXPECT_THAT(refusal(), HasSubstr("claim.json: found the digest "));
  fs::remove_all(published / "suite");
  CopyFolder(*shared_ / "other/public/suite", published / "suite");
  EXPECT_THAT(refusal(), HasSubstr("suite: found the digest "));
  Json json = PayloadOf(published / "challenge.json");
  json["until"] = "9998-12-31T00:00:00Z";
  Seal(published / "challenge.json", "vendor.pem", kChallengeType, json);
  EXPECT_THAT(refusal(), HasSubstr("/signatures: found no signature by the key "));
  Seal(published / "challenge.json", "issuer.pem", kAnswerType, json);
  EXPECT_THAT(refusal(), HasSubstr("challenge.json: /payloadType: found "));
  json["tensor_cts"] = "9.9";
  Seal(published / "challenge.json", "issuer.pem", kChallengeType, json);
  EXPECT_THAT(refusal(), HasSubstr("/tensor_cts: found 9.9, this is "));
  json["until"] = "9998-12-31T99:00:00Z";
  Seal(published / "challenge.json", "issuer.pem", kChallengeType, json);
  EXPECT_THAT(refusal(), HasSubstr("expected times that exist"));
}

// --- Answering.

TEST_F(Challenges, AreAnsweredByTheVendorToTheIssuer) {
  AnswerOptions options = AnswerTo(challenge_, *shared_ / "results", directory_ / "new");
  options.key = *shared_ / "issuer.pem";
  EXPECT_THAT(Refusal(AnswerChallenge(options).status()),
              HasSubstr("to which the challenge was given"));
  options.key = *shared_ / "vendor.pem";
  options.issuer_key = *shared_ / "vendor.pub";
  EXPECT_THAT(
      Refusal(AnswerChallenge(options).status()),
      AllOf(HasSubstr("vendor.pub: found the key "), HasSubstr("which opened the challenge")));
  options.issuer_key = "";
  EXPECT_THAT(Refusal(AnswerChallenge(options).status()), Not(HasSubstr("ok")));
  options.issuer_key = std::nullopt;
  options.out = answer_;
  EXPECT_THAT(Refusal(AnswerChallenge(options).status()),
              HasSubstr("answer: expected a folder that does not exist yet"));
  EXPECT_FALSE(fs::exists(directory_ / "new"));
}

TEST_F(Challenges, RefuseResultsThatAreNotThoseOfTheRun) {
  const fs::path results = directory_ / "mine";
  const auto refusal = [&](const std::function<void()>& change) {
    fs::remove_all(results);
    CopyFolder(*shared_ / "results", results);
    change();
    const std::string refused =
        Refusal(AnswerChallenge(AnswerTo(challenge_, results, directory_ / "new")).status());
    EXPECT_FALSE(fs::exists(directory_ / "new"));
    return refused;
  };
  const fs::path one = results / "case/0000001";
  EXPECT_THAT(refusal([&] { Write(one / "core", "1"); }),
              HasSubstr("core: is no part of a result"));
  EXPECT_THAT(refusal([&] {
                std::string output;
                for (const auto& entry : fs::recursive_directory_iterator(results)) {
                  if (entry.path().extension() == ".npy") output = entry.path().string();
                }
                fs::resize_file(output, uint64_t{1} << 30);
              }),
              HasSubstr("found 1073741824 bytes, expected at most "));
  EXPECT_THAT(refusal([&] { fs::remove_all(one); }), HasSubstr("lack their result"));
  EXPECT_THAT(
      refusal([&] { ChangeJson(results / "run.json", [](Json& run) { run["cases"] = 1; }); }),
      HasSubstr(StrCat(results.string(), "/run.json: /cases: found 1, expected ")));
  EXPECT_THAT(refusal([&] {
                ChangeJson(results / "run.json",
                           [](Json& run) { run["implementation"]["name"] = "other"; });
              }),
              HasSubstr(StrCat(results.string(), "/run.json: /implementation/name: found ")));
  EXPECT_THAT(refusal([&] { Write(one / "result.json", "{}"); }),
              HasSubstr("changed since the run"));
  EXPECT_THAT(refusal([&] {
                ChangeJson(results / "run.json", [](Json& run) {
                  run["environment"] = {{"A", std::string(5 << 20, 'a')}};
                });
              }),
              HasSubstr("mine/run.json: found 52"));
}

// --- Receiving.

TEST_F(Challenges, ExpireByTheIssuersClock) {
  OpenOptions options = Options(directory_ / "short");
  options.until = "9000-01-01T00:00:00Z";
  ASSERT_TRUE(OpenNewChallenge(options).ok());
  ReceiveOptions receive{.challenge = directory_ / "short",
                         .answer = answer_,
                         .key = *shared_ / "issuer.pem",
                         .clock = At("9000-01-01T00:00:01Z")};
  EXPECT_THAT(Refusal(ReceiveAnswer(receive).status()),
              AllOf(HasSubstr("expired at 9000-01-01T00:00:00Z, and it is 9000-01-01T00:00:01Z"),
                    HasSubstr("; this call took no answer")));
  receive.clock = At("9000-01-01T00:00:00Z");
  EXPECT_THAT(Refusal(ReceiveAnswer(receive).status()), HasSubstr("it answers another challenge"))
      << "the last second counts";
  EXPECT_THAT(Refusal(Receive("2020-01-01T00:00:00Z").status()),
              HasSubstr("the clock says 2020-01-01T00:00:00Z, expected a time after "));
  EXPECT_FALSE(fs::exists(directory_ / "short/receipt.json"));
  EXPECT_THAT(Refusal(JudgeChallenge(VerdictTo(directory_ / "new")).status()),
              HasSubstr("receipt.json: no such file: no answer was taken; take one by"));
}

TEST_F(Challenges, TakeOneAnswer) {
  const auto first = Receive();
  ASSERT_TRUE(first.ok()) << first.status();
  const std::string receipt = Read(challenge_ / "receipt.json");
  EXPECT_EQ(PayloadOf(challenge_ / "receipt.json")["answer"], first->answer);
  EXPECT_THAT(Refusal(Receive().status()),
              AllOf(HasSubstr(StrCat("found the receipt of an answer that was taken at ",
                                     first->received, ": a challenge takes one answer")),
                    HasSubstr("; this call took no answer")));
  SignAnswer([](Json& json) { json["files"].push_back(json["files"][0]), json["files"].erase(0); });
  EXPECT_THAT(Refusal(Receive().status()), HasSubstr("a challenge takes one answer"));
  EXPECT_EQ(Read(challenge_ / "receipt.json"), receipt);
  EXPECT_EQ(fs::status(challenge_ / "received" / first->answer).type(), fs::file_type::directory);
}

TEST_F(Challenges, RefuseAnAnswerThatIsNotTheVendorsOrNotToThem) {
  const Json good = PayloadOf(answer_ / "answer.json");
  Seal(answer_ / "answer.json", "issuer.pem", kAnswerType, good);
  ExpectRefused("answer.json: /signatures: found no signature by the key ");
  Seal(answer_ / "answer.json", "vendor.pem", kReceiptType, good);
  ExpectRefused("answer.json: /payloadType: found ");
  Json other = good;
  other["challenge"] = OpenChallenge(Read(*shared_ / "other/public/challenge.json"), "")->digest;
  Seal(answer_ / "answer.json", "vendor.pem", kAnswerType, other);
  ExpectRefused("it answers another challenge");
  fs::remove(answer_ / "answer.json");
  ExpectRefused("answer.json: no such file");
  Write(answer_ / "answer.json", std::string(2 << 20, ' '));
  ExpectRefused("answer.json: found 2097152 bytes, expected at most 1048576");
  ReceiveOptions receive{.challenge = challenge_,
                         .answer = answer_,
                         .key = *shared_ / "vendor.pem",
                         .clock = At(opened_)};
  EXPECT_THAT(Refusal(ReceiveAnswer(receive).status()), HasSubstr("which opened the challenge"));
  EXPECT_TRUE(Receive().ok());
}

TEST_F(Challenges, RefuseFilesByNameAndSizeBeforeTheyAreRead) {
  Write(answer_ / "stray", "1");
  ExpectRefused("stray: is no part of the answer");
  Write(answer_ / "results/abs.tar", "1");
  ExpectRefused("results/abs.tar: is no part of the answer");
  fs::create_directory(answer_ / "empty");
  ExpectRefused("empty: found an empty directory");
  fs::remove(answer_ / "results/case.tar");
  fs::create_symlink("/dev/zero", answer_ / "results/case.tar");
  ExpectRefused("results/case.tar: found a link");
  fs::remove(answer_ / "results/case.tar");
  ExpectRefused("results/case.tar: is missing");
  SignAnswer([](Json& json) { json["files"].erase(0); });
  ExpectRefused("results/case.tar: is missing");
  SignAnswer([](Json& json) { json["files"][1] = json["files"][0]; });
  ExpectRefused("results/case.tar twice, expected each file once");
  SignAnswer([](Json& json) { json["files"][0]["path"] = "results/../x"; });
  ExpectRefused("/files/0/path");
  Write(answer_ / "results/run.json", Read(answer_ / "results/run.json") + " ");
  ExpectRefused("results/run.json: ");
  SignAnswer([](Json& json) { json["files"][0]["sha256"] = std::string(64, '0'); });
  ExpectRefused(StrCat("results/case.tar: found the digest "));
  SignAnswer([](Json& json) { json["files"][0]["size"] = uint64_t{1} << 40; });
  ExpectRefused("results/case.tar: found 1099511627776 bytes, expected at most ");
  SignAnswer([](Json& json) { json["files"][2]["size"] = (1 << 20) + 1; });
  ExpectRefused("results/run.json: found 1048577 bytes, expected at most 1048576");
  // A file that no result has, within the pack.
  const std::string pack = Read(answer_ / "results/case.tar");
  Write(answer_ / "results/case.tar",
        StrCat(pack.substr(0, pack.size() - kPackEnd), *PackedFile("case/alien/x", "1"),
               std::string(kPackEnd, '\0')));
  SignAnswer();
  ExpectRefused("case/alien/x: is no part of a result");
  Write(answer_ / "results/case.tar",
        StrCat(pack.substr(0, pack.size() - kPackEnd), *PackedFile("case/0000001/.hidden", "1"),
               std::string(kPackEnd, '\0')));
  SignAnswer();
  ExpectRefused("case/0000001/.hidden: is no part of a result");
  EXPECT_TRUE(Receive().ok());
}

// The evidence of such an answer would not hold.
TEST_F(Challenges, RefuseAnAnswerThatSignsAnotherDigestOfItsResults) {
  SignAnswer([](Json& json) { json["results_digest"] = std::string(64, '0'); });
  ExpectRefused(StrCat(answer_.string(), "/answer.json: /results_digest: found 000"));
  EXPECT_TRUE(Receive().ok());
}

// A record of few bytes can be many in the statement, and in this program's form of it.
TEST_F(Challenges, RefuseARecordThatIsTooLongForTheStatement) {
  const auto resumed = [](Json& run) {
    for (int i = 0; i < 30000; ++i) run["resumed"].push_back({{"started", ""}, {"host", ""}});
  };
  const auto host = [](size_t size) {
    return [size](Json& run) { run["host"] = std::string(size, '\x7f'); };
  };
  for (const std::function<void(Json&)>& change :
       {std::function<void(Json&)>(resumed), std::function<void(Json&)>(host(300000))}) {
    const fs::path results = directory_ / "results";
    CopyFolder(*shared_ / "results", results);
    ChangeJson(results / "run.json", change);
    EXPECT_THAT(
        Refusal(AnswerChallenge(AnswerTo(challenge_, results, directory_ / "new")).status()),
        AllOf(HasSubstr(StrCat(results.string(), "/run.json: found 1")),
              HasSubstr(" bytes as this program writes it, expected at most 1048576")));
    fs::remove_all(results);
    Json run = *LoadJson(answer_ / "results/run.json", "");
    change(run);
    Write(answer_ / "results/run.json", run.dump(-1));
    ASSERT_LT(fs::file_size(answer_ / "results/run.json"), 1U << 20);
    SignAnswer();
    ExpectRefused(" bytes as this program writes it, expected at most 1048576");
  }
  // The longest that is taken ends in evidence that holds.
  ChangeJson(answer_ / "results/run.json", host(174000));
  EXPECT_GT(fs::file_size(answer_ / "results/run.json"), 1000000U);
  SignAnswer();
  const auto receipt = Receive();
  ASSERT_TRUE(receipt.ok()) << receipt.status();
  ASSERT_TRUE(JudgeChallenge(VerdictTo(directory_ / "evidence")).ok());
  EXPECT_THAT(VerifyEvidence(VerifyOf(directory_ / "evidence"))->faults, IsEmpty());
}

// An answer that comes after the end, while a call reads that began before.
TEST_F(Challenges, ReadTheClockWhenTheAnswerIsThere) {
  OpenOptions options = Options(directory_ / "short");
  options.until = "9000-01-01T00:00:00Z";
  ASSERT_TRUE(OpenNewChallenge(options).ok());
  std::vector<std::string> times = {"9000-01-01T00:00:01Z", "9000-01-01T00:00:00Z"};
  const auto clock = [&] {
    std::string now = times.back();
    times.pop_back();
    return now;
  };
  ReceiveOptions receive{.challenge = directory_ / "short",
                         .answer = answer_,
                         .key = *shared_ / "issuer.pem",
                         .clock = clock};
  EXPECT_THAT(Refusal(ReceiveAnswer(receive).status()),
              AllOf(HasSubstr("expired at 9000-01-01T00:00:00Z, and it is 9000-01-01T00:00:01Z"),
                    HasSubstr("; this call took no answer")));
  EXPECT_THAT(times, IsEmpty());
  receive.challenge = challenge_;
  times = {"9000-01-01T00:00:03Z", "9000-01-01T00:00:02Z"};
  const auto receipt = ReceiveAnswer(receive);
  ASSERT_TRUE(receipt.ok()) << receipt.status();
  EXPECT_EQ(receipt->received, "9000-01-01T00:00:03Z");
}

TEST_F(Challenges, TakeNoAnswerThatTheIssuerCannotJudge) {
  const fs::path secret = challenge_ / "secret/answers.json";
  const std::string sealed = Read(secret);
  Write(secret, sealed + " ");
  ExpectRefused("secret/answers.json: found the digest ");
  fs::remove(secret);
  ExpectRefused("secret/answers.json: no such file");
  // A challenge of another state of the generator, under the same version.
  Write(secret, sealed);
  ChangeJson(secret, [](Json& json) { json["generator"] = "tensor-cts 9.9"; });
  const std::string digest = Sha256(Read(secret));
  ChangeJson(challenge_ / "public/suite/suite.json", [&](Json& json) { json["answers"] = digest; });
  Json json = PayloadOf(challenge_ / "public/challenge.json");
  json["answers"] = digest;
  Seal(challenge_ / "public/challenge.json", "issuer.pem", kChallengeType, json);
  ExpectRefused("/generator: found tensor-cts 9.9, this makes suites of tensor-cts ");
}

TEST_F(Challenges, NameWhatStandsInTheWayOfAReceipt) {
  fs::create_symlink(directory_ / "nowhere", challenge_ / "receipt.json");
  EXPECT_THAT(Refusal(Receive().status()),
              HasSubstr("receipt.json: found a link to a file that does not exist: remove the link"
                        "; this call took no answer"));
  fs::remove(challenge_ / "receipt.json");
  const std::string digest = Sha256(FormatJson(PayloadOf(answer_ / "answer.json")));
  fs::create_directories(challenge_ / "received" / digest / "results");
  ExpectRefused(StrCat(
      digest, ": found something without answer.json, which no call left there: ", "remove it"));
  fs::remove_all(challenge_ / "received");
  EXPECT_TRUE(Receive().ok());
}

TEST_F(Challenges, KeepNoCopyOfAnAnswerThatTheyRefuse) {
  ChangeJson(answer_ / "results/run.json", [](Json& run) { run["cases"] = 1; });
  SignAnswer();
  ExpectRefused(StrCat(answer_.string(), "/results/run.json: /cases: found 1, expected "));
  EXPECT_TRUE(fs::is_empty(challenge_ / "received"));
}

// Each member of run.json is the vendor's own word, or is refused before the receipt if it says
// something wrong. Every answer that is taken ends in evidence that holds.
TEST_F(Challenges, LetNoRecordOfTheVendorSpoilTheEvidence) {
  const std::string zeros(64, '0');
  const Json place = {{"started", "x\ny"}, {"host", "\x1b[2J"}};
  struct Row {
    std::string member;
    Json value;           // null removes the member
    std::string refusal;  // empty: taken
  };
  const std::vector<Row> rows = {
      {"format", "tensor-cts-run-2", "/format"},
      {"suite", "certify", "/suite: found \"certify\", expected \"blind\""},
      {"suite_digest", zeros, "/suite_digest: found 000"},
      {"suite_path", "/elsewhere", ""},
      {"suite_path", Json(), ""},
      {"implementation", {{"name", "other"}, {"version", "1.2"}}, "name: found \"other\""},
      {"implementation", {{"name", "NPU"}, {"version", "2"}}, "version: found \"2\""},
      {"implementation",
       {{"name", "npu-adapter"}, {"version", "unknown"}},
       "found the command alone"},
      {"command", "another", ""},
      {"command", "builtin:native", ""},
      {"edition_file", "mine.json", "/edition_file: found \"mine.json\""},
      {"host", "h", ""},
      {"started", "never", ""},
      {"ended", "x", ""},
      {"last_result", "x", ""},
      {"seconds", 1e300, ""},
      {"cases", 1, "/cases: found 1, expected "},
      {"cases", Json(), "/cases: found nothing, expected "},
      {"restarts", 2, ""},
      {"unexplained", {{"count", 1}, {"first", "a"}}, ""},
      {"suite_cases", 1, "/suite_cases: found 1, expected "},
      {"suite_cases", Json(), "/suite_cases: found nothing"},
      {"tensor_cts", "9.9", "/tensor_cts: found \"9.9\""},
      {"tensor_cts", Json(), "/tensor_cts: found nothing"},
      {"commit", "a", ""},
      {"build", {{"editions", zeros}, {"recipes", zeros}, {"checker", zeros}}, ""},
      {"build", Json(), ""},
      {"complete", false, "/complete: the run did not end"},
      {"complete", Json(), "/complete: the run did not end"},
      {"results_digest", zeros, "results.json is not the one that run.json tells of"},
      {"blind", {{"suite_digest", zeros}, {"results_digest", zeros}}, "found /blind"},
      {"given", {{"taken", "2020-01-01T00:00:00Z"}}, "found /given"},
      {"repeats", 1, "found /repeats"},
      {"under_load", true, ""},
      {"filter", {"*"}, "/filter: found results of selected cases"},
      {"again", zeros, "/again: found results of run --again"},
      {"changed", "a.py", "/changed: found "},
      {"shard", {{"index", 1}, {"of", 1}}, "/shard: found results of shard 1/1"},
      {"machine", {{"cpu", "c"}, {"cores", 1}}, ""},
      {"environment", {{"A", "b"}}, ""},
      {"code", {"a"}, ""},
      {"announced_code", {"a"}, ""},
      {"adapter_files", Json::array({{{"path", "a"}, {"sha256", zeros}}}), ""},
      {"options", {{"jobs", 1}, {"symbolic", true}, {"memory_mb", 1}}, ""},
      {"resumed", Json::array({place}), ""},
      {"packs", Json(), "/packs: found nothing"},
      {"packs", Json::array(), "/packs"},
      {"packs", {"case", "alien"}, "alien"},
      {"shards", Json::array({{{"shard", {{"index", 1}, {"of", 2}}}, {"cases", 1}}}),
       "/shards/0: found shard 1/2, expected 1/1"},
      {"alien", 1, "unknown member"},
  };
  std::set<std::string> covered;
  for (const Row& row : rows) {
    SCOPED_TRACE(StrCat(row.member, " ", row.value.dump()));
    covered.insert(row.member);
    ChangeJson(answer_ / "results/run.json", [&](Json& run) {
      row.value.is_null() ? void(run.erase(row.member)) : void(run[row.member] = row.value);
    });
    SignAnswer();
    if (!row.refusal.empty()) {
      ExpectRefused(row.refusal);
      continue;
    }
    const auto receipt = Receive();
    ASSERT_TRUE(receipt.ok()) << receipt.status();
    const fs::path out = directory_ / "evidence";
    const auto verdict = JudgeChallenge(VerdictTo(out));
    ASSERT_TRUE(verdict.ok()) << verdict.status();
    const auto verification = VerifyEvidence(VerifyOf(out));
    ASSERT_TRUE(verification.ok()) << verification.status();
    EXPECT_THAT(verification->faults, IsEmpty());
    for (const fs::path& used : {out, answer_, challenge_}) fs::remove_all(used);
    CopyFolder(*shared_ / "answer", answer_);
    CopyFolder(*shared_ / "challenge", challenge_);
  }
  for (const EmbeddedFile& file : EmbeddedSchemas()) {
    if (file.name != "run.schema.json") continue;
    const Json schema = *ParseJson(file.text, file.name);
    EXPECT_GT(schema["properties"].size(), 30U);
    for (const auto& [member, rule] : schema["properties"].items()) {
      EXPECT_TRUE(covered.contains(member)) << member << " is in no row";
    }
  }
}

// Processes that receive different answers at once: one answer is taken, and it stays whole.
TEST_F(Challenges, TakeOneOfManyAnswersThatArriveAtOnce) {
  constexpr int kProcesses = 6;
  std::vector<fs::path> answers;
  for (int i = 0; i < kProcesses; ++i) {
    answers.push_back(directory_ / StrCat("answer", i));
    CopyFolder(*shared_ / "answer", answers.back());
    fs::remove_all(answer_);
    CopyFolder(answers.back(), answer_);
    ChangeJson(answer_ / "results/run.json",
               [&](Json& run) { run["host"] = StrCat("host ", i / 2); });
    SignAnswer();
    fs::remove_all(answers.back());
    CopyFolder(answer_, answers.back());
  }
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  std::vector<pid_t> children;
  for (const fs::path& answer : answers) {
    const pid_t child = fork();
    if (child == 0) {
      close(gate[1]);
      char byte;
      [[maybe_unused]] const ssize_t woken = read(gate[0], &byte, 1);  // the end of the pipe
      const auto receipt = ReceiveAnswer({.challenge = challenge_,
                                          .answer = answer,
                                          .key = *shared_ / "issuer.pem",
                                          .jobs = 1,
                                          .clock = At(opened_)});
      const bool refused =
          Refusal(receipt.status())
              .find("a challenge takes one answer; this call took no answer") != std::string::npos;
      _exit(receipt.ok() ? 0 : refused ? 1 : 2);
    }
    children.push_back(child);
  }
  close(gate[0]);
  close(gate[1]);
  std::vector<int> codes;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  }
  EXPECT_EQ(std::count(codes.begin(), codes.end(), 0), 1);
  EXPECT_EQ(std::count(codes.begin(), codes.end(), 1), kProcesses - 1);
  const auto winner = static_cast<size_t>(std::find(codes.begin(), codes.end(), 0) - codes.begin());
  ASSERT_LT(winner, answers.size());
  const std::string taken = PayloadOf(challenge_ / "receipt.json")["answer"];
  EXPECT_EQ(Read(challenge_ / "received" / taken / "answer.json"),
            Read(answers[winner] / "answer.json"));
  const auto verdict = JudgeChallenge(VerdictTo(directory_ / "evidence"));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_THAT(VerifyEvidence(VerifyOf(directory_ / "evidence"))->faults, IsEmpty());
}

TEST_F(Challenges, MayLieBehindLinks) {
  fs::create_directory_symlink(challenge_, directory_ / "link");
  fs::create_directory(directory_ / "real");
  fs::create_directory_symlink(directory_ / "real", directory_ / "parent");
  OpenOptions options = Options(directory_ / "parent/challenge");
  ASSERT_TRUE(OpenNewChallenge(options).ok());
  EXPECT_TRUE(fs::exists(directory_ / "real/challenge/public/challenge.json"));
  const auto receipt = ReceiveAnswer({.challenge = directory_ / "link",
                                      .answer = answer_,
                                      .key = *shared_ / "issuer.pem",
                                      .clock = At(opened_)});
  EXPECT_TRUE(receipt.ok()) << receipt.status();
}

// A call that was killed after it kept the answer, and before the receipt.
TEST_F(Challenges, TakeAnAnswerThatIsKeptAlready) {
  ASSERT_TRUE(Receive().ok());
  const std::string taken = PayloadOf(challenge_ / "receipt.json")["answer"];
  fs::remove(challenge_ / "receipt.json");
  ASSERT_TRUE(Receive().ok());
  fs::remove(challenge_ / "receipt.json");
  Write(challenge_ / "received" / taken / "results/results.json", "{}");
  EXPECT_THAT(Refusal(Receive().status()), HasSubstr("results/results.json: was changed: found"));
  EXPECT_FALSE(fs::exists(challenge_ / "receipt.json"));
}

TEST_F(Challenges, JudgeTheAnswerOfTheReceiptAlone) {
  ASSERT_TRUE(Receive().ok());
  const std::string taken = PayloadOf(challenge_ / "receipt.json")["answer"];
  const fs::path kept = challenge_ / "received" / taken, out = directory_ / "evidence";
  const auto refusal = [&] {
    std::string refused = Refusal(JudgeChallenge(VerdictTo(out)).status());
    EXPECT_FALSE(fs::exists(out));
    return refused;
  };
  const std::string run = Read(kept / "results/run.json");
  Write(kept / "results/run.json", run + " ");
  EXPECT_THAT(refusal(), HasSubstr("results/run.json: was changed: found the digest "));
  Write(kept / "results/run.json", run);
  const Json receipt = PayloadOf(challenge_ / "receipt.json");
  const auto with = [&](const char* member, const std::string& value, const char* key) {
    Json json = receipt;
    json[member] = value;
    Seal(challenge_ / "receipt.json", key, kReceiptType, json);
    return refusal();
  };
  EXPECT_THAT(with("received", opened_, "vendor.pem"), HasSubstr("receipt.json: /signatures: "));
  Seal(challenge_ / "receipt.json", "issuer.pem", kAnswerType, receipt);
  EXPECT_THAT(refusal(), HasSubstr("receipt.json: /payloadType: found "));
  EXPECT_THAT(with("received", "2020-01-01T00:00:00Z", "issuer.pem"),
              HasSubstr("/received: found 2020-01-01T00:00:00Z, expected a time from "));
  EXPECT_THAT(with("challenge", std::string(64, '0'), "issuer.pem"),
              HasSubstr("/challenge: found "));
  EXPECT_THAT(with("answer", std::string(64, '0'), "issuer.pem"),
              HasSubstr(StrCat(std::string(64, '0'), "/answer.json: no such file")));
  VerdictOptions options = VerdictTo(out);
  options.key = *shared_ / "vendor.pem";
  EXPECT_THAT(Refusal(JudgeChallenge(options).status()), HasSubstr("which opened the challenge"));
}

// --- Evidence.

class ChallengeInEvidence : public Challenges {
 protected:
  ChallengeInEvidence() : out_(directory_ / "evidence") {
    EXPECT_TRUE(Receive().ok());
    EXPECT_TRUE(JudgeChallenge(VerdictTo(out_)).ok());
  }

  std::vector<std::string> Faults() const {
    std::vector<std::string> faults;
    const auto found = FindChallenge(out_, *FindAnswers(out_), &faults);
    if (!found.ok()) faults.push_back(Message(found.status()));
    return faults;
  }

  // Does what the holder of the issuer's key can do.
  std::vector<std::string> FaultsWith(const std::function<void(Json&)>& change) {
    const fs::path file = out_ / "challenge/challenge.json";
    Json json = PayloadOf(file);
    change(json);
    Seal(file, "issuer.pem", kChallengeType, json);
    const std::string digest = Sha256(FormatJson(json));
    Json answer = PayloadOf(out_ / "challenge/answer.json");
    answer["challenge"] = digest;
    Seal(out_ / "challenge/answer.json", "vendor.pem", kAnswerType, answer);
    Json receipt = PayloadOf(out_ / "challenge/receipt.json");
    receipt["challenge"] = digest;
    receipt["answer"] = Sha256(FormatJson(answer));
    Seal(out_ / "challenge/receipt.json", "issuer.pem", kReceiptType, receipt);
    return Faults();
  }

  const fs::path out_;
};

TEST_F(ChallengeInEvidence, IsHeldAgainstClaimSuiteAndAnswers) {
  EXPECT_THAT(Faults(), IsEmpty());
  EXPECT_THAT(FaultsWith([](Json&) {}), IsEmpty());
  const std::string zeros(64, '0');
  for (const auto& [member, of] :
       {std::pair("claim", "claim.json"), std::pair("suite", "the blind"),
        std::pair("answers", "answers.json")}) {
    const Json before = PayloadOf(out_ / "challenge/challenge.json");
    EXPECT_THAT(
        FaultsWith([&, name = member](Json& json) { json[name] = zeros; }),
        ElementsAre(AllOf(HasSubstr(StrCat("challenge/challenge.json: /", member, ": found 000")),
                          HasSubstr(StrCat(" of ", of)))));
    EXPECT_THAT(FaultsWith([&](Json& json) { json = before; }), IsEmpty());
  }
  EXPECT_THAT(FaultsWith([](Json& json) { json["sample"] = true; }),
              ElementsAre(HasSubstr("/sample: found a sample, whose answers are public")));
}

TEST_F(ChallengeInEvidence, IsHeldAgainstTheResultsAndTheReceipt) {
  const Json answer = PayloadOf(out_ / "challenge/answer.json");
  Json other = answer;
  other["results_digest"] = std::string(64, '0');
  Seal(out_ / "challenge/answer.json", "vendor.pem", kAnswerType, other);
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("/results_digest: found 000"),
                                    HasSubstr("challenge/receipt.json: /answer: found ")));
  Seal(out_ / "challenge/answer.json", "issuer.pem", kAnswerType, answer);
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("challenge/answer.json: /signatures: ")));
  Seal(out_ / "challenge/answer.json", "vendor.pem", kAnswerType, answer);
  EXPECT_THAT(Faults(), IsEmpty());
  const Json receipt = PayloadOf(out_ / "challenge/receipt.json");
  Json late = receipt;
  late["received"] = "9999-12-31T23:59:60Z";
  Seal(out_ / "challenge/receipt.json", "issuer.pem", kReceiptType, late);
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("/received: found 9999-12-31T23:59:60Z")));
  Seal(out_ / "challenge/receipt.json", "vendor.pem", kReceiptType, receipt);
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("challenge/receipt.json: /signatures: ")));
  fs::remove(out_ / "challenge/receipt.json");
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("challenge/receipt.json: no such file")));
}

TEST_F(ChallengeInEvidence, NeedsABlindRun) {
  fs::remove(out_ / kAnswersFile);
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("expected one only beside a blind run")));
}

TEST_F(ChallengeInEvidence, IsNotChangedUnnoticed) {
  const std::string text = Read(out_ / "challenge/challenge.json");
  Write(out_ / "challenge/challenge.json", text + "\n");
  EXPECT_THAT(VerifyEvidence(VerifyOf(out_))->faults,
              Contains(HasSubstr("challenge/challenge.json: ")));
  Write(out_ / "challenge/challenge.json", text);
  Write(out_ / "challenge/more.json", "{}");
  EXPECT_THAT(VerifyEvidence(VerifyOf(out_))->faults, Contains(HasSubstr("challenge/more.json")));
  fs::remove_all(out_ / "challenge");
  EXPECT_THAT(VerifyEvidence(VerifyOf(out_))->faults, Not(IsEmpty()));
}

}  // namespace
}  // namespace cts::challenge_testing
