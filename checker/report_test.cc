#include "checker/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <sstream>

#include "checker/suite_on_disk.h"
#include "reference/base/file.h"
#include "reference/base/json.h"

namespace cts {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CaseReport CaseOf(const std::string& id, const std::string& op, Verdict verdict,
                  const std::string& message = "") {
  CaseReport c;
  c.id = id;
  c.op = op;
  c.verdict = verdict;
  c.message = message;
  return c;
}

Report ReportOf(std::vector<CaseReport> cases) {
  Report report;
  report.suite_path = "/suites/test";
  report.results_path = "/results/my npu";
  report.suite.name = "test";
  report.suite.edition = "tosa-1.0";
  report.suite.level = "8K";
  report.suite.generator = "tensor-cts 0.1";
  report.suite.digest = std::string(64, '0');
  report.suite.cases.resize(cases.size());
  report.run.name = "npu";
  report.run.version = "1.2";
  report.run.command = "npu --run";
  report.cases = std::move(cases);
  return report;
}

// One case of every verdict; a dot product with an infinite figure among them.
Report EveryVerdict() {
  std::vector<CaseReport> cases;
  for (int i = 0; i < kVerdictCount; ++i) {
    const Verdict verdict = static_cast<Verdict>(i);
    cases.push_back(CaseOf(StrCat("add/", i), "ADD", verdict, i == 0 ? "" : "because"));
  }
  OutputReport output;
  output.name = "out";
  output.dtype = DType::kFp32;
  output.rule.kind = RuleKind::kDotProduct;
  output.rule.form = "tosa-1.0";
  output.rule.clause = "Dot product accuracy requirements";
  output.rule.bias_limit = 2;
  output.verdict = Verdict::kFail;
  output.elements = 4;
  output.mismatches = 1;
  output.first = 2;
  output.first_index = "[2]";
  output.first_expected = "1";
  output.first_got = "inf";
  output.worst_ulp = std::numeric_limits<double>::infinity();
  output.worst_of_bound = std::numeric_limits<double>::infinity();
  output.figures = DotProductFigures{4, 1, std::numeric_limits<double>::infinity(), 0.5, 0.25};
  output.answer = "";
  cases[1].outputs.push_back(output);
  cases[1].answered = "ok";
  cases[1].said = "fine";
  cases[0].outputs.push_back(output);
  cases[0].outputs[0].verdict = Verdict::kPass;
  cases[0].outputs[0].answer = "either";
  cases[8].outcome = Outcome::kError;
  cases[8].condition = "add.rank";
  return ReportOf(std::move(cases));
}

TEST(FormatText, CountsAndNamesFailures) {
  const std::string text = FormatText(EveryVerdict());
  EXPECT_THAT(text, HasSubstr("implementation  npu 1.2\n"));
  EXPECT_THAT(text, HasSubstr("fail: because"));
  EXPECT_THAT(text, HasSubstr("wrong outcome: because"));
  EXPECT_THAT(text, HasSubstr("rule dot_product: Dot product accuracy requirements"));
  EXPECT_THAT(text, HasSubstr("explain: tensor-cts explain '/results/my npu' add/1\n"));
  EXPECT_TRUE(text.ends_with("NOT CONFORMANT: 8 of 9 cases failed\n")) << text;
  // The line of the operator: nine cases, one of each.
  std::istringstream lines(text.substr(text.find("\nADD ") + 1));
  std::string word;
  lines >> word;
  for (const char* const expected : {"9", "1", "1", "1", "1", "1", "1", "1", "1", "1"}) {
    lines >> word;
    EXPECT_EQ(word, expected);
  }
}

TEST(FormatText, SaysConformant) {
  const std::string text = FormatText(ReportOf({CaseOf("add/a", "ADD", Verdict::kPass)}));
  EXPECT_TRUE(text.ends_with("\nCONFORMANT on this suite: all 1 cases passed\n")) << text;
  EXPECT_THAT(text, Not(HasSubstr("Failures")));
  EXPECT_THAT(text, Not(HasSubstr("positive control")));
}

TEST(FormatText, CallsTheEmbeddedImplementationAPositiveControl) {
  Report report = ReportOf({CaseOf("add/a", "ADD", Verdict::kPass)});
  report.run.name = "builtin:native";
  EXPECT_THAT(FormatText(report), HasSubstr("positive control"));
  EXPECT_THAT(FormatText(report), HasSubstr("not evidence of conformance"));
  EXPECT_EQ(ReportToJson(report)["positive_control"], true);
}

TEST(FormatText, NamesTwentyFailuresAndFits100Columns) {
  std::vector<CaseReport> cases;
  std::string message;
  for (int i = 0; i < 100; ++i) message += "word ";
  for (int i = 0; i < 33; ++i) {
    cases.push_back(
        CaseOf(StrCat("transpose_conv2d/", i), "TRANSPOSE_CONV2D", Verdict::kFail, message));
  }
  const std::string text = FormatText(ReportOf(std::move(cases)));
  EXPECT_THAT(text, HasSubstr("The first 20 of 33 failures"));
  EXPECT_THAT(text, HasSubstr("20. transpose_conv2d/19\n"));
  EXPECT_THAT(text, Not(HasSubstr("transpose_conv2d/20\n")));
  EXPECT_THAT(text, HasSubstr("... and 13 more"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(FormatText, NamesWrongAnswersBeforeMissingAndUnsupportedOnes) {
  std::vector<CaseReport> cases;
  for (int i = 0; i < 25; ++i) {
    cases.push_back(CaseOf(StrCat("add/", i), "ADD", Verdict::kUnsupported, "no ADD"));
  }
  cases.push_back(CaseOf("table/a", "TABLE", Verdict::kMissing, "did not run"));
  cases.push_back(CaseOf("table/b", "TABLE", Verdict::kCrash, "died"));
  cases.push_back(CaseOf("table/c", "TABLE", Verdict::kFail, "off"));
  const std::string text = FormatText(ReportOf(std::move(cases)));
  EXPECT_THAT(text, HasSubstr(" 1. table/c\n"));
  EXPECT_THAT(text, HasSubstr(" 2. table/b\n"));
  EXPECT_THAT(text, HasSubstr(" 3. table/a\n"));
  EXPECT_THAT(text, HasSubstr(" 4. add/0\n"));
}

TEST(Fold, BreaksAtSpacesOnly) {
  EXPECT_EQ(Fold("aa bb cc", 2, 8), "aa bb\n  cc");
  EXPECT_EQ(Fold("aaaaaaaaaa bb", 2, 8), "aaaaaaaaaa\n  bb");
  EXPECT_EQ(Fold("", 2, 8), "");
}

TEST(ReportToJson, FitsItsSchemaAndCounts) {
  const Report report = EveryVerdict();
  const Json json = ReportToJson(report);
  EXPECT_TRUE(ValidateJson(json, "report", "report").ok())
      << ValidateJson(json, "report", "report");
  const StatusOr<Json> back = ParseJson(FormatJson(json), "report");
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, json);
  EXPECT_EQ(json["conformant"], false);
  EXPECT_EQ(json["totals"]["cases"], 9);
  EXPECT_EQ(json["operators"]["ADD"]["wrong_outcome"], 1);
  EXPECT_EQ(json["cases"][1]["outputs"][0]["dot_product"]["worst_error"], "inf");
  EXPECT_EQ(json["cases"][1]["outputs"][0]["first"]["element"], "[2]");
  EXPECT_EQ(json["cases"][0]["outputs"][0]["answer"], "either");
  EXPECT_EQ(json["cases"][8]["condition"], "add.rank");
}

TEST(ReportToJson, OfAnEmptySuiteIsNotConformant) {
  const Json json = ReportToJson(ReportOf({}));
  EXPECT_TRUE(ValidateJson(json, "report", "report").ok());
  EXPECT_EQ(json["conformant"], false);
}

// Python's XML parser as the judge; prints the counts it finds.
std::string ParseWithPython(const std::string& xml) {
  const testing_suite::Directory directory;
  EXPECT_TRUE(WriteFile(directory / "junit.xml", xml).ok());
  const std::string program =
      "import sys, xml.etree.ElementTree as e\n"
      "r = e.parse(sys.argv[1]).getroot()\n"
      "print(r.tag, len(r.findall('.//testcase')), len(r.findall('.//failure')),\n"
      "      len(r.findall('.//error')), len(r.findall('.//skipped')), r.get('tests'),\n"
      "      r.get('failures'), r.get('errors'))\n"
      "for f in r.findall('.//testcase/*'): print(ascii(f.get('message') or f.text))\n";
  EXPECT_TRUE(WriteFile(directory / "parse.py", program).ok());
  const std::filesystem::path out = directory / "out";
  const std::string command =
      StrCat(CTS_PYTHON, " ", (directory / "parse.py").string(), " ",
             (directory / "junit.xml").string(), " > ", out.string(), " 2>&1");
  EXPECT_EQ(std::system(command.c_str()), 0) << ReadFile(out).value_or("");
  return ReadFile(out).value_or("");
}

TEST(FormatJUnit, IsWellFormedAndSkipsNothing) {
  EXPECT_THAT(ParseWithPython(FormatJUnit(EveryVerdict())),
              HasSubstr("testsuites 9 3 5 0 9 3 5\n"));
}

TEST(FormatJUnit, SurvivesHostileMessages) {
  std::string hostile =
      "]]> <x a='1'> & \" \x01\x1b[0m \xff\xfe \xed\xa0\x80 \xef\xbf\xbf \n\r end";
  hostile += '\0';
  CaseReport c = CaseOf("add/a", "ADD", Verdict::kCrash, hostile);
  c.log = hostile;
  Report report = ReportOf({c});
  report.run.name = hostile;
  const std::string parsed = ParseWithPython(FormatJUnit(report));
  EXPECT_THAT(parsed, HasSubstr("testsuites 1 0 1 0 1 0 1\n"));
  EXPECT_THAT(parsed, HasSubstr("]]> <x a=\\'1\\'> & \" \\\\x01\\\\x1b[0m \\\\xff\\\\xfe"));
}

TEST(FormatJUnit, TurnsRedOnAnEmptySuite) {
  EXPECT_THAT(ParseWithPython(FormatJUnit(ReportOf({}))), HasSubstr("testsuites 1 1 0 0"));
}

}  // namespace
}  // namespace cts
