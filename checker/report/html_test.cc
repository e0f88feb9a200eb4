#include "checker/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/report/report.h"
#include "reference/base/json.h"

namespace cts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostile =
    "</script><script>window.bad=1</script><!-- <script> \"'>&<img src=x onerror=window.bad=1> "
    "\xE2\x80\xA8 @DATA@ @CSP@ \x01 \xff";

CaseReport CaseOf(const std::string& id, const std::string& op, Verdict verdict) {
  CaseReport c;
  c.id = id;
  c.op = op;
  c.verdict = verdict;
  c.types = {{"in_t", "i8"}};
  if (verdict != Verdict::kPass) c.message = "because of " + id;
  return c;
}

Report ReportOf(std::vector<CaseReport> cases) {
  Report report;
  report.suite_path = "suite";
  report.results_path = "results";
  report.suite.name = "test";
  report.suite.edition = "tosa-1.0";
  report.suite.level = "8K";
  report.suite.digest = std::string(64, '0');
  report.suite.cases.resize(cases.size());
  report.run.name = "npu";
  report.run.command = "npu --run";
  report.cases = std::move(cases);
  return report;
}

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string Part(const std::string& text, const std::string& begin, const std::string& end) {
  const size_t at = text.find(begin) + begin.size();
  return text.substr(at, text.find(end, at) - at);
}

Json DataOf(const std::string& html) {
  const StatusOr<Json> json = ParseJson(Part(html, "id=\"data\">", "</script>"), "data");
  EXPECT_TRUE(json.ok()) << json.status();
  return json.value_or(Json());
}

TEST(FormatHtml, SaysTheVerdictWithoutItsScript) {
  std::string html = FormatHtml(ReportOf({CaseOf("add/a", "ADD", Verdict::kPass)}));
  EXPECT_THAT(html, HasSubstr("<title>CONFORMANT: npu on test</title>"));
  EXPECT_THAT(html, HasSubstr("CONFORMANT</strong> <span>all 1 cases passed on this suite"));
  EXPECT_THAT(html, Not(HasSubstr("NOT CONFORMANT")));
  Report report = ReportOf({CaseOf("add/a", "ADD", Verdict::kPass)});
  report.findings = {{"mixed_flushing", "kept and flushed", {"add/a"}}};
  html = FormatHtml(report);
  EXPECT_THAT(html, HasSubstr("NOT CONFORMANT</strong> <span>1 finding"));
  EXPECT_THAT(html, HasSubstr("<b>mixed flushing</b>: kept and flushed"));
  EXPECT_THAT(FormatHtml(ReportOf({})),
              HasSubstr("NOT CONFORMANT</strong> <span>the suite has no"));
}

TEST(FormatHtml, AShardIsNeverCalledConformant) {
  Report report = ReportOf({CaseOf("add/a", "ADD", Verdict::kPass)});
  report.run.shard = Shard{2, 8};
  const std::string html = FormatHtml(report);
  EXPECT_THAT(html, HasSubstr("class=\"verdict part\""));
  EXPECT_THAT(html, HasSubstr("SHARD 2 OF 8 PASSED</strong>"));
  EXPECT_THAT(html, Not(HasSubstr("CONFORMANT")));
}

TEST(FormatHtml, APartialReportIsNamedAndNeverCalledConformant) {
  Report report = ReportOf({CaseOf("add/a", "ADD", Verdict::kPass)});
  report.missing = 7;
  const std::string html = FormatHtml(report);
  EXPECT_THAT(html, HasSubstr("class=\"verdict part\""));
  EXPECT_THAT(html, HasSubstr("PARTIAL RESULTS PASSED</strong>"));
  EXPECT_THAT(html, HasSubstr("<b>7 of 8 cases have no result</b>: only 1 are judged"));
  EXPECT_THAT(html, Not(HasSubstr("CONFORMANT")));
}

TEST(FormatHtml, CallsTheEmbeddedImplementationAPositiveControl) {
  Report report = ReportOf({CaseOf("add/a", "ADD", Verdict::kPass)});
  report.run.name = "builtin:native";
  EXPECT_THAT(FormatHtml(report),
              HasSubstr("<p class=\"verdict part\" role=\"status\"><strong "
                        "id=\"verdict-words\">&#10003; CONFORMANT</strong> <span>all 1 cases "
                        "passed on this suite</span><span>builtin:native is the positive control "
                        "of the suite: it shows that the suite can be passed, and is not evidence "
                        "of conformance</span></p>"));
}

TEST(FormatHtml, ShowsCausesFirstAndFoldsOperatorsThatPassed) {
  const std::string html = FormatHtml(
      ReportOf({CaseOf("add/a", "ADD", Verdict::kPass), CaseOf("mul/a", "MUL", Verdict::kCrash)}));
  for (const char* const anchor : {"causes", "heat", "outcome", "cases"}) {
    EXPECT_THAT(html, HasSubstr(StrCat("<li><a href=\"#", anchor, "\">")));
  }
  EXPECT_LT(html.find("id=\"causes\""), html.find("id=\"heat\""));
  EXPECT_LT(html.find("id=\"heat\""), html.find("id=\"outcome\""));
  EXPECT_THAT(Part(html, "id=\"heat-map\"", "</table>"), Not(HasSubstr("ADD")));
  EXPECT_THAT(html, HasSubstr("<details><summary>1 operator without a failure</summary>"));
  EXPECT_THAT(Part(html, "id=\"heat-map-others\"", "</table>"), HasSubstr("ADD"));
  // No verdict that no case has.
  EXPECT_THAT(html, Not(HasSubstr("#verdict=timeout")));
}

TEST(FormatHtml, FoldsCausesBehindTheTwentieth) {
  std::vector<CaseReport> cases;
  for (int i = 0; i < 23; ++i) {
    cases.push_back(CaseOf(StrCat("a/", i), StrCat("OP", i), Verdict::kCrash));
  }
  const std::string causes = Part(FormatHtml(ReportOf(cases)), "id=\"causes\"", "</section>");
  EXPECT_THAT(causes, HasSubstr("<summary>3 more</summary>"));
  EXPECT_LT(causes.find("OP19, crash"), causes.find("3 more"));
  EXPECT_LT(causes.find("3 more"), causes.find("OP20, crash"));
  EXPECT_EQ(Count(causes, "<details"), Count(causes, "</details>"));
}

TEST(FormatHtml, CountsFailuresByOperatorAndType) {
  const std::string html = FormatHtml(
      ReportOf({CaseOf("add/a", "ADD", Verdict::kPass), CaseOf("add/b", "ADD", Verdict::kCrash),
                CaseOf("mul/a", "MUL", Verdict::kPass)}));
  const std::string map = Part(html, "id=\"heat-map\"", "</section>");
  EXPECT_THAT(map, HasSubstr("<td class=\"h2\"><a href=\"#operator=ADD&amp;type=i8\" title=\"ADD, "
                             "i8: 1 wrong, 1 pass\"><b>1</b> / 2</a></td>"));
  EXPECT_THAT(map, HasSubstr("<td class=\"h5\"><a href=\"#operator=MUL&amp;type=i8\""));
  EXPECT_THAT(map, HasSubstr("all: 1 wrong, 2 pass"));
}

TEST(FormatHtml, KeepsWhatIsNotSupportedApartAndNeutral) {
  const std::string html = FormatHtml(ReportOf(
      {CaseOf("add/a", "ADD", Verdict::kPass), CaseOf("add/b", "ADD", Verdict::kCrash),
       CaseOf("add/c", "ADD", Verdict::kUnsupported), CaseOf("abs/a", "ABS", Verdict::kPass),
       CaseOf("abs/b", "ABS", Verdict::kUnsupported),
       CaseOf("mul/a", "MUL", Verdict::kUnsupported)}));
  EXPECT_THAT(html, HasSubstr("NOT CONFORMANT</strong> <span>1 wrong, 3 not supported, 2 pass"));
  const std::string map = Part(html, "id=\"heat-map\"", "</section>");
  EXPECT_THAT(map, HasSubstr("<td class=\"h2\"><a href=\"#operator=ADD&amp;type=i8\" title=\"ADD, "
                             "i8: 1 wrong, 1 not supported, 1 pass\"><b>1</b> / 2 <i>+1</i></a>"));
  // Every offered case is right: the cell is as green as that of an operator that offers all.
  EXPECT_THAT(map, HasSubstr("<td class=\"h5\"><a href=\"#operator=ABS&amp;type=i8\" title=\"ABS, "
                             "i8: 0 wrong, 1 not supported, 1 pass\">1 <i>+1</i></a>"));
  EXPECT_THAT(map, HasSubstr("<td class=\"apart\"><a href=\"#operator=MUL&amp;type=i8\" "
                             "title=\"MUL, i8: 0 wrong, 1 not supported, 0 pass\"><i>1</i></a>"));
  EXPECT_THAT(html, HasSubstr("<li><a class=\"apart\" href=\"#verdict=unsupported\"><b>3</b>"));
}

TEST(FormatHtml, WhatIsDeclaredAndNotAnsweredIsWrong) {
  Report report = ReportOf({CaseOf("add/a", "ADD", Verdict::kUnsupported),
                            CaseOf("mul/a", "MUL", Verdict::kUnsupported)});
  report.declared = {{"the <file>", {}}};
  report.cases[0].declared = true;
  report.cases[1].declared = false;
  report.cases[1].beyond = "operator MUL";
  const std::string html = FormatHtml(report);
  EXPECT_THAT(html, HasSubstr("<span>1 wrong (1 of them declared, not answered), 1 not supported"));
  EXPECT_THAT(html, HasSubstr("<code>the &lt;file&gt;</code>"));
  EXPECT_THAT(html,
              HasSubstr("<a class=\"some\" href=\"#verdict=declared\"><b>1</b>declared, not"));
  const std::string map = Part(html, "id=\"heat-map\"", "</section>");
  EXPECT_THAT(map, HasSubstr("<td class=\"h0\"><a href=\"#operator=ADD&amp;type=i8\""));
  EXPECT_THAT(map, HasSubstr("<td class=\"apart\"><a href=\"#operator=MUL&amp;type=i8\""));
  const Json data = DataOf(html);
  EXPECT_EQ(data["owed"], Json::array({0}));
  EXPECT_EQ(data["details"]["0"]["declared"], "yes");
  EXPECT_EQ(data["details"]["1"]["declared"], "no: operator MUL");
}

TEST(FormatHtml, KeepsPassingCasesCompactAndFailuresWhole) {
  std::vector<CaseReport> cases;
  for (int i = 0; i < 10000; ++i) {
    cases.push_back(CaseOf(StrCat("add/", std::string(60, 'a'), i), "ADD", Verdict::kPass));
  }
  cases[7].verdict = Verdict::kFail;
  cases[7].log = std::string(1 << 20, 'x') + "last words";
  const std::string html = FormatHtml(ReportOf(std::move(cases)));
  EXPECT_LT(html.size(), 2000000u);
  const Json data = DataOf(html);
  EXPECT_EQ(data["cases"].size(), 10000u);
  ASSERT_EQ(data["details"].size(), 1u);
  EXPECT_TRUE(data["details"]["7"]["log"].get<std::string>().ends_with("last words"));
}

// Graphs may have hundreds of outputs, and an implementation may be wrong in all of them.
TEST(FormatHtml, ShowsAFewOutputsOfACaseAndThoseThatFailedFirst) {
  CaseReport graph = CaseOf("graph/a", "graph", Verdict::kFail);
  for (int i = 0; i < 20; ++i) {
    OutputReport output;
    output.name = StrCat("output", i);
    output.verdict = i == 3 || i == 19 ? Verdict::kFail : Verdict::kPass;
    graph.outputs.push_back(output);
  }
  CaseReport few = CaseOf("split/a", "SPLIT", Verdict::kFail);
  few.outputs.assign(graph.outputs.begin(), graph.outputs.begin() + 8);
  const Json details = DataOf(FormatHtml(ReportOf({graph, few})))["details"];
  std::vector<std::string> names;
  for (const Json& output : details["0"]["outputs"]) names.push_back(output["name"]);
  EXPECT_THAT(names, ElementsAre("output3", "output19", "output0", "output1", "output2", "output4",
                                 "output5", "output6"));
  EXPECT_EQ(details["0"]["more_outputs"], 12);
  EXPECT_EQ(details["1"]["outputs"].size(), 8u);
  EXPECT_FALSE(details["1"].contains("more_outputs"));
}

TEST(FormatHtml, CommandsHaveWhatStandsBehindTheCase) {
  Report report = ReportOf({CaseOf("add/a", "ADD", Verdict::kFail)});
  report.intermediates_path = "what x made";
  const Json data = DataOf(FormatHtml(report));
  const auto around = [&data](const char* command) {
    return data[command][0].get<std::string>() + "add/a" + data[command][1].get<std::string>();
  };
  EXPECT_EQ(around("explain"), ExplainCommand(report, "add/a"));
  EXPECT_THAT(around("explain"), testing::EndsWith(" add/a --intermediates 'what x made'"));
  EXPECT_EQ(around("rerun"), RerunCommand(report.suite_path, report.run, "add/a"));
}

TEST(FormatHtml, HostileTextsStayText) {
  CaseReport c = CaseOf("add/a", "ADD", Verdict::kCrash);
  c.op = c.mode = c.data_set = c.message = c.said = c.log = c.condition = kHostile;
  c.types = {{"in_t", kHostile}};
  c.profiles = {{kHostile}};
  c.parameters = {{kHostile, kHostile}};
  c.outputs.push_back({});
  c.outputs[0].name = c.outputs[0].message = c.outputs[0].rule.clause = kHostile;
  Report report = ReportOf({c});
  report.suite.name = report.suite.generator = report.run.name = report.run.command = kHostile;
  report.run.host = report.run.started = kHostile;
  report.results_path = report.suite_path = kHostile;
  report.notes = {kHostile};
  report.findings = {{kHostile, kHostile, {kHostile}}};
  const std::string html = FormatHtml(report);
  // The elements of the page itself, and no other.
  const std::string plain = FormatHtml(ReportOf({}));
  EXPECT_EQ(Count(html, "<script"), Count(plain, "<script"));
  EXPECT_EQ(Count(html, "</script"), Count(plain, "</script"));
  EXPECT_EQ(Count(html, "<!--"), 0u);
  EXPECT_EQ(Count(html, "<img"), 0u);
  EXPECT_EQ(Count(html, "\xE2\x80\xA8"), 0u);
  EXPECT_EQ(Count(html, "\xff"), 0u);
  EXPECT_EQ(Count(html, "default-src"), 1u);
  const Json data = DataOf(html);
  EXPECT_THAT(data["details"]["0"]["log"].get<std::string>(), HasSubstr("</script><script>"));
}

TEST(FormatHtml, NothingFromOutsideIsNamed) {
  const std::string html = FormatHtml(ReportOf({CaseOf("add/a", "ADD", Verdict::kFail)}));
  EXPECT_THAT(html, HasSubstr("content=\"default-src 'none'; style-src 'sha256-"));
  for (const char* const part : {"http:", "https:", "url(", "@import", "src=", "<link", "<iframe",
                                 "innerHTML", "eval(", " style=\"", " onclick"}) {
    EXPECT_THAT(html, Not(HasSubstr(part)));
  }
}

}  // namespace
}  // namespace cts
