#include "tools/program/sweep/sweep_all.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

#include "reference/base/file.h"
#include "tools/program/sweep/sweep_domain.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> Stems(const std::string& type, const std::string& in_type) {
  const auto questions = SweepQuestions("tosa-1.0", type, in_type);
  EXPECT_TRUE(questions.ok()) << questions.status();
  std::vector<std::string> stems;
  for (const SweepQuestion& question : *questions) stems.push_back(StemOf(question));
  return stems;
}

// The operators of the specification with one operand of fp32 and a result of fp32.
TEST(SweepQuestionsTest, AreAllUnaryOperatorsOfFp32) {
  EXPECT_THAT(
      Stems("fp32", "fp32"),
      ElementsAre("CLAMP.fp32.max_val-6.min_val-0.nan_mode-PROPAGATE",
                  "CLAMP.fp32.max_val-6.min_val-0.nan_mode-IGNORE", "ERF.fp32", "SIGMOID.fp32",
                  "TANH.fp32", "ABS.fp32", "CEIL.fp32", "COS.fp32", "EXP.fp32", "FLOOR.fp32",
                  "LOG.fp32", "NEGATE.fp32", "RECIPROCAL.fp32", "RSQRT.fp32", "SIN.fp32"));
}

TEST(SweepQuestionsTest, AreCastsFromEveryType) {
  EXPECT_THAT(Stems("fp8e4m3", ""),
              ElementsAre("CAST.fp16-fp8e4m3", "CAST.bf16-fp8e4m3", "CAST.fp32-fp8e4m3"));
}

TEST(SweepQuestionsTest, ArePairsOf16BitsAndBothWaysToRound) {
  EXPECT_THAT(Stems("i16", "i16"),
              testing::IsSupersetOf({"ARITHMETIC_RIGHT_SHIFT.i16.round-false",
                                     "ARITHMETIC_RIGHT_SHIFT.i16.round-true", "BITWISE_AND.i16"}));
}

TEST(SweepQuestionsTest, HaveFilesOfTheirOwn) {
  const std::vector<std::string> stems = Stems("", "");
  EXPECT_EQ(std::set<std::string>(stems.begin(), stems.end()).size(), stems.size());
  EXPECT_GT(stems.size(), 100);
}

// A sweep asks exactly for the inputs that have a result.
TEST(SweepQuestionsTest, AskAllThatIsDefinedAndNothingElse) {
  for (const char* const edition : {"tosa-1.0", "tosa-0.100"}) {
    const StatusOr<std::vector<SweepQuestion>> questions = SweepQuestions(edition, "", "");
    ASSERT_TRUE(questions.ok()) << questions.status();
    int open = 0;
    for (const SweepQuestion& question : *questions) {
      const StatusOr<SweepDomain> domain = SweepDomain::Of(question);
      ASSERT_TRUE(domain.ok()) << domain.status();
      // All 2^16 in steps; of 2^32 the ends of signs and exponents.
      std::vector<uint64_t> inputs;
      for (uint64_t i = 0; i < domain->size(); i += domain->size() >> 8) {
        for (uint64_t k : {0, 1, 7, 8, 9, 15, 16, 17, 128, 255}) inputs.push_back(i ^ k);
        inputs.push_back(i + ((domain->size() >> 8) - 1));
      }
      std::vector<uint64_t> defined, undefined;
      for (const uint64_t i : inputs) {
        const bool is_defined = domain->Defined(i % domain->size());
        (is_defined ? defined : undefined).push_back(i % domain->size());
      }
      open += undefined.empty() ? 0 : 1;
      EXPECT_TRUE(domain->Expect(domain->Operands(defined)).ok()) << StemOf(question);
      for (size_t k = 0; k < undefined.size(); k += 1 + undefined.size() / 50) {
        EXPECT_FALSE(domain->Expect(domain->Operands({undefined[k]})).ok())
            << StemOf(question) << " " << domain->Describe(undefined[k]);
      }
    }
    EXPECT_GT(open, 10) << edition;
  }
}

TEST(SweepQuestionsTest, NameATypeThatThereIsNot) {
  EXPECT_THAT(SweepQuestions("tosa-1.0", "fp33", "").status().message(),
              HasSubstr("--type: found \"fp33\", expected a type such as fp32"));
  EXPECT_THAT(SweepQuestions("tosa-9.0", "", "").status().message(), HasSubstr("tosa-9.0"));
}

class SweepAllTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              StrCat("sweep-all-", getpid(), "-",
                     testing::UnitTest::GetInstance()->current_test_info()->name());
    unsetenv("SWEEP_FAULT");
  }
  void TearDown() override {
    fs::remove_all(folder_);
    unsetenv("SWEEP_FAULT");
  }

  // A block of each unary operator of fp32.
  StatusOr<SweepAllSummary> Run(bool resume = false, std::optional<Shard> shard = std::nullopt,
                                SweepRange range = {0x3fa0'0000, 0x3fa0'0fff}, int jobs = 0) {
    SweepOptions options;
    options.question = {"", "fp32", "fp32", "tosa-1.0", {}};
    options.plugin = CTS_SWEEP_PLUGIN;
    options.executable = CTS_EXECUTABLE;
    options.range = range;
    options.jobs = jobs;
    options.resume = resume;
    options.shard = shard;
    return RunAllSweeps(
        options, folder_, [this](const SweepQuestion&, size_t, size_t) { ++begun_; },
        [this](uint64_t, uint64_t) { ++blocks_; });
  }

  fs::path folder_;
  int begun_ = 0, blocks_ = 0;
};

TEST_F(SweepAllTest, SaysWhatIsNotOfferedAndGoesOn) {
  const StatusOr<SweepAllSummary> summary = Run();
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(begun_, 15);
  EXPECT_EQ(VerdictOf(*summary), SweepAllVerdict::kNothingWrong);
  // CEIL, COS, ERF, EXP, NEGATE, RECIPROCAL, SIN and TANH; not ABS, FLOOR, LOG, ...
  EXPECT_THAT(
      FormatAllSweeps(*summary),
      AllOf(HasSubstr("7 not offered, 8 passed, of these inputs\n"), HasSubstr("NOTHING WRONG: ")));
  EXPECT_TRUE(fs::exists(folder_ / "EXP.fp32.json"));
  EXPECT_FALSE(fs::exists(folder_ / "ABS.fp32.json"));
  const StatusOr<std::string> page = ReadFile(folder_ / "index.html");
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(*page, AllOf(HasSubstr("href=\"EXP.fp32.html\""), Not(HasSubstr("ABS.fp32.html"))));
}

TEST_F(SweepAllTest, FindsWhatIsWrong) {
  setenv("SWEEP_FAULT", "wrong+2000000:3fa00000", 1);
  const StatusOr<SweepAllSummary> summary = Run();
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(VerdictOf(*summary), SweepAllVerdict::kNonconforming);
  EXPECT_THAT(FormatAllSweeps(*summary),
              AllOf(HasSubstr("8 NOT CONFORMANT"), HasSubstr("\nNOT CONFORMANT\n")));
}

// Every block of every operator crashes: each sweep gives up, and the next one begins.
TEST_F(SweepAllTest, GoesOnAfterWhatItGaveUp) {
  setenv("SWEEP_FAULT", "always:0", 1);
  const StatusOr<SweepAllSummary> summary =
      Run(false, Shard{2, 5}, SweepRange{0x3f80'0000, 0x3f9f'ffff}, 3);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_FALSE(summary->interrupted);
  // CLAMP, which is not offered, CEIL and NEGATE.
  EXPECT_EQ(summary->outcomes.size(), 3);
  EXPECT_EQ(VerdictOf(*summary), SweepAllVerdict::kNonconforming);
  EXPECT_THAT(FormatAllSweeps(*summary), HasSubstr("NOT CONFORMANT, given up"));
}

TEST_F(SweepAllTest, NamesAFolderThatIsOccupiedBeforeItBegins) {
  fs::create_directories(folder_);
  ASSERT_TRUE(WriteFile(folder_ / "SIN.fp32.json", "{}").ok());
  EXPECT_THAT(Run().status().message(),
              AllOf(HasSubstr("SIN.fp32.json: exists"), HasSubstr("--resume")));
  EXPECT_EQ(begun_, 0);
  EXPECT_THAT(Run(false, Shard{20, 20}).status().message(),
              HasSubstr("found 20 shards, expected at most 15"));
}

TEST_F(SweepAllTest, TakesWhatIsFinishedAsItIs) {
  ASSERT_TRUE(Run().ok());
  const StatusOr<std::string> page = ReadFile(folder_ / "index.html");
  blocks_ = 0;
  const StatusOr<SweepAllSummary> again = Run(true);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(blocks_, 0);
  EXPECT_EQ(*ReadFile(folder_ / "index.html"), *page);
  EXPECT_THAT(Run().status().message(), HasSubstr("exists; go on with it by --resume"));
}

TEST_F(SweepAllTest, ShardsTogetherAreTheWhole) {
  for (int k = 1; k <= 3; ++k) {
    const StatusOr<SweepAllSummary> part = Run(false, Shard{k, 3});
    ASSERT_TRUE(part.ok()) << part.status();
    EXPECT_EQ(part->outcomes.size(), 5);
  }
  blocks_ = 0;
  const StatusOr<SweepAllSummary> all = Run(true);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(blocks_, 0);
  EXPECT_EQ(all->outcomes.size(), 15);
}

}  // namespace
}  // namespace cts
