#include "checker/report/causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "checker/report/report.h"

namespace cts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

CaseReport CaseOf(const std::string& id, const std::string& op, Verdict verdict,
                  const std::string& message, const std::string& type = "i8") {
  CaseReport c;
  c.id = id;
  c.op = op;
  c.verdict = verdict;
  c.message = message;
  c.types["in_t"] = type;
  return c;
}

CaseReport WrongValue(const std::string& id, const std::string& clause, const std::string& type) {
  CaseReport c = CaseOf(id, "ADD", Verdict::kFail, "output out, element " + id, type);
  OutputReport output;
  output.verdict = Verdict::kFail;
  output.rule.clause = clause;
  output.rule.kind = RuleKind::kUlp;
  c.outputs.push_back(output);
  return c;
}

Report ReportOf(std::vector<CaseReport> cases) {
  Report report;
  report.results_path = "results";
  report.cases = std::move(cases);
  return report;
}

TEST(Gist, LeavesOutWhatDiffersFromCaseToCase) {
  EXPECT_EQ(Gist("exit code 3, at 0x7f3a: no kernel for [2,3]", "add/a"),
            "exit code #, at #: no kernel for #");
  EXPECT_EQ(Gist("cannot open /tmp/a-1/b.npy (of add/a-b)", "add/a-b"), "cannot open # (of #)");
  EXPECT_EQ(Gist("no kernel for CONV", "add/a"), "no kernel for CONV");
  EXPECT_EQ(Gist("", ""), "");
}

TEST(CausesOf, PutsCasesOfOneClauseTogetherWhateverTheirValues) {
  const Report report = ReportOf(
      {WrongValue("add/1", "Clause A", "i8"), WrongValue("add/2", "Clause B", "fp32"),
       WrongValue("add/3", "Clause B: KS = 36, ksb = 37", "fp32"),
       WrongValue("add/4", "Clause B", "fp16"), CaseOf("add/5", "ADD", Verdict::kPass, "")});
  const std::vector<Cause> causes = CausesOf(report);
  ASSERT_EQ(causes.size(), 2u);
  EXPECT_EQ(causes[0].gist, "rule ulp: Clause B");
  EXPECT_EQ(causes[0].cases.size(), 3u);
  EXPECT_EQ(causes[0].cases.front()->id, "add/2");
  EXPECT_THAT(causes[0].types, ElementsAre(Pair("fp16", 1), Pair("fp32", 2)));
  EXPECT_EQ(causes[1].gist, "rule ulp: Clause A");
}

TEST(CausesOf, TellsOperatorsConditionsAndWordsApart) {
  CaseReport rank =
      CaseOf("add/error-1", "ADD", Verdict::kWrongOutcome, "expected error (add.rank)");
  rank.condition = "add.rank";
  CaseReport type =
      CaseOf("add/error-2", "ADD", Verdict::kWrongOutcome, "expected error (add.type)");
  type.condition = "add.type";
  const Report report =
      ReportOf({rank, type, CaseOf("add/a", "ADD", Verdict::kCrash, "exit code 1"),
                CaseOf("add/b", "ADD", Verdict::kCrash, "exit code 2"),
                CaseOf("add/c", "ADD", Verdict::kCrash, "ended by SIGSEGV"),
                CaseOf("mul/a", "MUL", Verdict::kCrash, "exit code 1")});
  std::vector<std::string> found;
  for (const Cause& cause : CausesOf(report)) {
    found.push_back(StrCat(cause.op, " ", cause.gist, " ", cause.cases.size()));
  }
  EXPECT_THAT(found, ElementsAre("ADD exit code # 2", "ADD add.rank 1", "ADD add.type 1",
                                 "ADD ended by SIGSEGV 1", "MUL exit code # 1"));
}

TEST(CausesOf, TellsTheLastWordsOfAnAdapterApart) {
  const std::string crash = "exited with code 1; the last line of its log: ";
  const Report report =
      ReportOf({CaseOf("add/a", "ADD", Verdict::kCrash, crash + "KeyError: 'pad'"),
                CaseOf("add/b", "ADD", Verdict::kCrash, crash + "TypeError: None"),
                CaseOf("add/c", "ADD", Verdict::kCrash, crash + "TypeError: None")});
  EXPECT_EQ(CausesOf(report).size(), 2u);
}

TEST(CausesOf, PutsWhatDidNotRunLastAndLeavesOutWhatIsNotSupported) {
  const Report report = ReportOf({CaseOf("add/a", "ADD", Verdict::kMissing, "did not run"),
                                  CaseOf("add/b", "ADD", Verdict::kMissing, "did not run"),
                                  CaseOf("add/c", "ADD", Verdict::kUnsupported, "no"),
                                  CaseOf("mul/a", "MUL", Verdict::kTimeout, "60 seconds")});
  const std::vector<Cause> causes = CausesOf(report);
  ASSERT_EQ(causes.size(), 2u);
  EXPECT_EQ(causes[0].op, "MUL");
  EXPECT_EQ(causes[1].cases.size(), 2u);
}

TEST(CausesOf, PutsLegalGraphsBeforeIllegalOnesOfMoreCases) {
  std::vector<CaseReport> cases;
  for (int i = 0; i < 9; ++i) {
    CaseReport c = CaseOf(StrCat("abs/error-", i), "ABS", Verdict::kWrongOutcome, "expected error");
    c.outcome = Outcome::kError;
    c.condition = i < 5 ? "abs.rank" : "abs.shape";
    cases.push_back(c);
  }
  // One crash in the same words on a legal graph makes the cause one of legal graphs.
  for (int i = 0; i < 3; ++i) {
    CaseReport c = CaseOf(StrCat("mul/", i), "MUL", Verdict::kCrash, "ended by SIGSEGV");
    if (i < 2) c.outcome = Outcome::kError;
    cases.push_back(c);
  }
  cases.push_back(WrongValue("add/1", "Clause A", "i8"));
  const Report report = ReportOf(std::move(cases));
  std::vector<std::string> found;
  for (const Cause& cause : CausesOf(report)) {
    found.push_back(StrCat(cause.cases.front()->id, " ", cause.cases.size()));
  }
  EXPECT_THAT(found, ElementsAre("mul/2 3", "add/1 1", "abs/error-0 5", "abs/error-5 4"));
  const std::string text = FormatText(report);
  EXPECT_THAT(text,
              HasSubstr("Failures: 13 cases, 4 causes, legal graphs first, the largest first\n"));
  EXPECT_LT(text.find("add/1"), text.find("abs/error-0"));
}

TEST(CausesOf, FitTheWidthThatIsAsked) {
  std::vector<CaseReport> cases;
  for (int i = 0; i < 40; ++i) {
    CaseReport c = CaseOf(StrCat("add/", i), "TRANSPOSE_CONV2D", Verdict::kCrash,
                          StrCat("kind ", std::string(static_cast<size_t>(i / 2 + 1), 'x'),
                                 " of words that go on and on until a line is full"));
    cases.push_back(c);
  }
  for (const size_t width : {50, 80, 100}) {
    const std::string text = FormatText(ReportOf(cases), {.width = width});
    EXPECT_THAT(text, HasSubstr("Failures: 40 cases, 20 causes, the largest first"));
    std::istringstream lines(text.substr(text.find("operator")));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
  }
  EXPECT_THAT(FormatText(ReportOf(cases), {.width = 50}), Not(HasSubstr("outcome")));
  EXPECT_THAT(FormatText(ReportOf(cases)), HasSubstr("outcome"));
}

}  // namespace
}  // namespace cts
