#include "tools/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "reference/base/file.h"
#include "reference/base/json.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SweepTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::path(testing::TempDir()) /
                 StrCat("sweep-", getpid(), "-",
                        testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(directory_);
    unsetenv("SWEEP_FAULT");
  }
  void TearDown() override {
    fs::remove_all(directory_);
    unsetenv("SWEEP_FAULT");
  }

  static SweepOptions Options(const std::string& op = "EXP") {
    SweepOptions options;
    options.question = {op, "fp32", "", "tosa-1.0", {}};
    options.plugin = CTS_SWEEP_PLUGIN;
    options.executable = CTS_EXECUTABLE;
    options.range = SweepRange{0x3f80'0000, 0x3f8f'ffff};
    return options;
  }
  static StatusOr<SweepSummary> Run(const SweepOptions& options) {
    return RunSweep(options, [](uint64_t, uint64_t) {});
  }
  static std::string Report(const SweepSummary& summary) {
    return FormatJson(SweepReportToJson(summary.report));
  }

  fs::path directory_;
};

TEST_F(SweepTest, FindsNothingWrongWithTheCLibrary) {
  const StatusOr<SweepSummary> summary = Run(Options());
  ASSERT_TRUE(summary.ok()) << summary.status();
  const SweepTotals& totals = summary->report.totals;
  EXPECT_EQ(totals.inputs, 1 << 20);
  EXPECT_EQ(totals.accepted, 1 << 20);
  EXPECT_GT(totals.by_filter, (1 << 20) - 10);
  EXPECT_EQ(VerdictOf(summary->report), SweepVerdict::kPassed);
  EXPECT_EQ(summary->report.implementation.name, "sweep test");
  ASSERT_EQ(summary->report.worst.size(), 10);
  // Correctly rounded or nearly so.
  EXPECT_LT(summary->report.worst[0].ulp, 1);
  EXPECT_GT(summary->report.worst[0].ulp, 0.49);
}

TEST_F(SweepTest, IsConformantOverAllInputsOnly) {
  SweepOptions options = Options("EXP");
  options.question.type = "bf16";
  options.plugin = CTS_LIBM_PLUGIN;
  options.range.reset();
  const StatusOr<SweepSummary> summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->report.totals.inputs, 1 << 16);
  EXPECT_EQ(VerdictOf(summary->report), SweepVerdict::kConformant);
}

// One wrong result among 2^20: the first that the rule refuses is 3 + 2|x| steps and more away.
TEST_F(SweepTest, FindsOneWrongResult) {
  // e^1.25 lies in the binade from 2, where the bound of |ref| 2^-23 (3 + 2|x|) is 9.6 steps.
  setenv("SWEEP_FAULT", "wrong+9:3fa00000", 1);
  SweepOptions options = Options();
  options.range = SweepRange{0x3f90'0000, 0x3fa0'ffff};
  StatusOr<SweepSummary> summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->report.totals.rejected, 0);
  EXPECT_EQ(summary->report.worst[0].element.input, 0x3fa0'0000);
  EXPECT_NEAR(summary->report.worst[0].ulp, 9, 1);

  setenv("SWEEP_FAULT", "wrong+11:3fa00000", 1);
  summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->report.totals.rejected, 1);
  EXPECT_EQ(VerdictOf(summary->report), SweepVerdict::kNotConformant);
  ASSERT_EQ(summary->report.refused.size(), 1);
  EXPECT_EQ(summary->report.refused[0].element.input, 0x3fa0'0000);
  EXPECT_FALSE(summary->report.refused[0].accepted);
  EXPECT_GT(summary->report.refused[0].of_bound, 1);
  EXPECT_THAT(FormatSweep(summary->report), HasSubstr("0x3fa00000  ->"));
}

TEST_F(SweepTest, IsTheSameForAnyNumberOfJobsShardsAndResumptions) {
  setenv("SWEEP_FAULT", "wrong+30:3f812345", 1);
  SweepOptions options = Options();
  options.jobs = 1;
  const StatusOr<SweepSummary> one = Run(options);
  ASSERT_TRUE(one.ok()) << one.status();
  options.jobs = 3;
  const StatusOr<SweepSummary> three = Run(options);
  ASSERT_TRUE(three.ok()) << three.status();
  EXPECT_EQ(Report(*one), Report(*three));

  std::vector<fs::path> parts;
  for (int k = 1; k <= 3; ++k) {
    options.shard = Shard{k, 3};
    options.out = directory_ / StrCat("part", k, ".json");
    parts.push_back(options.out);
    const StatusOr<SweepSummary> part = Run(options);
    ASSERT_TRUE(part.ok()) << part.status();
    EXPECT_LT(part->report.totals.inputs, 1 << 20);
  }
  const StatusOr<SweepReport> merged = MergeSweeps({parts[2], parts[0], parts[1]});
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(FormatJson(SweepReportToJson(*merged)), Report(*one));
  EXPECT_FALSE(MergeSweeps({parts[0], parts[0]}).ok());

  // An unfinished state: the first shard as the beginning of the whole.
  StatusOr<Json> state = LoadJson(parts[0], "sweep");
  ASSERT_TRUE(state.ok());
  (*state)["assigned"] = {0x3f80'0000, 0x3f8f'ffff};
  options.shard.reset();
  options.out = directory_ / "all.json";
  ASSERT_TRUE(SaveJson(options.out, *state).ok());
  EXPECT_THAT(Message(Run(options).status()), HasSubstr("--resume"));
  options.resume = true;
  const StatusOr<SweepSummary> resumed = Run(options);
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_EQ(Report(*resumed), Report(*one));
  EXPECT_EQ(*ReadFile(options.out), Report(*one));
}

TEST_F(SweepTest, NamesTheInputThatEndsThePlugin) {
  for (const auto& [fault, kind, message] :
       {std::tuple("crash", "crash", "signal 6"), std::tuple("exit", "crash", "exited with code 3"),
        std::tuple("throw", "crash", "the process"), std::tuple("hang", "timeout", "no answer"),
        std::tuple("refuse", "refused", "FAILED: this one not"),
        std::tuple("short", "refused", "wrote 1 bytes"),
        std::tuple("input", "refused", "wrote to an input"),
        std::tuple("behind", "refused", "wrote around its output"),
        std::tuple("before", "refused", "wrote around its output")}) {
    SCOPED_TRACE(fault);
    setenv("SWEEP_FAULT", StrCat(fault, ":3f812345").c_str(), 1);
    SweepOptions options = Options();
    options.range = SweepRange{0x3f80'0000, 0x3f82'ffff};
    options.timeout_seconds = 1;
    const StatusOr<SweepSummary> summary = Run(options);
    ASSERT_TRUE(summary.ok()) << summary.status();
    ASSERT_EQ(summary->report.totals.faults.size(), 1);
    const SweepFault& found = summary->report.totals.faults[0];
    EXPECT_EQ(found.first, 0x3f81'0000);
    EXPECT_EQ(found.last, 0x3f81'ffff);
    EXPECT_EQ(found.guilty_first, 0x3f81'2345);
    EXPECT_EQ(found.guilty_last, 0x3f81'2345);
    EXPECT_EQ(found.kind, kind);
    EXPECT_THAT(found.message, HasSubstr(message));
    EXPECT_EQ(summary->report.totals.unanswered, 1 << 16);
    EXPECT_EQ(summary->report.totals.accepted, 2 << 16);
    EXPECT_EQ(VerdictOf(summary->report), SweepVerdict::kNotConformant);
    EXPECT_THAT(FormatSweep(summary->report), HasSubstr("input 0x3f812345"));
  }
}

TEST_F(SweepTest, TakesEveryAnswerForItsOwnQuestionOnly) {
  setenv("SWEEP_FAULT", "fork:3f812345", 1);
  SweepOptions options = Options();
  options.range = SweepRange{0x3f80'0000, 0x3f82'ffff};
  options.jobs = 1;
  const StatusOr<SweepSummary> summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->report.totals.accepted, 3 << 16);
  EXPECT_TRUE(summary->report.totals.faults.empty());
}

TEST_F(SweepTest, RejectsWhatWasNotWritten) {
  setenv("SWEEP_FAULT", "silent:3f812345", 1);
  SweepOptions options = Options();
  options.range = SweepRange{0x3f81'0000, 0x3f81'ffff};
  const StatusOr<SweepSummary> summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->report.totals.rejected, 1);
}

TEST_F(SweepTest, GivesUpOnAPluginThatAlwaysCrashes) {
  setenv("SWEEP_FAULT", "always:0", 1);
  SweepOptions options = Options();
  options.out = directory_ / "state.json";
  options.jobs = 1;
  const StatusOr<SweepSummary> summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_TRUE(summary->gave_up);
  EXPECT_EQ(summary->report.totals.faults.size(), kMaxFaults);
  EXPECT_EQ(summary->report.totals.unanswered, kMaxFaults << 16);
  EXPECT_EQ(summary->report.totals.accepted, 0);
  // The first input is enough.
  EXPECT_EQ(summary->report.totals.faults[0].guilty_last, 0x3f80'0000);
  EXPECT_EQ(VerdictOf(summary->report), SweepVerdict::kNotConformant);
  EXPECT_TRUE(ReadSweepReport(options.out).ok());
}

TEST_F(SweepTest, FindsSubnormalsThatAreFlushedHereAndKeptThere) {
  SweepOptions options = Options("RECIPROCAL");
  options.range = SweepRange{0x0040'0000, 0x0043'ffff};
  StatusOr<SweepSummary> summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(VerdictOf(summary->report), SweepVerdict::kPassed);
  EXPECT_TRUE(summary->report.totals.kept.has_value());

  setenv("SWEEP_FAULT", "flush:00800000", 1);
  summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(VerdictOf(summary->report), SweepVerdict::kPassed);
  EXPECT_TRUE(summary->report.totals.flushed.has_value());
  EXPECT_FALSE(summary->report.totals.kept.has_value());

  setenv("SWEEP_FAULT", "flush:00412345", 1);
  summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->report.totals.rejected, 0);
  ASSERT_EQ(summary->report.findings.size(), 1);
  EXPECT_EQ(summary->report.totals.flushed->input, 0x0040'0000);
  EXPECT_EQ(summary->report.totals.kept->input, 0x0041'2345);
  EXPECT_THAT(summary->report.findings[0], HasSubstr("input 0x00412345 keeps"));
  EXPECT_EQ(VerdictOf(summary->report), SweepVerdict::kNotConformant);
  // 0.100 lets it be.
  options.question.edition = "tosa-0.100";
  summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(VerdictOf(summary->report), SweepVerdict::kPassed);
  EXPECT_EQ(summary->report.notes.size(), 1);
}

TEST_F(SweepTest, SaysWhyItCannotBegin) {
  SweepOptions options = Options();
  options.plugin = directory_ / "none.so";
  EXPECT_THAT(Message(Run(options).status()), HasSubstr("none.so"));
  ASSERT_TRUE(WriteFile(directory_ / "text.so", "no library").ok());
  options.plugin = directory_ / "text.so";
  EXPECT_THAT(Message(Run(options).status()), HasSubstr("cannot be loaded"));
  options = Options("LOG");
  EXPECT_THAT(Message(Run(options).status()), HasSubstr("UNSUPPORTED for LOG of fp32"));
  options = Options();
  options.range = SweepRange{5, 4};
  EXPECT_THAT(Message(Run(options).status()), HasSubstr("expected some of 0 to 4294967295"));
  options = Options();
  options.shard = Shard{1, 1000};
  EXPECT_THAT(Message(Run(options).status()), HasSubstr("expected at most 16"));
}

TEST_F(SweepTest, RefusesStatesThatContradictThemselves) {
  SweepOptions options = Options();
  options.range = SweepRange{0x3f80'0000, 0x3f80'0fff};
  options.out = directory_ / "state.json";
  ASSERT_TRUE(Run(options).ok());
  options.resume = true;
  ASSERT_TRUE(Run(options).ok());  // done already
  const StatusOr<Json> good = LoadJson(options.out, "sweep");
  ASSERT_TRUE(good.ok());
  const auto refused = [&](const Json& bad) {
    EXPECT_TRUE(SaveJson(options.out, bad).ok());
    return Message(Run(options).status());
  };
  Json bad = *good;
  bad["accepted"] = 5;
  EXPECT_THAT(refused(bad), HasSubstr("contradict"));
  bad = *good;
  bad["done"] = {{0x3f80'0000, 0x3f80'1fff}};
  EXPECT_THAT(refused(bad), HasSubstr("contradict"));
  bad = *good;
  bad["question"]["operator"] = "RECIPROCAL";
  EXPECT_THAT(refused(bad), HasSubstr("holds another sweep"));
  bad = *good;
  bad["implementation"]["digest"] = std::string(64, '0');
  EXPECT_THAT(refused(bad), HasSubstr("another library"));
  bad = *good;
  bad["extra"] = 1;
  EXPECT_THAT(refused(bad), HasSubstr("extra"));
  ASSERT_TRUE(WriteFile(options.out, "{").ok());
  EXPECT_THAT(Message(Run(options).status()), HasSubstr("state.json"));
}

}  // namespace
}  // namespace cts
