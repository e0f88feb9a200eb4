#include "checker/report/causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "checker/report/html.h"
#include "checker/report/report.h"
#include "reference/base/json.h"

namespace cts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

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

CaseReport Accepted(const std::string& id, const std::string& op, const std::string& condition) {
  CaseReport c = CaseOf(id, op, Verdict::kWrongOutcome, StrCat("expected error (", condition, ")"));
  c.outcome = Outcome::kError;
  c.condition = condition;
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
  const CaseReport rank = Accepted("add/error-1", "ADD", "add.rank");
  const CaseReport type = Accepted("add/error-2", "ADD", "add.type");
  const Report report =
      ReportOf({rank, type, CaseOf("add/a", "ADD", Verdict::kCrash, "exit code 1"),
                CaseOf("add/b", "ADD", Verdict::kCrash, "exit code 2"),
                CaseOf("add/c", "ADD", Verdict::kCrash, "ended by SIGSEGV"),
                CaseOf("mul/a", "MUL", Verdict::kCrash, "exit code 1")});
  std::vector<std::string> found;
  for (const Cause& cause : CausesOf(report)) {
    found.push_back(StrCat(cause.op, " ", cause.gist, " ", cause.cases.size()));
  }
  EXPECT_THAT(found, ElementsAre("ADD exit code # 2", "ADD ended by SIGSEGV 1", "MUL exit code # 1",
                                 " add.rank 1", " add.type 1"));
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
  EXPECT_THAT(found, ElementsAre("add/1 1", "mul/2 3", "abs/error-0 5", "abs/error-5 4"));
  const std::string text = FormatText(report);
  EXPECT_THAT(text, HasSubstr("Failures: 13 cases, 4 causes, the gravest first\n"));
  EXPECT_LT(text.find("add/1"), text.find("abs/error-0"));
}

std::vector<std::string> Titles(const Report& report) {
  std::vector<std::string> titles;
  for (const Cause& cause : CausesOf(report)) {
    titles.push_back(StrCat(TitleOf(cause), " ", cause.cases.size()));
  }
  return titles;
}

TEST(CausesOf, PutsWhatCostsMostFirstHoweverManyCasesTheOthersHave) {
  std::vector<CaseReport> cases;
  const auto add = [&](CaseReport c, int count) {
    for (int i = 0; i < count; ++i) {
      c.id = StrCat("a/", cases.size());
      cases.push_back(c);
    }
  };
  add(CaseOf("", "A", Verdict::kMissing, "did not run"), 9);
  CaseReport not_owed = Accepted("", "B", "b.rank");
  not_owed.declared = false;
  add(not_owed, 8);
  add(Accepted("", "C", "c.rank"), 7);
  CaseReport crash = Accepted("", "D", "d.rank");
  crash.verdict = Verdict::kCrash;
  add(crash, 6);
  add(CaseOf("", "E", Verdict::kWrongOutcome, "refused"), 5);
  add(CaseOf("", "F", Verdict::kTimeout, "60 seconds"), 4);
  add(CaseOf("", "G", Verdict::kMalformed, "not a tensor"), 3);
  add(CaseOf("", "H", Verdict::kFail, "off"), 1);
  EXPECT_THAT(Titles(ReportOf(cases)),
              ElementsAre("H, fail 1", "G, malformed 3", "F, timeout 4", "E, wrong outcome 5",
                          "d.rank, crash: D 6", "c.rank accepted: C 7",
                          "illegal graphs, for which no error is owed: B 8", "A, missing 9"));
}

// An adapter without checks crashes in other words for each operator: an exception of its own.
TEST(CausesOf, GroupsCrashesOnIllegalGraphsByConditionWhateverTheWords) {
  const auto crash = [](const char* id, const char* op, const char* condition, const char* words) {
    CaseReport c = Accepted(id, op, condition);
    c.verdict = Verdict::kCrash;
    c.message = words;
    return c;
  };
  CaseReport timeout = crash("abs/e2", "ABS", "graph.attribute", "60 seconds");
  timeout.verdict = Verdict::kTimeout;
  const Report report = ReportOf({crash("abs/e1", "ABS", "graph.attribute", "KeyError: 'axis'"),
                                  crash("add/e1", "ADD", "graph.attribute", "TypeError: None"),
                                  crash("add/e2", "ADD", "add.rank", "IndexError"), timeout,
                                  CaseOf("add/a", "ADD", Verdict::kCrash, "TypeError: None")});
  EXPECT_THAT(Titles(report),
              ElementsAre("ADD, crash 1", "graph.attribute, crash: 2 operators 2",
                          "add.rank, crash: ADD 1", "graph.attribute, timeout: ABS 1"));
  EXPECT_THAT(FormatText(report), HasSubstr("graph.attribute, crash: 2 operators, 2 cases\n"));
}

TEST(CausesOf, GroupsAcceptedGraphsByConditionWhateverTheOperator) {
  const Report report =
      ReportOf({Accepted("abs/e1", "ABS", "abs.rank"), Accepted("abs/e2", "ABS", "abs.rank"),
                Accepted("abs/e3", "ABS", "abs.rank"), Accepted("abs/e4", "ABS", "graph.type_row"),
                Accepted("add/e1", "ADD", "graph.type_row")});
  EXPECT_THAT(Titles(report),
              ElementsAre("graph.type_row accepted: 2 operators 2", "abs.rank accepted: ABS 3"));
  EXPECT_THAT(FormatText(report),
              HasSubstr(" 1. graph.type_row accepted: 2 operators, 2 cases\n    for example "
                        "abs/e4\n    wrong outcome: expected error (graph.type_row)\n"));
}

TEST(CausesOf, CountsTypeRowsBeforeCases) {
  std::vector<CaseReport> cases;
  for (int i = 0; i < 9; ++i) cases.push_back(WrongValue(StrCat("table/", i), "Clause", "i8"));
  for (const char* const type : {"i8", "fp32"}) {
    CaseReport c = WrongValue(StrCat("conv2d/", type), "Clause", type);
    c.op = "CONV2D";
    c.mode = type;
    cases.push_back(c);
  }
  EXPECT_THAT(Titles(ReportOf(cases)), ElementsAre("CONV2D, fail 2", "ADD, fail 9"));
}

TEST(CausesOf, CountsAGraphForTheOperatorThatIsKnownToBeWrongAndOthersBehindSingleOnes) {
  const auto graph = [](const std::string& id, const std::string& op,
                        std::vector<std::string> operators) {
    CaseReport c = WrongValue(id, "Clause", "i8");
    c.op = op;
    c.graph = std::move(operators);
    return c;
  };
  CaseReport known = graph("graphs/a", "CONV2D", {"CONV2D", "ABS"});
  known.wrong_operator = "ABS";
  const Report report = ReportOf(
      {WrongValue("add/1", "Clause", "i8"), known, graph("graphs/b", "CONV2D", {"CONV2D", "ADD"}),
       graph("graphs/c", "MUL", {"MUL", "ADD"}), graph("graphs/d", "MUL", {"MUL", "SUB"}),
       graph("graphs/e", "MUL", {"MUL", "SUB"})});
  EXPECT_THAT(Titles(report), ElementsAre("ADD, fail 3", "ABS, fail 1",
                                          "MUL in graphs of several operators, fail 2"));
}

CaseReport GraphOf(const std::string& id, Verdict verdict, std::vector<std::string> operators) {
  CaseReport c = CaseOf(id, operators.front(), verdict, "wrong");
  c.graph = std::move(operators);
  return c;
}

TEST(CausesOf, CountsAGraphForTheOnlyOperatorThatFailsByItself) {
  const Verdict fail = Verdict::kFail, crash = Verdict::kCrash;
  Report report = ReportOf(
      {GraphOf("graphs/a", fail, {"CONV2D", "RESCALE"}), CaseOf("rescale/1", "RESCALE", fail, "x"),
       GraphOf("graphs/b", fail, {"MATMUL", "RESCALE", "ADD"}), CaseOf("mul/1", "MUL", fail, "x"),
       GraphOf("graphs/c", fail, {"MUL", "RESCALE"}),
       GraphOf("graphs/d", crash, {"CONV2D", "RESCALE"}),
       GraphOf("graphs/e", fail, {"SUB", "ADD"})});
  EXPECT_THAT(Titles(report),
              ElementsAre("RESCALE, fail 3", "MUL, fail 1",
                          "graphs with MUL and RESCALE, which fail by themselves, too, fail 1",
                          "SUB in graphs of several operators, fail 1",
                          "CONV2D in graphs of several operators, crash 1"));
  const Cause cause = CausesOf(report).front();
  EXPECT_EQ(cause.of_graphs, 2U);
  EXPECT_EQ(cause.cases.front()->id, "rescale/1");
  EXPECT_EQ(cause.operators.size(), 1U);
  const std::string words =
      "of RESCALE (i8), perhaps with 2 graphs that contain it (`which` can tell)\n"
      "    for example rescale/1";
  EXPECT_THAT(FormatText(report), HasSubstr("3 cases " + words));
  EXPECT_THAT(FormatHtml(report),
              HasSubstr("<b>3</b> RESCALE, fail, perhaps with 2 graphs that contain it"));
  // Without the case of RESCALE alone, nothing is known of these graphs.
  report.cases.erase(report.cases.begin() + 1);
  EXPECT_THAT(FormatText(report), Not(HasSubstr("with 2 graphs")));
  EXPECT_THAT(FormatText(report), HasSubstr("CONV2D in graphs"));
}

// No operator of such a graph is suspected.
TEST(CausesOf, CountsAnIllegalGraphOfSeveralOperatorsForItsOwn) {
  CaseReport graph = Accepted("variable_write/error", "VARIABLE_WRITE", "graph.operand_count");
  graph.graph = {"VARIABLE", "VARIABLE_WRITE"};
  Report report = ReportOf({graph});
  EXPECT_THAT(Titles(report), ElementsAre("graph.operand_count accepted: VARIABLE_WRITE 1"));
  EXPECT_THAT(FormatText(report), HasSubstr("accepted: VARIABLE_WRITE, 1 case\n"));
  EXPECT_THAT(FormatHtml(report),
              HasSubstr("<b>1</b> graph.operand_count accepted: VARIABLE_WRITE"));
  report.cases.push_back(Accepted("add/error", "ADD", "graph.operand_count"));
  EXPECT_THAT(Titles(report), ElementsAre("graph.operand_count accepted: 2 operators 2"));
  EXPECT_THAT(FormatText(report), Not(HasSubstr("that contain")));
}

TEST(CausesOf, LeavesGraphsAloneWhereOnlyIllegalCasesOfTheOperatorFail) {
  CaseReport illegal = Accepted("add/e", "ADD", "add.rank");
  illegal.verdict = Verdict::kCrash;
  EXPECT_THAT(Titles(ReportOf({illegal, GraphOf("graphs/a", Verdict::kCrash, {"ADD", "MUL"})})),
              ElementsAre("ADD in graphs of several operators, crash 1", "add.rank, crash: ADD 1"));
}

// The titles of the causes of testdata/reports/NAME.json.
std::vector<std::string> TitlesOfReal(const std::string& name) {
  const std::string path =
      StrCat(CTS_SOURCE_DIR, "/checker/report/testdata/reports/", name, ".json");
  const StatusOr<Json> json = LoadJson(path, "");
  EXPECT_TRUE(json.ok()) << json.status();
  const StatusOr<Report> report = ReportFromJson(json.value_or(Json()), path);
  EXPECT_TRUE(report.ok()) << report.status();
  std::vector<std::string> titles;
  if (!report.ok()) return titles;
  for (const Cause& cause : CausesOf(*report)) titles.push_back(TitleOf(cause));
  return titles;
}

std::vector<std::string> First(std::vector<std::string> titles, size_t count) {
  titles.resize(std::min(count, titles.size()));
  return titles;
}

// What tools/findings lists of these implementations as wrong values.
TEST(CausesOf, OfRealReportsBeginWithTheirWrongValues) {
  EXPECT_THAT(TitlesOfReal("mlir-22"),
              ElementsAre("ARGMAX, fail", "CAST, fail", "COND_IF, wrong outcome"));
  const std::vector<std::string> mlir_19 = TitlesOfReal("mlir-19");
  EXPECT_THAT(First(mlir_19, 3),
              UnorderedElementsAre("ARGMAX, fail", "MAX_POOL2D, fail", "RESIZE, fail"));
  EXPECT_EQ(std::count_if(mlir_19.begin(), mlir_19.end(),
                          [](const std::string& title) { return title.ends_with(", fail"); }),
            3);
  const std::vector<std::string> onednn = TitlesOfReal("onednn");
  EXPECT_THAT(First(onednn, 2), UnorderedElementsAre("EXP, fail", "LOG, fail"));
  EXPECT_THAT(onednn.back(), HasSubstr(" accepted: "));
}

TEST(CausesOf, ShowTheFiguresOfTheFirstCase) {
  const Report report = ReportOf({CaseOf("add/a", "ADD", Verdict::kCrash, "exit code 3"),
                                  CaseOf("add/b", "ADD", Verdict::kCrash, "exit code 4")});
  const std::vector<Cause> causes = CausesOf(report);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(WordsOf(causes[0]), "exit code 3");
}

TEST(FailuresByCause, HasEveryFailureOnceInTheOrderOfCauses) {
  const Report report = ReportOf({Accepted("abs/e", "ABS", "abs.rank"),
                                  CaseOf("add/u", "ADD", Verdict::kUnsupported, "no"),
                                  CaseOf("add/a", "ADD", Verdict::kPass, ""),
                                  CaseOf("mul/c", "MUL", Verdict::kCrash, "exit code 1"),
                                  CaseOf("mul/m", "MUL", Verdict::kMissing, "did not run")});
  std::vector<std::string> ids;
  for (const CaseReport* c : FailuresByCause(report)) ids.push_back(c->id);
  EXPECT_THAT(ids, ElementsAre("mul/c", "abs/e", "mul/m", "add/u"));
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
    EXPECT_THAT(text, HasSubstr("Failures: 40 cases, 20 causes, the gravest first"));
    std::istringstream lines(text.substr(text.find("operator")));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
  }
  EXPECT_THAT(FormatText(ReportOf(cases), {.width = 50}), Not(HasSubstr("outcome")));
  EXPECT_THAT(FormatText(ReportOf(cases)), HasSubstr("outcome"));
}

}  // namespace
}  // namespace cts
