#include "tools/program/certify/certify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <mutex>
#include <random>
#include <set>
#include <sstream>

#include "checker/evidence/claim_testing.h"
#include "checker/evidence/dsse.h"
#include "checker/evidence/evidence.h"
#include "checker/judge/build_state.h"
#include "checker/judge/suite_on_disk.h"
#include "checker/report/report.h"
#include "generator/generate.h"
#include "reference/base/digest.h"
#include "reference/base/folder_testing.h"
#include "reference/base/pack.h"
#include "tools/program/blind/blind_suite.h"
#include "tools/program/certify/archive.h"
#include "tools/program/certify/blind_evidence.h"
#include "tools/program/certify/draft.h"
#include "tools/program/certify/freeze.h"
#include "tools/program/certify/judged_evidence.h"
#include "tools/program/certify/mandatory_suite.h"
#include "tools/program/certify/pack.h"
#include "tools/program/certify/released_evidence.h"
#include "tools/program/certify/releases.h"
#include "tools/program/certify/unpack.h"
#include "tools/program/certify/verify.h"
#include "tools/program/run/merge.h"
#include "tools/program/run/result_digests.h"
#include "tools/program/run/runner.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing_suite::Directory;

// The key pair of RFC 8032, section 7.1, test 2, as PKCS#8 and SubjectPublicKeyInfo.
constexpr char kPrivate[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7\n"
    "-----END PRIVATE KEY-----\n";
constexpr char kPublic[] =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n"
    "-----END PUBLIC KEY-----\n";
// The key of test 1: another signer's.
constexpr char kOtherPrivate[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    "-----END PRIVATE KEY-----\n";
constexpr char kOtherPublic[] =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
    "-----END PUBLIC KEY-----\n";

// A few cases, for the tests alone.
StatusOr<Recipe> TinyRecipe(const std::string& edition) {
  CTS_ASSIGN_OR_RETURN(Recipe recipe, FindRecipe("smoke"));
  recipe.name = "tiny";
  recipe.edition = edition;
  recipe.operators = {"ABS", "CLZ"};
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

// Evidence of the positive control, made once; every test has a copy of its own.
class Evidence : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new Directory;
    Write(*shared_ / "key.pem", kPrivate);
    Write(*shared_ / "key.pub", kPublic);
    Write(*shared_ / "other.pem", kOtherPrivate);
    Write(*shared_ / "other.pub", kOtherPublic);
    Write(*shared_ / "claim.json", FormatJson(ClaimOf({"PRO-INT"})));
    const auto certified = Certify(Options());
    ASSERT_TRUE(certified.ok()) << certified.status();
    ASSERT_TRUE(Conformant(certified->report));
  }
  static void TearDownTestSuite() { delete shared_; }

  static CertifyOptions Options() {
    CertifyOptions options;
    options.claim = *shared_ / "claim.json";
    options.key = *shared_ / "key.pem";
    options.out = *shared_ / "evidence";
    options.run.builtin = "native";
    options.recipe = TinyRecipe;
    return options;
  }

  Evidence() : root_(directory_ / "evidence") {
    fs::copy(*shared_ / "evidence", root_, fs::copy_options::recursive);
  }

  static VerifyOptions OptionsFor(const fs::path& evidence) {
    VerifyOptions options;
    options.evidence = evidence;
    options.key = *shared_ / "key.pub";
    options.recipe = TinyRecipe;
    return options;
  }

  std::vector<std::string> Faults(bool regenerate = false) {
    VerifyOptions options = OptionsFor(root_);
    options.regenerate = regenerate;
    options.jobs = 1;
    std::vector<std::string> faults = FaultsOf(options);
    if (archived_) ExpectTheSameOfTheArchive(options, faults);
    return faults;
  }

  static std::vector<std::string> FaultsOf(const VerifyOptions& options) {
    const auto verification = VerifyEvidence(options);
    if (!verification.ok()) return {StrCat("error: ", Message(verification.status()))};
    return verification->faults;
  }

  // The evidence as one file has the faults of the folder. A fault that no archive can hold is left
  // out.
  void ExpectTheSameOfTheArchive(VerifyOptions options, const std::vector<std::string>& faults) {
    options.evidence = root_.string() + std::string(kArchiveSuffix);
    if (!PackEvidence(root_, options.evidence, {}, nullptr).ok()) return;
    ++archives_;
    std::vector<std::string> expected;
    for (std::string fault : faults) {
      const size_t at = fault.find(root_.string());
      if (at != std::string::npos) {
        fault.replace(at, root_.string().size(), options.evidence.string());
      }
      expected.push_back(fault);
    }
    EXPECT_EQ(FaultsOf(options), expected);
    fs::remove(options.evidence);
  }

  // Every file, relative to the root.
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(root_)) {
      if (entry.is_regular_file()) {
        files.push_back(entry.path().lexically_relative(root_).string());
      }
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  Json Statement() const {
    const Json envelope = *ParseJson(Read(root_ / kCertificateFile), "");
    return *ParseJson(*FromBase64(envelope["payload"].get<std::string>()), "");
  }

  // SHA256SUMS and SIZES of the files as they are now; leaves in `digests` what they list.
  std::pair<std::string, std::string> WriteLists(FileDigests* digests) {
    for (const auto name : {kSumsFile, kSizesFile, kCertificateFile, kFailureFile}) {
      digests->erase(std::string(name));
    }
    const std::string sums = FormatSums(*digests);
    Write(root_ / kSumsFile, sums);
    std::vector<std::string> paths = {std::string(kSumsFile)};
    for (const auto& [path, digest] : *digests) paths.push_back(path);
    const std::string sizes = FormatSizes(*SizesOf(root_, paths));
    Write(root_ / kSizesFile, sizes);
    return {sums, sizes};
  }

  // Does what an owner of the key can do: lists the files as they are now, and signs the statement
  // with `change` and up-to-date digests.
  void SignAgain(const std::function<void(Json&)>& change = [](Json&) {}) {
    Json statement = Statement();
    std::vector<std::string> faults;
    FileDigests digests = *DigestFiles(root_, 1, &faults);
    const auto [sums, sizes] = WriteLists(&digests);
    digests[std::string(kSumsFile)] = Sha256(sums);
    digests[std::string(kSizesFile)] = Sha256(sizes);
    for (Json* list : {&statement["subject"], &statement["predicate"]["configuration"]}) {
      for (Json& file : *list) {
        const auto found = digests.find(file["name"].get<std::string>());
        if (found != digests.end()) file["digest"]["sha256"] = found->second;
      }
    }
    change(statement);
    const auto key = Ed25519Key::ReadPrivate(*shared_ / "key.pem");
    Write(root_ / kCertificateFile, *SealEnvelope(*key, kPayloadType, FormatJson(statement)));
  }

  // Does what an owner of a key and this program can do: makes again everything that follows from
  // the claim, the suite, the results and results/run.json, and signs it.
  void MakeAllAgain(const std::string& key_file) {
    const Claim claim = *ReadClaim(root_ / kClaimFile);
    std::vector<std::string> ids, faults;
    const Json manifest = Manifest();
    for (const Json& entry : manifest["cases"]) ids.push_back(entry["id"]);
    const ResultDigests results = *DigestResults(root_ / "results", ids, 1, nullptr);
    ASSERT_TRUE(WriteResultDigests(root_ / "results", results).ok());
    Json record = *LoadJson(root_ / "results/run.json", "run");
    record["results_digest"] = DigestOf(results);
    ASSERT_TRUE(SaveJson(root_ / "results/run.json", record).ok());
    StatusOr<Report> report = JudgeEvidence(root_, claim, 1, nullptr, nullptr);
    ASSERT_TRUE(report.ok()) << report.status();
    report->suite_path = "suite";
    report->results_path = "results";
    for (const auto& [name, text] : ReportFiles(*report)) Write(root_ / name, text);
    for (const auto name : {kCertificateFile, kFailureFile, kSumsFile}) fs::remove(root_ / name);
    FileDigests digests = *DigestFiles(root_, 1, &faults);
    const auto [sums, sizes] = WriteLists(&digests);
    const Lock lock = *FindLock(*MandatoryRecipe(claim, TinyRecipe));
    const Json statement =
        MakeStatement({claim, *report, digests, sums, sizes, lock, std::nullopt});
    const auto key = Ed25519Key::ReadPrivate(*shared_ / key_file);
    Write(root_ / (Conformant(*report) ? kCertificateFile : kFailureFile),
          *SealEnvelope(*key, kPayloadType, FormatJson(statement)));
  }

  // The evidence in `root_` holds by its maker's key. It holds by the certifier's key in no form
  // that a maker can give it who lacks that key but has statements of the certifier.
  void ExpectRefusedByTheKeyOfTheCertifier() {
    VerifyOptions options = OptionsFor(root_);
    options.key = *shared_ / "other.pub";
    ASSERT_THAT(FaultsOf(options), IsEmpty());
    const std::string genuine = Read(*shared_ / "evidence" / kCertificateFile);
    const Json signed_once = *ParseJson(genuine, "");
    const std::string forged = Read(root_ / kCertificateFile);
    const Json own = *ParseJson(forged, "");
    ASSERT_NE(own["payload"], signed_once["payload"]);
    Json stolen_id = own, stolen = own, both = own, none = own, empty = own, zeros = own;
    stolen_id["signatures"][0]["keyid"] = signed_once["signatures"][0]["keyid"];
    stolen["signatures"] = signed_once["signatures"];
    both["signatures"].push_back(signed_once["signatures"][0]);
    none["signatures"] = Json::array();
    (empty["signatures"] = signed_once["signatures"])[0]["sig"] = "";
    (zeros["signatures"] = signed_once["signatures"])[0]["sig"] = Base64(std::string(64, '\0'));
    // Readers differ in which of two they take.
    const std::string twice =
        StrCat("{\"payload\": ", own["payload"].dump(), ", ", genuine.substr(1));
    const std::string twice_before = StrCat(genuine.substr(0, genuine.rfind('}')),
                                            ", \"payload\": ", own["payload"].dump(), "}");
    const std::string of_another = "/signatures/0/sig: found a signature of something else";
    for (const auto& [envelope, fault] :
         {std::pair(forged, std::string("/signatures: found no signature by the key")),
          std::pair(genuine, std::string("SIZES: was changed")),
          std::pair(stolen_id.dump(), of_another), std::pair(stolen.dump(), of_another),
          std::pair(both.dump(), std::string("/signatures/1/sig: found a signature of something")),
          std::pair(zeros.dump(), of_another), std::pair(none.dump(), std::string("/signatures")),
          std::pair(empty.dump(), std::string("/signatures/0/sig")),
          std::pair(twice, std::string("twice")), std::pair(twice_before, std::string("twice"))}) {
      Write(root_ / kCertificateFile, envelope);
      archived_ = envelope == forged || envelope == genuine;  // otherwise an archive is only slower
      EXPECT_THAT(Faults(), ElementsAre(HasSubstr(fault))) << envelope;
    }
    EXPECT_GE(archives_, 2);
    Write(root_ / kCertificateFile, genuine);
    Write(root_ / kFailureFile, forged);
    EXPECT_THAT(Faults(), ElementsAre(HasSubstr("expected only one of them")));
    fs::remove(root_ / kFailureFile);
    Write(root_ / kCertificateFile, forged);
  }

  Json Manifest() const { return *LoadJson(root_ / "suite/suite.json", "suite"); }
  // With its digest, and the results' idea of it, brought up to date.
  void WriteManifest(Json manifest) {
    std::vector<SuiteEntry> entries;
    for (const Json& entry : manifest["cases"]) entries.push_back(SuiteEntryFromJson(entry));
    manifest["digest"] = SuiteDigest(entries);
    ASSERT_TRUE(SaveJson(root_ / "suite/suite.json", manifest).ok());
    Json run = *LoadJson(root_ / "results/run.json", "run");
    run["suite_digest"] = manifest["digest"];
    ASSERT_TRUE(SaveJson(root_ / "results/run.json", run).ok());
  }

  static Directory* shared_;
  Directory directory_;
  // Lists what was left of evidence that did not come about.
  std::vector<std::string> Remains() const {
    std::vector<std::string> remains;
    for (const auto& entry : fs::directory_iterator(directory_ / "")) {
      std::string name = entry.path().filename().string();
      if (name.find(".partial") != std::string::npos) remains.push_back(std::move(name));
    }
    return remains;
  }

  const fs::path root_;
  bool archived_ = true;  // faults are those of an archive, too
  int archives_ = 0;      // the number of archives
};

Directory* Evidence::shared_ = nullptr;

// Evidence with packs, made once.
class EvidenceOfPacks : public Evidence {
 protected:
  static void SetUpTestSuite() {
    Evidence::SetUpTestSuite();
    CertifyOptions options = Options();
    options.run.pack = true;
    options.out = *shared_ / "packed-evidence";
    const auto certified = Certify(options);
    ASSERT_TRUE(certified.ok()) << certified.status();
    ASSERT_TRUE(Conformant(certified->report));
  }
  EvidenceOfPacks() {
    fs::remove_all(root_);
    fs::copy(*shared_ / "packed-evidence", root_, fs::copy_options::recursive);
  }
};

TEST_F(EvidenceOfPacks, Holds) {
  EXPECT_THAT(Faults(/*regenerate=*/true), ElementsAre());
  EXPECT_THAT(Files(), ElementsAre("SHA256SUMS", "SIZES", "certificate.intoto.json", "claim.json",
                                   "report.html", "report.json", "report.txt", "results/abs.tar",
                                   "results/clz.tar", "results/results.json", "results/run.json",
                                   "suite/abs.tar", "suite/clz.tar", "suite/suite.json"));
}

TEST_F(EvidenceOfPacks, DoesNotHoldOnceAnyByteOfThePacksHasChanged) {
  const fs::path pack = root_ / "results/abs.tar";
  const std::string genuine = Read(pack);
  archived_ = false;
  for (size_t at = 0; at < genuine.size(); at += genuine.size() / 40) {
    std::string changed = genuine;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    Write(pack, changed);
    EXPECT_THAT(Faults(), ElementsAre(HasSubstr("results/abs.tar: was changed"))) << at;
    // Listed and signed again, results.json still says what it was.
    SignAgain();
    EXPECT_THAT(Faults(), Not(ElementsAre())) << at;
    Write(pack, genuine);
    SignAgain();
  }
  EXPECT_THAT(Faults(), ElementsAre());
}

TEST_F(EvidenceOfPacks, HasNoFileThatBelongsToNoCase) {
  archived_ = false;
  const fs::path pack = root_ / "results/abs.tar";
  const std::string genuine = Read(pack);
  Write(pack, genuine.substr(0, genuine.size() - kPackEnd) + *PackedFile("abs/alien/x.npy", "1") +
                  std::string(kPackEnd, '\0'));
  SignAgain();
  EXPECT_THAT(Faults(),
              Contains(HasSubstr("results/abs.tar: abs/alien/x.npy: is no part of evidence")));
  Write(pack, genuine);
  // A pack that run.json does not tell of.
  Write(root_ / "results/alien.tar", *PackedFile("alien/x", "1") + std::string(kPackEnd, '\0'));
  SignAgain();
  EXPECT_THAT(Faults(), Contains(HasSubstr("results/alien.tar: is no part of evidence")));
}

TEST_F(EvidenceOfPacks, LacksNoPack) {
  archived_ = false;
  fs::remove(root_ / "results/clz.tar");
  SignAgain();
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("results/clz.tar: no such file")));
}

// Evidence of a blind run, made once.
class EvidenceOfABlindRun : public Evidence {
 protected:
  static void SetUpTestSuite() {
    Evidence::SetUpTestSuite();
    const fs::path blind = *shared_ / "blind";
    GenerateOptions generate;
    generate.recipe = *MandatoryRecipe(*ReadClaim(*shared_ / "claim.json"), TinyRecipe);
    generate.recipe.seed = 4711;
    generate.out = blind;
    ASSERT_TRUE(GenerateBlind(generate, std::string(64, 'a'), *shared_ / "answers.json").ok());
    RunOptions run;
    run.suite = blind;
    run.out = *shared_ / "blind-results";
    run.builtin = "native";
    ASSERT_TRUE(RunSuite(run, {}).ok());
    const auto certified = Certify(BlindOptions());
    ASSERT_TRUE(certified.ok()) << certified.status();
  }
  static CertifyOptions BlindOptions() {
    CertifyOptions options = Options();
    options.run = {};
    options.answers = *shared_ / "answers.json";
    options.results = *shared_ / "blind-results";
    options.out = *shared_ / "blind-evidence";
    return options;
  }

  EvidenceOfABlindRun() {
    fs::remove_all(root_);
    fs::copy(*shared_ / "blind-evidence", root_, fs::copy_options::recursive);
  }

  void Change(const std::string& file, const std::function<void(Json&)>& change) {
    Json json = *LoadJson(root_ / file, "");
    change(json);
    ASSERT_TRUE(SaveJson(root_ / file, json).ok());
  }
};

TEST_F(EvidenceOfABlindRun, HoldsAndSaysSo) {
  EXPECT_THAT(Faults(), IsEmpty());
  const auto verification = VerifyEvidence(OptionsFor(root_));
  EXPECT_TRUE(verification->regenerated) << "no lock knows the suite of a drawn seed";
  EXPECT_THAT(FormatVerification(OptionsFor(root_), *verification),
              AllOf(HasSubstr("blind     run without answers"), HasSubstr("seed 4711")));
  const Json statement = Statement();
  const auto& parts = statement["predicate"]["configuration"];
  const auto found = std::find_if(parts.begin(), parts.end(),
                                  [](const Json& part) { return part["name"] == kAnswersFile; });
  ASSERT_NE(found, parts.end());
  EXPECT_EQ((*found)["annotations"]["seed"], 4711);
}

TEST_F(EvidenceOfABlindRun, HoldsAsOneFile) {
  CertifyOptions options = BlindOptions();
  options.archive = true;
  options.out = directory_ / "blind.tar.zst";
  const auto certified = Certify(options);
  ASSERT_TRUE(certified.ok()) << certified.status();
  const auto verification = VerifyEvidence(OptionsFor(options.out));
  ASSERT_TRUE(verification.ok()) << verification.status();
  EXPECT_THAT(verification->faults, IsEmpty());
  EXPECT_EQ(verification->answers->recipe.seed, 4711U);
}

// The signer says what is not so.
TEST_F(EvidenceOfABlindRun, WhatWasNotBlindIsNamed) {
  Change("answers.json", [](Json& json) { json["salt"] = std::string(64, 'b'); });
  SignAgain();
  EXPECT_THAT(Faults(), Contains(HasSubstr("answers.json: /blind")));
}

TEST_F(EvidenceOfABlindRun, ResultsOfAnotherRunAreNamed) {
  Change("results/run.json",
         [](Json& json) { json["blind"]["results_digest"] = std::string(64, '0'); });
  SignAgain();
  EXPECT_THAT(Faults(), Contains(HasSubstr("results/run.json: /blind/results_digest")));
}

TEST_F(EvidenceOfABlindRun, WithoutItsAnswersIsNamed) {
  fs::remove(root_ / kAnswersFile);
  SignAgain();
  EXPECT_THAT(Faults(), Not(IsEmpty()));
  fs::remove_all(root_);
  fs::copy(*shared_ / "evidence", root_, fs::copy_options::recursive);
  fs::copy(*shared_ / "answers.json", root_ / kAnswersFile);
  SignAgain();
  EXPECT_THAT(Faults(), Not(IsEmpty())) << "answers of a suite that did not run";
}

TEST_F(EvidenceOfABlindRun, IsOfARunThatWasNotRepeated) {
  RunOptions run;
  run.suite = *shared_ / "blind";
  run.builtin = "native";
  CertifyOptions options = BlindOptions();
  options.out = directory_ / "refused";
  options.results = run.out = directory_ / "repeated";
  run.repeats = 2;
  ASSERT_TRUE(RunSuite(run, {}).ok());
  EXPECT_THAT(Message(Certify(options).status()), HasSubstr("found /repeats"));
  EXPECT_FALSE(fs::exists(options.out));
  run.repeats = 1;
  run.under_load = true;
  options.results = run.out = directory_ / "under-load";
  options.out = directory_ / "held";
  ASSERT_TRUE(RunSuite(run, {}).ok());
  ASSERT_TRUE(Certify(options).ok());
  const auto verification = VerifyEvidence(OptionsFor(options.out));
  ASSERT_TRUE(verification.ok()) << verification.status();
  EXPECT_THAT(verification->faults, IsEmpty());
}

// certify signs nothing that verify would refuse.
TEST_F(EvidenceOfABlindRun, IsNotMadeOfARecordThatSaysSomethingWrong) {
  CertifyOptions options = BlindOptions();
  options.out = directory_ / "refused";
  options.results = directory_ / "results";
  const auto refusal = [&](const std::string& member, const Json& value) {
    fs::remove_all(options.results);
    fs::copy(*shared_ / "blind-results", options.results, fs::copy_options::recursive);
    Json run = *LoadJson(options.results / "run.json", "run");
    value.is_null() ? void(run.erase(member)) : void(run[member] = value);
    EXPECT_TRUE(SaveJson(options.results / "run.json", run).ok());
    const auto certified = Certify(options);
    EXPECT_FALSE(fs::exists(options.out));
    return certified.ok() ? "ok" : Message(certified.status());
  };
  EXPECT_THAT(refusal("cases", 1), HasSubstr("results/run.json: /cases: found 1, expected "));
  EXPECT_THAT(refusal("suite_cases", 1), HasSubstr("/suite_cases: found 1, expected "));
  EXPECT_THAT(refusal("edition_file", "a"), HasSubstr("/edition_file: found \"a\""));
  EXPECT_THAT(refusal("tensor_cts", Json()), HasSubstr("/tensor_cts: found nothing"));
  EXPECT_THAT(refusal("given", {{"taken", "x"}}), HasSubstr("/given: found the time"));
}

TEST_F(EvidenceOfABlindRun, MayBeOfShards) {
  MergeOptions merge;
  for (int i = 1; i <= 2; ++i) {
    RunOptions run;
    run.suite = *shared_ / "blind";
    run.out = directory_ / StrCat("shard", i);
    run.shard = Shard{i, 2};
    run.builtin = "native";
    ASSERT_TRUE(RunSuite(run, {}).ok());
    merge.shards.push_back(run.out);
  }
  merge.out = directory_ / "whole";
  ASSERT_TRUE(MergeResults(merge).ok());
  CertifyOptions options = BlindOptions();
  options.results = merge.out;
  options.out = directory_ / "of-shards";
  const auto certified = Certify(options);
  ASSERT_TRUE(certified.ok()) << certified.status();
  const auto verification = VerifyEvidence(OptionsFor(options.out));
  ASSERT_TRUE(verification.ok()) << verification.status();
  EXPECT_THAT(verification->faults, IsEmpty());
  EXPECT_THAT(FormatVerification(OptionsFor(options.out), *verification),
              HasSubstr("in 2 shards from 20"));
}

TEST_F(EvidenceOfABlindRun, IsRefusedWhereItsAnswersAreEverybodys) {
  CertifyOptions options = BlindOptions();
  options.out = directory_ / "refused";
  options.answers = directory_ / "answers.json";
  Json json = *LoadJson(*shared_ / "answers.json", "answers");
  json["recipe"]["seed"] = TinyRecipe("tosa-1.0")->seed;
  ASSERT_TRUE(SaveJson(options.answers, json).ok());
  EXPECT_THAT(Message(Certify(options).status()), HasSubstr("/recipe/seed: found 1"));
  json["recipe"]["seed"] = 4711;
  json["recipe"]["operators"] = {"ABS"};
  ASSERT_TRUE(SaveJson(options.answers, json).ok());
  EXPECT_THAT(Message(Certify(options).status()), HasSubstr("/recipe/operators"));
  EXPECT_FALSE(fs::exists(options.out));
}

TEST_F(Evidence, Holds) {
  EXPECT_THAT(Faults(true), IsEmpty());
  const auto verification = VerifyEvidence(OptionsFor(root_));
  EXPECT_GT(verification->report.cases.size(), 20);
  EXPECT_TRUE(Conformant(verification->report));
  EXPECT_THAT(FormatVerification(OptionsFor(root_), *verification),
              AllOf(HasSubstr("Acme NPU 1.2 on board: tosa-1.0 PRO-INT, level 8K"),
                    HasSubstr("positive control"), Not(HasSubstr("CONFORMANT"))));
}

TEST_F(Evidence, StatementSaysWhatRan) {
  const Json statement = Statement();
  EXPECT_EQ(statement["predicate"]["result"], "WARNED");
  EXPECT_EQ(statement["predicate"]["passedTests"].size(), Manifest()["cases"].size());
  EXPECT_THAT(statement["predicate"]["failedTests"], IsEmpty());
  EXPECT_EQ(statement["subject"][0]["annotations"], ClaimOf({"PRO-INT"}));
  EXPECT_EQ(statement["subject"][1]["annotations"]["positive_control"], true);
  const Json& run = statement["predicate"]["configuration"][1];
  EXPECT_EQ(run["name"], "results/run.json");
  EXPECT_EQ(run["annotations"]["commit"], ThisBuild().commit);
  EXPECT_FALSE(run["annotations"].contains("under_load"));
}

TEST_F(Evidence, SaysWhetherItRanUnderLoad) {
  CertifyOptions options = Options();
  options.out = directory_ / "load";
  options.run.under_load = true;
  ASSERT_TRUE(Certify(options).ok());
  const auto verification = VerifyEvidence(OptionsFor(options.out));
  ASSERT_TRUE(verification.ok()) << verification.status();
  EXPECT_THAT(verification->faults, IsEmpty());
  EXPECT_THAT(FormatVerification(OptionsFor(options.out), *verification),
              HasSubstr("load      a sample ran three times more"));
  EXPECT_THAT(Read(options.out / "report.txt"), HasSubstr("under load"));
  // It cannot be said of a run that was not.
  Json run = *LoadJson(root_ / "results/run.json", "run");
  run["under_load"] = true;
  Write(root_ / "results/run.json", FormatJson(run));
  SignAgain();
  EXPECT_THAT(Faults(), Contains(HasSubstr("/under_load")));
}

TEST_F(Evidence, SaysWhatCodeWasNamed) {
  CertifyOptions options = Options();
  options.out = directory_ / "named";
  options.run.builtin.clear();
  options.run.adapter = R"(sh -c 'echo "{\"status\": \"error\"}"')";
  options.run.code = {(directory_ / "part.py").string()};
  Write(options.run.code[0], "");
  ASSERT_TRUE(Certify(options).ok());
  const auto verification = VerifyEvidence(OptionsFor(options.out));
  ASSERT_TRUE(verification.ok()) << verification.status();
  const std::string says = options.run.code[0] + ", as --code says; other files may have changed";
  EXPECT_THAT(FormatVerification(OptionsFor(options.out), *verification),
              HasSubstr("\ncode      " + says + "\n"));
  EXPECT_THAT(Read(options.out / "report.html"), HasSubstr(says));
  EXPECT_THAT(verification->faults, IsEmpty());
  EXPECT_THAT(Read(options.out / "report.txt"), HasSubstr("\nadapter's code  "));
}

TEST_F(Evidence, RegeneratedSaysAllThatTheManifestSays) {
  Json manifest = Manifest();
  Json& entry = manifest["cases"][3];
  entry["conditions"].push_back("of.our.own");
  const std::string id = entry["id"];
  WriteManifest(manifest);
  SignAgain();
  EXPECT_THAT(Faults(true), Contains(AllOf(HasSubstr(StrCat("suite/suite.json: case ", id)),
                                           HasSubstr("/conditions"))));
}

// Any flipped bit of any file is found, and the file is named.
TEST_F(Evidence, OneFlippedBitIsFoundAndItsFileNamed) {
  std::mt19937 random(7);  // NOLINT: the same positions every time
  size_t flips = 0;
  archived_ = false;  // thousands of times
  for (const std::string& file : Files()) {
    const std::string good = Read(root_ / file);
    ASSERT_FALSE(good.empty()) << file;
    std::set<size_t> places = {0, good.size() - 1, random() % good.size()};
    if (file == kClaimFile || file == kCertificateFile || file == kSumsFile) {
      const size_t step = file == kSumsFile ? 97 : 1;
      for (size_t i = 0; i < good.size(); i += step) places.insert(i);
    }
    // By steps: the certificate of a few cases has some ten thousand bytes.
    for (const size_t place : places) {
      std::string bad = good;
      bad[place] = static_cast<char>(bad[place] ^ (1 << (random() % 8)));
      Write(root_ / file, bad);
      archived_ = flips++ % 200 == 0;
      EXPECT_THAT(Faults(), Contains(HasSubstr(file))) << file << ", byte " << place;
    }
    Write(root_ / file, good);
  }
  EXPECT_GT(flips, 5000);
  EXPECT_GT(archives_, 20);
  EXPECT_THAT(Faults(), IsEmpty());
}

TEST_F(Evidence, EveryMissingTruncatedOrLinkedFileIsNamed) {
  for (const std::string& file : Files()) {
    const std::string good = Read(root_ / file);
    const bool is_certificate = file == kCertificateFile;
    Write(root_ / file, good.substr(0, good.size() - 1));
    // The certificate ends with a newline that says nothing.
    if (!is_certificate) {
      EXPECT_THAT(Faults(), Contains(HasSubstr(file)));
    }
    Write(root_ / file, good.substr(0, good.size() / 2));
    EXPECT_THAT(Faults(), Contains(HasSubstr(file)));
    fs::remove(root_ / file);
    EXPECT_THAT(Faults(), Not(IsEmpty())) << file;
    fs::create_symlink(*shared_ / "evidence" / file, root_ / file);
    EXPECT_THAT(Faults(), Contains(HasSubstr(file)));
    fs::remove(root_ / file);
    Write(root_ / file, good);
  }
  EXPECT_THAT(Faults(), IsEmpty());
}

// A file without a byte on the disk, which takes minutes to read.
TEST_F(Evidence, AFileLargerThanItsEntryIsNotRead) {
  archived_ = false;
  const std::string id = Manifest()["cases"][0]["id"];
  for (const std::string& file :
       {StrCat("results/", id, "/result.json"), std::string(kSumsFile), std::string(kClaimFile),
        std::string("results/run.json"), std::string("suite/suite.json")}) {
    const std::string good = Read(root_ / file);
    fs::resize_file(root_ / file, uint64_t{40} << 30);
    EXPECT_THAT(Faults(), ElementsAre(StrCat(file, ": was changed: found 42949672960 bytes, ",
                                             "expected ", good.size(), " as in SIZES; not read")));
    Write(root_ / file, good);
  }
  for (const auto file : {kSizesFile, kCertificateFile}) {
    const std::string good = Read(root_ / file);
    fs::resize_file(root_ / file, uint64_t{40} << 30);
    EXPECT_THAT(Faults(), ElementsAre(HasSubstr(std::string(file))));
    Write(root_ / file, good);
  }
  fs::resize_file(root_ / kCertificateFile, kMaxStatement + 1);
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("certificate.intoto.json")));
}

TEST_F(Evidence, OfFormat1IsRead) {
  const auto without_sizes = [](Json& statement) { statement["subject"].erase(2); };
  SignAgain();
  fs::remove(root_ / kSizesFile);
  EXPECT_THAT(Faults(), ElementsAre("SIZES: is missing"));
  SignAgain(without_sizes);
  EXPECT_THAT(Faults(), ElementsAre("SIZES: is not in SHA256SUMS"));
  fs::remove(root_ / kSizesFile);
  EXPECT_THAT(Faults(), IsEmpty());
  archived_ = false;
  fs::resize_file(root_ / "report.txt", uint64_t{40} << 30);
  EXPECT_THAT(Faults(), ElementsAre("report.txt: found 42949672960 bytes, expected at most "
                                    "1073741824 of a file of its kind; not read"));
}

TEST_F(Evidence, NamesExtraFilesAndDirectories) {
  for (const char* file : {"more", "suite/more", "results/more/x", "results/.hidden",
                           "suite/abs/case.json", "failure.intoto.json"}) {
    Write(root_ / file, "x");
    EXPECT_THAT(Faults(), Contains(HasSubstr(file)));
    fs::remove(root_ / file);
    if (fs::is_empty((root_ / file).parent_path())) fs::remove((root_ / file).parent_path());
  }
  fs::create_directory(root_ / "results/empty");
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("results/empty: found an empty directory")));
}

TEST_F(Evidence, AnotherFormattingOfTheEnvelopeHolds) {
  const Json envelope = *ParseJson(Read(root_ / kCertificateFile), "");
  Write(root_ / kCertificateFile, envelope.dump());
  EXPECT_THAT(Faults(), IsEmpty());
}

TEST_F(Evidence, HoldsByAsManyKeysAsMustHaveSigned) {
  VerifyOptions options = OptionsFor(root_);
  options.more_keys = {*shared_ / "other.pub"};
  EXPECT_THAT(FaultsOf(options), ElementsAre(HasSubstr("signed by 1 of 2 keys, expected 2: ")));
  options.threshold = 1;
  EXPECT_THAT(FaultsOf(options), IsEmpty());
  // Both have signed; the order of the signatures does not matter.
  const auto key = Ed25519Key::ReadPrivate(*shared_ / "key.pem");
  const auto other = Ed25519Key::ReadPrivate(*shared_ / "other.pem");
  ASSERT_TRUE(Countersign(OptionsFor(root_), *VerifyEvidence(OptionsFor(root_)), *other).ok());
  options.threshold = 0;
  EXPECT_THAT(FaultsOf(options), IsEmpty());
  Json envelope = *ParseJson(Read(root_ / kCertificateFile), "");
  ASSERT_EQ(envelope["signatures"].size(), 2u);
  std::swap(envelope["signatures"][0], envelope["signatures"][1]);
  Write(root_ / kCertificateFile, envelope.dump());
  EXPECT_THAT(FaultsOf(options), IsEmpty());
  EXPECT_THAT(VerifyEvidence(options)->signers, ElementsAre(key->id(), other->id()));
  // A key does not count twice, and neither does its signature under two names.
  envelope["signatures"][0] = envelope["signatures"][1];
  Write(root_ / kCertificateFile, envelope.dump());
  EXPECT_THAT(FaultsOf(options), ElementsAre(HasSubstr("signed by 1 of 2 keys, expected 2: ")));
  options.more_keys = {*shared_ / "key.pub"};
  EXPECT_THAT(Message(VerifyEvidence(options).status()), HasSubstr("twice"));
}

TEST_F(Evidence, IsNotCountersignedUnlessItHolds) {
  const VerifyOptions options = OptionsFor(root_);
  const auto other = Ed25519Key::ReadPrivate(*shared_ / "other.pem");
  const Verification before = *VerifyEvidence(options);
  const std::string statement = Read(root_ / kCertificateFile);
  Write(root_ / kCertificateFile, ParseJson(statement, "")->dump());
  EXPECT_THAT(Message(Countersign(options, before, *other)), HasSubstr("verify it again"));
  Write(root_ / kCertificateFile, statement);
  Write(root_ / "stray", "x");
  EXPECT_THAT(Message(Countersign(options, *VerifyEvidence(options), *other)),
              HasSubstr("nothing was signed"));
  EXPECT_EQ(Read(root_ / kCertificateFile), statement);
}

TEST_F(Evidence, RefusesAnotherKeyTypeOrStatement) {
  VerifyOptions options = OptionsFor(root_);
  options.key = directory_ / "other.pub";
  Write(options.key, kOtherPublic);
  EXPECT_THAT(VerifyEvidence(options)->faults,
              ElementsAre(HasSubstr("found no signature by the key ")));
  options.key = directory_ / "none";
  EXPECT_FALSE(VerifyEvidence(options).ok());
  options = OptionsFor(directory_ / "none");
  EXPECT_FALSE(VerifyEvidence(options).ok());

  const auto key = Ed25519Key::ReadPrivate(*shared_ / "key.pem");
  const std::string statement = FormatJson(Statement());
  Write(root_ / kCertificateFile, *SealEnvelope(*key, "application/json", statement));
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("/payloadType: found \"application/json\"")));
  Write(root_ / kCertificateFile, *SealEnvelope(*key, kPayloadType, "{}"));
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("statement: /: missing required member")));
  Write(root_ / kCertificateFile, *SealEnvelope(*key, kPayloadType, "{\"a\":1,\"a\":2}"));
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("certificate.intoto.json: statement: line 1")));
}

// --- With the key: what the signature cannot show, judging again does.

TEST_F(Evidence, SwappedResultsAreNamed) {
  const Json cases = Manifest()["cases"];
  // Two of one operator, executed once, whose outputs differ.
  std::vector<std::string> ids;
  for (const Json& c : cases) {
    const std::string id = c["id"];
    if (c["outcome"] == "valid" && id.starts_with("clz/") &&
        fs::exists(root_ / "results" / id / "output.npy") &&
        !fs::exists(root_ / "results" / id / "output.1.npy")) {
      ids.push_back(id);
    }
  }
  ASSERT_GE(ids.size(), 2);
  const fs::path a = root_ / "results" / ids[0];
  const fs::path b = root_ / "results" / ids[1];
  ASSERT_NE(Read(a / "output.npy"), Read(b / "output.npy"));
  fs::rename(a, root_ / "x");
  fs::rename(b, a);
  fs::rename(root_ / "x", b);
  EXPECT_THAT(Faults(), Contains(HasSubstr(ids[0])));
  SignAgain();
  EXPECT_THAT(Faults(), AllOf(Contains(HasSubstr(StrCat("results/", ids[0], ": checked again"))),
                              Contains(HasSubstr(StrCat("results/", ids[1], ": checked again")))));
}

TEST_F(Evidence, ACaseThatIsLeftOutIsNamed) {
  Json manifest = Manifest();
  const std::string id = manifest["cases"][3]["id"];
  manifest["cases"].erase(3);
  WriteManifest(manifest);
  fs::remove_all(root_ / "suite" / id);
  fs::remove_all(root_ / "results" / id);
  SignAgain();
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr(StrCat("case ", id,
                                                     " is mandatory for this claim, "
                                                     "and missing"))));
}

TEST_F(Evidence, AMissingResultIsNamed) {
  const std::string id = Manifest()["cases"][0]["id"];
  fs::remove_all(root_ / "results" / id);
  SignAgain();
  EXPECT_THAT(Faults(),
              Contains(HasSubstr(StrCat("results/", id, ": checked again it is missing"))));
}

TEST_F(Evidence, CasesTwiceOrOutOfOrderAreNamed) {
  const Json good = Manifest();
  Json twice = good;
  twice["cases"].insert(twice["cases"].begin(), twice["cases"][0]);
  WriteManifest(twice);
  SignAgain();
  EXPECT_THAT(Faults(), Contains(HasSubstr("twice, expected every id once")));
  Json reordered = good;
  std::swap(reordered["cases"][0], reordered["cases"][1]);
  WriteManifest(reordered);
  SignAgain();
  EXPECT_THAT(Faults(), Contains(HasSubstr("expected ids in ascending order")));
  WriteManifest(good);
  SignAgain();
  EXPECT_THAT(Faults(), IsEmpty());
}

TEST_F(Evidence, FilesOfNoCaseAreNamed) {
  Write(root_ / "results/abs/case/output.npy", "x");
  SignAgain();
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("results/abs/case/output.npy: is no part of ")));
  fs::remove_all(root_ / "results/abs/case");
  const std::string id = Manifest()["cases"][0]["id"];
  Write(root_ / "suite" / id / "expected/more.npy", "x");
  SignAgain();
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("expected/more.npy: is no part of evidence")));
}

TEST_F(Evidence, AReportOrRecordThatSaysOtherThanTheResultsIsNamed) {
  for (const std::string file : {"report.txt", "report.html", "report.json"}) {
    const std::string good = Read(root_ / file);
    Write(root_ / file, good + "\n");
    SignAgain();
    EXPECT_THAT(Faults(), ElementsAre(file + ": is not what follows from the results"));
    Write(root_ / file, good);
  }
  const fs::path results = root_ / "results/results.json";
  const std::string good = Read(results);
  ResultDigests digests = *ReadResultDigests(root_ / "results");
  std::swap(digests.begin()->second, digests.rbegin()->second);
  ASSERT_TRUE(WriteResultDigests(root_ / "results", digests).ok());
  SignAgain();
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("results/results.json: its digests are not those")));
  Write(results, good);

  const Json run = *LoadJson(root_ / "results/run.json", "run");
  for (const auto& [member, value] :
       {std::pair("cases", Json(1)), std::pair("results_digest", Json(std::string(64, '0'))),
        std::pair("suite", Json("other")), std::pair("suite_cases", Json(1)),
        std::pair("tensor_cts", Json("9.9")), std::pair("complete", Json(false))}) {
    Json changed = run;
    changed[member] = value;
    ASSERT_TRUE(SaveJson(root_ / "results/run.json", changed).ok());
    SignAgain();
    EXPECT_THAT(Faults(), Contains(HasSubstr(StrCat("results/run.json: /", member, ": found "))));
  }
  // Members that no code reads, or that follow from the program and the files.
  const std::string other(64, '0');
  for (const auto& [member, value, place] :
       {std::tuple("build", Json({{"editions", other}, {"recipes", other}, {"checker", other}}),
                   "/build/checker: found \"0"),
        std::tuple("build", Json(), "/build: found nothing"),
        std::tuple("packs", Json({"abs"}), "/packs: found [\"abs\"], expected nothing"),
        std::tuple("packs", Json::array(), "/packs: found [], expected nothing"),
        std::tuple("shards", Json::array(), "/shards: found [], expected nothing"),
        std::tuple("resumed", Json::array(), "/resumed: found [], expected nothing"),
        std::tuple("edition_file", Json("mine.json"), "/edition_file: found \"mine.json\"")}) {
    Json changed = run;
    value.is_null() ? changed.erase(member) : (changed[member] = value).size();
    ASSERT_TRUE(SaveJson(root_ / "results/run.json", changed).ok());
    SignAgain();
    EXPECT_THAT(Faults(), Contains(HasSubstr(StrCat("results/run.json: ", place)))) << changed;
  }
  for (const auto& [member, value] :
       {std::pair("repeats", Json(2)), std::pair("again", Json(other))}) {
    Json repeated = run;
    repeated[member] = value;
    ASSERT_TRUE(SaveJson(root_ / "results/run.json", repeated).ok());
    SignAgain();
    EXPECT_THAT(Faults(), Contains(HasSubstr(StrCat("results/run.json: found /", member))));
  }
  ASSERT_TRUE(SaveJson(root_ / "results/run.json", run).ok());
  for (const std::string file : {"report.txt", "report.html"}) {
    const std::string text = Read(root_ / file);
    fs::remove(root_ / file);
    SignAgain();
    EXPECT_THAT(Faults(), ElementsAre(file + ": is not what follows from the results"));
    Write(root_ / file, text);
  }
}

TEST_F(Evidence, AListOfFilesInAnotherOrderIsNamed) {
  SignAgain();
  std::string sums = Read(root_ / kSumsFile);
  const size_t end = sums.find('\n') + 1;
  sums = sums.substr(end) + sums.substr(0, end);
  SignAgain([&](Json& statement) {
    Write(root_ / kSumsFile, sums);
    for (Json& subject : statement["subject"]) {
      if (subject["name"] == kSumsFile) subject["digest"]["sha256"] = Sha256(sums);
    }
  });
  EXPECT_THAT(Faults(), Contains(HasSubstr(kSumsFile)));
}

TEST_F(Evidence, OfAnotherSeedIsNamed) {
  Json manifest = Manifest();
  manifest["seed"] = 5;
  WriteManifest(manifest);
  SignAgain();
  EXPECT_THAT(Faults(), Contains("suite/suite.json: /seed: found 5, expected 1"));
}

TEST_F(Evidence, ASuiteOfAnotherClaimIsNamed) {
  ASSERT_TRUE(SaveJson(root_ / kClaimFile, ClaimOf({"PRO-INT", "PRO-FP"})).ok());
  SignAgain();
  EXPECT_THAT(Faults(), AllOf(Contains(HasSubstr("suite/suite.json: /recipe/profiles")),
                              Contains(HasSubstr("is mandatory for this claim, and missing"))));
}

// The manifest says what the recipe would, the case asks something else.
TEST_F(Evidence, AChangedCaseIsNamedByRegenerating) {
  Json manifest = Manifest();
  for (Json& entry : manifest["cases"]) {
    const std::string id = entry["id"];
    const fs::path expected = root_ / "suite" / id / "expected/output.npy";
    if (!id.starts_with("clz/") || !fs::exists(expected)) continue;
    std::string text = Read(expected);
    text.back() = static_cast<char>(text.back() ^ 1);
    Write(expected, text);
    Write(root_ / "results" / id / "output.npy", text);
    const auto c = ReadCase(root_ / "suite" / id);
    ASSERT_TRUE(c.ok()) << c.status();
    entry["digest"] = BundleDigest(EncodeCase(*c));
    WriteManifest(manifest);
    const std::string digest = Manifest()["digest"];
    SignAgain([&](Json& statement) {
      statement["predicate"]["configuration"][0]["annotations"]["digest"] = digest;
    });
    // The signer is who lied. No lock file has this suite: it is made again unasked.
    EXPECT_THAT(Faults(), ElementsAre(HasSubstr(StrCat("suite/", id, ": found the digest "))));
    EXPECT_THAT(Faults(true), ElementsAre(HasSubstr(StrCat("suite/", id, ": found the digest "))));
    return;
  }
  FAIL() << "no case with an expected output";
}

TEST_F(Evidence, AStatementThatSaysMoreThanTheResultsIsNamed) {
  SignAgain([](Json& statement) { statement["predicate"]["result"] = "PASSED"; });
  EXPECT_THAT(Faults(), ElementsAre("certificate.intoto.json: /predicate/result: found \"PASSED\", "
                                    "expected \"WARNED\""));
  SignAgain(
      [](Json& statement) { statement["subject"][1]["annotations"]["positive_control"] = false; });
  EXPECT_THAT(Faults(), Contains(HasSubstr("/predicate/result: found \"PASSED\"")));
}

// --- Without the certifier's key: evidence that is made again holds only by its maker's key.

TEST_F(Evidence, MadeAgainUnchangedIsRefused) {
  Json run = *LoadJson(root_ / "results/run.json", "run");
  run["host"] = "another";  // otherwise the payload would be the certifier's own
  ASSERT_TRUE(SaveJson(root_ / "results/run.json", run).ok());
  MakeAllAgain("other.pem");
  ExpectRefusedByTheKeyOfTheCertifier();
}

TEST_F(Evidence, MadeAgainForAnotherProductIsRefused) {
  Json claim = ClaimOf({"PRO-INT"});
  for (const char* member : {"name", "version", "vendor", "hardware"}) claim[member] = "other";
  ASSERT_TRUE(SaveJson(root_ / kClaimFile, claim).ok());
  MakeAllAgain("other.pem");
  ExpectRefusedByTheKeyOfTheCertifier();
}

// The positive control passes everything; here it is presented as a product.
TEST_F(Evidence, MadeAgainOfThePositiveControlAsAProductIsRefused) {
  Json run = *LoadJson(root_ / "results/run.json", "run");
  run["command"] = "npu-adapter";
  run["implementation"] = {{"name", "NPU"}, {"version", "1.2"}};
  ASSERT_TRUE(SaveJson(root_ / "results/run.json", run).ok());
  MakeAllAgain("other.pem");
  ASSERT_EQ(Statement()["predicate"]["result"], "PASSED");
  ExpectRefusedByTheKeyOfTheCertifier();
}

TEST_F(Evidence, MadeAgainOfAFailureIsRefused) {
  const fs::path failed = directory_ / "failed";
  CertifyOptions options = Options();
  options.out = failed;
  options.run.builtin.clear();
  options.run.adapter = R"(sh -c 'echo "{\"status\": \"error\"}"')";
  ASSERT_TRUE(Certify(options).ok());
  ASSERT_TRUE(fs::exists(failed / kFailureFile));
  // The right answers, with the words of the run that failed.
  fs::copy_file(failed / "results/run.json", root_ / "results/run.json",
                fs::copy_options::overwrite_existing);
  MakeAllAgain("other.pem");
  ASSERT_EQ(Statement()["predicate"]["result"], "PASSED");
  ExpectRefusedByTheKeyOfTheCertifier();
}

TEST_F(Evidence, OfAnotherClaimBySomebodyElseIsRefused) {
  CertifyOptions options = Options();
  options.key = *shared_ / "other.pem";
  options.claim = directory_ / "claim.json";
  Write(options.claim, FormatJson(ClaimOf({"PRO-INT"}, {"EXT-INT4"})));
  options.out = directory_ / "theirs";
  ASSERT_TRUE(Certify(options).ok());
  fs::remove_all(root_);
  fs::rename(options.out, root_);
  ExpectRefusedByTheKeyOfTheCertifier();
}

TEST_F(EvidenceOfABlindRun, OfAnotherSeedBySomebodyElseIsRefused) {
  CertifyOptions options = BlindOptions();
  options.key = *shared_ / "other.pem";
  options.out = directory_ / "theirs";
  options.answers = directory_ / "answers.json";
  GenerateOptions generate;
  generate.recipe = *MandatoryRecipe(*ReadClaim(*shared_ / "claim.json"), TinyRecipe);
  generate.recipe.seed = 4712;
  generate.out = directory_ / "blind";
  ASSERT_TRUE(GenerateBlind(generate, std::string(64, 'b'), options.answers).ok());
  RunOptions run;
  run.suite = directory_ / "blind";
  run.out = options.results = directory_ / "blind-results";
  run.builtin = "native";
  ASSERT_TRUE(RunSuite(run, {}).ok());
  ASSERT_TRUE(Certify(options).ok());
  fs::remove_all(root_);
  fs::rename(options.out, root_);
  ExpectRefusedByTheKeyOfTheCertifier();
}

// --- With the key: a result that is wrong is no certificate, whatever is made again.

TEST_F(Evidence, AWrongResultIsAFailureThoughAllIsMadeAgain) {
  const Json manifest = Manifest();
  for (const Json& entry : manifest["cases"]) {
    const fs::path result = root_ / "results" / entry["id"].get<std::string>() / "output.npy";
    if (entry["outcome"] != "valid" || !fs::exists(result)) continue;
    std::string text = Read(result);
    text.back() = static_cast<char>(text.back() ^ 1);
    Write(result, text);
    MakeAllAgain("key.pem");
    EXPECT_FALSE(fs::exists(root_ / kCertificateFile));
    const auto verification = VerifyEvidence(OptionsFor(root_));
    ASSERT_TRUE(verification.ok()) << verification.status();
    EXPECT_THAT(verification->faults, IsEmpty());
    EXPECT_FALSE(Conformant(verification->report));
    fs::rename(root_ / kFailureFile, root_ / kCertificateFile);
    EXPECT_THAT(Faults(), ElementsAre(HasSubstr("wrong name for the result FAILED")));
    return;
  }
  FAIL() << "no result";
}

// tools/examples/ci/README.md says that the signature alone vouches for the person, the time and
// the machine.
TEST_F(Evidence, WhatTheSignerMayMakeUpIsWhatTheReadmeNames) {
  const Json good = *LoadJson(root_ / "results/run.json", "run");
  std::vector<std::string> believed;
  for (const auto& [member, value] : good.items()) {
    if (member == "results_digest") continue;  // made again
    Json changed = good;
    Json& one = changed[member];
    if (one.is_string()) {
      one = one.get<std::string>() + "x";
    } else if (one.is_boolean()) {
      one = !one.get<bool>();
    } else if (one.is_number()) {
      one = one.get<int64_t>() + 1;
    } else {
      continue;
    }
    ASSERT_TRUE(SaveJson(root_ / "results/run.json", changed).ok());
    // For some of them the rest cannot be made.
    if (!JudgeEvidence(root_, *ReadClaim(root_ / kClaimFile), 1, nullptr, nullptr).ok()) continue;
    MakeAllAgain("key.pem");
    const auto verification = VerifyEvidence(OptionsFor(root_));
    if (verification.ok() && verification->Holds() && Conformant(verification->report)) {
      believed.push_back(member);
    }
  }
  EXPECT_THAT(believed,
              ElementsAre("command", "commit", "ended", "host", "seconds", "started", "suite_path"))
      << good;
}

TEST_F(Evidence, WhatRanAgainIsNoPass) {
  Json run = *LoadJson(root_ / "results/run.json", "run");
  run["restarts"] = 1;
  ASSERT_TRUE(SaveJson(root_ / "results/run.json", run).ok());
  SignAgain();
  EXPECT_THAT(Faults(), AllOf(Contains(HasSubstr("report.json: /conformant: found true")),
                              Contains(HasSubstr("/predicate/result: found \"WARNED\", expected "
                                                 "\"FAILED\"")),
                              Contains(HasSubstr("wrong name for the result FAILED"))));
}

// The evidence of another checker may hold by that one: no verdict of ours.
TEST_F(Evidence, OfAnotherCheckerCannotBeJudged) {
  const auto build = [](Json& statement) -> Json& {
    for (Json& part : statement["predicate"]["configuration"]) {
      if (part["name"] == kBuildName) return part;
    }
    ADD_FAILURE() << statement;
    return statement;
  };
  for (const char* member : {"version", "editions", "recipes", "checker"}) {
    const std::string before = build(*std::make_unique<Json>(Statement()))["annotations"][member];
    SignAgain([&](Json& statement) { build(statement)["annotations"][member] = "x"; });
    EXPECT_THAT(Faults(), ElementsAre(AllOf(
                              HasSubstr("certificate.intoto.json: made by another version of"),
                              HasSubstr(StrCat("/", member, ": found \"x\", expected \"", before)),
                              HasSubstr("verify with that version"))));
    SignAgain([&](Json& statement) { build(statement)["annotations"][member] = before; });
  }
  EXPECT_THAT(Faults(), IsEmpty());
  SignAgain([](Json& statement) {
    Json& configuration = statement["predicate"]["configuration"];
    configuration.erase(configuration.size() - 1);
  });
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("made by another version of tensor-cts")));
}

// --- Evidence of an earlier release, which this build did not make.

constexpr char kDigestOfNothing[] =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

// In place of what `root_` holds: what a build of other sources would have made of it.
Json OtherBuild() {
  return {{"version", "0.1.0"},
          {"editions", kDigestOfNothing},
          {"recipes", kDigestOfNothing},
          {"checker", kDigestOfNothing}};
}

constexpr char kOtherGenerator[] = "tensor-cts 0.1.0";

// The suite's manifest as that build writes it.
Json OfOtherBuild(Json manifest, const std::string& generator = kOtherGenerator) {
  manifest["generator"] = generator;
  return manifest;
}

template <class Base>
class OfARelease : public Base {
 protected:
  // The release's frozen suite, from unchanged evidence.
  Release Index() const {
    const fs::path suite = *Base::shared_ / "evidence/suite";
    const Suite frozen = *ReadSuite(suite);
    ReleasedSuite entry{"tosa-1.0", "8K", {"PRO-INT"}, {}};
    entry.cases = frozen.cases.size();
    entry.recipe = *ParseJson(frozen.recipe, "");
    entry.digest = frozen.digest;
    entry.manifest = Sha256(FormatJson(OfOtherBuild(*LoadJson(suite / "suite.json", "suite"))));
    return {"0.1", "2026-01-31", OtherBuild(), {entry}, kOtherGenerator};
  }

  // Makes of the claim, the suite and the answers in `root_` evidence that a signer with that build
  // could make. `then` changes what it judged.
  void MakeByRelease(
      const std::function<void(Report&)>& then = [](Report&) {}, const Json& build = OtherBuild(),
      const std::string& generator = kOtherGenerator) {
    const fs::path& root = Base::root_;
    Base::WriteManifest(OfOtherBuild(Base::Manifest(), generator));
    const Suite suite = *ReadSuite(root / "suite");
    std::vector<std::string> ids, faults;
    for (const SuiteEntry& entry : suite.cases) ids.push_back(entry.id);
    const ResultDigests results = *DigestResults(root / "results", ids, 1, nullptr);
    ASSERT_TRUE(WriteResultDigests(root / "results", results).ok());
    Json run = *LoadJson(root / "results/run.json", "run");
    run["tensor_cts"] = build["version"];
    run["build"] = build;
    run["build"].erase("version");
    run["results_digest"] = DigestOf(results);
    run["cases"] = run["suite_cases"] = ids.size();
    ASSERT_TRUE(SaveJson(root / "results/run.json", run).ok());
    const Claim claim = *ReadClaim(root / kClaimFile);
    StatusOr<Report> report = JudgeEvidence(root, claim, 1, nullptr, nullptr);
    ASSERT_TRUE(report.ok()) << report.status();
    then(*report);
    report->suite_path = "suite";
    report->results_path = "results";
    Write(root / "report.txt", "words of the release");
    Json json = ReportToJson(*report);
    json["checker"] = build;
    Write(root / "report.json", FormatJson(json));
    FileDigests digests = *DigestFiles(root, 1, &faults);
    const auto [sums, sizes] = Base::WriteLists(&digests);
    std::optional<BlindSuiteName> blind;
    if (fs::exists(root / kAnswersFile)) blind = NameOf(*FindAnswers(root));
    const Json statement =
        MakeStatement({claim, *report, digests, sums, sizes, Lock(), blind, build});
    for (const auto name : {kCertificateFile, kFailureFile}) fs::remove(root / name);
    const auto key = Ed25519Key::ReadPrivate(*Base::shared_ / "key.pem");
    Write(root / (Conformant(*report) ? kCertificateFile : kFailureFile),
          *SealEnvelope(*key, kPayloadType, FormatJson(statement)));
  }

  VerifyOptions Later(const std::vector<Erratum>& errata = {}) const {
    VerifyOptions options = Base::OptionsFor(Base::root_);
    options.releases = [release = Index()]() { return std::vector<Release>{release}; };
    options.errata = [errata]() { return errata; };
    return options;
  }

  // The evidence of a product that passed.
  void RunByAProduct() {
    Json run = *LoadJson(Base::root_ / "results/run.json", "run");
    run["command"] = "npu-adapter";
    run["implementation"] = {{"name", "NPU"}, {"version", "1.2"}};
    ASSERT_TRUE(SaveJson(Base::root_ / "results/run.json", run).ok());
  }

  std::string TextOf(const VerifyOptions& options) const {
    const auto verification = VerifyEvidence(options);
    if (!verification.ok()) return Message(verification.status());
    return FormatVerification(options, *verification);
  }
};

using EvidenceOfARelease = OfARelease<Evidence>;
using BlindEvidenceOfARelease = OfARelease<EvidenceOfABlindRun>;

TEST_F(EvidenceOfARelease, OutlivesTheBuild) {
  RunByAProduct();
  MakeByRelease();
  const VerifyOptions options = Later();
  const auto verification = VerifyEvidence(options);
  ASSERT_TRUE(verification.ok()) << verification.status();
  EXPECT_THAT(verification->faults, IsEmpty());
  EXPECT_TRUE(verification->Passed());
  const std::string text = FormatVerification(options, *verification);
  EXPECT_THAT(text, HasSubstr("by        tensor-cts 0.1.0"));
  EXPECT_THAT(text, HasSubstr(": the release 0.1\njudged    again by tensor-cts " CTS_VERSION));
  EXPECT_THAT(text, HasSubstr("as the release 0.1 froze it\n"));
  EXPECT_THAT(text, HasSubstr("report.txt and report.html are the release's words"));
  EXPECT_TRUE(text.ends_with(": CONFORMANT on the mandatory suite of the release 0.1\n")) << text;
}

// Groups for claims on the sample's edition: cases for everyone, and cases for PRO-INT without
// EXT-INT16.
ReleasedCases GroupsOf(const Suite& suite) {
  ReleasedCases cases;
  cases.edition = suite.edition;
  cases.level = suite.level;
  cases.profiles = {{"PRO-INT"}, {"PRO-FP"}, {"PRO-INT", "PRO-FP"}};
  cases.extensions = {{"EXT-INT4", {"PRO-INT"}}, {"EXT-INT16", {"PRO-INT"}}};
  cases.recipe = *ParseJson(suite.recipe, "");
  cases.recipe.erase("profiles");
  const size_t half = suite.cases.size() / 2;
  const std::vector<std::string> names = {"EXT-INT16", "PRO-INT"};
  cases.groups = {{{}, {{}}}, {names, {{"PRO-INT"}}}};
  for (size_t i = 0; i < suite.cases.size(); ++i) {
    cases.groups[i < half ? 0 : 1].cases.push_back(suite.cases[i].id);
  }
  for (CaseGroup& group : cases.groups) {
    std::vector<const SuiteEntry*> entries;
    for (const std::string& id : group.cases) entries.push_back(suite.Find(id));
    group.digest = DigestOfEntries(entries);
  }
  return cases;
}

// A release that froze no suite of the claim by itself, but the cases of all claims.
TEST_F(EvidenceOfARelease, OutlivesTheBuildByTheGroupsOfItsCases) {
  RunByAProduct();
  MakeByRelease();
  const ReleasedCases cases = GroupsOf(*ReadSuite(root_ / "suite"));
  const auto faults = [&](const std::function<void(ReleasedCases&)>& change) {
    ReleasedCases changed = cases;
    change(changed);
    VerifyOptions options = Later();
    Release release = Index();
    release.suites.clear();
    release.cases = [changed]() { return std::vector<ReleasedCases>{changed}; };
    options.releases = [release]() { return std::vector<Release>{release}; };
    const auto verification = VerifyEvidence(options);
    EXPECT_TRUE(verification.ok()) << verification.status();
    return verification.ok() ? verification->faults : std::vector<std::string>();
  };
  EXPECT_THAT(faults([](ReleasedCases&) {}), IsEmpty());
  EXPECT_THAT(faults([](ReleasedCases& c) {
                c.groups[1].lists = {{}, {"EXT-INT16", "PRO-INT"}};
                c.groups[1].except = true;
              }),
              IsEmpty());
  EXPECT_THAT(faults([](ReleasedCases& c) { c.groups[1].digest = kDigestOfNothing; }),
              ElementsAre(HasSubstr("suite/suite.json: found other contents than those")));
}

TEST_F(EvidenceOfARelease, HasTheCasesOfItsGroupsAndNoOther) {
  const Suite suite = *ReadSuite(root_ / "suite");
  const ReleasedCases cases = GroupsOf(suite);
  const Claim claim = *ReadClaim(root_ / kClaimFile);
  const Release release = Index();
  const auto faults_of = [&](const Suite& other, const ReleasedCases& groups) {
    return *CompareWithGroups(other, claim, release, groups, {});
  };
  EXPECT_THAT(faults_of(suite, cases), IsEmpty());
  const std::string id = suite.cases.back().id;
  const std::string of = " of the release 0.1 for this claim";
  const auto with_groups = [&](const std::function<void(ReleasedCases&)>& change) {
    ReleasedCases changed = cases;
    change(changed);
    return faults_of(suite, changed);
  };
  // The claim does not have the second group.
  EXPECT_THAT(with_groups([](ReleasedCases& c) {
                c.groups[1].lists = {{"EXT-INT16", "PRO-INT"}};
              }),
              Contains(StrCat("suite/suite.json: case ", cases.groups[1].cases.front(),
                              " is not mandatory by the release 0.1 for this claim")));
  EXPECT_THAT(with_groups([](ReleasedCases& c) { c.groups[1].except = true; }),
              Contains(HasSubstr("is not mandatory")));
  EXPECT_THAT(with_groups([](ReleasedCases& c) { c.groups.clear(); }),
              Contains(HasSubstr("/cases: found none, expected some")));
  EXPECT_THAT(with_groups([](ReleasedCases& c) { c.recipe["strength"] = 3; }),
              Contains(AllOf(HasSubstr("suite/suite.json: /recipe/strength: "), HasSubstr(of))));
  EXPECT_THAT(
      with_groups([](ReleasedCases& c) { c.recipe["seed"] = 7; }),
      Contains(AllOf(HasSubstr("suite/suite.json: /seed: found "), HasSubstr("expected 7" + of))));
  EXPECT_THAT(with_groups([](ReleasedCases& c) { c.recipe["name"] = "other"; }),
              Contains(HasSubstr("/name: found tiny, expected other" + of)));
  EXPECT_THAT(with_groups([](ReleasedCases& c) { c.level = "other"; }),
              Contains(HasSubstr("/level: found 8K, expected other" + of)));

  // Each member of an entry.
  const std::vector<std::function<void(SuiteEntry&)>> changes = {
      [](SuiteEntry& e) { e.op += "X"; },
      [](SuiteEntry& e) { e.outcome += "x"; },
      [](SuiteEntry& e) { e.digest = kDigestOfNothing; },
      [](SuiteEntry& e) { e.conditions.push_back("x"); },
      [](SuiteEntry& e) { e.teeth = e.teeth ? std::nullopt : std::optional(0.5); },
      [](SuiteEntry& e) { e.teeth = e.teeth.value_or(0.25) / 2; },
      [](SuiteEntry& e) { e.neighbour += "x"; }};
  for (size_t i = 0; i < changes.size(); ++i) {
    Suite changed = suite;
    changes[i](changed.cases.back());
    EXPECT_THAT(faults_of(changed, cases),
                ElementsAre(AllOf(HasSubstr("found other contents than those"), HasSubstr(id))))
        << i;
  }
  Suite changed = suite;
  changed.cases.pop_back();
  EXPECT_THAT(faults_of(changed, cases),
              ElementsAre(StrCat("suite/suite.json: case ", id, ", which is mandatory by the ",
                                 "release 0.1 for this claim, is missing")));
  changed = suite;
  changed.cases.push_back(suite.cases.back());
  changed.cases.back().id += "z";
  EXPECT_THAT(faults_of(changed, cases),
              ElementsAre(StrCat("suite/suite.json: case ", id,
                                 "z is not mandatory by the release 0.1 for this claim")));

  // The same head for a blind suite, but for its seed.
  SealedAnswers answers;
  answers.recipe.seed = suite.seed + 1;
  changed = suite;
  changed.seed = answers.recipe.seed;
  Json recipe = *ParseJson(suite.recipe, "");
  recipe["seed"] = changed.seed;
  changed.recipe = recipe.dump();
  changed.cases.clear();
  EXPECT_THAT(*CompareWithGroups(changed, claim, release, cases, answers), IsEmpty());
  recipe["strength"] = 3;
  changed.recipe = recipe.dump();
  EXPECT_THAT(*CompareWithGroups(changed, claim, release, cases, answers),
              ElementsAre(HasSubstr("/recipe/strength: ")));
}

// The digests of releases stay: by sha256sum over lines written by hand.
TEST(DigestOfEntries, NeverChanges) {
  const SuiteEntry a{"abs/a", "ABS", "valid", "12", {}, 1.0 / 3, ""};
  const SuiteEntry b{"abs/b", "ABS", "error", "34", {"abs.shape", "x"}, std::nullopt, "abs/a"};
  EXPECT_EQ(DigestOfEntries({}), kDigestOfNothing);
  EXPECT_EQ(DigestOfEntries({&a, &b}),
            "01f72567b66205dca8de1bb7b0a7b26e486eda4884f2a29c7c5e4b94848e5cee");
}

// A later version may know more than the release did: what it never tested, it never froze.
TEST(ReleasedCases, AreOfClaimsThatTheReleaseKnew) {
  ReleasedCases cases;
  cases.edition = "tosa-1.0";
  cases.level = "8K";
  cases.profiles = {{"PRO-INT"}, {"PRO-INT", "PRO-FP"}};
  cases.extensions = {{"EXT-INT16", {"PRO-INT"}}, {"EXT-BF16", {"PRO-FP"}}, {"EXT-ANY", {}}};
  cases.recipe = {{"name", "certify"}};
  Release release;
  release.cases = [&] { return std::vector<ReleasedCases>{cases}; };
  const auto finds = [&](const std::vector<std::string>& profiles,
                         const std::vector<std::string>& extensions, bool symbolic = false) {
    Claim claim;
    claim.edition = "tosa-1.0";
    claim.level = "8K";
    claim.profiles = profiles;
    claim.extensions = extensions;
    claim.symbolic = symbolic;
    return release.FindCases(claim)->has_value();
  };
  EXPECT_TRUE(finds({"PRO-INT"}, {}));
  EXPECT_TRUE(finds({"PRO-FP", "PRO-INT"}, {"EXT-BF16", "EXT-INT16"}));
  EXPECT_TRUE(finds({"PRO-INT"}, {"EXT-ANY"}));
  EXPECT_FALSE(finds({"PRO-FP"}, {}));
  EXPECT_FALSE(finds({"PRO-INT", "PRO-NEW"}, {}));
  EXPECT_FALSE(finds({"PRO-INT"}, {"EXT-NEW"}));
  EXPECT_FALSE(finds({"PRO-INT"}, {"EXT-BF16"}));
  EXPECT_FALSE(finds({"PRO-INT"}, {}, true));
  cases.symbolic = true;
  EXPECT_TRUE(finds({"PRO-INT"}, {}, true));
  // The recipe has the release's order.
  Claim claim;
  claim.profiles = {"PRO-FP", "PRO-INT"};
  claim.extensions = {"EXT-BF16", "EXT-INT16"};
  claim.symbolic = true;
  EXPECT_EQ(cases.RecipeOf(claim),
            (Json{{"name", "certify"},
                  {"profiles", {"PRO-INT", "PRO-FP", "EXT-INT16", "EXT-BF16"}},
                  {"symbolic", true}}));
}

TEST_F(EvidenceOfARelease, OfAClaimThatWasNotFrozenIsForThatReleaseAlone) {
  MakeByRelease();
  VerifyOptions options = Later();
  Release release = Index();
  release.suites.clear();
  for (const bool none : {true, false}) {
    if (!none) {  // another edition's cases
      ReleasedCases cases = GroupsOf(*ReadSuite(root_ / "suite"));
      cases.edition = "rvtensor";
      release.cases = [cases]() { return std::vector<ReleasedCases>{cases}; };
    }
    options.releases = [release]() { return std::vector<Release>{release}; };
    EXPECT_THAT(TextOf(options), HasSubstr("has no frozen suite here: verify with that release"));
  }
}

// Every claim on an edition, by the groups and by the generator.
StatusOr<Recipe> MatMulRecipe(const std::string& edition) {
  CTS_ASSIGN_OR_RETURN(Recipe recipe, FindRecipe("smoke-rvtensor"));
  recipe.edition = edition;
  recipe.operators = {"MATMUL"};
  return recipe;
}

using FreezeGroupsTest = FolderTest;
TEST_F(FreezeGroupsTest, GivesEachClaimItsMandatoryCases) {
  FreezeOptions options;
  options.release = "0.1";
  options.date = "2026-01-31";
  options.out = root_;
  options.recipe = MatMulRecipe;
  options.jobs = 2;
  options.claims = {*ClaimFromJson(ClaimOf({"RVTENSOR"}, {}, "rvtensor"), "claim"),
                    *ClaimFromJson(ClaimOf({"RVTENSOR"}, {"EXT-BF16"}, "rvtensor"), "claim")};
  ASSERT_TRUE(FreezeRelease(options).ok()) << FreezeRelease(options);
  ASSERT_TRUE(FreezeGroups(options).ok()) << FreezeGroups(options);
  const auto text = DecompressGroups(Read(options.out / "groups.json.zst"), "groups.json.zst");
  ASSERT_TRUE(text.ok()) << text.status();
  const auto read = CasesFromJson(*ParseJson(*text, ""), "groups.json.zst");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 1u);
  const std::vector<std::string> extensions = {"EXT-INT16", "EXT-INT4", "EXT-BF16", "EXT-FP8E4M3",
                                               "EXT-FP8E5M2"};
  std::set<std::vector<std::string>> different;
  for (size_t set = 0; set < 32; ++set) {
    std::vector<std::string> some;
    for (size_t i = 0; i < extensions.size(); ++i) {
      if ((set >> i & 1) != 0) some.push_back(extensions[i]);
    }
    const Claim claim = *ClaimFromJson(ClaimOf({"RVTENSOR"}, some, "rvtensor"), "claim");
    GenerateOptions generate;
    generate.recipe = *MandatoryRecipe(claim, MatMulRecipe);
    EXPECT_EQ((*read)[0].RecipeOf(claim), RecipeToJson(generate.recipe));
    Suite suite;
    std::mutex mutex;
    ASSERT_TRUE(ForEachEntry(generate, [&](const SuiteEntry& entry) -> Status {
                  const std::lock_guard<std::mutex> lock(mutex);
                  suite.cases.push_back(entry);
                  return absl::OkStatus();
                }).ok());
    std::sort(suite.cases.begin(), suite.cases.end(),
              [](const SuiteEntry& a, const SuiteEntry& b) { return a.id < b.id; });
    std::vector<std::string> expected, found;
    for (const SuiteEntry& entry : suite.cases) expected.push_back(entry.id);
    for (const CaseGroup& group : (*read)[0].groups) {
      if (!group.IsOf(claim)) continue;
      std::vector<const SuiteEntry*> entries;
      for (const std::string& id : group.cases) {
        found.push_back(id);
        if (const SuiteEntry* entry = suite.Find(id)) entries.push_back(entry);
      }
      EXPECT_EQ(DigestOfEntries(entries), group.digest);
    }
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected) << set;
    different.insert(found);
  }
  EXPECT_GT(different.size(), 2u);

  // A second call does nothing.
  const auto time = fs::last_write_time(options.out / "groups.json.zst");
  ASSERT_TRUE(FreezeGroups(options).ok());
  EXPECT_EQ(fs::last_write_time(options.out / "groups.json.zst"), time);

  // The groups must yield what the index says.
  fs::remove(options.out / "groups.json.zst");
  Json index = *LoadJson(options.out / "release.json", "");
  index["suites"][1]["digest"] = kDigestOfNothing;
  ASSERT_TRUE(SaveJson(options.out / "release.json", index).ok());
  EXPECT_THAT(Message(FreezeGroups(options)),
              AllOf(HasSubstr("EXT-BF16, level 8K: found the digest e3b0c4"),
                    HasSubstr("build this from the sources of the release")));
  index["build"]["checker"] = kDigestOfNothing;
  ASSERT_TRUE(SaveJson(options.out / "release.json", index).ok());
  EXPECT_THAT(Message(FreezeGroups(options)), HasSubstr("found the release 0.1 of another build"));
  EXPECT_FALSE(fs::exists(options.out / "groups.json.zst"));
}

TEST(DecompressGroups, RefusesWhatIsNoSuchFile) {
  const std::string packed = CompressGroups("a text");
  EXPECT_EQ(*DecompressGroups(packed, "file"), "a text");
  for (const std::string& other :
       {std::string(), std::string("no zstd"), packed.substr(0, packed.size() - 1)}) {
    EXPECT_THAT(Message(DecompressGroups(other, "file").status()), HasSubstr("file: "));
  }
}

TEST(WhoCanVerify, DependsOnWhetherTheBuildIsARelease) {
  const Claim claim = *ClaimFromJson(ClaimOf({"RVTENSOR"}, {}, "rvtensor"), "claim");
  EXPECT_EQ(*WhoCanVerify(claim, {}), "this build alone: it is not a release");
  Release release{"0.1", "2026-01-31", BuildStateToJson(ThisBuild()), {}, ""};
  EXPECT_EQ(*WhoCanVerify(claim, {release}), "the release 0.1 alone: it froze no such suite");
  release.suites = {{"rvtensor", "8K", {"RVTENSOR"}, {}}};
  EXPECT_EQ(*WhoCanVerify(claim, {release}), "the release 0.1 and every later version");
  release.suites.clear();
  release.cases = [] {
    ReleasedCases cases;
    cases.edition = "rvtensor";
    cases.level = "8K";
    cases.profiles = {{"RVTENSOR"}};
    return std::vector<ReleasedCases>{cases};
  };
  EXPECT_EQ(*WhoCanVerify(claim, {release}), "the release 0.1 and every later version");
  release.build = OtherBuild();
  EXPECT_EQ(*WhoCanVerify(claim, {release}), "this build alone: it is not a release");
}

// Real claims, with what the program has: one is frozen by itself, the other by its groups alone.
TEST_F(EvidenceOfARelease, OutlivesTheBuildByTheFrozenSuiteOfItsClaim) {
  const auto releases = KnownReleases();
  ASSERT_TRUE(releases.ok() && !releases->empty());
  const Release& release = releases->front();
  bool is_frozen = false;
  for (const std::vector<std::string>& extensions :
       {std::vector<std::string>(), std::vector<std::string>{"EXT-INT4", "EXT-BF16"}}) {
    fs::remove_all(root_);
    CertifyOptions certify = Options();
    certify.claim = directory_ / "claim.json";
    certify.out = root_;
    certify.recipe = CertifyRecipe;
    Write(certify.claim, FormatJson(ClaimOf({"RVTENSOR"}, extensions, "rvtensor")));
    const auto certified = Certify(certify);
    ASSERT_TRUE(certified.ok()) << certified.status();
    const ReleasedSuite* const frozen = release.Find(*ReadClaim(certify.claim));
    ASSERT_EQ(frozen == nullptr, !extensions.empty());
    // Whether the suites that this version makes are still those of the release.
    if (frozen != nullptr) is_frozen = ReadSuite(root_ / "suite")->digest == frozen->digest;
    MakeByRelease([](Report&) {}, release.build, release.generator);
    VerifyOptions options = OptionsFor(root_);
    options.recipe = CertifyRecipe;
    const auto verification = VerifyEvidence(options);
    ASSERT_TRUE(verification.ok()) << verification.status();
    if (!is_frozen) {  // the suite has changed since, and is not what the release made mandatory
      EXPECT_THAT(verification->faults, Contains(HasSubstr("suite/suite.json: ")));
      continue;
    }
    EXPECT_THAT(verification->faults, IsEmpty());
    EXPECT_TRUE(verification->Passed());
    EXPECT_FALSE(verification->by_this);
    EXPECT_EQ(verification->release, release.name);
  }
}

TEST_F(EvidenceOfARelease, ThisBuildsOwnSaysWhetherItIsOfARelease) {
  EXPECT_THAT(TextOf(Later()), HasSubstr(": no release that is known here; this build alone"));
  VerifyOptions options = Later();
  Release release = Index();
  release.build = BuildStateToJson(ThisBuild());
  options.releases = [release]() { return std::vector<Release>{release}; };
  EXPECT_THAT(TextOf(options), HasSubstr(": the release 0.1\nsigned"));
}

// Names are words: a build is the release's if all its digests are.
TEST_F(EvidenceOfARelease, OfAnotherBuildIsNot) {
  MakeByRelease();
  for (const char* member : {"version", "editions", "recipes", "checker"}) {
    VerifyOptions options = Later();
    Release release = Index();
    release.build[member] = std::string(64, '1');
    options.releases = [release]() { return std::vector<Release>{release}; };
    EXPECT_THAT(FaultsOf(options),
                ElementsAre(AllOf(HasSubstr("error: "), HasSubstr("which is no release that this"),
                                  HasSubstr("verify with that version"))));
  }
  VerifyOptions options = Later();
  options.regenerate = true;
  EXPECT_THAT(FaultsOf(options), ElementsAre(HasSubstr("--regenerate: found evidence of the rel")));
}

// A signer with a suite of his own has its digest everywhere, except in the release.
TEST_F(EvidenceOfARelease, OfAWeakerSuiteIsRefused) {
  Json manifest = Manifest();
  const std::string id = manifest["cases"][3]["id"];
  manifest["cases"].erase(3);
  WriteManifest(manifest);
  fs::remove_all(root_ / "suite" / id);
  fs::remove_all(root_ / "results" / id);
  MakeByRelease();
  EXPECT_THAT(FaultsOf(Later()),
              Contains(AllOf(HasSubstr("suite/suite.json: /digest: found "),
                             HasSubstr(StrCat("expected ", Index().suites[0].digest,
                                              " of tiny of tosa-1.0 PRO-INT, level 8K")))));
}

TEST_F(EvidenceOfARelease, OfAnotherExpectationIsRefused) {
  Json manifest = Manifest();
  for (Json& entry : manifest["cases"]) {
    const std::string id = entry["id"];
    const fs::path expected = root_ / "suite" / id / "expected/output.npy";
    if (!fs::exists(expected)) continue;
    std::string text = Read(expected);
    text.back() = static_cast<char>(text.back() ^ 1);
    Write(expected, text);
    Write(root_ / "results" / id / "output.npy", text);
    // With the old digest the case is not the manifest's, with the new one not the release's.
    entry["digest"] = BundleDigest(EncodeCase(*ReadCase(root_ / "suite" / id)));
    WriteManifest(manifest);
    MakeByRelease();
    EXPECT_THAT(FaultsOf(Later()), Contains(HasSubstr("suite/suite.json: /digest: found ")));
    return;
  }
  FAIL();
}

// The digest of a suite is over ids and digests of cases; the manifest says more.
TEST_F(EvidenceOfARelease, OfAManifestWithOtherWordsIsRefused) {
  Json manifest = Manifest();
  manifest["cases"][0]["conditions"] = {"abs.none"};
  WriteManifest(manifest);
  MakeByRelease();
  EXPECT_THAT(FaultsOf(Later()), ElementsAre(HasSubstr("suite/suite.json: its digest: found ")));
}

TEST_F(EvidenceOfARelease, OfAClaimForMoreThanItsSuiteIsRefused) {
  ASSERT_TRUE(SaveJson(root_ / kClaimFile, ClaimOf({"PRO-INT"}, {"EXT-INT16"})).ok());
  MakeByRelease();
  EXPECT_THAT(FaultsOf(Later()), ElementsAre(AllOf(HasSubstr("error: "), HasSubstr("claim.json"),
                                                   HasSubstr("the release 0.1 has no frozen"))));
  VerifyOptions options = Later();
  Release release = Index();
  release.suites.push_back(release.suites[0]);
  release.suites[1].extensions = {"EXT-INT16"};
  release.suites[1].digest = std::string(64, '2');
  options.releases = [release]() { return std::vector<Release>{release}; };
  EXPECT_THAT(FaultsOf(options), Contains(HasSubstr("PRO-INT EXT-INT16, level 8K")));
}

TEST_F(EvidenceOfARelease, SaysInItsRecordsWhichBuildMadeIt) {
  MakeByRelease();
  Json run = *LoadJson(root_ / "results/run.json", "run");
  run["build"]["checker"] = ThisBuild().checker;
  ASSERT_TRUE(SaveJson(root_ / "results/run.json", run).ok());
  SignAgain();
  EXPECT_THAT(FaultsOf(Later()), ElementsAre(HasSubstr("results/run.json: /build/checker")));
  MakeByRelease();
  SignAgain([](Json& statement) { statement["predicate"]["result"] = "PASSED"; });
  EXPECT_THAT(FaultsOf(Later()), ElementsAre(HasSubstr("/predicate/result: found \"PASSED\"")));
  SignAgain([](Json& statement) {
    statement["predicate"]["result"] = "WARNED";
    statement["subject"][1]["annotations"].erase("positive_control");
  });
  EXPECT_THAT(FaultsOf(Later()), ElementsAre(HasSubstr("/positive_control: found nothing")));
}

// A result that the release took and this version does not.
TEST_F(EvidenceOfARelease, DiffersWhereARulingSaysSoAndNowhereElse) {
  RunByAProduct();
  const auto entries = Manifest()["cases"];
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Json& entry) {
    return fs::exists(root_ / "suite" / entry["id"].get<std::string>() / "expected/output.npy");
  });
  ASSERT_NE(found, entries.end());
  const std::string id = (*found)["id"];
  const fs::path result = root_ / "results" / id / "output.npy";
  std::string text = Read(result);
  text.back() = static_cast<char>(text.back() ^ 1);
  Write(result, text);
  MakeByRelease([&](Report& report) {
    for (CaseReport& c : report.cases) c.verdict = Verdict::kPass;
  });
  ASSERT_TRUE(fs::exists(root_ / kCertificateFile));
  const std::string unexplained = StrCat("results/", id, ": checked again it is fail");
  EXPECT_THAT(FaultsOf(Later()), Contains(HasSubstr(unexplained)));

  const Erratum ruling{"E1",
                       "tosa-1.0",
                       "tosa-1.0, ABS",
                       "the sign counts",
                       "2026-05-01",
                       {"0.1"},
                       {id.substr(0, id.find('/')) + "/*"},
                       Erratum::Effect::kFalls};
  Erratum other_release = ruling, other_edition = ruling, other_cases = ruling;
  other_release.releases = {"0.2"};
  other_edition.edition = "rvtensor";
  other_cases.cases = {"conv2d/*", "finding/*"};
  for (const Erratum& erratum : {other_release, other_edition, other_cases}) {
    EXPECT_THAT(FaultsOf(Later({erratum})), Contains(HasSubstr(unexplained)));
  }
  const auto verified = [&](Erratum::Effect effect) {
    Erratum erratum = ruling;
    erratum.effect = effect;
    const auto verification = VerifyEvidence(Later({erratum}));
    EXPECT_TRUE(verification.ok()) << verification.status();
    EXPECT_THAT(verification->faults, IsEmpty());
    const std::string words = FormatVerification(Later({erratum}), *verification);
    EXPECT_THAT(words, HasSubstr("ruling    E1 of 2026-05-01, tosa-1.0, ABS: the sign counts; it "
                                 "concerns "));
    EXPECT_THAT(words, HasSubstr(StrCat("differs   ", id, ": pass by the release, fail by this ",
                                        "version: E1\n")));
    return std::pair(verification->Passed(), words.substr(words.rfind("HOLDS")));
  };
  const auto [falls, falls_words] = verified(Erratum::Effect::kFalls);
  EXPECT_FALSE(falls);
  EXPECT_THAT(falls_words, HasSubstr("passed as the release 0.1 judged; NOT CONFORMANT by the "));
  EXPECT_TRUE(verified(Erratum::Effect::kStands).first);
  EXPECT_TRUE(verified(Erratum::Effect::kVoid).first);
}

// A release whose enclosures limited fewer elements judged no less rightly.
TEST_F(EvidenceOfARelease, HoldsWhereFewerElementsWereLimited) {
  MakeByRelease([](Report& report) {
    Limits& limits = report.cases[0].limits;
    --limits.limited;
    ++limits.unlimited;
  });
  const Json elements = Statement()["subject"][1]["annotations"]["elements"];
  ASSERT_THAT(elements.dump(), HasSubstr("unlimited"));
  EXPECT_THAT(FaultsOf(Later()), IsEmpty());
}

// A failure stays one, even where a ruling would forgive it.
TEST_F(EvidenceOfARelease, OfAFailureNeverPasses) {
  RunByAProduct();
  std::string id;
  MakeByRelease([&](Report& report) {
    id = report.cases[0].id;
    report.cases[0].verdict = Verdict::kFail;
  });
  ASSERT_TRUE(fs::exists(root_ / kFailureFile));
  const Erratum ruling{"E1",         "tosa-1.0", "c",  "r",
                       "2026-05-01", {"0.1"},    {id}, Erratum::Effect::kVoid};
  const auto verification = VerifyEvidence(Later({ruling}));
  ASSERT_TRUE(verification.ok()) << verification.status();
  EXPECT_THAT(verification->faults, IsEmpty());
  EXPECT_FALSE(verification->Passed());
  EXPECT_THAT(FormatVerification(Later({ruling}), *verification),
              HasSubstr("NOT CONFORMANT as the release 0.1 judged; by the rulings since, nothing "
                        "is wrong: certify again\n"));
  fs::rename(root_ / kFailureFile, root_ / kCertificateFile);
  EXPECT_THAT(FaultsOf(Later({ruling})), ElementsAre(HasSubstr("is the wrong name for")));
}

// Only the release can make its cases again: no other program can confirm them.
TEST_F(BlindEvidenceOfARelease, IsHeldByItsSignedDigestAndSaysSo) {
  RunByAProduct();
  MakeByRelease();
  const VerifyOptions options = Later();
  const auto verification = VerifyEvidence(options);
  ASSERT_TRUE(verification.ok()) << verification.status();
  EXPECT_THAT(verification->faults, IsEmpty());
  const std::string text = FormatVerification(options, *verification);
  EXPECT_THAT(text, HasSubstr("it was not made again, which only the release 0.1 can"));
  EXPECT_THAT(text, Not(HasSubstr("CONFORMANT")));
  EXPECT_TRUE(
      text.ends_with(": passed a blind suite that was not made again: that it is the "
                     "mandatory one of the release 0.1 is only the signer's word\n"))
      << text;
}

// Nothing else shows it: the digest of a blind suite is not among the frozen ones.
TEST_F(BlindEvidenceOfARelease, NamesTheGeneratorOfTheRelease) {
  MakeByRelease();
  VerifyOptions options = Later();
  Release release = Index();
  release.generator = "tensor-cts 0.0.9";
  options.releases = [release]() { return std::vector<Release>{release}; };
  EXPECT_THAT(FaultsOf(options),
              ElementsAre(HasSubstr("/generator: found \"tensor-cts 0.1.0\", expected "
                                    "\"tensor-cts 0.0.9\"")));
}

TEST_F(BlindEvidenceOfARelease, IsOfTheRecipeOfTheRelease) {
  MakeByRelease();
  VerifyOptions options = Later();
  Release release = Index();
  release.suites[0].recipe["operators"] = {"ABS", "ADD", "CLZ"};
  options.releases = [release]() { return std::vector<Release>{release}; };
  EXPECT_THAT(FaultsOf(options), ElementsAre(HasSubstr("suite/suite.json: /recipe/operators")));
  // The seed that everybody has.
  release = Index();
  release.suites[0].recipe["seed"] = 4711;
  options.releases = [release]() { return std::vector<Release>{release}; };
  EXPECT_THAT(FaultsOf(options), ElementsAre(HasSubstr("/recipe/seed: found 4711")));
}

TEST(Freezing, IsWhatLaterVersionsVerifyBy) {
  const Directory folder;
  ASSERT_TRUE(MakeSample("0.0-test", "2026-01-31", folder / "").ok());
  const auto release = ReleaseFromJson(*LoadJson(folder / "release.json", ""), "");
  ASSERT_TRUE(release.ok()) << release.status();
  EXPECT_EQ(release->build, BuildStateToJson(ThisBuild()));
  ASSERT_THAT(release->suites, SizeIs(1));
  // A second time it has nothing to add, and another release is refused.
  FreezeOptions options;
  options.out = folder / "";
  options.release = "0.0-test";
  options.claims = {*ClaimFromJson(ClaimOf({"PRO-INT"}), "")};
  options.recipe = [](const std::string&) -> StatusOr<Recipe> { return NotFound("not asked"); };
  EXPECT_TRUE(FreezeRelease(options).ok());
  options.release = "0.1";
  EXPECT_THAT(Message(FreezeRelease(options)), HasSubstr("what is frozen never changes"));
}

TEST(Freezing, OfEveryClaimOfTheListIsPossible) {
  const auto claims = ReadClaimsToFreeze(fs::path(CTS_SOURCE_DIR) / "suites/released/claims.json");
  ASSERT_TRUE(claims.ok()) << claims.status();
  std::set<std::string> editions;
  for (const Claim& claim : *claims) {
    EXPECT_TRUE(MandatoryRecipe(claim).ok());
    editions.insert(claim.edition);
  }
  EXPECT_THAT(editions, ElementsAre("rvtensor", "tosa-0.100", "tosa-1.0"));
}

TEST(Errata, AreReadByTheirSchema) {
  const Json one = {{"id", "E1"},
                    {"edition", "tosa-1.0"},
                    {"clause", "tosa-1.0, CLAMP"},
                    {"ruling", "either encoding of NaN is taken"},
                    {"date", "2027-01-15"},
                    {"releases", {"0.2.0"}},
                    {"cases", {"clamp/*-special", "finding/mixed_choice"}},
                    {"effect", "void"}};
  Json json = {{"format", "tensor-cts-errata-1"}, {"errata", {one}}};
  const auto errata = ErrataFromJson(json, "errata.json");
  ASSERT_TRUE(errata.ok()) << errata.status();
  const Erratum& erratum = errata->front();
  EXPECT_EQ(erratum.effect, Erratum::Effect::kVoid);
  EXPECT_EQ(erratum.Words(), "E1 of 2027-01-15, tosa-1.0, CLAMP: either encoding of NaN is taken");
  const Release release{"0.2.0", "2026-12-31", OtherBuild(), {}};
  EXPECT_TRUE(erratum.Concerns(release, "tosa-1.0", "clamp/fp16-special"));
  EXPECT_TRUE(erratum.Concerns(release, "tosa-1.0", "finding/mixed_choice"));
  EXPECT_FALSE(erratum.Concerns(release, "tosa-0.100", "clamp/fp16-special"));
  EXPECT_FALSE(erratum.Concerns(release, "tosa-1.0", "clamp/fp16-special-2"));
  json["errata"].push_back(one);
  EXPECT_THAT(Message(ErrataFromJson(json, "errata.json").status()),
              HasSubstr("errata.json: found E1 twice"));
  json["errata"].erase(1);
  json["errata"][0]["effect"] = "none";
  EXPECT_THAT(Message(ErrataFromJson(json, "errata.json").status()), HasSubstr("/errata/0/effect"));
}

// A frozen suite stays: an index names a lock file beside it, which must be unchanged.
TEST(Releases, AreWhole) {
  ASSERT_TRUE(KnownErrata().ok()) << KnownErrata().status();
  const auto releases = KnownReleases();
  ASSERT_TRUE(releases.ok()) << releases.status();
  const fs::path root = fs::path(CTS_SOURCE_DIR) / "suites/released";
  // By sha256sum: what was frozen must stay.
  const std::map<std::string, std::string> digests = {
      {"0.2.0", "7219d3e51882158d1cc1f732f6043dcfc5618acfe786ba0421b55a543b204571"}};
  const std::map<std::string, std::string> groups = {
      {"0.2.0", "8438c817516cda17dacbdde5fb69860a4b1ff9ab52a059e487d51bd5a8472ece"}};
  for (const Release& release : *releases) {
    ASSERT_TRUE(digests.contains(release.name)) << release.name;
    EXPECT_EQ(Sha256(Read(root / release.name / "release.json")), digests.at(release.name));
    for (const ReleasedSuite& suite : release.suites) {
      if (suite.lock.name.empty()) continue;
      const fs::path lock = root / release.name / suite.lock.name;
      EXPECT_EQ(Sha256(Read(lock)), suite.lock.digest) << lock;
      EXPECT_EQ((*LoadJson(lock, ""))["digest"], suite.digest) << lock;
    }
    EXPECT_TRUE(
        fs::exists(fs::path(CTS_SOURCE_DIR) / "tools/develop/testdata/released" / release.name))
        << "a small evidence of each release is kept";
    // The same suites by the groups of cases.
    EXPECT_EQ(Sha256(Read(root / release.name / "groups.json.zst")), groups.at(release.name));
    const auto cases = release.cases();
    ASSERT_TRUE(cases.ok()) << cases.status();
    Release read = release;
    read.cases = [&cases] { return *cases; };
    for (const ReleasedSuite& suite : release.suites) {
      Claim claim;
      claim.edition = suite.edition;
      claim.level = suite.level;
      claim.profiles = suite.profiles;
      claim.extensions = suite.extensions;
      claim.symbolic = suite.symbolic;
      const auto found = read.FindCases(claim);
      ASSERT_TRUE(found.ok()) << found.status();
      ASSERT_TRUE(*found) << suite.Name();
      EXPECT_EQ((*found)->RecipeOf(claim), suite.recipe) << suite.Name();
      size_t count = 0;
      for (const CaseGroup& group : (*found)->groups) {
        if (group.IsOf(claim)) count += group.cases.size();
      }
      EXPECT_EQ(count, suite.cases) << suite.Name();
    }
  }
}

// Evidence by earlier builds, which is never made again: the promise of STABILITY.md.
TEST(Releases, LeaveEvidenceThatGoesOnToHold) {
  int count = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(CTS_SOURCE_DIR) / "tools/develop/testdata/released")) {
    ++count;
    VerifyOptions options;
    options.evidence = entry.path() / "evidence.tar.zst";
    options.key = entry.path() / "key.pub";
    options.recipe = SampleRecipe;
    options.releases = [&]() -> StatusOr<std::vector<Release>> {
      CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(entry.path() / "release.json", ""));
      CTS_ASSIGN_OR_RETURN(Release release, ReleaseFromJson(json, entry.path().string()));
      return std::vector<Release>{std::move(release)};
    };
    const auto verification = VerifyEvidence(options);
    ASSERT_TRUE(verification.ok()) << verification.status();
    EXPECT_THAT(verification->faults, IsEmpty()) << entry.path();
    EXPECT_TRUE(verification->Passed());
    EXPECT_NE(verification->release, "");
    // But not by the suites that the program knows: the sample has a few cases of them alone.
    options.releases = KnownReleases;
    if (!verification->by_this) {
      const auto known = VerifyEvidence(options);
      EXPECT_FALSE(known.ok() && known->faults.empty()) << entry.path();
    }
  }
  EXPECT_GT(count, 0);
}

TEST_F(Evidence, SaysWhoRanAsTheClaimDoes) {
  const Json claim = *ParseJson(Read(root_ / kClaimFile), "");
  const auto faults_of = [&](const std::string& name, const std::string& version) {
    Json run = *ParseJson(Read(root_ / "results/run.json"), "");
    run["command"] = "npu-adapter";
    run["implementation"] = {{"name", name}, {"version", version}};
    Write(root_ / "results/run.json", FormatJson(run));
    SignAgain();
    return Faults();
  };
  const std::string name = claim["name"], version = claim["version"];
  EXPECT_THAT(faults_of("other", version),
              ElementsAre(AllOf(HasSubstr("run.json: /implementation/name: found \"other\""),
                                HasSubstr(StrCat("expected \"", name, "\" as in claim.json")))));
  EXPECT_THAT(faults_of(name, "0"), ElementsAre(HasSubstr("/implementation/version: found \"0\"")));
  EXPECT_THAT(faults_of(" builtin:native", version),
              ElementsAre(HasSubstr("no name that looks like \"builtin:")));
  // The same after normalization; only what else the statement says is wrong then.
  EXPECT_THAT(faults_of(StrCat(" ", name, "\xc2\xa0"), version),
              Not(Contains(HasSubstr("/implementation/"))));
}

TEST_F(EvidenceOfABlindRun, IsOfAnImplementationThatSaysItsName) {
  Change("results/run.json", [](Json& run) {
    run["command"] = "npu-adapter";
    run["implementation"] = {{"name", "npu-adapter"}, {"version", "unknown"}};
  });
  SignAgain();
  EXPECT_THAT(Faults(), ElementsAre(AllOf(HasSubstr("/implementation/name: found the command"),
                                          HasSubstr("expected \"NPU\" as in claim.json"))));
}

TEST_F(Evidence, OfAnotherVersionCannotBeJudged) {
  Json manifest = Manifest();
  manifest["generator"] = "tensor-cts 9.9";
  WriteManifest(manifest);
  SignAgain();
  EXPECT_THAT(Faults(), ElementsAre(AllOf(HasSubstr("error: "),
                                          HasSubstr("the suite was made by tensor-cts 9.9"))));
}

// --- Certifying.

TEST_F(Evidence, OfAFailureSaysSo) {
  CertifyOptions options = Options();
  options.out = directory_ / "failed";
  options.run.builtin.clear();
  options.run.adapter = R"(sh -c 'echo "{\"status\": \"error\"}"')";
  const auto certified = Certify(options);
  ASSERT_TRUE(certified.ok()) << certified.status();
  EXPECT_FALSE(Conformant(certified->report));
  EXPECT_EQ(certified->statement, options.out / kFailureFile);
  EXPECT_FALSE(fs::exists(options.out / kCertificateFile));
  const auto verification = VerifyEvidence(OptionsFor(options.out));
  ASSERT_TRUE(verification.ok()) << verification.status();
  EXPECT_THAT(verification->faults, IsEmpty());
  EXPECT_FALSE(Conformant(verification->report));
  EXPECT_TRUE(
      FormatVerification(OptionsFor(options.out), *verification).ends_with(": NOT CONFORMANT\n"));
  fs::rename(options.out / kFailureFile, options.out / kCertificateFile);
  EXPECT_THAT(VerifyEvidence(OptionsFor(options.out))->faults,
              ElementsAre("certificate.intoto.json: is the wrong name for the result FAILED"));
}

// Outcomes alone never make an implementation conformant, and the evidence says so.
TEST_F(Evidence, OfOutcomesAloneIsOfAFailure) {
  CertifyOptions options = Options();
  options.out = directory_ / "outcomes";
  options.run.builtin.clear();
  // Every outcome is right: what must be refused is refused.
  options.run.adapter = R"(sh -c 'case "$0" in */error-*) s=error;; *) s=accepted;; esac
                echo "{\"status\": \"$s\"}"')";
  const auto certified = Certify(options);
  ASSERT_TRUE(certified.ok()) << certified.status();
  EXPECT_FALSE(Conformant(certified->report));
  EXPECT_EQ(certified->statement, options.out / kFailureFile);
  const Standings standings = CountStandings(certified->report);
  EXPECT_EQ(Count(standings, Standing::kWrong), 0) << certified->text;
  EXPECT_GE(Count(standings, Standing::kNotShown), 10);
  EXPECT_GE(Count(standings, Standing::kRight), 1);
  EXPECT_THAT(
      certified->text,
      AllOf(HasSubstr("cases were accepted as legal without values: their results are unknown"),
            HasSubstr("NOT CONFORMANT: 0 wrong, ")));
  EXPECT_THAT(VerifyEvidence(OptionsFor(options.out))->faults, IsEmpty());
}

// The messages on missing results must not depend on the folder.
TEST_F(Evidence, OfAFailureTellsWhatTheClaimDeclares) {
  Json claim = ClaimOf({"PRO-INT"});
  claim["declared"] = {
      {"format", "tensor-cts-declared-1"}, {"edition", "tosa-1.0"}, {"operators", {"ABS"}}};
  Write(directory_ / "claim.json", FormatJson(claim));
  CertifyOptions options = Options();
  options.claim = directory_ / "claim.json";
  options.out = directory_ / "declares";
  options.run.builtin = "";
  options.run.adapter = R"(echo '{"status": "unsupported"}' #)";
  const auto certified = Certify(options);
  ASSERT_TRUE(certified.ok()) << certified.status();
  EXPECT_FALSE(Conformant(certified->report));
  for (const CaseReport& c : certified->report.cases) {
    EXPECT_EQ(StandingOf(c), c.op == "ABS" ? Standing::kWrong : Standing::kNotSupported) << c.id;
  }
  EXPECT_THAT(certified->text, AllOf(HasSubstr("declared by     claim.json\n"),
                                     HasSubstr("declared, not answered), ")));
  EXPECT_THAT(VerifyEvidence(OptionsFor(options.out))->faults, IsEmpty());
}

// A claim written from what a device calls conformant.
TEST_F(Evidence, OfAFailureSaysWhoseWordsDoNotHold) {
  Json claim = ClaimOf({"PRO-INT"});
  claim["declared"] = {{"format", "tensor-cts-declared-1"}, {"edition", "tosa-1.0"}};
  for (const bool called : {false, true}) {
    if (called) claim["declared"]["conformant"] = {"PRO-INT"};
    Write(directory_ / "claim.json", FormatJson(claim));
    CertifyOptions options = Options();
    options.claim = directory_ / "claim.json";
    options.out = directory_ / StrCat("failed", called);
    options.run.builtin = "fault:abs.clears_sign_bit";
    const auto certified = Certify(options);
    ASSERT_TRUE(certified.ok()) << certified.status();
    EXPECT_FALSE(Conformant(certified->report));
    const auto says = HasSubstr("conformant according to claim.json: PRO-INT; but ");
    EXPECT_EQ(testing::Value(certified->text, says), called);
    EXPECT_EQ(Read(options.out / "report.json").find("not_as_announced") != std::string::npos,
              called);
    EXPECT_THAT(FaultsOf(OptionsFor(options.out)), IsEmpty());
  }
}

TEST_F(Evidence, OfMalformedResultsHoldsElsewhere) {
  CertifyOptions options = Options();
  options.out = directory_ / "malformed";
  options.run.builtin.clear();
  // Too short to be one, and longer than any.
  options.run.adapter =
      R"(sh -c 'case "$0" in *clz*) head -c 200000 /dev/zero;; *) echo none;; esac > "$1/output.npy"
                echo "{\"status\": \"ok\"}"')";
  const auto certified = Certify(options);
  ASSERT_TRUE(certified.ok()) << certified.status();
  const auto verdicts = CountVerdicts(certified->report);
  EXPECT_GE(verdicts[static_cast<size_t>(Verdict::kMalformed)], 10);
  EXPECT_GE(verdicts[static_cast<size_t>(Verdict::kProtocol)], 10);
  const fs::path elsewhere = directory_ / "elsewhere";
  fs::rename(options.out, elsewhere);
  const auto verification = VerifyEvidence(OptionsFor(elsewhere));
  ASSERT_TRUE(verification.ok()) << verification.status();
  EXPECT_THAT(verification->faults, IsEmpty());
  EXPECT_THAT(Read(elsewhere / "report.json"), Not(HasSubstr((directory_ / "").string())));
  // The line of eval about the condition that the implementation did not see.
  EXPECT_THAT(Read(elsewhere / "report.json"),
              HasSubstr("expected error (graph.type_row), answered ok; "));
  EXPECT_THAT(Read(elsewhere / "report.txt"), HasSubstr("answered ok; "));
}

TEST_F(Evidence, IsTheSameStatementForTheSameResults) {
  const Json envelope = *ParseJson(Read(root_ / kCertificateFile), "");
  std::string before = *FromBase64(envelope["payload"].get<std::string>());
  SignAgain();
  const Json again = *ParseJson(Read(root_ / kCertificateFile), "");
  EXPECT_EQ(*FromBase64(again["payload"].get<std::string>()), before);
  EXPECT_EQ(again, envelope);
}

TEST_F(Evidence, IsWholeOrAbsent) {
  CertifyOptions options = Options();
  options.out = directory_ / "new";
  const std::atomic<bool> stop{true};
  options.stop = &stop;
  EXPECT_THAT(Message(Certify(options).status()), HasSubstr("interrupted"));
  options = Options();
  options.out = directory_ / "new";
  options.run.builtin.clear();
  options.run.adapter = "false";
  EXPECT_THAT(Message(Certify(options).status()), HasSubstr("no case got an answer"));
  EXPECT_FALSE(fs::exists(directory_ / "new"));
  EXPECT_THAT(Remains(), IsEmpty());

  options = Options();
  EXPECT_THAT(Message(Certify(options).status()), HasSubstr("evidence: exists already"));
}

// A file that takes its place meanwhile is not ours, and stays.
TEST_F(Evidence, ReplacesNothing) {
  CertifyOptions options = Options();
  for (const bool archive : {false, true}) {
    options.archive = archive;
    options.out = directory_ / (archive ? "new.tar.zst" : "new");
    options.progress = [&](std::string_view stage, size_t, size_t) {
      if (stage == "check") Write(options.out, "precious");
    };
    EXPECT_THAT(Message(Certify(options).status()), HasSubstr("exists already"));
    EXPECT_EQ(Read(options.out), "precious");
    // What the implementation said is not lost.
    EXPECT_THAT(Remains(), SizeIs(1));
    fs::remove(options.out);
    options.progress = {};
    options.resume = true;
    const auto certified = Certify(options);
    ASSERT_TRUE(certified.ok()) << certified.status();
    options.resume = false;
    EXPECT_THAT(Remains(), IsEmpty());
  }
}

// Certifies in a process that is killed when a stage has come so far.
void CertifyAndDie(CertifyOptions options, const std::string& when, size_t far) {
  const pid_t child = fork();
  if (child == 0) {
    options.progress = [&](std::string_view stage, size_t done, size_t) {
      if (stage == when && done >= far) std::raise(SIGKILL);
    };
    Certify(options).status().IgnoreError();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
}

TEST_F(Evidence, ClearsWhatAKilledCallLeftThatHadNoAnswer) {
  CertifyOptions options = Options();
  options.out = directory_ / "new";
  CertifyAndDie(options, "generate", 20);
  EXPECT_THAT(Remains(), SizeIs(1));
  ASSERT_TRUE(Certify(options).ok());
  EXPECT_THAT(Remains(), IsEmpty());
}

// A folder of that name may be the user's.
TEST_F(Evidence, ClearsNothingOfOthers) {
  CertifyOptions options = Options();
  options.out = directory_ / "new";
  fs::create_directory(directory_ / "new.partial");
  Write(directory_ / "new.partial/thesis", "precious");
  EXPECT_THAT(Message(Certify(options).status()), HasSubstr("new.partial: exists already"));
  options.resume = true;
  EXPECT_THAT(Message(Certify(options).status()), HasSubstr("expected the journal of an"));
  EXPECT_EQ(Read(directory_ / "new.partial/thesis"), "precious");
}

// A call that was killed in the middle of its run, made once; every test has a copy of its own.
class EvidenceInterrupted : public Evidence {
 protected:
  static constexpr size_t kCame = 30;

  static void SetUpTestSuite() {
    Evidence::SetUpTestSuite();
    CertifyOptions options = InterruptedOptions(*shared_ / "new");
    CertifyAndDie(options, "run", kCame);
  }
  static CertifyOptions InterruptedOptions(const fs::path& out) {
    CertifyOptions options = Options();
    options.out = out;
    options.run.jobs = 2;
    return options;
  }

  EvidenceInterrupted() : place_(directory_ / "new.partial") {
    fs::copy(*shared_ / "new.partial", place_, fs::copy_options::recursive);
  }

  CertifyOptions Resuming() const {
    CertifyOptions options = InterruptedOptions(directory_ / "new");
    options.resume = true;
    return options;
  }
  // The refusal to go on; everything stays for another attempt.
  std::string Refusal() const { return Refusal(Resuming()); }
  std::string Refusal(const CertifyOptions& options) const {
    const auto certified = Certify(options);
    EXPECT_FALSE(certified.ok());
    EXPECT_FALSE(fs::exists(directory_ / "new"));
    EXPECT_THAT(Remains(), ElementsAre("new.partial"));
    return Message(certified.status());
  }
  fs::path results() const { return place_ / "evidence/results"; }
  std::vector<std::string> Journal() const {
    std::vector<std::string> lines;
    std::istringstream text(Read(place_ / "journal"));
    for (std::string line; std::getline(text, line);) lines.push_back(line + "\n");
    return lines;
  }
  void WriteJournal(const std::vector<std::string>& lines) const {
    std::string text;
    for (const std::string& line : lines) text += line;
    Write(place_ / "journal", text);
  }
  // Ids of the suite, with and without a result.
  std::string AnId(bool answered) const {
    const Json manifest = *LoadJson(place_ / "evidence/suite/suite.json", "suite");
    for (const Json& entry : manifest["cases"]) {
      const std::string id = entry["id"];
      const bool there = fs::exists(results() / id / "output.npy");
      if (there == answered && (answered || entry["outcome"] == "valid")) return id;
    }
    ADD_FAILURE() << "no such case";
    return "";
  }

  const fs::path place_;
};

TEST_F(EvidenceInterrupted, IsNoEvidence) {
  EXPECT_THAT(FaultsOf(OptionsFor(place_)), ElementsAre(HasSubstr("json: is missing")));
  EXPECT_THAT(FaultsOf(OptionsFor(place_ / "evidence")), ElementsAre(HasSubstr("is missing")));
  CertifyOptions options = Resuming();
  options.resume = false;
  EXPECT_THAT(Refusal(options), AllOf(HasSubstr("new.partial: exists already"),
                                      HasSubstr("the same command and --resume")));
}

TEST_F(EvidenceInterrupted, GoesOnAndSaysSo) {
  std::map<std::string, std::string> came;
  for (const std::string& line : Journal()) {
    std::istringstream words(line);
    std::string time, kind, id, digest;
    words >> time >> kind >> id >> digest;
    if (kind == "result") came[id] = digest;
  }
  ASSERT_GE(came.size(), kCame);
  size_t ran = 0;
  CertifyOptions options = Resuming();
  options.progress = [&](std::string_view stage, size_t, size_t) { ran += stage == "run"; };
  const auto certified = Certify(options);
  ASSERT_TRUE(certified.ok()) << certified.status();
  EXPECT_TRUE(Conformant(certified->report));
  EXPECT_EQ(ran, certified->report.cases.size() - came.size());
  EXPECT_THAT(Remains(), IsEmpty());
  const ResultDigests digests = *ReadResultDigests(directory_ / "new/results");
  for (const auto& [id, digest] : came) EXPECT_EQ(digests.at(id), digest);

  const auto verification = VerifyEvidence(OptionsFor(directory_ / "new"));
  ASSERT_TRUE(verification.ok()) << verification.status();
  EXPECT_THAT(verification->faults, IsEmpty());
  EXPECT_THAT(FormatVerification(OptionsFor(directory_ / "new"), *verification),
              AllOf(HasSubstr("run       went on 1 time; what was in hand then ran again, "
                              "and nothing else by the signer's word\n"),
                    HasSubstr(", killed after the result of 20")));
  fs::remove_all(root_);
  fs::rename(directory_ / "new", root_);
  const Json run = Statement()["predicate"]["configuration"][1]["annotations"];
  EXPECT_EQ(run["resumed"], 1);
  ASSERT_EQ(run["parts"].size(), 2U);
  EXPECT_EQ(run["parts"][0]["began"], run["started"]);
  EXPECT_TRUE(run["parts"][0].contains("last_result"));
  EXPECT_FALSE(run["parts"][0].contains("ended"));
  EXPECT_TRUE(run["parts"][1].contains("ended"));
  // The holder of the key alone can leave it out, and then not in the statement alone.
  SignAgain([](Json& statement) {
    statement["predicate"]["configuration"][1]["annotations"].erase("resumed");
  });
  EXPECT_THAT(Faults(), Contains(HasSubstr("/resumed: found nothing, expected 1")));
}

TEST_F(EvidenceInterrupted, GoesOnWherePacksWereAskedFor) {
  CertifyOptions options = InterruptedOptions(directory_ / "packed");
  options.run.pack = true;
  CertifyAndDie(options, "run", kCame);
  options.resume = true;
  const auto certified = Certify(options);
  ASSERT_TRUE(certified.ok()) << certified.status();
  EXPECT_EQ(certified->report.run.parts.size(), 2U);
  EXPECT_THAT(FaultsOf(OptionsFor(options.out)), IsEmpty());
}

TEST_F(EvidenceInterrupted, GoesOnAsOftenAsNeedBe) {
  CertifyAndDie(Resuming(), "run", kCame + 5);
  CertifyAndDie(Resuming(), "check", 1);  // nothing runs after that
  const auto certified = Certify(Resuming());
  ASSERT_TRUE(certified.ok()) << certified.status();
  EXPECT_EQ(certified->report.run.parts.size(), 3U);
  EXPECT_THAT(FaultsOf(OptionsFor(directory_ / "new")), IsEmpty());
}

TEST_F(EvidenceInterrupted, AChangedResultIsNamed) {
  const std::string id = AnId(true);
  const fs::path file = results() / id / "output.npy";
  std::string bytes = Read(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  Write(file, bytes);
  EXPECT_THAT(Refusal(), HasSubstr(StrCat(id, ": was changed after the result came")));
  fs::remove_all(results() / id);
  EXPECT_THAT(Refusal(), HasSubstr(StrCat(id, ": found no whole result, expected the one")));
}

// The run was killed between a result and its line; or the result came from elsewhere.
TEST_F(EvidenceInterrupted, AResultThatDidNotComeRunsAgain) {
  const std::string id = AnId(false);
  fs::create_directories(results() / id);
  Write(results() / id / "result.json", "{\"status\": \"crash\"}\n");
  const auto certified = Certify(Resuming());
  ASSERT_TRUE(certified.ok()) << certified.status();
  EXPECT_TRUE(Conformant(certified->report));
}

// Lines are missing at the end, and their results are there.
TEST_F(EvidenceInterrupted, ResultsOfAJournalThatIsTooShortAreRefused) {
  std::vector<std::string> lines = Journal();
  for (int i = 0; i < 3; ++i) {
    ASSERT_THAT(lines.back(), HasSubstr(" result "));
    lines.pop_back();
  }
  WriteJournal(lines);
  EXPECT_THAT(Refusal(), AllOf(HasSubstr(" results without a line in the journal, such as "),
                               HasSubstr(", expected at most 2, one for each of --jobs")));
}

// The call was killed when a repeat had been compared, before the journal had the line of that.
TEST_F(EvidenceInterrupted, GoesOnWhereARepeatWasInHand) {
  const size_t cases = Manifest()["cases"].size();
  for (const bool pack : {false, true}) {
    CertifyOptions options = InterruptedOptions(directory_ / "new");
    options.run.jobs = 1;
    options.run.under_load = true;
    options.run.pack = pack;
    fs::remove_all(place_);
    CertifyAndDie(options, "run", cases + 3);
    std::vector<std::string> lines = Journal();
    std::istringstream words(lines.back());
    std::string time, kind, id;
    words >> time >> kind >> id;
    ASSERT_EQ(kind, "result");
    lines.pop_back();
    ASSERT_THAT(lines, Contains(HasSubstr(StrCat(" result ", id, " "))));
    WriteJournal(lines);
    options.resume = true;
    CertifyAndDie(options, "run", 1);
    // The line comes now, before any case runs again. Two cases run at a time under load, so that
    // another case may have been in hand as well.
    std::vector<std::string> more = Journal();
    more.erase(more.begin(), more.begin() + static_cast<ptrdiff_t>(lines.size()));
    const auto again = std::find_if(more.begin(), more.end(), [](const std::string& text) {
      return text.find(" next ") != std::string::npos;
    });
    ASSERT_NE(again, more.end());
    more.erase(again, more.end());
    EXPECT_THAT(more, Contains(HasSubstr(StrCat(" result ", id, " "))));
    const auto certified = Certify(options);
    ASSERT_TRUE(certified.ok()) << certified.status();
    EXPECT_THAT(FaultsOf(OptionsFor(options.out)), IsEmpty());
    fs::remove_all(options.out);
  }
}

// A draft without an implementation.
class DraftTest : public Evidence {
 protected:
  std::unique_ptr<Draft> Make(bool resume) const {
    auto draft =
        Draft::Of(directory_ / "new", *Ed25519Key::ReadPrivate(*shared_ / "key.pem"), resume);
    EXPECT_TRUE(draft.ok()) << draft.status();
    return draft.ok() ? *std::move(draft) : nullptr;
  }
  const fs::path record_ = directory_ / "new.partial/evidence/results/run.json";
  const std::string digest_ = std::string(64, 'a');
};

TEST_F(DraftTest, WritesNoLineBehindHalfALine) {
  std::unique_ptr<Draft> draft = Make(false);
  ASSERT_TRUE(draft->Came("abs/a", digest_).ok());
  const fs::path journal = directory_ / "new.partial/journal";
  const auto size = fs::file_size(journal);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit full = {size + 10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  const Status failed = draft->Came("abs/b", digest_);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(Message(failed), HasSubstr("journal: cannot be written: File too large"));
  EXPECT_EQ(fs::file_size(journal), size);
  // There is room again, but what came meanwhile may be lost.
  EXPECT_EQ(Message(draft->Came("abs/c", digest_)), Message(failed));
  draft.reset();
  draft = Make(true);
  EXPECT_EQ(draft->DigestOf("abs/a"), digest_);
  EXPECT_FALSE(draft->DigestOf("abs/b"));
  EXPECT_TRUE(draft->Came("abs/b", digest_).ok());
}

TEST_F(DraftTest, KnowsEveryRecordSinceTheLastOneInPlace) {
  const auto allows = [&](const std::string& text) {
    Write(record_, text);
    return Make(true)->CheckRecord().ok();
  };
  std::unique_ptr<Draft> draft = Make(false);
  EXPECT_TRUE(draft->CheckRecord().ok());
  ASSERT_TRUE(draft->WritesRecord(Sha256("one")).ok());
  ASSERT_TRUE(draft->WroteRecord(Sha256("one")).ok());
  ASSERT_TRUE(draft->Hold("suite", digest_, "suite").ok());
  ASSERT_TRUE(draft->WritesRecord(Sha256("two")).ok());
  ASSERT_TRUE(draft->Came("abs/a", digest_).ok());  // by another thread
  draft.reset();
  for (const char* text : {"one", "two"}) EXPECT_TRUE(allows(text)) << text;
  // That could not be written, but how the run ended could.
  ASSERT_TRUE(Make(true)->WritesRecord(Sha256("three")).ok());
  for (const char* text : {"one", "two", "three"}) EXPECT_TRUE(allows(text)) << text;
  ASSERT_TRUE(Make(true)->WroteRecord(Sha256("three")).ok());
  for (const char* text : {"one", "two", "four"}) EXPECT_FALSE(allows(text)) << text;
  EXPECT_TRUE(allows("three"));
}

TEST_F(EvidenceInterrupted, AChangedRecordOfTheRunIsNamed) {
  const fs::path file = results() / "run.json";
  Json run = *LoadJson(file, "run");
  run["started"] = "2020-01-01T00:00:00Z";
  ASSERT_TRUE(SaveJson(file, run).ok());
  EXPECT_THAT(Refusal(), HasSubstr("run.json: was changed since the interrupted call"));
  fs::remove(file);
  EXPECT_THAT(Refusal(), HasSubstr("found no file"));
}

TEST_F(EvidenceInterrupted, AChangedJournalIsNamed) {
  const std::vector<std::string> good = Journal();
  std::vector<std::string> lines = good;
  lines.erase(lines.begin() + 5);
  WriteJournal(lines);
  EXPECT_THAT(Refusal(), HasSubstr("journal: line 6: found no signature of this line behind"));
  lines = good;
  lines[7][lines[7].find(" result ") + 9] ^= 1;
  WriteJournal(lines);
  EXPECT_THAT(Refusal(), HasSubstr("journal: line 8: found no signature"));
  lines = good;
  lines.push_back(lines.back());
  WriteJournal(lines);
  EXPECT_THAT(Refusal(), HasSubstr(StrCat("journal: line ", good.size() + 1, ": found no")));
  // Cut off in the middle of a line, as by a kill.
  lines = good;
  lines.push_back(good[5].substr(0, 20));
  WriteJournal(lines);
  EXPECT_TRUE(Certify(Resuming()).ok());
}

TEST_F(EvidenceInterrupted, GoesOnAsItBeganOrNotAtAll) {
  CertifyOptions options = Resuming();
  options.key = *shared_ / "other.pem";
  EXPECT_THAT(Refusal(options), HasSubstr("journal: line 1: found no signature"));
  options = Resuming();
  options.claim = directory_ / "claim.json";
  Json claim = *ParseJson(Read(*shared_ / "claim.json"), "");
  claim["vendor"] = "Another";
  Write(options.claim, FormatJson(claim));
  EXPECT_THAT(Refusal(options), HasSubstr("claim.json: found the digest "));
  options = Resuming();
  options.run.builtin = "fault:abs.clears_sign_bit";
  EXPECT_THAT(Refusal(options), HasSubstr("holds results of \"builtin:native\", not of "));
  options = Resuming();
  options.run.timeout_seconds = 7;
  EXPECT_THAT(Refusal(options), HasSubstr("go on as it began"));
  options = Resuming();
  options.results = *shared_ / "evidence/results";
  EXPECT_THAT(Refusal(options), HasSubstr("with --results nothing runs"));
}

TEST_F(EvidenceInterrupted, GoesOnWithItsSuiteAlone) {
  const fs::path suite = place_ / "evidence/suite";
  Json manifest = *LoadJson(suite / "suite.json", "suite");
  const std::string id = AnId(false);
  // A case that has not run yet asks something else.
  fs::path input;
  for (const auto& file : fs::directory_iterator(suite / id)) {
    if (file.path().extension() == ".npy") input = file.path();
  }
  std::string bytes = Read(input);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  Write(input, bytes);
  EXPECT_THAT(Refusal(), HasSubstr(id));
  manifest["seed"] = 5;
  ASSERT_TRUE(SaveJson(suite / "suite.json", manifest).ok());
  EXPECT_THAT(Refusal(), HasSubstr("/seed: found 5, expected 1"));
}

// Results of three shards, put together, and certified; made once.
class EvidenceOfShards : public Evidence {
 protected:
  static void SetUpTestSuite() {
    Evidence::SetUpTestSuite();
    MergeOptions merge;
    for (int i = 1; i <= 3; ++i) {
      RunOptions run;
      run.suite = *shared_ / "evidence/suite";
      run.out = *shared_ / StrCat("shard", i);
      run.shard = Shard{i, 3};
      run.builtin = "native";
      ASSERT_TRUE(RunSuite(run, {}).ok());
      merge.shards.push_back(run.out);
    }
    merge.out = *shared_ / "whole";
    ASSERT_TRUE(MergeResults(merge).ok());
    const auto certified = Certify(Given(*shared_ / "whole", *shared_ / "of-shards"));
    ASSERT_TRUE(certified.ok()) << certified.status();
    ASSERT_TRUE(Conformant(certified->report));
  }
  static CertifyOptions Given(const fs::path& results, const fs::path& out) {
    CertifyOptions options = Options();
    options.run = {};
    options.results = results;
    options.out = out;
    return options;
  }

  EvidenceOfShards() : whole_(directory_ / "whole") {
    fs::remove_all(root_);
    fs::copy(*shared_ / "of-shards", root_, fs::copy_options::recursive);
    fs::copy(*shared_ / "whole", whole_, fs::copy_options::recursive);
  }

  std::string Refusal(const fs::path& results) const {
    const auto certified = Certify(Given(results, directory_ / "new"));
    EXPECT_FALSE(certified.ok());
    EXPECT_FALSE(fs::exists(directory_ / "new"));
    EXPECT_THAT(Remains(), IsEmpty());
    return Message(certified.status());
  }
  // The refusal of the whole with another run.json.
  std::string RefusalWith(const std::function<void(Json&)>& change) const {
    Json run = *LoadJson(*shared_ / "whole/run.json", "run");
    change(run);
    EXPECT_TRUE(SaveJson(whole_ / "run.json", run).ok());
    return Refusal(whole_);
  }

  const fs::path whole_;
};

TEST_F(EvidenceOfShards, HoldsAndSaysSo) {
  EXPECT_THAT(Faults(), IsEmpty());
  const auto verification = VerifyEvidence(OptionsFor(root_));
  EXPECT_THAT(FormatVerification(OptionsFor(root_), *verification),
              AllOf(HasSubstr("run       before certify took the results at 20"),
                    HasSubstr("run       in 3 shards from 20"), HasSubstr("signer's word")));
  const Json run = Statement()["predicate"]["configuration"][1]["annotations"];
  EXPECT_EQ(run["shards"]["count"], 3);
  EXPECT_TRUE(run["shards"].contains("ended"));
  EXPECT_TRUE(run["made_before"].contains("taken"));
  EXPECT_THAT(Read(*shared_ / "evidence" / kCertificateFile), Not(IsEmpty()));
}

TEST_F(EvidenceOfShards, MayBeCutBySeconds) {
  MergeOptions merge;
  for (int i = 1; i <= 3; ++i) {
    RunOptions run;
    run.suite = *shared_ / "evidence/suite";
    run.out = directory_ / StrCat("balanced", i);
    run.shard = Shard{i, 3};
    run.balance = *shared_ / "evidence/report.json";
    run.builtin = "native";
    ASSERT_TRUE(RunSuite(run, {}).ok());
    merge.shards.push_back(run.out);
  }
  merge.out = directory_ / "balanced";
  ASSERT_TRUE(MergeResults(merge).ok());
  const auto certified = Certify(Given(merge.out, directory_ / "new"));
  ASSERT_TRUE(certified.ok()) << certified.status();
  EXPECT_TRUE(Conformant(certified->report));
  EXPECT_THAT(FaultsOf(OptionsFor(directory_ / "new")), IsEmpty());
}

TEST_F(EvidenceOfShards, TakesPacksAndASuite) {
  RunOptions run;
  run.suite = *shared_ / "evidence/suite";
  run.out = directory_ / "packed";
  run.builtin = "native";
  run.pack = true;
  ASSERT_TRUE(RunSuite(run, {}).ok());
  CertifyOptions options = Given(run.out, directory_ / "new");
  options.suite = run.suite;
  ASSERT_TRUE(Certify(options).ok());
  EXPECT_TRUE(fs::exists(directory_ / "new/results/abs.tar"));
  EXPECT_THAT(FaultsOf(OptionsFor(directory_ / "new")), IsEmpty());
}

TEST_F(EvidenceOfShards, ResultsThatAreNotOfTheWholeSuiteAreRefused) {
  EXPECT_THAT(Refusal(*shared_ / "shard1"), HasSubstr("/shard: found results of shard 1/3"));
  EXPECT_THAT(Refusal(directory_ / "none"), HasSubstr("none/run.json: no such file"));
  EXPECT_THAT(RefusalWith([](Json& run) { run["suite_digest"] = std::string(64, '0'); }),
              HasSubstr("/suite_digest: found 000"));
  EXPECT_THAT(RefusalWith([](Json& run) { run["filter"] = {"abs/*"}; }), HasSubstr("/filter: "));
  EXPECT_THAT(RefusalWith([](Json& run) { run["again"] = std::string(64, '0'); }),
              HasSubstr("/again: found results of run --again"));
  EXPECT_THAT(RefusalWith([](Json& run) { run["complete"] = false; }), HasSubstr("/complete: "));
  EXPECT_THAT(RefusalWith([](Json& run) { run["changed"] = "a.py"; }), HasSubstr("/changed: "));
  EXPECT_THAT(RefusalWith([](Json& run) { run["repeats"] = 2; }), HasSubstr("found /repeats"));
  EXPECT_THAT(
      RefusalWith([](Json& run) { run["shards"][1]["results_digest"] = std::string(64, '0'); }),
      HasSubstr("/shards/1: found the digest 000"));
  EXPECT_THAT(RefusalWith([](Json& run) { run["shards"].erase(1); }),
              HasSubstr("/shards/0: found shard 1/3, expected 1/2"));
  for (const auto& [member, value] :
       {std::pair("cases", Json(1)), std::pair("suite_cases", Json(1)),
        std::pair("suite", Json("a")), std::pair("edition_file", Json("a"))}) {
    EXPECT_THAT(RefusalWith([&, name = member, as = value](Json& run) { run[name] = as; }),
                HasSubstr(StrCat("whole/run.json: /", member, ": found ", value.dump())));
  }
  // One case less, and everything that follows from it.
  ResultDigests digests = *ReadResultDigests(whole_);
  const std::string id = digests.begin()->first;
  digests.erase(id);
  ASSERT_TRUE(WriteResultDigests(whole_, digests).ok());
  fs::remove_all(whole_ / id);
  EXPECT_THAT(RefusalWith([&](Json& run) { run["results_digest"] = DigestOf(digests); }),
              HasSubstr(StrCat("found no result of 1 of ", digests.size() + 1, " cases: ", id)));
}

TEST_F(EvidenceOfShards, ResultsThatChangedAreRefused) {
  const Json good = *LoadJson(whole_ / "results.json", "results");
  const std::string id = good["cases"].begin().key();
  const std::string result = Read(whole_ / id / "result.json");
  Write(whole_ / id / "result.json", result + " ");
  EXPECT_THAT(Refusal(whole_), HasSubstr(StrCat("the result of ", id, ": changed since the run")));
  Write(whole_ / id / "result.json", result);
  Json other = good;
  other["cases"][id] = std::string(64, '0');
  ASSERT_TRUE(SaveJson(whole_ / "results.json", other).ok());
  EXPECT_THAT(Refusal(whole_), HasSubstr("results.json is not the one that run.json tells of"));
  ASSERT_TRUE(SaveJson(whole_ / "results.json", good).ok());
  fs::create_directories(whole_ / "abs/another");
  Write(whole_ / "abs/another/result.json", result);
  EXPECT_THAT(Refusal(whole_), HasSubstr("1 results of no case that ran: abs/another"));
  fs::remove_all(whole_ / "abs/another");
  fs::remove_all(whole_ / id);
  EXPECT_THAT(Refusal(whole_), HasSubstr("1 of "));
}

TEST_F(EvidenceOfShards, ResultsOfAnotherBuildOrOfNobodyAreRefused) {
  EXPECT_THAT(RefusalWith([](Json& run) { run["tensor_cts"] = "9.9.9"; }),
              HasSubstr("/build: found results of tensor-cts 9.9.9"));
  EXPECT_THAT(RefusalWith([](Json& run) { run["build"]["checker"] = std::string(64, '0'); }),
              HasSubstr("certify with the build that ran"));
  EXPECT_THAT(RefusalWith([](Json& run) { run.erase("build"); }), HasSubstr("/build: "));
  const auto of = [](const std::string& name, const std::string& version) {
    return [=](Json& run) {
      run["command"] = "npu-adapter";
      run["implementation"] = {{"name", name}, {"version", version}};
    };
  };
  EXPECT_THAT(RefusalWith(of("npu-adapter", "unknown")), HasSubstr("found the command alone"));
  EXPECT_THAT(RefusalWith(of("other", "1.2")), HasSubstr("name: found \"other\""));
  EXPECT_THAT(RefusalWith([](Json& run) {
                run["blind"] = {{"suite_digest", std::string(64, '0')},
                                {"results_digest", std::string(64, '0')}};
              }),
              HasSubstr("/blind: found results of a blind run"));
}

// The signer cannot say in one place what the other contradicts.
TEST_F(EvidenceOfShards, ARecordOfOtherShardsIsNamed) {
  const Json good = *LoadJson(root_ / "results/run.json", "run");
  for (const auto& [change, fault] :
       {std::pair<std::function<void(Json&)>, std::string>(
            [](Json& run) { run["shards"][0]["cases"] = 1; }, "/shards/0: found 1 cases"),
        {[](Json& run) { run["shards"][2]["results_digest"] = std::string(64, '0'); },
         "/shards/2: found the digest 000"},
        {[](Json& run) { run.erase("given"); }, "/shards: found shards, expected them only of"}}) {
    Json run = good;
    change(run);
    ASSERT_TRUE(SaveJson(root_ / "results/run.json", run).ok());
    MakeAllAgain("key.pem");
    EXPECT_THAT(Faults(), ElementsAre(HasSubstr(fault)));
  }
  Json run = good;
  run["shards"].erase(2);
  ASSERT_TRUE(SaveJson(root_ / "results/run.json", run).ok());
  SignAgain();
  EXPECT_THAT(Faults(), Contains(HasSubstr("/shards/count: found 3, expected 2")));
}

TEST_F(Evidence, IsOneFileIfThatIsAskedFor) {
  CertifyOptions options = Options();
  options.archive = true;
  options.out = directory_ / "new";
  EXPECT_THAT(Message(Certify(options).status()), HasSubstr("expected a name that ends with .tar"));
  options.out = directory_ / "new.tar.zst";
  options.archive = false;
  EXPECT_THAT(Message(Certify(options).status()), HasSubstr("add --archive"));
  options.archive = true;
  const auto certified = Certify(options);
  ASSERT_TRUE(certified.ok()) << certified.status();
  EXPECT_THAT(certified->text, HasSubstr("statement: certificate.intoto.json in "));
  EXPECT_THAT(certified->text,
              HasSubstr(StrCat("\nverified by: ",
                               *WhoCanVerify(*ReadClaim(options.claim), *KnownReleases()), "\n")));
  EXPECT_TRUE(fs::is_regular_file(options.out));
  EXPECT_THAT(Remains(), IsEmpty());
  const auto verification = VerifyEvidence(OptionsFor(options.out));
  ASSERT_TRUE(verification.ok()) << verification.status();
  EXPECT_THAT(verification->faults, IsEmpty());
  EXPECT_THAT(FormatVerification(OptionsFor(options.out), *verification),
              HasSubstr("HOLDS: " + options.out.string()));
  // Unpacked it is the folder, and packs to the same bytes.
  const std::string before = Read(options.out);
  const fs::path unpacked = directory_ / "unpacked";
  fs::create_directory(unpacked);
  ASSERT_TRUE(UnpackEvidence(options.out, unpacked, {}, nullptr).ok());
  EXPECT_THAT(VerifyEvidence(OptionsFor(unpacked / kArchiveFolder))->faults, IsEmpty());
  ASSERT_TRUE(PackEvidence(unpacked / kArchiveFolder, directory_ / "again", {}, nullptr).ok());
  EXPECT_EQ(Read(directory_ / "again"), before);
  EXPECT_THAT(Message(Certify(options).status()), HasSubstr("new.tar.zst: exists already"));
  EXPECT_EQ(Read(options.out), before);
  options.out = directory_ / "newer.tar.zst";
  const std::atomic<bool> stop{true};
  options.stop = &stop;
  EXPECT_THAT(Message(Certify(options).status()), HasSubstr("interrupted"));
  EXPECT_FALSE(fs::exists(options.out));
  EXPECT_THAT(Remains(), IsEmpty());
}

TEST_F(Evidence, NothingIsLeftOfAnArchiveThatWasVerified) {
  const fs::path temporary = directory_ / "tmp", file = directory_ / "e.tar.zst";
  fs::create_directory(temporary);
  const char* const before = getenv("TMPDIR");
  const std::string kept = before == nullptr ? "/tmp" : before;
  ASSERT_EQ(setenv("TMPDIR", temporary.c_str(), 1), 0);
  ASSERT_TRUE(PackEvidence(root_, file, {}, nullptr).ok());
  VerifyOptions options = OptionsFor(file);
  EXPECT_THAT(FaultsOf(options), IsEmpty());
  EXPECT_TRUE(fs::is_empty(temporary));
  const std::atomic<bool> stop{true};
  options.stop = &stop;
  EXPECT_THAT(FaultsOf(options), ElementsAre(HasSubstr("verify: interrupted")));
  EXPECT_TRUE(fs::is_empty(temporary));
  options.stop = nullptr;
  Write(file, Read(file).substr(0, 1000));
  EXPECT_THAT(FaultsOf(options), ElementsAre(AllOf(HasSubstr("error: "), HasSubstr("truncated"))));
  EXPECT_TRUE(fs::is_empty(temporary));
  setenv("TMPDIR", (temporary / "none").c_str(), 1);
  EXPECT_THAT(FaultsOf(options), ElementsAre(HasSubstr("in TMPDIR")));
  setenv("TMPDIR", kept.c_str(), 1);
}

// A name that is found unfit when all has run costs hours.
TEST_F(Evidence, NamesAreRefusedBeforeAnythingIsAnswered) {
  CertifyOptions options = Options();
  options.out = directory_ / "new";
  options.run.builtin.clear();
  options.run.worker = true;
  const fs::path asked = directory_ / "asked";
  for (const auto& [name, version, fault] :
       {std::tuple("other", "1.2", "name: found \"other\", expected \"NPU\" as in "),
        std::tuple("NPU", "0", "version: found \"0\", expected \"1.2\" as in "),
        std::tuple("NPU", "", "version: found \"\""),
        std::tuple("N\\u0420U", "1.2", "scripts that do not look alike")}) {
    options.run.adapter =
        StrCat("echo '{\"worker\": \"", name, "\", \"version\": \"", version,
               "\"}'; while read line; do sleep 1; echo x >> ", asked.string(), "; done #");
    EXPECT_THAT(Message(Certify(options).status()),
                AllOf(HasSubstr("the worker's announcement: "), HasSubstr(fault)));
    EXPECT_FALSE(fs::exists(asked));
    EXPECT_THAT(Remains(), IsEmpty());
  }
}

TEST_F(Evidence, TakesASuiteThatIsExactlyTheMandatoryOne) {
  CertifyOptions options = Options();
  options.out = directory_ / "new";
  options.suite = root_ / "suite";
  ASSERT_TRUE(Certify(options).ok());
  EXPECT_THAT(VerifyEvidence(OptionsFor(options.out))->faults, IsEmpty());
  // The same cases but one whose expectation was changed, with a manifest that agrees.
  Json manifest = Manifest();
  manifest["cases"][0]["digest"] = std::string(64, '0');
  WriteManifest(manifest);
  options.out = directory_ / "newer";
  EXPECT_THAT(Message(Certify(options).status()),
              HasSubstr(StrCat("suite/", manifest["cases"][0]["id"].get<std::string>())));
  options.suite = *shared_ / "evidence/suite";
  Write(directory_ / "claim.json", FormatJson(ClaimOf({"PRO-FP"})));
  options.claim = directory_ / "claim.json";
  EXPECT_THAT(Message(Certify(options).status()), HasSubstr("suite.json: /recipe/profiles"));
  EXPECT_FALSE(fs::exists(directory_ / "newer"));
  // Nothing has run when strays are found.
  options = Options();
  options.out = directory_ / "newer";
  options.suite = directory_ / "with_stray";
  options.run.builtin.clear();
  options.run.adapter = "false";
  fs::copy(*shared_ / "evidence/suite", options.suite, fs::copy_options::recursive);
  Write(options.suite / ".DS_Store", "x");
  EXPECT_THAT(Message(Certify(options).status()), HasSubstr(".DS_Store: is no part of the suite"));
  fs::remove(options.suite / ".DS_Store");
  fs::create_symlink("/dev/null", options.suite / "link");
  EXPECT_THAT(Message(Certify(options).status()), HasSubstr("link: "));
}

// --- What is mandatory.

std::vector<std::string> IdsOf(const Recipe& recipe) {
  std::vector<std::string> ids;
  const auto planned = PlanCases(recipe);
  EXPECT_TRUE(planned.ok()) << planned.status();
  if (planned.ok()) {
    for (const PlannedCase& c : *planned) ids.push_back(c.id);
  }
  return ids;
}

StatusOr<Recipe> MandatoryFor(const Json& claim) {
  CTS_ASSIGN_OR_RETURN(const Claim parsed, ClaimFromJson(claim, "claim.json"));
  return MandatoryRecipe(parsed);
}

TEST(Mandatory, IsTheCertifyRecipeOfTheClaimAndItsLock) {
  const auto of_int = MandatoryFor(ClaimOf({"PRO-INT"}));
  ASSERT_TRUE(of_int.ok()) << of_int.status();
  EXPECT_EQ(IdsOf(*of_int), IdsOf(*FindRecipe("certify-pro-int")));
  const auto lock = FindLock(*of_int);
  ASSERT_TRUE(lock.ok()) << lock.status();
  EXPECT_EQ(lock->name, "certify-pro-int.lock.json");
  const fs::path file = fs::path(CTS_SOURCE_DIR) / "suites" / lock->name;
  EXPECT_EQ(lock->digest, Sha256(Read(file)));
  EXPECT_EQ(lock->suite, LoadJson(file, "")->at("digest").get<std::string>());
  EXPECT_EQ(FindLock(*MandatoryFor(ClaimOf({"PRO-INT", "PRO-FP"})))->name, "");
  EXPECT_EQ(FindLock(*MandatoryFor(ClaimOf({"BI"}, {}, "tosa-0.100")))->name,
            "certify-0.100-bi.lock.json");
}

TEST(Mandatory, OfEverythingIsTheWholeRecipe) {
  std::vector<std::string> extensions;
  for (const char* name : {"INT16", "INT4", "BF16", "FP8E4M3", "FP8E5M2", "FFT", "VARIABLE",
                           "CONTROLFLOW", "DYNAMIC", "DOUBLEROUND", "INEXACTROUND"}) {
    extensions.push_back(StrCat("EXT-", name));
  }
  const auto all = MandatoryFor(ClaimOf({"PRO-INT", "PRO-FP"}, extensions));
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(IdsOf(*all), IdsOf(*FindRecipe("certify")));
  EXPECT_EQ(FindLock(*all)->name, "certify.lock.json");
}

// No implementation has to accept symbolic programs; one that does has to accept all of them.
TEST(Mandatory, OfWhoeverAcceptsSymbolicProgramsIsEveryOneOfThem) {
  Json claim = ClaimOf({"PRO-INT"}, {"EXT-INT16"});
  const std::vector<std::string> without = IdsOf(*MandatoryFor(claim));
  claim["symbolic"] = true;
  const auto recipe = MandatoryFor(claim);
  ASSERT_TRUE(recipe.ok()) << recipe.status();
  std::vector<std::string> with = IdsOf(*recipe);
  Recipe symbolic = *FindRecipe("symbolic");
  symbolic.profiles = {"PRO-INT", "EXT-INT16"};
  const std::vector<std::string> added = IdsOf(symbolic);
  EXPECT_GT(added.size(), 400u);
  std::vector<std::string> expected = without;
  expected.insert(expected.end(), added.begin(), added.end());
  std::sort(with.begin(), with.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(with, expected);
  EXPECT_EQ(FindLock(*recipe)->name, "");
  Json draft = ClaimOf({"BI"}, {}, "tosa-0.100");
  draft["symbolic"] = true;
  EXPECT_THAT(Message(MandatoryFor(draft).status()),
              HasSubstr("/symbolic: found true, expected false: symbolic programs are those of "
                        "tosa-1.0"));
}

// Introduction of 1.0, Profiles: a case that takes two extensions is due only with both.
TEST(Mandatory, WhatTakesTwoExtensionsIsDueWithBoth) {
  const std::string both = "cast/bf16-fp8e4m3";
  const auto has = [&](const std::vector<std::string>& extensions) {
    const std::vector<std::string> ids = IdsOf(*MandatoryFor(ClaimOf({"PRO-FP"}, extensions)));
    return std::any_of(ids.begin(), ids.end(),
                       [&](const std::string& id) { return id.starts_with(both); });
  };
  EXPECT_FALSE(has({"EXT-BF16"}));
  EXPECT_FALSE(has({"EXT-FP8E4M3"}));
  EXPECT_TRUE(has({"EXT-BF16", "EXT-FP8E4M3"}));
}

}  // namespace
}  // namespace cts
