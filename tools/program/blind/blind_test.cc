#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>

#include "checker/judge/check.h"
#include "checker/judge/run_record.h"
#include "checker/judge/suite_on_disk.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "tools/program/blind/blind_suite.h"
#include "tools/program/blind/unblind.h"
#include "tools/program/run/runner.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_suite::Directory;

const std::string kSalt(64, 'a');

// Valid and illegal cases, graphs that run more than once, exact and bounded results.
GenerateOptions Options(const fs::path& out) {
  GenerateOptions options;
  options.recipe = *FindRecipe("smoke");
  options.recipe.operators = {"CLAMP", "EXP"};
  options.recipe.seed = 4711;
  options.out = out;
  return options;
}

std::string Refusal(const Status& status) {
  return status.ok() ? "ok" : std::string(status.message());
}

std::set<std::string> FilesBelow(const fs::path& root) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) files.insert(entry.path().lexically_relative(root).string());
  }
  return files;
}

class Blind : public testing::Test {
 protected:
  // The blind suite in `blind`, its answers in `answers.json`.
  void MakeSuite() {
    const auto made = GenerateBlind(Options(directory_ / "blind"), kSalt, answers_);
    ASSERT_TRUE(made.ok()) << made.status();
    made_ = *made;
  }
  void Run(const std::string& builtin, const fs::path& suite, const fs::path& out,
           bool pack = false) {
    RunOptions run;
    run.pack = pack;
    run.suite = suite;
    run.out = out;
    run.builtin = builtin;
    const auto summary = RunSuite(run, {});
    ASSERT_TRUE(summary.ok()) << summary.status();
  }
  Status Open(const fs::path& results, const fs::path& out) {
    const auto answers = ReadAnswers(answers_);
    if (!answers.ok()) return answers.status();
    UnblindOptions options;
    options.results = results;
    options.answers = *answers;
    return Unblind(options, out, out).status();
  }
  std::map<std::string, Verdict> Verdicts(const fs::path& suite, const fs::path& results) {
    std::map<std::string, Verdict> verdicts;
    const auto report = CheckSuite({suite, results, 0});
    EXPECT_TRUE(report.ok()) << report.status();
    if (!report.ok()) return verdicts;
    for (const CaseReport& c : report->cases) verdicts[c.id] = c.verdict;
    return verdicts;
  }

  Directory directory_;
  const fs::path answers_ = directory_ / "answers.json";
  BlindSuite made_;
};

TEST(NeutralIds, AreAPermutationThatTheSaltDraws) {
  std::vector<std::string> ids;
  for (int i = 0; i < 100; ++i) ids.push_back(StrCat("abs/case-", i));
  const auto one = NeutralIds(ids, kSalt), other = NeutralIds(ids, std::string(64, 'b'));
  std::set<std::string> names;
  int same = 0;
  for (const auto& [id, name] : one) {
    names.insert(name);
    same += other.at(id) == name;
  }
  EXPECT_EQ(names.size(), ids.size());
  EXPECT_EQ(*names.begin(), "case/0000001");
  EXPECT_EQ(*names.rbegin(), "case/0000100");
  EXPECT_LT(same, 20) << "of another salt";
}

TEST(Draw, GivesOtherBytesEachTime) {
  EXPECT_NE(*DrawSalt(), *DrawSalt());
  EXPECT_NE(*DrawSeed(), *DrawSeed());
  EXPECT_LT(*DrawSeed(), uint64_t{1} << 53);
}

TEST_F(Blind, AreTheSameInAPack) {
  GenerateOptions options = Options(directory_ / "packed");
  options.pack = true;
  const auto packed = GenerateBlind(options, kSalt, directory_ / "packed.json");
  ASSERT_TRUE(packed.ok()) << packed.status();
  MakeSuite();
  EXPECT_EQ(packed->answers_digest, made_.answers_digest);
  EXPECT_THAT(FilesBelow(directory_ / "packed"), testing::ElementsAre("case.tar", "suite.json"));
  EXPECT_EQ(*ReadFile(directory_ / "packed/suite.json"),
            *ReadFile(directory_ / "blind/suite.json"));
  Run("native", directory_ / "packed", directory_ / "results");
  ASSERT_TRUE(Open(directory_ / "results", directory_ / "judged").ok());
  const auto verdicts = Verdicts(directory_ / "judged/suite", directory_ / "judged/results");
  EXPECT_GT(verdicts.size(), 100U);
  for (const auto& [id, verdict] : verdicts) EXPECT_EQ(verdict, Verdict::kPass) << id;
}

TEST_F(Blind, CasesSayNothingOfTheirAnswers) {
  MakeSuite();
  const auto suite = ReadSuiteToRun(directory_ / "blind");
  ASSERT_TRUE(suite.ok()) << suite.status();
  EXPECT_GT(suite->cases.size(), 100);
  EXPECT_EQ(suite->answers, made_.answers_digest);
  EXPECT_EQ(suite->digest, made_.answers.blind);
  std::set<std::string> told;
  for (const SuiteEntry& entry : suite->cases) {
    EXPECT_EQ(entry.outcome, "sealed");
    EXPECT_THAT(entry.conditions, IsEmpty());
    EXPECT_FALSE(entry.teeth.has_value());
    EXPECT_EQ(entry.neighbour, "");
    const Json json = *LoadJson(directory_ / "blind" / entry.id / "case.json", "case");
    for (const auto& [member, value] : json.items()) told.insert(member);
    for (const Json& later : json.value("later_executions", Json::array())) {
      EXPECT_FALSE(later.contains("outputs")) << entry.id;
    }
    EXPECT_EQ(json["data_set"], "sealed");
    EXPECT_THAT(json["parameters"], IsEmpty());
    EXPECT_THAT(json["types"], IsEmpty());
    EXPECT_EQ(json["mode"], "");
  }
  EXPECT_THAT(told, AllOf(Not(Contains("outputs")), Not(Contains("condition"))));
  for (const std::string& file : FilesBelow(directory_ / "blind")) {
    EXPECT_THAT(file, Not(HasSubstr("expected")));
  }
}

// The order in which the cases were made tells which they are.
TEST_F(Blind, FilesDoNotTellWhenTheyWereMade) {
  MakeSuite();
  std::set<fs::file_time_type> times;
  for (const auto& entry : fs::recursive_directory_iterator(directory_ / "blind")) {
    times.insert(entry.last_write_time());
  }
  EXPECT_EQ(times.size(), 1u);
}

TEST_F(Blind, AnswersAreTheirOwnersAlone) {
  MakeSuite();
  struct stat status {};
  ASSERT_EQ(stat(answers_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_EQ(ReadAnswers(answers_)->recipe.seed, 4711U);
  GenerateOptions options = Options(directory_ / "another");
  EXPECT_THAT(Refusal(GenerateBlind(options, kSalt, answers_).status()),
              HasSubstr("answers.json: exists already"));
  EXPECT_FALSE(fs::exists(directory_ / "another"));
}

TEST_F(Blind, IsTheSameHoweverManyThreadsMakeIt) {
  GenerateOptions one = Options(directory_ / "one"), four = Options(directory_ / "four");
  one.jobs = 1;
  four.jobs = 4;
  ASSERT_TRUE(GenerateBlind(one, kSalt, directory_ / "one.json").ok());
  ASSERT_TRUE(GenerateBlind(four, kSalt, directory_ / "four.json").ok());
  EXPECT_EQ(*ReadFile(directory_ / "one.json"), *ReadFile(directory_ / "four.json"));
  const auto files = FilesBelow(directory_ / "one");
  ASSERT_EQ(files, FilesBelow(directory_ / "four"));
  for (const std::string& file : files) {
    EXPECT_EQ(*ReadFile(directory_ / "one" / file), *ReadFile(directory_ / "four" / file)) << file;
  }
}

TEST_F(Blind, IsRefusedByWhoeverNeedsAnswers) {
  MakeSuite();
  EXPECT_THAT(Refusal(ReadSuite(directory_ / "blind").status()),
              AllOf(HasSubstr("a blind suite"), HasSubstr("unblind")));
}

// The verdicts on an implementation do not depend on what it was told.
TEST_F(Blind, ResultsGetTheVerdictsOfARunWithAnswersInSight) {
  MakeSuite();
  for (const std::string builtin : {"native", "fault:clamp.unsigned_bounds"}) {
    const fs::path blind = directory_ / (builtin + "-blind"),
                   open = directory_ / (builtin + "-open"), out = directory_ / (builtin + "-out");
    Run(builtin, directory_ / "blind", blind);
    ASSERT_EQ(Refusal(Open(blind, out)), "ok");
    Run(builtin, out / "suite", open);
    const auto verdicts = Verdicts(out / "suite", out / "results");
    EXPECT_EQ(verdicts, Verdicts(out / "suite", open));
    size_t passed = 0;
    for (const auto& [id, verdict] : verdicts) passed += verdict == Verdict::kPass;
    EXPECT_EQ(passed == verdicts.size(), builtin == "native") << passed;
    const RunRecord run = *ReadRunRecord(out / "results");
    EXPECT_EQ(run.blind->suite_digest, made_.answers.blind);
    EXPECT_EQ(run.suite_digest, made_.answers.suite);
    EXPECT_EQ(run.suite_path, (out / "suite").string());
    EXPECT_EQ(BlindResultsDigest(*ReadResultDigests(out / "results"), kSalt),
              run.blind->results_digest);
  }
}

TEST_F(Blind, PackedResultsGetTheSameVerdicts) {
  MakeSuite();
  const std::string builtin = "fault:clamp.unsigned_bounds";
  const fs::path blind = directory_ / "packed", out = directory_ / "out";
  Run(builtin, directory_ / "blind", blind, /*pack=*/true);
  ASSERT_EQ(Refusal(Open(blind, out)), "ok");
  Run(builtin, out / "suite", directory_ / "open");
  const auto verdicts = Verdicts(out / "suite", out / "results");
  EXPECT_EQ(verdicts, Verdicts(out / "suite", directory_ / "open"));
  EXPECT_FALSE(ReadRunRecord(out / "results")->packs) << "they are folders";
  for (const auto& entry : fs::directory_iterator(blind)) {
    if (entry.path().extension() != ".tar") continue;
    fs::resize_file(entry.path(), fs::file_size(entry.path()) - 512);
    EXPECT_THAT(Refusal(Open(blind, directory_ / "none")), HasSubstr("copy these results again"));
    return;
  }
  FAIL() << "no pack";
}

TEST_F(Blind, ResultsThatAreNoWholeRunOfItAreRefused) {
  MakeSuite();
  const fs::path results = directory_ / "results", out = directory_ / "out";
  RunOptions part;
  part.suite = directory_ / "blind";
  part.out = directory_ / "part";
  part.builtin = "native";
  part.shard = Shard{1, 2};
  ASSERT_TRUE(RunSuite(part, {}).ok());
  EXPECT_THAT(Refusal(Open(part.out, out)), HasSubstr("expected a complete run of every case"));

  Run("native", directory_ / "blind", results);
  const auto suite = ReadSuiteToRun(directory_ / "blind");
  const fs::path changed = results / suite->cases[17].id / "result.json";
  const std::string good = *ReadFile(changed);
  ASSERT_TRUE(WriteFile(changed, good + " ").ok());
  EXPECT_THAT(Refusal(Open(results, directory_ / "out2")),
              AllOf(HasSubstr(suite->cases[17].id), HasSubstr("was changed since the run ended")));
  ASSERT_TRUE(WriteFile(changed, good).ok());
  // The file is not read: that would take minutes.
  fs::resize_file(changed, uint64_t{1} << 40);
  EXPECT_THAT(Refusal(Open(results, directory_ / "out3")),
              AllOf(HasSubstr(suite->cases[17].id), HasSubstr("found 1099511627776 bytes")));
  ASSERT_TRUE(WriteFile(changed, good).ok());
  const fs::path large = changed.parent_path() / "large.npy";
  ASSERT_TRUE(WriteFile(large, "").ok());
  fs::resize_file(large, uint64_t{1} << 40);
  EXPECT_THAT(Refusal(Open(results, directory_ / "out4")), HasSubstr("large.npy: is no part of"));
  fs::remove(large);

  ASSERT_TRUE(
      GenerateBlind(Options(directory_ / "blind2"), *DrawSalt(), directory_ / "answers2.json")
          .ok());
  const auto others = ReadAnswers(directory_ / "answers2.json");
  UnblindOptions options;
  options.results = results;
  options.answers = *others;
  EXPECT_THAT(Refusal(Unblind(options, directory_ / "out3", directory_ / "out3").status()),
              HasSubstr("give the answers that were made with it"));
}

// `verify` judges evidence by one version: another one's results or suite would be no use to it.
TEST_F(Blind, IsOfOneVersion) {
  MakeSuite();
  const fs::path results = directory_ / "results";
  Run("native", directory_ / "blind", results);
  const Json good = *LoadJson(results / "run.json", "run"), sealed = *LoadJson(answers_, "answers");
  Json run = good, answers = sealed;
  run["tensor_cts"] = "0.0.9";
  ASSERT_TRUE(SaveJson(results / "run.json", run).ok());
  EXPECT_THAT(Refusal(Open(results, directory_ / "out")),
              HasSubstr("run.json: /tensor_cts: found 0.0.9, this is "));
  ASSERT_TRUE(SaveJson(results / "run.json", good).ok());
  answers["generator"] = "tensor-cts 0.0.9";
  ASSERT_TRUE(SaveJson(answers_, answers).ok());
  EXPECT_THAT(Refusal(Open(results, directory_ / "out")),
              HasSubstr("the answers are of a suite of tensor-cts 0.0.9, this makes suites of "));
  ASSERT_TRUE(SaveJson(answers_, sealed).ok());
  EXPECT_EQ(Refusal(Open(results, directory_ / "out")), "ok");
}

TEST_F(Blind, AnswersThatWereChangedAreRefused) {
  MakeSuite();
  Run("native", directory_ / "blind", directory_ / "results");
  Json json = *LoadJson(answers_, "answers");
  json["recipe"]["seed"] = 4712;
  ASSERT_TRUE(SaveJson(answers_, json).ok());
  EXPECT_THAT(Refusal(Open(directory_ / "results", directory_ / "out")),
              HasSubstr("or were changed"));
}

}  // namespace
}  // namespace cts
