#include "tools/program/compare/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/judge/suite_on_disk.h"
#include "checker/report/report.h"
#include "reference/base/file.h"
#include "reference/base/json.h"

namespace cts {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// Four cases, each with the verdict that a letter says: p pass, f fail, u unsupported, m missing,
// and "." for a case that is not in the report.
Report ReportOf(const std::string& name, const std::string& verdicts) {
  Report report;
  report.suite.name = "test";
  report.suite.edition = "tosa";
  report.suite.level = "8K";
  report.suite.generator = "tensor-cts 0.1";
  report.suite.digest = std::string(64, '0');
  report.run.name = name;
  report.run.version = "1";
  report.run.command = name + " --worker";
  for (size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i] == '.') continue;
    CaseReport c;
    c.id = StrCat(i < 2 ? "abs/" : "clz/", i);
    c.op = i < 2 ? "ABS" : "CLZ";
    c.types = {{"in_out_t", i % 2 == 0 ? "i8" : "i32"}};
    c.verdict = verdicts[i] == 'p'   ? Verdict::kPass
                : verdicts[i] == 'f' ? Verdict::kFail
                : verdicts[i] == 'u' ? Verdict::kUnsupported
                : verdicts[i] == 'a' ? Verdict::kAccepted
                : verdicts[i] == 'd' ? Verdict::kDisputed
                                     : Verdict::kMissing;
    if (c.verdict != Verdict::kMissing) c.answered = CaseStatus::kOk;
    if (c.verdict != Verdict::kPass) c.message = StrCat("because of ", i);
    report.cases.push_back(c);
  }
  return report;
}

class CompareTest : public testing::Test {
 protected:
  std::filesystem::path Write(const std::string& file, const Report& report) {
    return Write(file, ReportToJson(report));
  }
  std::filesystem::path Write(const std::string& file, const Json& json) {
    EXPECT_TRUE(WriteFile(directory_ / file, FormatJson(json)).ok());
    return directory_ / file;
  }
  std::string Refusal(const std::vector<std::filesystem::path>& files) {
    const auto comparison = CompareReports(files);
    return comparison.ok() ? "" : Message(comparison.status());
  }

  testing_suite::Directory directory_;
};

std::vector<std::string> Ids(const std::vector<const ComparedCase*>& cases) {
  std::vector<std::string> ids;
  for (const ComparedCase* c : cases) ids.push_back(c->any().id);
  return ids;
}

TEST_F(CompareTest, SaysWhoIsRightWhereSomebodyIsWrong) {
  const auto comparison =
      CompareReports({Write("a", ReportOf("one", "pfpu")), Write("b", ReportOf("two", "ffpp")),
                      Write("c", ReportOf("three", "pp.m"))});
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  ASSERT_THAT(comparison->cases, SizeIs(4));
  EXPECT_EQ(comparison->cases[2].of[2], nullptr);
  EXPECT_EQ(comparison->RightWhereWrong(0, 1), 1);  // abs/0
  EXPECT_EQ(comparison->RightWhereWrong(1, 0), 0);
  EXPECT_EQ(comparison->RightWhereWrong(2, 0), 1);  // abs/1
  EXPECT_EQ(comparison->RightWhereWrong(2, 1), 2);
  // Both failures of ABS are in the same words.
  ASSERT_THAT(comparison->causes, SizeIs(1));
  EXPECT_THAT(comparison->causes[0].counts, ElementsAre(1, 2, 0));
  EXPECT_THAT(Ids(comparison->causes[0].cases), ElementsAre("abs/0", "abs/1"));
  const std::string text = FormatComparison(*comparison, 100);
  EXPECT_THAT(text, AllOf(HasSubstr("A  one 1: NOT CONFORMANT: 1 wrong, 1 not supported, 2 pass"),
                          HasSubstr("C  three 1: NOT CONFORMANT: 0 wrong, 1 without a result"),
                          HasSubstr("ABS, fail (A 1, B 2): because of 1\n"),
                          Not(HasSubstr("From A to B"))));
}

TEST_F(CompareTest, SaysWhatChangedFromTheFirstToTheSecond) {
  const auto comparison = CompareReports(
      {Write("before", ReportOf("npu", "ppfu")), Write("after", ReportOf("npu", "fppu"))});
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_THAT(Ids(comparison->Changed(Standing::kRight, Standing::kWrong)), ElementsAre("abs/0"));
  EXPECT_THAT(Ids(comparison->Changed(Standing::kWrong, Standing::kRight)), ElementsAre("clz/2"));
  EXPECT_THAT(FormatComparison(*comparison, 100),
              AllOf(HasSubstr("right -> wrong: 1 case\n    abs/0: because of 0\n"),
                    HasSubstr("wrong -> right: 1 case\n    clz/2\n"),
                    // One name twice: the files tell them apart.
                    HasSubstr("A  npu 1 (" + (directory_ / "before").string() + ")")));
  const auto same = CompareReports({directory_ / "after", directory_ / "after"});
  EXPECT_THAT(FormatComparison(*same, 100), HasSubstr("From A to B: every case counts as before"));
}

TEST_F(CompareTest, PutsLegalGraphsBeforeIllegalOnesOfMoreCases) {
  const auto accept_illegal = [](Report report) {
    for (size_t i = 0; i < 2; ++i) {
      report.cases[i].outcome = Outcome::kError;
      report.cases[i].condition = "abs.rank";
    }
    return report;
  };
  const auto comparison = CompareReports({Write("before", accept_illegal(ReportOf("npu", "pppp"))),
                                          Write("after", accept_illegal(ReportOf("npu", "fffp")))});
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  ASSERT_THAT(comparison->causes, SizeIs(2));
  EXPECT_THAT(Ids(comparison->causes[0].cases), ElementsAre("clz/2"));
  EXPECT_THAT(Ids(comparison->causes[1].cases), ElementsAre("abs/0", "abs/1"));
  EXPECT_THAT(Ids(comparison->Changed(Standing::kRight, Standing::kWrong)),
              ElementsAre("clz/2", "abs/0", "abs/1"));
  EXPECT_THAT(FormatComparison(*comparison, 100),
              HasSubstr("2 causes, the gravest first\n  CLZ, fail (B 1): because of 2\n"));
}

TEST_F(CompareTest, JsonFitsItsSchema) {
  const auto comparison =
      CompareReports({Write("a", ReportOf("one", "pfpu")), Write("b", ReportOf("two", "ffpp"))});
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  const Json json = ComparisonToJson(*comparison);
  EXPECT_TRUE(ValidateJson(json, "comparison", "").ok()) << ValidateJson(json, "comparison", "");
  // The comparison is silent on clz/2: both pass.
  EXPECT_EQ(json["cases"], Json::parse(R"([
      {"id": "abs/0", "verdicts": ["pass", "fail"]},
      {"id": "abs/1", "verdicts": ["fail", "fail"]},
      {"id": "clz/3", "verdicts": ["unsupported", "pass"]}])"));
  EXPECT_EQ(json["changes"], Json::parse(R"([
      {"from": "right", "to": "wrong", "cases": ["abs/0"]},
      {"from": "not_supported", "to": "right", "cases": ["clz/3"]}])"));
  EXPECT_EQ(json["reports"][1]["standings"], Json({{"right", 2},
                                                   {"wrong", 2},
                                                   {"not_supported", 0},
                                                   {"not_run", 0},
                                                   {"not_shown", 0},
                                                   {"not_checked", 0},
                                                   {"disputed", 0}}));
}

// One is wrong at abs/1, and abs/0 decides nothing.
TEST_F(CompareTest, WhatIsDisputedStandsApart) {
  const auto comparison =
      CompareReports({Write("a", ReportOf("one", "dfpp")), Write("b", ReportOf("two", "pppp"))});
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_THAT(FormatComparison(*comparison, 100),
              testing::AllOf(HasSubstr("1 +1"),
                             HasSubstr("(behind the plus, too: not checked, disputed)\n")));
  const std::string page = ComparisonPage(*comparison, ComparedDetail::kSummary);
  EXPECT_THAT(page, HasSubstr(">disputed</th>"));
}

// An implementation that shows no values is neither right nor wrong where others are.
TEST_F(CompareTest, WhatShowsNoValuesStandsApart) {
  const auto comparison =
      CompareReports({Write("a", ReportOf("one", "aafp")), Write("b", ReportOf("two", "pfap"))});
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  const Json json = ComparisonToJson(*comparison);
  EXPECT_TRUE(ValidateJson(json, "comparison", "").ok()) << ValidateJson(json, "comparison", "");
  EXPECT_EQ(json["reports"][0]["standings"]["not_shown"], 2);
  EXPECT_EQ(json["changes"], Json::parse(R"([
      {"from": "wrong", "to": "not_shown", "cases": ["clz/2"]},
      {"from": "not_shown", "to": "right", "cases": ["abs/0"]},
      {"from": "not_shown", "to": "wrong", "cases": ["abs/1"]}])"));
  EXPECT_EQ(comparison->RightWhereWrong(0, 1), 0);
  EXPECT_EQ(comparison->RightWhereWrong(1, 0), 0);
  EXPECT_THAT(FormatComparison(*comparison, 100),
              HasSubstr("(behind the plus, too: accepted, values not shown)\n"));
}

// Texts from outside cannot leave their place, and nothing is loaded or run.
TEST_F(CompareTest, PageIsHarmless) {
  Report hostile = ReportOf("<script>alert(1)</script>\x1b[2J", "fpuu");
  hostile.cases[0].message = "</pre><img src=x onerror=alert(1)>";
  const auto comparison =
      CompareReports({Write("a", hostile), Write("b", ReportOf("two", "ffpp"))});
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  const std::string page = ComparisonPage(*comparison);
  EXPECT_THAT(page, AllOf(HasSubstr("default-src 'none'; style-src 'sha256-"),
                          HasSubstr("; script-src 'sha256-"), Not(HasSubstr("<script>alert")),
                          Not(HasSubstr("<img")), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(page, AllOf(HasSubstr("&lt;script&gt;"), HasSubstr("href=\"#op-ABS\""),
                          HasSubstr("id=\"op-ABS\""),
                          HasSubstr("tensor-cts generate --recipe test --id abs/0 --out case\n")));
}

TEST_F(CompareTest, SummaryHasCountsAndNoCase) {
  Report first = ReportOf("<b>one</b>", "pfcu");
  first.cases[2].verdict = Verdict::kCrash;
  first.cases[1].message = "</ul><img src=x onerror=alert(1)>";
  const auto comparison = CompareReports({Write("a", first), Write("b", ReportOf("two", "ffpp"))});
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  const std::string page = ComparisonPage(*comparison, ComparedDetail::kSummary);
  // Four cases: one passes, one is wrong, one crashes, one is not offered; two causes.
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;one&lt;/b&gt; 1</th><td>4</td><td>1</td><td>1</td><td>1"
                              "</td><td>1</td><td>0</td><td>2</td>"));
  EXPECT_THAT(page,
              HasSubstr("<a href=\"#op-ABS\">ABS</a></th><td class=h2>1/2<td class=h0>2/2\n"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">i32</th><td class=apart>+1<td class=h5>1\n"));
  EXPECT_THAT(page, AllOf(HasSubstr("id=\"op-ABS\""), Not(HasSubstr("abs/")),
                          Not(HasSubstr("<img")), Not(HasSubstr("<script>alert"))));
  // The words of the first example, with its figure.
  EXPECT_THAT(page,
              AllOf(HasSubstr("two 1 2: fail, because of 0\n"), Not(HasSubstr("because of #"))));
}

// A report of a version that did not say which operators a graph has.
TEST_F(CompareTest, ShowsTheCausesOfGraphsOnceForOldAndNewReports) {
  Report report = ReportOf("npu", "ffpp");
  report.cases[0].graph = {"ABS", "CLZ"};
  const auto now = Write("now", report);
  Json old = ReportToJson(report);
  for (Json& c : old["cases"]) c.erase("graph");
  const auto comparison = CompareReports({Write("old", old), now});
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  ASSERT_THAT(comparison->causes, SizeIs(1));
  EXPECT_THAT(comparison->causes[0].counts, ElementsAre(2, 2));
  EXPECT_THAT(FormatComparison(*comparison, 100),
              HasSubstr("ABS, fail, perhaps with 1 graph that contains it (`which` can tell) "
                        "(A 2, B 2): because of 1\n    for example abs/1\n"));
}

TEST_F(CompareTest, PageHasAnAcceptedIllegalGraphOfSeveralOperators) {
  Report report = ReportOf("npu", "pfpp");
  CaseReport& graph = report.cases[1];
  graph.graph = {"CONST", "ABS"};
  graph.outcome = Outcome::kError;
  graph.condition = "graph.operand_count";
  graph.verdict = Verdict::kWrongOutcome;
  const auto comparison = CompareReports({Write("one", report), Write("two", report)});
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  ASSERT_THAT(comparison->causes, SizeIs(1));
  EXPECT_EQ(comparison->causes[0].all.of_graphs, 0U);
  const std::string page = ComparisonPage(*comparison);
  EXPECT_THAT(page, HasSubstr("<a href=\"#op-ABS\">graph.operand_count accepted: ABS</a>"));
  EXPECT_THAT(page, Not(HasSubstr("that contain")));
}

TEST_F(CompareTest, RefusesWhatCannotBeCompared) {
  const auto good = Write("good", ReportOf("one", "pppp"));
  EXPECT_THAT(Refusal({good}), HasSubstr("found 1 report, expected two or more"));
  Report other = ReportOf("two", "pppp");
  other.suite.digest = std::string(64, '1');
  EXPECT_THAT(
      Refusal({good, Write("other", other)}),
      AllOf(HasSubstr("other: /suite/digest: found 1111"), HasSubstr("run and check both")));
  EXPECT_THAT(Refusal({good, Write("none", Json::object())}),
              HasSubstr("none: expected a report, as `tensor-cts check --json FILE`"));
  EXPECT_THAT(Refusal({good, directory_ / "nowhere"}), HasSubstr("nowhere"));
  Json twice = ReportToJson(ReportOf("two", "pppp"));
  twice["cases"][1] = twice["cases"][0];
  EXPECT_THAT(Refusal({good, Write("twice", twice)}), HasSubstr("twice: /cases: found abs/0"));
  Report empty = ReportOf("two", "....");
  EXPECT_THAT(Refusal({Write("e", empty), Write("f", empty)}), HasSubstr("found no case"));
}

}  // namespace
}  // namespace cts
