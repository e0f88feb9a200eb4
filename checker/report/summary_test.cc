#include "checker/report/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "checker/judge/suite_on_disk.h"

namespace cts {
namespace {

using ::testing::ElementsAre;
using namespace testing_suite;

CaseReport Reported(const std::string& op, std::map<std::string, std::string> types,
                    std::vector<std::vector<std::string>> profiles, std::vector<RuleKind> rules,
                    Verdict verdict) {
  CaseReport c;
  c.op = op;
  c.types = std::move(types);
  c.profiles = std::move(profiles);
  c.rules = std::move(rules);
  c.verdict = verdict;
  return c;
}

Report Sample() {
  Report report;
  report.cases = {
      Reported("ADD", {{"in_out_t", "i32"}}, {{"PRO-INT"}, {"PRO-FP"}}, {RuleKind::kExact},
               Verdict::kPass),
      Reported("ADD", {{"in_out_t", "fp32"}}, {{"PRO-FP"}}, {RuleKind::kUlp}, Verdict::kFail),
      Reported("CAST", {{"in_t", "fp16"}, {"out_t", "i8"}}, {{"PRO-FP", "EXT-X"}},
               {RuleKind::kExact, RuleKind::kInterval}, Verdict::kTimeout),
      Reported("CONST", {{"out_t", "i8"}}, {{"PRO-FP"}}, {}, Verdict::kPass),
      Reported("COND_IF", {}, {}, {RuleKind::kExact}, Verdict::kMissing),
  };
  report.cases[3].outcome = Outcome::kError;
  return report;
}

std::vector<std::string> Rows(const Summary& summary) {
  std::vector<std::string> rows;
  for (const Group& group : summary.groups) {
    rows.push_back(StrCat(group.name, " ", group.cases, " ", group.counts[0]));
  }
  return rows;
}

TEST(Summary, GroupsByOperator) {
  const Summary summary = Summarize(Sample(), GroupBy::kOperator);
  EXPECT_TRUE(summary.partition);
  EXPECT_THAT(Rows(summary), ElementsAre("ADD 2 1", "CAST 1 0", "COND_IF 1 0", "CONST 1 1"));
  EXPECT_EQ(summary.groups[0].counts[static_cast<size_t>(Verdict::kFail)], 1);
}

TEST(Summary, GroupsByWhatGoesInOrElseComesOut) {
  const Summary summary = Summarize(Sample(), GroupBy::kType);
  EXPECT_TRUE(summary.partition);
  EXPECT_THAT(Rows(summary), ElementsAre("fp16 1 0", "fp32 1 0", "i32 1 1", "i8 1 1", "none 1 0"));
}

TEST(Summary, CountsACaseUnderEachAlternativeProfileAndSaysSo) {
  const Summary summary = Summarize(Sample(), GroupBy::kProfile);
  EXPECT_FALSE(summary.partition);
  EXPECT_THAT(Rows(summary),
              ElementsAre("EXT-X and PRO-FP 1 0", "PRO-FP 3 2", "PRO-INT 1 1", "any 1 0"));
}

TEST(Summary, CountsACaseUnderTheRuleOfEachOutputAndErrorCasesApart) {
  const Summary summary = Summarize(Sample(), GroupBy::kRule);
  EXPECT_FALSE(summary.partition);
  EXPECT_THAT(Rows(summary), ElementsAre("error 1 1", "exact 3 1", "interval 1 0", "ulp 1 0"));
}

TEST(Summary, OfASuiteAddsUpToTheManifestWhateverBecameOfTheCases) {
  const Directory root;
  const Suite suite =
      WriteSuite(root / "suite", {IntegerCase("identity/a"), IntegerCase("identity/b"),
                                  FloatCase("identity/c", {1, 2}), ErrorCase("identity/d")});
  WriteRun(root / "results", suite.digest);
  WriteOutput(root / "results", "identity/a", Integers({10, 20, 30, 40}));
  WriteResult(root / "results", "identity/b", {{"status", "crash"}});
  const StatusOr<Report> report =
      CheckSuite({.suite = root / "suite", .results = root / "results"});
  ASSERT_TRUE(report.ok()) << Message(report.status());
  for (GroupBy by : kGroupings) {
    const Summary summary = Summarize(*report, by);
    EXPECT_TRUE(summary.partition) << Name(by);
    int cases = 0;
    VerdictCounts counts{};
    for (const Group& group : summary.groups) {
      cases += group.cases;
      for (size_t i = 0; i < counts.size(); ++i) counts[i] += group.counts[i];
      EXPECT_EQ(std::accumulate(group.counts.begin(), group.counts.end(), 0), group.cases);
    }
    EXPECT_EQ(cases, 4) << Name(by);
    EXPECT_EQ(counts, CountVerdicts(*report)) << Name(by);
  }
  // Rules are known of cases without a result, too.
  EXPECT_THAT(Rows(Summarize(*report, GroupBy::kRule)),
              ElementsAre("error 1 0", "exact 2 1", "ulp 1 0"));
}

}  // namespace
}  // namespace cts
