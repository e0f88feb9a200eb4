#include "tools/program/sweep/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>

#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/numeric/vector_targets_testing.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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
  EXPECT_EQ(VerdictOf(summary->report), SweepVerdict::kNonconforming);
  ASSERT_EQ(summary->report.refused.size(), 1);
  EXPECT_EQ(summary->report.refused[0].element.input, 0x3fa0'0000);
  EXPECT_FALSE(summary->report.refused[0].accepted);
  EXPECT_GT(summary->report.refused[0].of_bound, 1);
  EXPECT_THAT(FormatSweep(summary->report), HasSubstr("0x3fa00000  ->"));
}

// The plugin ends where the specification leaves the result open, and may do so.
TEST_F(SweepTest, DoesNotAskWhatTheSpecificationLeavesOpen) {
  SweepOptions options = Options("ABS");
  options.question.type = "i32";
  options.range = SweepRange{0x7fff'0000, 0x8000'ffff};
  StatusOr<SweepSummary> summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(VerdictOf(summary->report), SweepVerdict::kPassed);
  EXPECT_EQ(summary->report.totals.undefined, 1);
  EXPECT_EQ(summary->report.totals.accepted, (1 << 17) - 1);
  // Its neighbour is asked.
  setenv("SWEEP_FAULT", "wrong:80000001", 1);
  summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->report.totals.rejected, 1);
  unsetenv("SWEEP_FAULT");

  options.question = {"LOGICAL_RIGHT_SHIFT", "i8", "", "tosa-1.0", {}};
  options.range.reset();
  summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(VerdictOf(summary->report), SweepVerdict::kConformant);
  EXPECT_EQ(summary->report.totals.accepted, 256 * 8);
  EXPECT_EQ(summary->report.totals.undefined, 256 * 248);
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
  for (const auto& [fault, kind, message] : {
           std::tuple("crash", "crash", "was killed by signal 6 (Aborted) before it answered: "),
           std::tuple("crash", "crash", ": Aborted in execute"),
           std::tuple("exit", "crash",
                      "its process exited with code 0 before it answered: the plugin called exit "
                      "in execute"),
           std::tuple("_exit", "crash", "its process exited with code 0 before it answered"),
           std::tuple("closes", "crash", "answered: the plugin closed descriptors of its host"),
           std::tuple("throw", "crash",
                      "a C++ exception came out of execute: thrown by the plugin"),
           std::tuple("forge", "crash", "wrote into the answers of its host"),
           std::tuple("refuse", "refused", "execute returned FAILED: this one not"),
           std::tuple("short", "refused", "says that it wrote 1 bytes to output 0 (output), exp"),
           std::tuple("input", "crash", "execute, which wrote to input 0 (input1)"),
           std::tuple("graph", "crash", "execute, which wrote to the graph"),
           std::tuple("behind", "refused",
                      "execute wrote at byte 4 of output 0 (output), which has 4 bytes"),
           std::tuple("before", "refused", "bytes before output 0 (output), which has 4 bytes"),
           std::tuple("far-behind", "crash", "64 bytes behind the end of output 0 (output)"),
       }) {
    SCOPED_TRACE(fault);
    setenv("SWEEP_FAULT", StrCat(fault, ":3f812345").c_str(), 1);
    SweepOptions options = Options();
    options.range = SweepRange{0x3f80'0000, 0x3f82'ffff};
    const StatusOr<SweepSummary> summary = Run(options);
    ASSERT_TRUE(summary.ok()) << summary.status();
    ASSERT_EQ(summary->report.totals.faults.size(), 1);
    const SweepFault& found = summary->report.totals.faults[0];
    EXPECT_EQ(found.first, 0x3f81'0000);
    EXPECT_EQ(found.last, 0x3f81'ffff);
    EXPECT_EQ(found.guilty_first, 0x3f81'2345);
    EXPECT_EQ(found.guilty_last, 0x3f81'2345);
    EXPECT_EQ(Name(found.kind), kind);
    EXPECT_THAT(found.message, HasSubstr(message));
    EXPECT_THAT(found.message, testing::StartsWith("EXP of sweep test: "));
    EXPECT_EQ(summary->report.totals.unanswered, 1 << 16);
    EXPECT_EQ(summary->report.totals.accepted, 2 << 16);
    EXPECT_EQ(VerdictOf(summary->report), SweepVerdict::kNonconforming);
    EXPECT_THAT(FormatSweep(summary->report), HasSubstr("input 0x3f812345"));
  }
}

// Sweeps few inputs, since finding one takes many seconds.
TEST_F(SweepTest, NamesTheInputAtWhichThePluginHangs) {
  setenv("SWEEP_FAULT", "hang:3f812345", 1);
  SweepOptions options = Options();
  options.range = SweepRange{0x3f81'2340, 0x3f81'2347};
  options.timeout_seconds = 1;
  const StatusOr<SweepSummary> summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  ASSERT_EQ(summary->report.totals.faults.size(), 1);
  const SweepFault& found = summary->report.totals.faults[0];
  EXPECT_EQ(found.guilty_first, 0x3f81'2345);
  EXPECT_EQ(found.guilty_last, 0x3f81'2345);
  EXPECT_EQ(Name(found.kind), "timeout");
  EXPECT_EQ(found.message, "EXP of sweep test: no answer within 1 seconds");
  EXPECT_EQ(summary->report.totals.unanswered, 8);
}

TEST_F(SweepTest, LetsNobodyWriteToConstants) {
  setenv("SWEEP_FAULT", "zero-point:3f812345", 1);
  SweepOptions options = Options("NEGATE");
  options.range = SweepRange{0x3f81'0000, 0x3f81'ffff};
  const StatusOr<SweepSummary> summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  ASSERT_EQ(summary->report.totals.faults.size(), 1);
  EXPECT_THAT(summary->report.totals.faults[0].message, HasSubstr("input1_zp"));
  EXPECT_THAT(summary->report.totals.faults[0].message, HasSubstr("execute, which wrote to "));
}

TEST_F(SweepTest, FindsOutputsThatAreWrittenWhenTheCallIsOver) {
  setenv("SWEEP_FAULT", "late:3f812345", 1);
  SweepOptions options = Options();
  options.range = SweepRange{0x3f81'0000, 0x3f82'ffff};
  options.jobs = 1;
  const StatusOr<SweepSummary> summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  ASSERT_EQ(summary->report.totals.faults.size(), 1);
  EXPECT_THAT(summary->report.totals.faults[0].message,
              HasSubstr("EXP of sweep test: the output of the call before was written to after"));
}

// A process that the plugin forks never answers, and its output is never seen.
TEST_F(SweepTest, TakesEveryAnswerForItsOwnQuestionOnly) {
  for (const char* fault : {"fork:3f812345", "fork-late:3f812345"}) {
    setenv("SWEEP_FAULT", fault, 1);
    SweepOptions options = Options();
    options.range = SweepRange{0x3f80'0000, 0x3f82'ffff};
    options.jobs = 1;
    const StatusOr<SweepSummary> summary = Run(options);
    ASSERT_TRUE(summary.ok()) << summary.status();
    EXPECT_EQ(summary->report.totals.accepted, 3 << 16);
    EXPECT_TRUE(summary->report.totals.faults.empty());
  }
}

TEST_F(SweepTest, RejectsWhatWasNotWritten) {
  setenv("SWEEP_FAULT", "silent:3f812345", 1);
  SweepOptions options = Options();
  options.range = SweepRange{0x3f81'0000, 0x3f81'ffff};
  const StatusOr<SweepSummary> summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->report.totals.rejected, 1);
  // The binade from 1 to 2 has it, and all that was asked.
  const SweepCurve& curve = summary->report.totals.curve;
  ASSERT_EQ(curve.rejected.size(), 512);
  EXPECT_EQ(curve.rejected[127], 1);
  for (size_t segment = 0; segment < 512; ++segment) {
    EXPECT_EQ(curve.greatest[segment] > 0, segment == 127) << segment;
  }
  const std::string page = FormatSweepPage(summary->report);
  EXPECT_THAT(page, AllOf(HasSubstr("NOT CONFORMANT"), HasSubstr("default-src 'none'"),
                          HasSubstr("class=\"bar refused\" d=\"M479.375 200V"),
                          HasSubstr("<h2 id=\"rejected\">")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
}

// 0xff >> 0 is -1, which memory full of ones would be, too.
TEST_F(SweepTest, TakesNoFillingForAnInteger) {
  SweepOptions options = Options();
  options.question = {"LOGICAL_RIGHT_SHIFT", "i8", "", "tosa-1.0", {}};
  options.range.reset();
  setenv("SWEEP_FAULT", "silent:ff00", 1);
  const StatusOr<SweepSummary> summary = Run(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->report.totals.rejected, 1);
  ASSERT_EQ(summary->report.refused.size(), 1);
  EXPECT_EQ(summary->report.refused[0].element.input, 0xff00);
}

// Among others of a request, and for any number of jobs.
TEST_F(SweepTest, NamesTheBlockAmongThoseThatAreAskedAtOnce) {
  for (const auto& [fault, kind] : {std::pair("crash", "crash"), std::pair("refuse", "refused"),
                                    std::pair("forge", "crash"), std::pair("stray", "crash")}) {
    SCOPED_TRACE(fault);
    setenv("SWEEP_FAULT", StrCat(fault, ":3f9a2345").c_str(), 1);
    std::string one;
    for (const int jobs : {1, 3}) {
      SweepOptions options = Options();
      options.range = SweepRange{0x3f80'0000, 0x3f9f'ffff};
      options.jobs = jobs;
      const StatusOr<SweepSummary> summary = Run(options);
      ASSERT_TRUE(summary.ok()) << summary.status();
      ASSERT_EQ(summary->report.totals.faults.size(), 1);
      const SweepFault& found = summary->report.totals.faults[0];
      EXPECT_EQ(found.first, 0x3f9a'0000);
      EXPECT_EQ(found.guilty_first, 0x3f9a'2345);
      EXPECT_EQ(found.guilty_last, 0x3f9a'2345);
      EXPECT_EQ(Name(found.kind), kind);
      EXPECT_EQ(summary->report.totals.accepted, 31 << 16);
      if (jobs == 1) one = Report(*summary);
      EXPECT_EQ(Report(*summary), one);
    }
  }
}

// A plugin writes into an answer once in its life.
TEST_F(SweepTest, ForgetsNoFaultThatDoesNotComeAgain) {
  const fs::path mark = directory_ / "mark";
  setenv("SWEEP_FAULT", "once:3f9a2345", 1);
  setenv("SWEEP_MARK", mark.c_str(), 1);
  SweepOptions options = Options();
  options.range = SweepRange{0x3f80'0000, 0x3f9f'ffff};
  options.jobs = 1;
  const StatusOr<SweepSummary> summary = Run(options);
  unsetenv("SWEEP_MARK");
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_TRUE(fs::exists(mark));
  ASSERT_EQ(summary->report.totals.faults.size(), 1);
  EXPECT_THAT(summary->report.totals.faults[0].message,
              HasSubstr("wrote into the answers of its host"));
  EXPECT_EQ(summary->report.totals.unanswered, 1 << 16);
  EXPECT_EQ(summary->report.totals.accepted, 31 << 16);
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
  EXPECT_EQ(VerdictOf(summary->report), SweepVerdict::kNonconforming);
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
  EXPECT_EQ(VerdictOf(summary->report), SweepVerdict::kNonconforming);
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

// The whole report, of a plugin that is wrong at one input of three or more: infinities, subnormal
// numbers, and what the filter leaves to the reference are among these.
TEST_F(SweepTest, IsTheSameOnEveryInstructionSet) {
  for (const auto& [op, first, steps] :
       {std::tuple("COS", 0x3f7f'fff0u, 60'000), std::tuple("ERF", 0x3f7f'fff0u, 24),
        std::tuple("EXP", 0x42b0'0000u, 400), std::tuple("RECIPROCAL", 0x007f'8000u, 4),
        std::tuple("SIN", 0x3f7f'fff0u, 60'000), std::tuple("TANH", 0x3c00'0001u, 300)}) {
    SCOPED_TRACE(op);
    setenv("SWEEP_FAULT", StrCat("rough+", steps, ":0").c_str(), 1);
    SweepOptions options = Options(op);
    options.range = SweepRange{first, first + 0x1'8000};
    std::string expected;
    int targets = 0;
    OnEveryTarget([&] {
      options.jobs = 1 + ++targets % 3;
      const StatusOr<SweepSummary> summary = Run(options);
      ASSERT_TRUE(summary.ok()) << summary.status();
      const SweepTotals& totals = summary->report.totals;
      EXPECT_GT(totals.by_filter, 10'000);
      EXPECT_GT(totals.by_reference, 10'000);
      EXPECT_GT(totals.accepted, 10'000);
      EXPECT_GT(totals.rejected, 10'000);
      if (expected.empty()) expected = Report(*summary);
      EXPECT_EQ(Report(*summary), expected);
    });
    EXPECT_GT(targets, 1);
  }
}

TEST_F(SweepTest, RefusesStatesThatContradictThemselves) {
  // 4096 results in two blocks; every third or so is rejected. Another block has no rejected
  // results.
  SweepOptions options = Options("RECIPROCAL");
  options.range = SweepRange{0x3f7f'f800, 0x3f80'07ff};
  setenv("SWEEP_FAULT", "rough+4:0", 1);
  options.out = directory_ / "state.json";
  ASSERT_TRUE(Run(options).ok());
  options.resume = true;
  ASSERT_TRUE(Run(options).ok());  // done already
  const StatusOr<Json> good = LoadJson(options.out, "sweep");
  ASSERT_TRUE(good.ok());
  ASSERT_GT((*good)["rejected"], 10);
  ASSERT_GT((*good)["accepted"], 10);
  ASSERT_EQ((*good)["refused"].size(), 10);
  const uint64_t first = 0x3f7f'f800, last = 0x3f80'07ff;
  const auto read = [&](const char* pointer) { return (*good)[Json::json_pointer(pointer)]; };
  const auto plus = [&](const char* pointer) { return Json(read(pointer).get<uint64_t>() + 1); };
  const auto right = std::bit_cast<uint32_t>(
      std::strtof(read("/refused/0/reference").get<std::string>().c_str(), nullptr));
  const Json fault = {{"block", {first, 0x3f7f'ffff}},
                      {"inputs", {first, first}},
                      {"input", ""},
                      {"kind", "crash"},
                      {"message", ""}};
  struct Change {
    const char* pointer;
    Json value;
    const char* message;
  };
  for (const std::vector<Change>& changes : std::vector<std::vector<Change>>{
           {{"/size", 65536, "/size: found 65536, expected 4294967296"}},
           {{"/assigned/0", last + 1, "/assigned: found "}},
           {{"/done/0/1", last + 1, "/done/0: found "}},
           {{"/done/0/0", first - 1, "/done/0: found "}},
           {{"/done", {{first, first + 9}, {first + 10, last}}, "/done/1: found "}},
           {{"/done/0/1", last - 1, "/inputs: found 4096, expected 4095, as many as `done` has"}},
           {{"/inputs", 5, "/inputs: found 5, expected 4096"}},
           {{"/accepted", plus("/accepted"), "/inputs: found 4096, expected 4097, the sum of"}},
           {{"/rejected", plus("/rejected"), "/inputs: found 4096, expected 4097, the sum of"}},
           {{"/unanswered", 1, "/inputs: found 4096, expected 4097, the sum of"}},
           {{"/accepted", 4096, ""},
            {"/rejected", 0, "/refused: found 10 examples, expected 0, for 0 rejected"}},
           {{"/by_filter", plus("/by_filter"), "/by_filter: found "}},
           {{"/by_reference", plus("/by_reference"), "/by_filter: found "}},
           {{"/accepted", read("/accepted").get<uint64_t>() - 1, ""},
            {"/undefined", 1, ""},
            {"/by_reference", read("/by_reference").get<uint64_t>() - 1,
             "/undefined: found 1, expected 0: RECIPROCAL is defined everywhere"}},
           {{"/ulps/1/count", plus("/ulps/1/count"), "/ulps: found 4097 errors, expected 4096"}},
           {{"/ulps/1/error", "x", "/ulps/1/error: found x, expected "}},
           {{"/generator", "0.0.9", "/generator: found 0.0.9, expected "}},
           {{"/filter_resolution_ulp", 0.5, "/filter_resolution_ulp: found 0.5"}},
           {{"/worst/2/index", last + 1, "/worst/"}},
           {{"/worst/0/measured_ulp", 0.125, "/worst/0/index: found "}},
           {{"/worst/9/measured_ulp", "inf", "/worst: found 10 examples, expected 9"}},
           {{"/worst/0/bits", 0x1'0000'0000, "/worst/0/bits: found 4294967296"}},
           {{"/worst/1", read("/worst/0"), "/worst/1/index: found "}},
           {{"/refused/0/index", 0xffff'ffff, "/refused/0/index: found 4294967295"}},
           {{"/refused/3/index", read("/refused/4/index"), "/refused/4/index: found "}},
           {{"/refused", Json::array(), "/refused: found 0 examples, expected 10, for "}},
           {{"/refused/0/bits", right, "/refused/0: found a result that the rule accepts"}},
           {{"/keeps_subnormals", read("/worst/0"), ""},
            {"/keeps_subnormals/index", 7, "/keeps_subnormals"}},
           {{"/flushes_subnormals", read("/worst/0"), ""},
            {"/flushes_subnormals/index", 7, "/flushes_subnormals"}},
           {{"/faults/0", fault, "/unanswered: found 0, expected 2048"}},
           {{"/faults/0", fault, ""}, {"/faults/0/block/1", last, "/faults/0/block: found "}},
           {{"/faults/0", fault, ""}, {"/faults/0/inputs/1", last, "/faults/0/inputs: found "}},
           {{"/faults/0", fault, ""}, {"/faults/1", fault, "/faults/1/block: found "}},
           {{"/verdict", "passed", "/verdict: found passed, expected not_conformant"}},
           {{"/question/operator", "EXPO", "/question: --operator: found \"EXPO\""}},
           {{"/question/operator", "CEIL", "state.json"}},
           {{"/implementation/digest", std::string(64, '0'), "another library"}},
           {{"/extra", 1, "extra"}},
       }) {
    SCOPED_TRACE(StrCat(changes.back().pointer, " ", changes.back().message));
    Json bad = *good;
    for (const Change& change : changes) {
      Json value = change.value;
      if (std::string_view(change.pointer).ends_with("subnormals")) {
        for (const char* name : {"accepted", "value", "reference", "ulp", "of_bound"}) {
          value.erase(name);
        }
      }
      bad[Json::json_pointer(change.pointer)] = value;
    }
    ASSERT_TRUE(SaveJson(options.out, bad).ok());
    const std::string message = Message(Run(options).status());
    EXPECT_THAT(message, HasSubstr("state.json"));
    EXPECT_THAT(message, HasSubstr(changes.back().message));
  }
  ASSERT_TRUE(SaveJson(options.out, *good).ok());
  EXPECT_TRUE(Run(options).ok());
  ASSERT_TRUE(WriteFile(options.out, "{").ok());
  EXPECT_THAT(Message(Run(options).status()), HasSubstr("state.json"));
}

TEST_F(SweepTest, GoesOnWithWholeBlocksOnly) {
  SweepOptions options = Options();
  std::vector<fs::path> parts;
  for (const SweepRange range : {SweepRange{0, 9}, SweepRange{20, 29}}) {
    options.range = range;
    options.out = directory_ / StrCat(range.first, ".json");
    ASSERT_TRUE(Run(options).ok());
    parts.push_back(options.out);
  }
  const StatusOr<SweepReport> merged = MergeSweeps(parts);
  ASSERT_TRUE(merged.ok()) << merged.status();
  options.range = SweepRange{0, 29};
  options.out = directory_ / "merged.json";
  options.resume = true;
  ASSERT_TRUE(SaveJson(options.out, SweepReportToJson(*merged)).ok());
  EXPECT_TRUE(ReadSweepReport(options.out).ok());
  EXPECT_THAT(Message(Run(options).status()), HasSubstr("expected whole blocks of 65536"));
}

}  // namespace
}  // namespace cts
