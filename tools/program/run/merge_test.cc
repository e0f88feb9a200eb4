#include "tools/program/run/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "checker/judge/check.h"
#include "checker/judge/suite_on_disk.h"
#include "checker/report/report.h"
#include "reference/base/digest.h"
#include "tools/program/run/engine_shard.h"
#include "tools/program/run/result_digests.h"
#include "tools/program/run/runner.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Seven cases that an adapter refuses, as is right, in three shards.
class MergeTest : public ::testing::Test {
 protected:
  MergeTest() {
    std::vector<Case> cases;
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
      cases.push_back(testing_suite::ErrorCase(StrCat("copy/", name)));
    }
    suite_ = testing_suite::WriteSuite(root_ / "suite", cases);
    for (int i = 1; i <= 3; ++i) Run(Place(i), Shard{i, 3});
  }

  fs::path Place(int shard) const { return root_ / StrCat("shard-", shard); }
  void Run(const fs::path& out, std::optional<Shard> shard, const std::string& adapter = kAdapter,
           int repeats = 1, const std::string& filter = "", bool symbolic = false) const {
    RunOptions options;
    options.suite = root_ / "suite";
    options.out = out;
    options.adapter = adapter;
    options.jobs = 1;
    options.shard = shard;
    options.repeats = repeats;
    if (!filter.empty()) options.filter = {filter};
    options.symbolic = symbolic;
    const auto summary = RunSuite(options, nullptr);
    ASSERT_TRUE(summary.ok()) << summary.status();
  }
  Status Merge(std::vector<int> shards = {1, 2, 3}) const {
    MergeOptions options;
    for (const int shard : shards) options.shards.push_back(Place(shard));
    options.out = root_ / "whole";
    return MergeResults(options).status();
  }
  // The message; and nothing is left behind.
  std::string Refusal(std::vector<int> shards = {1, 2, 3}) const {
    const Status status = Merge(std::move(shards));
    for (const auto& entry : fs::directory_iterator(root_ / "")) {
      EXPECT_EQ(entry.path().filename().string().find("whole"), std::string::npos);
    }
    return status.ok() ? "merged" : Message(status);
  }
  Report Check(const fs::path& results) const {
    CheckOptions options;
    options.suite = root_ / "suite";
    options.results = results;
    const auto report = CheckSuite(options);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? *report : Report();
  }

  static constexpr char kAdapter[] = "echo '{\"status\": \"error\"}' #";
  testing_suite::Directory root_;
  Suite suite_;
};

TEST_F(MergeTest, LeavesNothingWhereItWasInterrupted) {
  const std::atomic<bool> stop{true};
  MergeOptions options{{Place(1), Place(2), Place(3)}, root_ / "whole", &stop};
  EXPECT_EQ(Message(MergeResults(options).status()), "merge: interrupted, nothing is written");
  for (const auto& entry : fs::directory_iterator(root_ / "")) {
    EXPECT_EQ(entry.path().filename().string().find("whole"), std::string::npos) << entry.path();
  }
}

TEST_F(MergeTest, StopsWhileItReadsAHugeFile) {
  const std::string id = suite_.cases[0].id;
  for (int i = 1; i <= 3; ++i) {
    const fs::path place = Place(i) / id;
    if (fs::exists(place)) fs::resize_file(place / "result.json", uint64_t{1} << 33);
  }
  std::atomic<bool> stop{false};
  MergeOptions options{{Place(1), Place(2), Place(3)}, root_ / "whole", &stop};
  const auto start = std::chrono::steady_clock::now();
  std::thread stopper([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    stop = true;
  });
  EXPECT_EQ(Message(MergeResults(options).status()), "merge: interrupted, nothing is written");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  stopper.join();
}

TEST_F(MergeTest, GivesTheResultsOfTheWholeSuite) {
  ASSERT_TRUE(Merge({3, 1, 2}).ok()) << Merge({3, 1, 2});
  const Report report = Check(root_ / "whole");
  EXPECT_EQ(report.cases.size(), 7u);
  EXPECT_TRUE(Conformant(report));
  const Json run = *LoadJson(root_ / "whole/run.json", "run");
  EXPECT_FALSE(run.contains("shard"));
  EXPECT_EQ(run["complete"], true);
  EXPECT_EQ(run["cases"], 7);
  ASSERT_EQ(run["shards"].size(), 3u);
  EXPECT_EQ(run["shards"][1]["shard"], (Json{{"index", 2}, {"of", 3}}));
  EXPECT_EQ(run["shards"][1]["cases"], 2);
  EXPECT_TRUE(run["shards"][1].contains("host"));
  // The same as one run of everything, but for what is measured.
  Run(root_ / "once", std::nullopt);
  for (const SuiteEntry& entry : suite_.cases) {
    const auto status = [&](const char* results) {
      return (*LoadJson(root_ / results / entry.id / "result.json", "result"))["status"];
    };
    EXPECT_EQ(status("whole"), status("once"));
  }
}

TEST_F(MergeTest, RefusesOverlapAndGaps) {
  EXPECT_THAT(Refusal({1, 3}), HasSubstr("1 of 3 shards missing: 2"));
  EXPECT_THAT(Refusal({2}), HasSubstr("2 of 3 shards missing: 1, 3"));
  EXPECT_THAT(Refusal({1, 2, 1}), AllOf(HasSubstr("shard 1/3"), HasSubstr("expected it once")));
  fs::remove_all(Place(4));
  Run(Place(4), Shard{4, 4});
  EXPECT_THAT(Refusal({1, 2, 4}), HasSubstr("shard 4/4 does not go with shard 1/3"));
  Run(Place(5), std::nullopt);
  EXPECT_THAT(Refusal({1, 2, 5}), HasSubstr("results of no shard"));
  EXPECT_THAT(Refusal({1, 2, 9}), HasSubstr("expected results as tensor-cts run writes them"));
}

TEST_F(MergeTest, OfSomeShardsIsIncompleteAndNoEvidence) {
  MergeOptions options;
  options.shards = {Place(1), Place(3)};
  options.out = root_ / "whole";
  options.partial = true;
  const auto merged = MergeResults(options);
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(merged->of - merged->shards, 1U);
  const Json run = *LoadJson(options.out / "run.json", "run");
  EXPECT_EQ(run["complete"], false);
  EXPECT_FALSE(run.contains("results_digest"));
  CheckOptions check;
  check.suite = root_ / "suite";
  check.results = options.out;
  check.partial = true;
  const auto report = CheckSuite(check);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->missing, suite_.cases.size() - merged->cases);
  EXPECT_FALSE(Conformant(*report));
  EXPECT_THAT(Message(CopyWholeResults({options.out, root_ / "copy"}, suite_).status()),
              HasSubstr("/complete: the run did not end"));
  // All shards are the whole.
  options.shards.push_back(Place(2));
  options.out = root_ / "all";
  ASSERT_TRUE(MergeResults(options).ok());
  EXPECT_EQ((*LoadJson(options.out / "run.json", "run"))["complete"], true);
}

TEST_F(MergeTest, RefusesShardsThatAreNotOneRun) {
  Run(Place(4), Shard{3, 3}, "true; echo '{\"status\": \"error\"}' #");
  EXPECT_THAT(Refusal({1, 2, 4}), AllOf(HasSubstr("of another implementation"),
                                        HasSubstr("shard-4"), HasSubstr("/implementation")));
  Run(Place(5), Shard{3, 3}, kAdapter, 2);
  EXPECT_THAT(Refusal({1, 2, 5}), HasSubstr("of another number of repeats"));
  Run(Place(6), Shard{3, 3}, kAdapter, 1, "copy/c");
  EXPECT_THAT(Refusal({1, 2, 6}), HasSubstr("--filter \"copy/c\""));
  Run(Place(8), Shard{3, 3}, kAdapter, 1, "", true);
  EXPECT_THAT(Refusal({1, 2, 8}),
              AllOf(HasSubstr("shard-8 was run with --symbolic"), HasSubstr("shard-1 without")));
  fs::remove_all(root_ / "suite");
  testing_suite::WriteSuite(root_ / "suite",
                            {testing_suite::ErrorCase("copy/a"), testing_suite::ErrorCase("copy/b"),
                             testing_suite::ErrorCase("copy/c")});
  Run(Place(7), Shard{3, 3});
  EXPECT_THAT(Refusal({1, 2, 7}), HasSubstr("of another suite"));
}

TEST_F(MergeTest, RefusesAnotherDigestOfTheAdapterAndAnotherVersion) {
  const fs::path path = Place(2) / "run.json";
  const Json before = *LoadJson(path, "run");
  Json run = before;
  run["adapter_files"] = Json::array({{{"path", "a"}, {"sha256", std::string(64, '0')}}});
  ASSERT_TRUE(SaveJson(path, run).ok());
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("of another implementation"), HasSubstr("adapter_files")));
  run = before;
  run["tensor_cts"] = "9";
  ASSERT_TRUE(SaveJson(path, run).ok());
  EXPECT_THAT(Refusal(), HasSubstr("of another tensor-cts"));
  run = before;
  run["build"]["recipes"] = std::string(64, '0');
  ASSERT_TRUE(SaveJson(path, run).ok());
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("of another tensor-cts"), HasSubstr("/build")));
  run = before;
  run["shard"]["index"] = 3;
  ASSERT_TRUE(SaveJson(path, run).ok());
  EXPECT_THAT(Refusal(), HasSubstr("expected it once"));
}

TEST_F(MergeTest, RefusesAnUnfinishedShard) {
  const fs::path path = Place(2) / "run.json";
  Json run = *LoadJson(path, "run");
  run["complete"] = false;
  ASSERT_TRUE(SaveJson(path, run).ok());
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("shard-2"), HasSubstr("--resume")));
}

TEST_F(MergeTest, RefusesWhatChangedSinceTheRun) {
  const fs::path result = Place(2) / "copy/b/result.json";
  const std::string before = *ReadFile(result);
  ASSERT_TRUE(WriteFile(result, "{\"status\": \"unsupported\"}").ok());
  EXPECT_THAT(Refusal(), HasSubstr("the result of copy/b: changed since the run ended"));
  fs::remove(result);
  EXPECT_THAT(Refusal(), HasSubstr("1 of 2 cases lack their result: copy/b"));
  ASSERT_TRUE(WriteFile(result, before).ok());
  ASSERT_TRUE(WriteFile(Place(2) / "copy/b/out.npy", "more").ok());
  EXPECT_THAT(Refusal(), HasSubstr("the result of copy/b: changed"));
  fs::remove(Place(2) / "copy/b/out.npy");
  fs::create_symlink("/etc/passwd", Place(2) / "copy/b/out.npy");
  EXPECT_THAT(Refusal(), HasSubstr("expected a regular file"));
  fs::remove(Place(2) / "copy/b/out.npy");
  fs::copy(Place(2) / "copy/b", Place(2) / "copy/a");
  EXPECT_THAT(Refusal(), HasSubstr("1 results of no case that ran: copy/a"));
  fs::remove_all(Place(2) / "copy/a");
  // A case that is forgotten everywhere.
  Json digests = *LoadJson(Place(2) / "results.json", "results");
  digests["cases"].erase("copy/b");
  ASSERT_TRUE(SaveJson(Place(2) / "results.json", digests).ok());
  EXPECT_THAT(Refusal(), HasSubstr("results.json is not the one"));
  digests["cases"]["../shard-1/copy/a"] = std::string(64, '0');
  ASSERT_TRUE(SaveJson(Place(2) / "results.json", digests).ok());
  EXPECT_THAT(Refusal(), HasSubstr("expected the id of a case"));
}

TEST_F(MergeTest, LeavesWhatIsThereAlone) {
  ASSERT_TRUE(WriteFile(root_ / "whole/thesis.txt", "do not lose").ok());
  EXPECT_THAT(Message(Merge()), HasSubstr("expected a folder that does not exist yet"));
  EXPECT_TRUE(fs::exists(root_ / "whole/thesis.txt"));
}

// ---- Checking one shard ------------------------------------------------------------------------

TEST_F(MergeTest, AShardIsJudgedAloneAndIsNeverConformant) {
  const Report report = Check(Place(2));
  EXPECT_EQ(report.cases.size(), 2u);
  EXPECT_EQ(report.cases[0].id, "copy/b");
  EXPECT_TRUE(AllPassed(report));
  EXPECT_FALSE(Conformant(report));
  fs::remove_all(Place(2) / "copy/b");
  const Report missing = Check(Place(2));
  EXPECT_EQ(missing.cases[0].verdict, Verdict::kMissing);
  EXPECT_FALSE(AllPassed(missing));
}

TEST_F(MergeTest, ResultsOutsideOfTheShardAreAFinding) {
  fs::copy(Place(1) / "copy/a", Place(2) / "copy/a", fs::copy_options::recursive);
  const Report report = Check(Place(2));
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, "outside_shard");
  EXPECT_EQ(report.findings[0].cases, std::vector<std::string>{"copy/a"});
  EXPECT_FALSE(AllPassed(report));
}

// ---- Shards that are cut by the seconds of an earlier run ----

class BalanceTest : public MergeTest {
 protected:
  // A report of all seven cases, which took these seconds; a case of less than 0 is left out.
  fs::path ReportOf(const std::string& name, const std::vector<double>& seconds) {
    if (!fs::exists(root_ / "whole")) {
      EXPECT_TRUE(Merge().ok());
    }
    Json report = ReportToJson(Check(root_ / "whole"));
    Json cases = Json::array();
    for (size_t i = 0; i < seconds.size(); ++i) {
      report["cases"][i]["seconds"] = seconds[i];
      if (seconds[i] >= 0) cases.push_back(report["cases"][i]);
    }
    report["cases"] = cases;
    EXPECT_TRUE(SaveJson(root_ / name, report).ok());
    return root_ / name;
  }
  std::vector<size_t> PositionsOf(const fs::path& report, int index, int of) const {
    Shard shard{index, of};
    const Status status = BalanceShard(report, suite_, &shard);
    EXPECT_TRUE(status.ok()) << status;
    return shard.positions;
  }
  void RunBalanced(int index, int of, const fs::path& report) const {
    fs::remove_all(Place(index));
    const auto summary = RunSuite({.suite = root_ / "suite",
                                   .out = Place(index),
                                   .adapter = kAdapter,
                                   .jobs = 1,
                                   .shard = Shard{index, of},
                                   .balance = report},
                                  nullptr);
    ASSERT_TRUE(summary.ok()) << summary.status();
  }
};

TEST_F(BalanceTest, TheSlowestCasesAreSpread) {
  // a takes 6 s, e and f 3 s each, the others 1 s.
  const fs::path report = ReportOf("report.json", {6, 1, 1, 1, 3, 3, 1});
  using Positions = std::vector<size_t>;
  EXPECT_EQ(PositionsOf(report, 1, 3), Positions({0}));
  EXPECT_EQ(PositionsOf(report, 2, 3), Positions({1, 3, 4}));
  EXPECT_EQ(PositionsOf(report, 3, 3), Positions({2, 5, 6}));
  const StatusOr<std::vector<Shard>> shards = BalanceShards(report, suite_, 3);
  ASSERT_TRUE(shards.ok()) << shards.status();
  ASSERT_EQ(shards->size(), 3U);
  for (int index = 1; index <= 3; ++index) {
    Shard shard{index, 3};
    EXPECT_TRUE(BalanceShard(report, suite_, &shard).ok());
    EXPECT_EQ((*shards)[static_cast<size_t>(index - 1)], shard);
  }
}

TEST_F(BalanceTest, EveryCaseIsInOneShardWhateverTheSeconds) {
  for (const std::vector<double>& seconds : {std::vector<double>{0, 0, 0, 0, 0, 0, 0},
                                             {1e-9, 1e300, 5, 5, 5, 5, 5},
                                             {-1, 2, -1, 4, 8, -1, 1}}) {
    const fs::path report = ReportOf("report.json", seconds);
    for (int of = 1; of <= 7; ++of) {
      std::vector<size_t> all;
      for (int index = 1; index <= of; ++index) {
        const std::vector<size_t> positions = PositionsOf(report, index, of);
        EXPECT_FALSE(positions.empty());
        EXPECT_EQ(positions, PositionsOf(report, index, of));
        all.insert(all.end(), positions.begin(), positions.end());
      }
      std::sort(all.begin(), all.end());
      EXPECT_EQ(all, (std::vector<size_t>{0, 1, 2, 3, 4, 5, 6}));
    }
  }
}

// b took 9 s and d 3 s, so the five new cases count as 6 s each.
TEST_F(BalanceTest, ACaseThatTheReportLacksCountsAsTheMean) {
  const fs::path report = ReportOf("report.json", {-1, 9, -1, 3, -1, -1, -1});
  const std::vector<size_t> first = PositionsOf(report, 1, 2), second = PositionsOf(report, 2, 2);
  EXPECT_EQ(first, (std::vector<size_t>{1, 4, 6}));
  EXPECT_EQ(second, (std::vector<size_t>{0, 2, 3, 5}));
}

TEST_F(BalanceTest, ShardsMergeToTheWhole) {
  const fs::path report = ReportOf("report.json", {6, 1, 1, 1, 3, 3, 1});
  fs::remove_all(root_ / "whole");
  for (int i = 1; i <= 3; ++i) RunBalanced(i, 3, report);
  const Report shard = Check(Place(2));
  EXPECT_EQ(shard.cases.size(), 3u);
  EXPECT_TRUE(AllPassed(shard));
  EXPECT_FALSE(Conformant(shard));
  ASSERT_TRUE(Merge({2, 3, 1}).ok()) << Merge({2, 3, 1});
  EXPECT_TRUE(Conformant(Check(root_ / "whole")));
  const Json run = *LoadJson(root_ / "whole/run.json", "run");
  for (const Json& each : run["shards"]) {
    EXPECT_EQ(each["shard"]["balanced_by"], Sha256(*ReadFile(report)));
  }
  // The whole is evidence as that of other shards is.
  const auto copy = CopyWholeResults({root_ / "whole", root_ / "copy"}, suite_);
  ASSERT_TRUE(copy.ok()) << copy.status();
  std::vector<std::string> ids;
  for (const SuiteEntry& entry : suite_.cases) ids.push_back(entry.id);
  ResultDigests digests = *ReadResultDigests(root_ / "whole");
  EXPECT_THAT(ShardFaults(*copy, ids, digests), IsEmpty());
  RunRecord other = *copy;
  std::swap(other.shards[0].shard.positions, other.shards[1].shard.positions);
  EXPECT_THAT(ShardFaults(other, ids, digests),
              Contains(HasSubstr("/shards/0: found 1 cases, expected 3")));
  // One case is in two shards, and another one is in none.
  other = *copy;
  MergedShard& one = other.shards[0];
  one.shard.positions = {1};
  one.results_digest = DigestOf({{ids[1], digests.at(ids[1])}});
  EXPECT_THAT(ShardFaults(other, ids, digests),
              ElementsAre(HasSubstr("/shards: found copy/a in 0 shards, expected it in one")));
  one.shard.positions = {99};
  EXPECT_THAT(ShardFaults(other, ids, digests),
              Contains(HasSubstr("/shards/0: found the position 99, expected less than 7")));
}

TEST_F(MergeTest, SaysThatAllShardsWereSymbolic) {
  for (int i = 1; i <= 3; ++i) {
    fs::remove_all(Place(i));
    Run(Place(i), Shard{i, 3}, kAdapter, 1, "", true);
  }
  ASSERT_TRUE(Merge().ok());
  EXPECT_TRUE(Check(root_ / "whole").run.symbolic);
}

TEST_F(BalanceTest, RefusesShardsOfTwoDivisions) {
  const fs::path report = ReportOf("report.json", {6, 1, 1, 1, 3, 3, 1});
  const fs::path other = ReportOf("other.json", {1, 1, 1, 1, 3, 3, 1});
  fs::remove_all(root_ / "whole");
  RunBalanced(2, 3, report);
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("shard-2: a shard that was cut by the report"),
                               HasSubstr("one that was cut without --balance")));
  RunBalanced(1, 3, other);
  RunBalanced(3, 3, report);
  EXPECT_THAT(Refusal(), HasSubstr("expected shards of one division"));
  // A run does not go on as another part.
  const auto again = RunSuite({.suite = root_ / "suite",
                               .out = Place(1),
                               .adapter = kAdapter,
                               .jobs = 1,
                               .shard = Shard{1, 3},
                               .balance = report,
                               .resume = true},
                              nullptr);
  EXPECT_THAT(Message(again.status()), HasSubstr("holds results of shard 1/3 by the seconds of"));
}

TEST_F(BalanceTest, RefusesCasesThatNoShardHas) {
  const fs::path report = ReportOf("report.json", {6, 1, 1, 1, 3, 3, 1});
  fs::remove_all(root_ / "whole");
  for (int i = 1; i <= 3; ++i) RunBalanced(i, 3, report);
  // As if the second shard had been cut otherwise.
  Json run = *LoadJson(Place(2) / "run.json", "run");
  run["shard"]["positions"] = {1};
  ASSERT_TRUE(SaveJson(Place(2) / "run.json", run).ok());
  EXPECT_THAT(Refusal(), HasSubstr("shard-2: found 3 cases, expected 1 in shard 2/3"));
  run["shard"]["positions"] = {1, 3, 99};
  ASSERT_TRUE(SaveJson(Place(2) / "run.json", run).ok());
  EXPECT_THAT(Refusal(), HasSubstr("/shard/positions: found 99"));
}

TEST_F(BalanceTest, RefusesWhatIsNoReportOfTheSuite) {
  const auto refused = [&](const fs::path& report) {
    Shard shard{1, 2};
    return Message(BalanceShard(report, suite_, &shard));
  };
  EXPECT_THAT(refused(Place(1) / "run.json"),
              HasSubstr("--balance: expected a report, as tensor-cts check --json writes it"));
  EXPECT_THAT(refused(root_ / "none.json"), HasSubstr("none.json: no such file"));
  EXPECT_THAT(refused(ReportOf("empty.json", {-1, -1, -1, -1, -1, -1, -1})),
              HasSubstr("found no case of the suite"));
  const auto alone = RunSuite({.suite = root_ / "suite",
                               .out = root_ / "x",
                               .adapter = kAdapter,
                               .balance = root_ / "empty.json"},
                              nullptr);
  EXPECT_THAT(Message(alone.status()), HasSubstr("--balance goes with --shard"));
}

TEST(Shard, ReadsOnlyWhatIsAPart) {
  EXPECT_EQ(*ParseShard("2/4"), (Shard{2, 4}));
  for (const char* text : {"", "2", "0/4", "5/4", "2/", "/4", "2/4x", "-1/4", "1/100000"}) {
    EXPECT_FALSE(ParseShard(text).ok()) << text;
  }
}

// Every case in one shard, and no shard with two more than another.
TEST(Shard, DivideASuiteEvenly) {
  for (size_t cases : {1, 5, 12, 100}) {
    for (int of : {1, 2, 3, 7}) {
      std::vector<int> counts;
      for (size_t i = 0; i < cases; ++i) {
        int owners = 0;
        for (int index = 1; index <= of; ++index) owners += Shard{index, of}.Has(i) ? 1 : 0;
        EXPECT_EQ(owners, 1);
      }
      for (int index = 1; index <= of; ++index) {
        counts.push_back(0);
        for (size_t i = 0; i < cases; ++i) counts.back() += Shard{index, of}.Has(i) ? 1 : 0;
      }
      const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
      EXPECT_LE(*most - *least, 1);
    }
  }
}

}  // namespace
}  // namespace cts
