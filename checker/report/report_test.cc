#include "checker/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <sstream>

#include "checker/judge/suite_on_disk.h"
#include "reference/base/file.h"
#include "reference/base/json.h"

namespace cts {
namespace {

using ::testing::ElementsAre;
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
  output.ulps.counts = {1, 2, 0, 0, 0, 0, 0, 0, 0, 1};
  output.answer = "";
  cases[1].outputs.push_back(output);
  cases[1].answered = CaseStatus::kOk;
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
  EXPECT_TRUE(text.ends_with(
      "NOT CONFORMANT: 6 wrong, 1 without a result, 1 not supported, 1 accepted (values not "
      "shown), 1 disputed, 1 pass\n"))
      << text;
  // The line of the operator: eleven cases, one of each.
  std::istringstream lines(text.substr(text.find("\nADD ") + 1));
  std::string word;
  lines >> word;
  for (const char* const expected : {"11", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1"}) {
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

TEST(FormatText, NamesTwentyCausesAndFits100Columns) {
  std::vector<CaseReport> cases;
  std::string message;
  for (int i = 0; i < 100; ++i) message += "word ";
  for (int i = 0; i < 66; ++i) {
    cases.push_back(CaseOf(StrCat("transpose_conv2d/", i), StrCat("TRANSPOSE_CONV", i % 33),
                           Verdict::kFail, message));
  }
  const Report report = ReportOf(std::move(cases));
  const std::string text = FormatText(report);
  EXPECT_THAT(text, HasSubstr("Failures: 66 cases, 33 causes, the gravest first\n"));
  EXPECT_THAT(text, HasSubstr("20. 2 cases of TRANSPOSE_CONV19\n    for example "
                              "transpose_conv2d/19\n"));
  EXPECT_THAT(text, Not(HasSubstr("TRANSPOSE_CONV20\n")));
  EXPECT_THAT(text, HasSubstr("... and 13 more causes of 26 cases"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  const std::string all = FormatText(report, {.all = true});
  EXPECT_THAT(all, HasSubstr("33. 2 cases of TRANSPOSE_CONV32\n"));
  EXPECT_THAT(all, HasSubstr("\n    transpose_conv2d/65\n"));
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
  EXPECT_THAT(text, HasSubstr(" 1. 1 case of TABLE\n    table/c\n"));
  EXPECT_THAT(text, HasSubstr(" 2. 1 case of TABLE\n    table/b\n"));
  EXPECT_THAT(text, HasSubstr(" 3. 1 case of TABLE\n    table/a\n"));
  EXPECT_THAT(text, Not(HasSubstr(" 4. ")));
}

TEST(FormatText, NeverAddsUpWhatIsWrongAndWhatIsNotOffered) {
  std::vector<CaseReport> cases;
  for (int i = 0; i < 3954; ++i) {
    cases.push_back(CaseOf(StrCat("mul/", i), "MUL", Verdict::kUnsupported, "no MUL"));
  }
  for (int i = 0; i < 120; ++i) {
    cases.push_back(CaseOf(StrCat("add/", i), "ADD", Verdict::kFail, "off"));
  }
  for (int i = 0; i < 872; ++i) {
    cases.push_back(CaseOf(StrCat("sub/", i), "SUB", Verdict::kPass));
  }
  cases.push_back(CaseOf("sub/last", "SUB", Verdict::kUnsupported, "no i48"));
  const std::string text = FormatText(ReportOf(std::move(cases)));
  EXPECT_THAT(text, HasSubstr("Failures: 120 cases, 1 cause\n\n 1. 120 cases of ADD\n"));
  EXPECT_THAT(text, HasSubstr("\nNot supported, by the implementation's own words: 3,955 cases\n"
                              "    MUL (all 3954), SUB (1 of 873)\n"
                              "    the first, mul/0: no MUL\n"));
  EXPECT_TRUE(text.ends_with("NOT CONFORMANT: 120 wrong, 3,955 not supported, 872 pass\n")) << text;
}

TEST(FormatText, SaysThatOnlyIllegalGraphsAreLeft) {
  const auto last_line = [](Outcome outcome, Verdict illegal, Verdict legal) {
    CaseReport left = CaseOf("add/b", "ADD", illegal, "not asked");
    left.outcome = outcome;
    const std::string text = FormatText(ReportOf({CaseOf("add/a", "ADD", legal), left}));
    return text.substr(text.find("NOT CONFORMANT"));
  };
  EXPECT_EQ(last_line(Outcome::kError, Verdict::kUnsupported, Verdict::kPass),
            "NOT CONFORMANT: 0 wrong, 1 not supported, 1 pass: every legal case passes, only "
            "illegal graphs are not supported\n");
  const auto says_so = HasSubstr("every legal case");
  EXPECT_THAT(last_line(Outcome::kError, Verdict::kUnsupported, Verdict::kFail), Not(says_so));
  EXPECT_THAT(last_line(Outcome::kError, Verdict::kWrongOutcome, Verdict::kPass), Not(says_so));
  EXPECT_THAT(last_line(Outcome::kError, Verdict::kMissing, Verdict::kPass), Not(says_so));
  EXPECT_THAT(last_line(Outcome::kValid, Verdict::kUnsupported, Verdict::kPass), Not(says_so));
  // A finding is about legal cases.
  CaseReport left = CaseOf("add/b", "ADD", Verdict::kUnsupported, "not asked");
  left.outcome = Outcome::kError;
  Report report = ReportOf({CaseOf("add/a", "ADD", Verdict::kPass), left});
  EXPECT_THAT(FormatText(report), says_so);
  report.findings.push_back({"mixed_flushing", "both", {"add/a"}});
  EXPECT_THAT(FormatText(report), Not(says_so));
  EXPECT_THAT(FormatText(ReportOf({left})), Not(says_so));  // no legal case at all
}

TEST(FormatText, NamesWhatShowsNoValuesApart) {
  const std::string text =
      FormatText(ReportOf({CaseOf("abs/a", "ABS", Verdict::kAccepted, "accepted, values not shown"),
                           CaseOf("abs/b", "ABS", Verdict::kPass),
                           CaseOf("mul/a", "MUL", Verdict::kAccepted, "accepted, values not shown"),
                           CaseOf("mul/b", "MUL", Verdict::kUnsupported, "no MUL")}));
  EXPECT_THAT(text,
              HasSubstr("\nAccepted, values not shown: 2 cases\n    ABS (1 of 2), MUL (1 of 2)\n"
                        "    the first, abs/a: accepted, values not shown\n"));
  EXPECT_THAT(text, HasSubstr(" accepted\n"));
  EXPECT_THAT(text, Not(HasSubstr("Failures")));
  EXPECT_TRUE(
      text.ends_with("NOT CONFORMANT: 0 wrong, 1 not supported, 2 accepted (values not "
                     "shown), 1 pass\n"))
      << text;
  // A report with values has no such column.
  EXPECT_THAT(FormatText(ReportOf({CaseOf("abs/b", "ABS", Verdict::kPass)})),
              Not(HasSubstr("accepted")));
}

TEST(FormatText, NamesWhatIsDisputedApart) {
  CaseReport disputed = CaseOf("clamp/a", "CLAMP", Verdict::kDisputed, "fail: x; disputed: y");
  disputed.disputed = "y";
  const Report report = ReportOf({disputed, CaseOf("clamp/b", "CLAMP", Verdict::kPass)});
  const std::string text = FormatText(report);
  EXPECT_THAT(text, HasSubstr("\nDisputed, decide nothing: 1 case\n    CLAMP (1 of 2)\n"
                              "    the first, clamp/a: fail: x; disputed: y\n"));
  EXPECT_THAT(text, HasSubstr(" disputed\n"));
  EXPECT_THAT(text, Not(HasSubstr("Failures")));
  EXPECT_TRUE(
      text.ends_with("CONFORMANT on this suite: 0 wrong, 1 disputed, "
                     "1 pass\n"))
      << text;
  EXPECT_THAT(FormatJUnit(report, JUnitUnsupported::kFailure),
              HasSubstr("<skipped message=\"fail: x; disputed: y\"/>"));
  const Json json = ReportToJson(report);
  EXPECT_EQ(json["conformant"], true);
  EXPECT_EQ(json["standings"]["disputed"], 1);
  EXPECT_EQ(json["cases"][0]["disputed"], "y");
  const Status valid = ValidateJson(json, "report", "test");
  EXPECT_TRUE(valid.ok()) << valid;
}

TEST(FormatText, AnAnswerWithoutItsOutputIsWrongAndNoAnswerDidNotRun) {
  CaseReport answered = CaseOf("add/a", "ADD", Verdict::kMissing, "no out.npy");
  answered.answered = CaseStatus::kOk;
  const Report report =
      ReportOf({answered, CaseOf("add/b", "ADD", Verdict::kMissing, "did not run")});
  EXPECT_THAT(FormatText(report), HasSubstr("NOT CONFORMANT: 1 wrong, 1 without a result, 0 pass"));
}

TEST(FormatText, ShowsFindingsFirstAndCountsThemInTheVerdict) {
  Report report = ReportOf({CaseOf("add/a", "ADD", Verdict::kPass)});
  report.findings = {{"mixed_flushing", "kept here, flushed there", {"add/a"}}};
  std::string text = FormatText(report);
  EXPECT_LT(text.find("mixed flushing: kept here, flushed there"), text.find("operator "));
  EXPECT_THAT(text, HasSubstr("tensor-cts explain '/results/my npu' add/a\n"));
  EXPECT_TRUE(
      text.ends_with("NOT CONFORMANT: 1 finding over several cases, though all 1 cases "
                     "passed\n"))
      << text;
  report.cases.push_back(CaseOf("add/b", "ADD", Verdict::kFail));
  text = FormatText(report);
  EXPECT_TRUE(text.ends_with("NOT CONFORMANT: 1 wrong, 1 pass; 1 finding over several cases\n"))
      << text;
}

TEST(FormatText, AShardIsNeverCalledConformant) {
  Report report = ReportOf({CaseOf("add/a", "ADD", Verdict::kPass)});
  report.suite.cases.resize(8);
  report.run.shard = Shard{2, 8};
  std::string text = FormatText(report);
  EXPECT_THAT(text, HasSubstr("SHARD           2 OF 8: only 1 of the 8 cases\n"));
  EXPECT_TRUE(
      text.ends_with("SHARD 2 OF 8 PASSED: all 1 cases passed; this says nothing about the "
                     "whole suite: merge all shards, check that\n"))
      << text;
  EXPECT_THAT(text, Not(HasSubstr("CONFORMANT")));
  EXPECT_EQ(ReportToJson(report)["run"]["shard"]["passed"], true);
  EXPECT_TRUE(ValidateJson(ReportToJson(report), "report", "report").ok());
  report.cases[0].verdict = Verdict::kFail;
  EXPECT_THAT(FormatText(report), HasSubstr("\nSHARD 2 OF 8 FAILED: 1 wrong, 0 pass; this"));
}

TEST(FormatText, APartialReportIsNamedAndNeverCalledConformant) {
  Report report = ReportOf({CaseOf("add/a", "ADD", Verdict::kPass)});
  report.suite.cases.resize(8);
  report.missing = 7;
  std::string text = FormatText(report);
  EXPECT_THAT(text, HasSubstr("PARTIAL         7 of 8 cases have no result: only 1 are judged\n"));
  EXPECT_TRUE(
      text.ends_with("PARTIAL RESULTS PASSED: all 1 cases passed; 7 of 8 cases have no result, and "
                     "this says nothing about them\n"))
      << text;
  EXPECT_THAT(text, Not(HasSubstr("CONFORMANT")));
  const Json json = ReportToJson(report);
  EXPECT_EQ(json["partial"], (Json{{"missing", 7}, {"passed", true}}));
  EXPECT_EQ(json["conformant"], false);
  EXPECT_TRUE(ValidateJson(json, "report", "report").ok());
  report.cases[0].verdict = Verdict::kFail;
  EXPECT_THAT(FormatText(report), HasSubstr("\nPARTIAL RESULTS FAILED: 1 wrong, 0 pass; 7 of 8"));
  report.cases.clear();
  report.missing = 8;
  EXPECT_THAT(FormatText(report), HasSubstr("PARTIAL RESULTS FAILED: no case has a result"));
}

TEST(FormatText, GroupsByTypeProfileAndRule) {
  CaseReport c = CaseOf("add/a", "ADD", Verdict::kTimeout);
  c.types = {{"in_out_t", "fp8e4m3"}};
  c.profiles = {{"PRO-INT"}, {"PRO-FP"}};
  c.rules = {RuleKind::kInterval};
  const std::string text = FormatText(ReportOf({c}));
  for (const char* const group : {"\nfp8e4m3 ", "\nPRO-INT ", "\nPRO-FP ", "\ninterval "}) {
    EXPECT_THAT(text, HasSubstr(group));
  }
  EXPECT_THAT(text, HasSubstr("(a case counts for every profile that it belongs to)"));
}

TEST(RerunCommand, NamesTheCaseAndHowItRan) {
  RunInfo run;
  run.command = "npu 'a b' --worker";
  EXPECT_EQ(RerunCommand("/suites/my suite", run, "add/a"),
            R"(tensor-cts run '/suites/my suite' --adapter 'npu '\''a b'\''' --worker )"
            "--filter add/a --out again");
  run.symbolic = true;
  run.command = "npu --worker";
  EXPECT_EQ(RerunCommand("symbolic", run, "symbolic/a"),
            "tensor-cts run symbolic --adapter npu --worker --symbolic --filter symbolic/a "
            "--out again");
  run.symbolic = false;
  run.command = "builtin:native";
  EXPECT_EQ(RerunCommand("smoke", run, "add/a"),
            "tensor-cts run smoke --implementation builtin:native --filter add/a --out again");
  run.command = "plugin:/lib dir/npu.so";
  EXPECT_EQ(RerunCommand("smoke", run, "add/a"),
            "tensor-cts run smoke --plugin '/lib dir/npu.so' --filter add/a --out again");
  run.edition_file = "/my editions/acme-0.1.json";
  EXPECT_EQ(RerunCommand("smoke", run, "add/a"),
            "tensor-cts --edition-file '/my editions/acme-0.1.json' run smoke "
            "--plugin '/lib dir/npu.so' --filter add/a --out again");
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
  EXPECT_EQ(json["totals"]["cases"], 11);
  EXPECT_EQ(json["standings"], Json({{"right", 1},
                                     {"wrong", 6},
                                     {"not_supported", 1},
                                     {"not_run", 1},
                                     {"not_shown", 1},
                                     {"not_checked", 0},
                                     {"disputed", 1}}));
  EXPECT_EQ(json["summaries"]["operator"]["groups"]["ADD"]["wrong_outcome"], 1);
  EXPECT_EQ(json["cases"][1]["outputs"][0]["ulps"], Json({1, 2, 0, 0, 0, 0, 0, 0, 0, 1}));
  // Both outputs of the rule and type together.
  ASSERT_EQ(json["histograms"].size(), 1u);
  EXPECT_EQ(json["histograms"][0]["ulps"], Json({2, 4, 0, 0, 0, 0, 0, 0, 0, 2}));
  EXPECT_EQ(json["ulp_ends"].size() + 1, json["histograms"][0]["ulps"].size());
  EXPECT_EQ(json["cases"][1]["outputs"][0]["dot_product"]["worst_error"], "inf");
  EXPECT_EQ(json["cases"][1]["outputs"][0]["first"]["element"], "[2]");
  EXPECT_EQ(json["cases"][0]["outputs"][0]["answer"], "either");
  EXPECT_EQ(json["cases"][8]["condition"], "add.rank");
}

TEST(ReportToJson, HoldsFindingsGroupsAndWhatTheGeneratorChose) {
  CaseReport c = CaseOf("add/a", "ADD", Verdict::kPass);
  c.mode = "signed 32";
  c.data_set = "special";
  c.types = {{"in_out_t", "i32"}};
  c.profiles = {{"PRO-INT"}, {"PRO-FP", "EXT-X"}};
  c.parameters = {{"size", "2x\x01"}};
  c.rules = {RuleKind::kExact};
  c.seconds = 0.5;
  c.exit_code = 3;
  Report report = ReportOf({c});
  report.findings = {{"mixed_flushing", "kept and flushed", {"add/a"}}};
  const Json json = ReportToJson(report);
  EXPECT_TRUE(ValidateJson(json, "report", "report").ok())
      << ValidateJson(json, "report", "report");
  EXPECT_EQ(json["conformant"], false);
  EXPECT_EQ(json["findings"][0]["cases"], Json({"add/a"}));
  EXPECT_EQ(json["summaries"]["profile"]["partition"], false);
  EXPECT_EQ(json["summaries"]["profile"]["groups"]["EXT-X and PRO-FP"]["pass"], 1);
  EXPECT_EQ(json["summaries"]["type"]["groups"]["i32"]["cases"], 1);
  EXPECT_EQ(json["summaries"]["rule"]["groups"]["exact"]["pass"], 1);
  EXPECT_EQ(json["cases"][0]["profiles"], Json::parse(R"([["PRO-INT"], ["PRO-FP", "EXT-X"]])"));
  EXPECT_EQ(json["cases"][0]["parameters"]["size"], "2x\\x01");
  EXPECT_EQ(json["cases"][0]["seconds"], 0.5);
  EXPECT_EQ(json["cases"][0]["exit_code"], 3);
}

TEST(ReportFromJson, ReadsBackWhatWasWritten) {
  Report report = EveryVerdict();
  report.cases[3].types = {{"in_out_t", "i32"}};
  report.cases[3].profiles = {{"PRO-INT"}, {"PRO-FP", "EXT-X"}};
  report.cases[3].parameters = {{"size", "2x3"}};
  report.cases[3].graph = {"ADD", "RESCALE"};
  report.cases[3].wrong_operator = "RESCALE";
  report.cases[3].exit_code = 3;
  report.cases[4].signal = 11;
  report.cases[5].declared = true;
  report.cases[6].declared = false;
  report.cases[6].beyond = "operator ADD";
  report.run.host = "board";
  report.run.started = "2026-11-01T00:00:00Z";
  report.run.seconds = 1.5;
  report.run.tensor_cts = "0.2.0";
  report.run.commit = "abc";
  report.run.code = {"lib", "main.py"};
  report.run.under_load = true;
  report.run.shard = Shard{2, 3};
  report.suite.seed = 7;
  report.filter = {"add/*"};
  report.missing = 3;
  report.findings = {{"mixed_flushing", "kept and flushed", {"add/1"}, true}};
  report.notes = {"a note"};
  report.declared = {{"the implementation", {.edition = "tosa-1.0", .profiles = {{"PRO-INT"}}}}};
  // The rules of a case stand with its outputs.
  for (CaseReport& c : report.cases) {
    for (const OutputReport& output : c.outputs) c.rules.push_back(output.rule.kind);
  }
  const Json json = ReportToJson(report);
  const StatusOr<Report> back = ReportFromJson(json, "report");
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(ReportToJson(*back), json);
  Json wrong = json;
  wrong["cases"][1]["outputs"][0]["dtype"] = "fp7";
  EXPECT_THAT(Message(ReportFromJson(wrong, "a.json").status()),
              HasSubstr("a.json: /cases/1/outputs/0/dtype: found \"fp7\""));
  wrong["cases"][1].erase("id");
  EXPECT_FALSE(ReportFromJson(wrong, "a.json").ok());
}

TEST(ReportToJson, OfAnEmptySuiteIsNotConformant) {
  const Json json = ReportToJson(ReportOf({}));
  EXPECT_TRUE(ValidateJson(json, "report", "report").ok());
  EXPECT_EQ(json["conformant"], false);
}

// Returns what a reader of JUnit XML finds in `xml`, and fails if it does not accept it
// (testdata/junit_check.py).
std::string ReadAsJUnit(const std::string& xml) {
  const testing_suite::Directory directory;
  EXPECT_TRUE(WriteFile(directory / "junit.xml", xml).ok());
  const std::filesystem::path out = directory / "out";
  const std::string command =
      StrCat(CTS_PYTHON, " ", CTS_SOURCE_DIR, "/checker/report/testdata/junit_check.py ",
             (directory / "junit.xml").string(), " > ", out.string(), " 2>&1");
  EXPECT_EQ(std::system(command.c_str()), 0) << ReadFile(out).value_or("") << xml;
  return ReadFile(out).value_or("");
}

TEST(FormatJUnit, IsWellFormedAndSkipsWhatIsNotSupported) {
  const std::string read = ReadAsJUnit(FormatJUnit(EveryVerdict()));
  EXPECT_THAT(read, HasSubstr("testsuites 11 2 5\n"));
  EXPECT_THAT(read, HasSubstr("tosa-1.0.ADD add/6 error crash 'because'"));
  EXPECT_THAT(read, HasSubstr("tosa-1.0.ADD add/5 skipped None 'not supported: because'"));
}

TEST(FormatJUnit, PutsWhatIsWrongOnLegalGraphsFirst) {
  CaseReport rank = CaseOf("abs/error-rank", "ABS", Verdict::kWrongOutcome, "expected error");
  CaseReport shape = CaseOf("mul/error-shape", "MUL", Verdict::kWrongOutcome, "expected error");
  rank.outcome = shape.outcome = Outcome::kError;
  const std::string xml =
      FormatJUnit(ReportOf({rank, CaseOf("add/a", "ADD", Verdict::kPass), shape,
                            CaseOf("mul/value", "MUL", Verdict::kFail, "expected 1, got 2")}));
  ReadAsJUnit(xml);
  std::vector<std::string> order;
  for (size_t at = xml.find(" name=\""); at != std::string::npos; at = xml.find(" name=\"", at)) {
    at += sizeof(" name=\"") - 1;
    order.push_back(xml.substr(at, xml.find('"', at) - at));
  }
  EXPECT_THAT(order, ElementsAre("test on npu", "MUL", "mul/value", "mul/error-shape", "ABS",
                                 "abs/error-rank", "ADD", "add/a"));
}

TEST(FormatJUnit, SkipsNothingForTheStrict) {
  const std::string xml = FormatJUnit(EveryVerdict(), JUnitUnsupported::kFailure);
  const std::string read = ReadAsJUnit(xml);
  EXPECT_THAT(read, HasSubstr("testsuites 11 4 5\n"));
  EXPECT_THAT(read, HasSubstr("tosa-1.0.ADD add/5 failure unsupported 'because'"));
  // But what decides nothing.
  EXPECT_EQ(xml.find("<skipped"), xml.rfind("<skipped"));
  EXPECT_THAT(read, HasSubstr("tosa-1.0.ADD add/10 skipped None 'because'"));
}

// CI systems count a file of skipped tests as green.
TEST(FormatJUnit, TurnsRedIfNothingIsSupported) {
  const Report report = ReportOf({CaseOf("add/a", "ADD", Verdict::kUnsupported, "no ADD")});
  EXPECT_THAT(ReadAsJUnit(FormatJUnit(report)),
              HasSubstr("tosa-1.0.suite supports something failure nothing_supported"));
}

TEST(FormatJUnit, SkipsWhatShowsNoValuesAndTurnsRedIfNothingElseIsThere) {
  const CaseReport accepted =
      CaseOf("add/a", "ADD", Verdict::kAccepted, "accepted, values not shown");
  const Report report = ReportOf({accepted});
  EXPECT_THAT(FormatJUnit(report), HasSubstr("<skipped message=\"accepted, values not shown\"/>"));
  EXPECT_THAT(ReadAsJUnit(FormatJUnit(report)),
              HasSubstr("supports something failure nothing_supported"));
  EXPECT_THAT(FormatJUnit(report), HasSubstr("the implementation showed no value of any case"));
  EXPECT_THAT(ReadAsJUnit(FormatJUnit(report, JUnitUnsupported::kFailure)),
              HasSubstr("ADD add/a failure accepted 'accepted, values not shown'"));
}

TEST(FormatJUnit, SurvivesHostileMessages) {
  std::string hostile =
      "]]> <x a='1'> & \" \x01\x1b[0m \xff\xfe \xed\xa0\x80 \xef\xbf\xbf \n\r end";
  hostile += '\0';
  CaseReport c = CaseOf("add/a", "ADD", Verdict::kCrash, hostile);
  c.log = hostile;
  Report report = ReportOf({c});
  report.run.name = hostile;
  const std::string parsed = ReadAsJUnit(FormatJUnit(report));
  EXPECT_THAT(parsed, HasSubstr("testsuites 1 0 1\n"));
  EXPECT_THAT(parsed, HasSubstr("]]> <x a=\\'1\\'> & \" \\\\x01\\\\x1b[0m \\\\xff\\\\xfe"));
}

TEST(FormatJUnit, TurnsRedOnAnEmptySuite) {
  EXPECT_THAT(ReadAsJUnit(FormatJUnit(ReportOf({}))), HasSubstr("testsuites 1 1 0"));
}

TEST(FormatJUnit, FindingsAreFailuresWithStableNames) {
  Report report = ReportOf({CaseOf("add/a", "ADD", Verdict::kPass)});
  report.findings = {{"mixed_flushing", "kept & flushed", {"add/a"}},
                     {"not_deterministic", "3 cases", {}},
                     {"mixed_flushing", "again", {}}};
  const std::string read = ReadAsJUnit(FormatJUnit(report));
  EXPECT_THAT(read, HasSubstr("testsuites 4 3 0\n"));
  EXPECT_THAT(read, HasSubstr("tosa-1.0.findings mixed_flushing failure mixed_flushing 'kept & "
                              "flushed'\n"));
  EXPECT_THAT(read, HasSubstr("tosa-1.0.findings mixed_flushing 2 failure"));
}

TEST(FormatJUnit, WritesTimesAsDecimalFractionsWhateverResultsSay) {
  std::vector<CaseReport> cases;
  const double inf = std::numeric_limits<double>::infinity();
  for (const double seconds : {1e-9, 1e30, inf, -1.0, 0.25}) {
    cases.push_back(CaseOf(StrCat("add/", cases.size()), "ADD", Verdict::kPass));
    cases.back().seconds = seconds;
  }
  const std::string xml = FormatJUnit(ReportOf(cases));
  ReadAsJUnit(xml);
  EXPECT_THAT(xml, HasSubstr("time=\"0.250\""));
}

// GitLab takes no file above 30 MB.
TEST(FormatJUnit, KeepsLogsShort) {
  std::vector<CaseReport> cases;
  std::string log(100000, 'x');
  log += "the end";
  for (int i = 0; i < 2000; ++i) {
    cases.push_back(CaseOf(StrCat("add/", i), "ADD", Verdict::kCrash, "died"));
    cases.back().log = log;
  }
  const std::string xml = FormatJUnit(ReportOf(cases));
  EXPECT_LT(xml.size(), 30000000u);
  EXPECT_THAT(xml.substr(0, 20000), HasSubstr("xxthe end</system-err>"));
}

}  // namespace
}  // namespace cts
