#include "checker/gate/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "checker/judge/suite_on_disk.h"
#include "reference/base/json.h"

namespace cts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_suite::Directory;

constexpr char kDigest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

// Cases c/0, c/1, ... with these verdicts.
Report ReportOf(const std::vector<Verdict>& verdicts) {
  Report report;
  report.suite_path = "suite";
  report.results_path = "results";
  report.suite.name = "smoke";
  report.suite.edition = "tosa-1.0";
  report.suite.level = "8K";
  report.suite.digest = kDigest;
  report.run.name = "npu";
  report.run.version = "1.2";
  for (size_t i = 0; i < verdicts.size(); ++i) {
    CaseReport c;
    c.id = StrCat("c/", i);
    c.op = "C";
    c.verdict = verdicts[i];
    c.message = StrCat("message ", i);
    report.cases.push_back(c);
  }
  return report;
}

Baseline BaselineOf(std::map<std::string, Verdict> failures) {
  return {"smoke", "tosa-1.0", "8K", kDigest, "npu", "1.1", std::move(failures)};
}

GateOptions OptionsOf(std::optional<Baseline> baseline, std::vector<Waiver> waivers = {}) {
  return {std::move(baseline), "baseline.json", "waivers.json", std::move(waivers), "2026-06-15"};
}

Waiver WaiverOf(const std::string& pattern, std::vector<Verdict> verdicts = {},
                const std::string& expires = "2026-06-15") {
  return {pattern, "known", "Ann", expires, std::move(verdicts)};
}

std::vector<std::string> Ids(const std::vector<GateFailure>& failures) {
  std::vector<std::string> ids;
  for (const GateFailure& failure : failures) ids.push_back(failure.id);
  return ids;
}

// One case, with every verdict now and in the baseline, and every kind of waiver: what becomes of
// it, told once more in other words.
TEST(Gate, SortsEveryCombinationOfVerdictBaselineAndWaiver) {
  enum class WaiverKind { kNone, kAll, kThisVerdict, kOtherVerdict, kExpired, kOtherCase };
  int combinations = 0;
  for (int now = 0; now < kVerdictCount; ++now) {
    for (int before = 0; before < kVerdictCount; ++before) {
      for (const auto kind :
           {WaiverKind::kNone, WaiverKind::kAll, WaiverKind::kThisVerdict,
            WaiverKind::kOtherVerdict, WaiverKind::kExpired, WaiverKind::kOtherCase}) {
        const Verdict verdict = static_cast<Verdict>(now);
        std::map<std::string, Verdict> failures;
        // Pass stands for: not in the baseline.
        if (before != 0) failures["c/0"] = static_cast<Verdict>(before);
        std::vector<Waiver> waivers;
        if (kind == WaiverKind::kAll) waivers = {WaiverOf("c/?")};
        if (kind == WaiverKind::kThisVerdict) waivers = {WaiverOf("*", {verdict})};
        if (kind == WaiverKind::kOtherVerdict) {
          waivers = {WaiverOf("c/[0-9]", {static_cast<Verdict>(now % 9 + 1)})};
        }
        if (kind == WaiverKind::kExpired) waivers = {WaiverOf("c/0", {}, "2026-06-14")};
        if (kind == WaiverKind::kOtherCase) waivers = {WaiverOf("c/00")};
        const auto result =
            ApplyGate(ReportOf({verdict}), OptionsOf(BaselineOf(failures), waivers));
        ASSERT_TRUE(result.ok()) << result.status();
        ++combinations;

        const bool passes = now == 0, disputed = verdict == Verdict::kDisputed;
        const bool waived =
            !passes && !disputed && (kind == WaiverKind::kAll || kind == WaiverKind::kThisVerdict);
        // Where a graph is accepted now, nothing is lost but values that were shown before.
        const Verdict was = static_cast<Verdict>(before);
        const bool unseen = verdict == Verdict::kAccepted && before != 0 && was != Verdict::kFail &&
                            was != Verdict::kMalformed && was != Verdict::kMissing;
        const bool known = !passes && !waived && !disputed && (now == before || unseen);
        const bool is_new = !passes && !waived && !disputed && !known;
        EXPECT_EQ(result->disputed, disputed ? 1 : 0);
        EXPECT_EQ(result->passed, passes ? 1 : 0);
        EXPECT_EQ(result->waived.size(), waived ? 1 : 0);
        EXPECT_EQ(result->known.size(), known ? 1 : 0);
        EXPECT_EQ(result->fresh.size(), is_new ? 1 : 0);
        EXPECT_EQ(result->fixed.size(), passes && before != 0 ? 1 : 0);
        const bool fault = kind == WaiverKind::kExpired || kind == WaiverKind::kOtherCase ||
                           kind == WaiverKind::kOtherVerdict ||
                           (kind != WaiverKind::kNone && passes);
        EXPECT_EQ(result->faults.size(), fault ? 1 : 0);
        EXPECT_EQ(result->Passed(), !is_new && !fault && !disputed);
        EXPECT_EQ(result->now.failures.size(), !passes && !waived && !disputed ? 1 : 0);
      }
    }
  }
  EXPECT_EQ(combinations, kVerdictCount * kVerdictCount * 6);
}

TEST(Gate, FailsWithoutBaselineOnEveryFailureAndNamesTheCommand) {
  const Report report = ReportOf({Verdict::kPass, Verdict::kCrash});
  const GateOptions options = OptionsOf(std::nullopt);
  const auto result = ApplyGate(report, options);
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->Passed());
  const std::string text = FormatGate(report, options, *result);
  EXPECT_THAT(text, HasSubstr("  C, crash: tensor-cts explain results c/1\n    message 1\n"));
  EXPECT_TRUE(
      text.ends_with("GATE FAILED: 1 new failures, 0 newly not supported, 0 waivers to mend\n"))
      << text;
}

TEST(Gate, NamesWhatIsNotSupportedApartFromFailures) {
  const Report report = ReportOf({Verdict::kUnsupported, Verdict::kPass, Verdict::kUnsupported,
                                  Verdict::kUnsupported, Verdict::kFail, Verdict::kUnsupported});
  const GateOptions options = OptionsOf(BaselineOf({{"c/0", Verdict::kUnsupported}}));
  const auto result = ApplyGate(report, options);
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->Passed());
  const std::string text = FormatGate(report, options, *result);
  EXPECT_THAT(text, HasSubstr("6 cases: 1 passed, 1 newly failed, 3 newly not supported, 0 failed "
                              "as in the baseline, 1 not supported as in the baseline, 0 waived"));
  EXPECT_THAT(text,
              HasSubstr("New failures, by cause:\n  C, fail: tensor-cts explain results c/4\n"));
  EXPECT_THAT(text, HasSubstr("Newly not supported:\n"
                              "  unsupported: tensor-cts explain results c/2\n    message 2\n"
                              "  unsupported: tensor-cts explain results c/3\n    message 3\n"
                              "  ... and 1 more\n"));
  EXPECT_TRUE(
      text.ends_with("GATE FAILED: 1 new failures, 3 newly not supported, 0 waivers to "
                     "mend\n"));
}

TEST(Gate, NamesWhatShowsNoValuesApart) {
  const Report report = ReportOf({Verdict::kAccepted, Verdict::kPass, Verdict::kAccepted,
                                  Verdict::kAccepted, Verdict::kAccepted, Verdict::kAccepted});
  // Values that were shown and wrong are not shown any more; what was refused, not offered or
  // crashed is at least accepted.
  const GateOptions options = OptionsOf(BaselineOf({{"c/0", Verdict::kAccepted},
                                                    {"c/2", Verdict::kFail},
                                                    {"c/3", Verdict::kUnsupported},
                                                    {"c/4", Verdict::kCrash}}));
  const auto result = ApplyGate(report, options);
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(Ids(result->known), ElementsAre("c/0", "c/3", "c/4"));
  EXPECT_THAT(Ids(result->fresh), ElementsAre("c/2", "c/5"));
  EXPECT_EQ(result->passed, 1);
  EXPECT_FALSE(result->Passed());
  const std::string text = FormatGate(report, options, *result);
  EXPECT_THAT(text, HasSubstr("6 cases: 1 passed, 0 newly failed, 0 newly not supported, 2 newly "
                              "accepted without values, 0 failed as in the baseline, 0 not "
                              "supported as in the baseline, 3 accepted without values as in the "
                              "baseline, 0 waived"));
  EXPECT_THAT(text, HasSubstr("Newly accepted without values:\n  accepted (was fail): tensor-cts "
                              "explain results c/2\n"));
  EXPECT_THAT(text, Not(HasSubstr("New failures")));
  EXPECT_THAT(FormatGateMarkdown(report, options, *result),
              HasSubstr("| **newly failed** | **0** |\n| newly not supported | 0 |\n| newly "
                        "accepted without values | 2 |\n"));
  EXPECT_EQ(GateAnnotations(report, *result), "");
  // Once that is the baseline, the gate is green; the loss of such a case is not.
  EXPECT_TRUE(ApplyGate(report, OptionsOf(result->now))->Passed());
  for (const Verdict loss : {Verdict::kUnsupported, Verdict::kCrash, Verdict::kWrongOutcome}) {
    Report later = report;
    later.cases[0].verdict = loss;
    EXPECT_THAT(Ids(ApplyGate(later, OptionsOf(result->now))->fresh), ElementsAre("c/0"));
  }
}

TEST(Gate, LetsNothingHangOnWhatIsDisputed) {
  const Report report = ReportOf({Verdict::kDisputed, Verdict::kPass});
  const GateOptions options = OptionsOf(std::nullopt);
  const auto result = ApplyGate(report, options);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->Passed());
  const std::string text = FormatGate(report, options, *result);
  EXPECT_THAT(text, HasSubstr("1 more are disputed: the text disagrees with itself about them, and "
                              "they decide nothing\n"));
  EXPECT_TRUE(text.ends_with("GATE PASSED\n")) << text;
  EXPECT_THAT(FormatGateMarkdown(report, options, *result),
              HasSubstr("| disputed, decide nothing | 1 |\n"));
  // A gate that no case decides has checked nothing.
  EXPECT_FALSE(ApplyGate(ReportOf({Verdict::kDisputed}), options)->Passed());
}

// People look after what they declare in a file. A case that is not in the file may be unsupported.
TEST(Gate, ToleratesWhatAFileDoesNotDeclareAndNothingElse) {
  Report report = ReportOf({Verdict::kUnsupported, Verdict::kPass, Verdict::kUnsupported});
  for (CaseReport& c : report.cases) c.declared = c.id != "c/0";
  GateOptions options = OptionsOf(std::nullopt);
  options.tolerate_undeclared = true;
  const auto result = ApplyGate(report, options);
  EXPECT_THAT(Ids(result->fresh), ElementsAre("c/2"));
  EXPECT_EQ(result->undeclared, 1);
  EXPECT_EQ(result->now.failures.count("c/0"), 0);
  const std::string text = FormatGate(report, options, *result);
  EXPECT_THAT(text, HasSubstr("3 cases: 1 passed, 1 newly failed, 0 newly not supported, "));
  EXPECT_THAT(text, HasSubstr("these\n1 more are not supported, not declared, and tolerated\n"));
  report.cases[2].verdict = Verdict::kPass;
  EXPECT_TRUE(ApplyGate(report, options)->Passed());
  // A wrong answer is one, declared or not.
  report.cases[0].verdict = Verdict::kFail;
  EXPECT_FALSE(ApplyGate(report, options)->Passed());
  // The implementation's own words excuse nothing.
  report.cases[0].verdict = Verdict::kUnsupported;
  options.tolerate_undeclared = false;
  EXPECT_FALSE(ApplyGate(report, options)->Passed());
}

TEST(Gate, FailsIfTheDeclarationLeavesNothing) {
  Report report = ReportOf({Verdict::kUnsupported});
  report.cases[0].declared = false;
  GateOptions options = OptionsOf(std::nullopt);
  options.tolerate_undeclared = true;
  const auto result = ApplyGate(report, options);
  EXPECT_FALSE(result->Passed());
  EXPECT_THAT(FormatGate(report, options, *result),
              HasSubstr("GATE FAILED: the declaration leaves no case of the suite to be answered"));
}

TEST(Gate, FailsASuiteWithoutCases) {
  const GateOptions options = OptionsOf(std::nullopt);
  const auto result = ApplyGate(ReportOf({}), options);
  EXPECT_FALSE(result->Passed());
  EXPECT_THAT(FormatGate(ReportOf({}), options, *result), HasSubstr("nothing was checked"));
}

TEST(Gate, AFlakyCaseIsAFailureOfItsOwn) {
  const Report report = ReportOf({Verdict::kPass, Verdict::kFail, Verdict::kCrash});
  const auto gate = [&](std::optional<Baseline> baseline, std::vector<Waiver> waivers) {
    GateOptions options = OptionsOf(std::move(baseline), std::move(waivers));
    options.reruns = {{"c/1", {2, 3}}, {"c/2", {0, 3}}};
    return *ApplyGate(report, options);
  };
  GateResult result = gate(std::nullopt, {});
  EXPECT_FALSE(result.Passed());
  EXPECT_EQ(result.flaky, 1U);
  ASSERT_EQ(Ids(result.fresh).size(), 2U);
  const std::string text = FormatGate(report, OptionsOf({}), result);
  EXPECT_THAT(text, HasSubstr("1 case is flaky: failed, and passed when run again\n"));
  EXPECT_THAT(text, HasSubstr("  flaky: "));
  EXPECT_THAT(text, HasSubstr("passed 2 of 3 times when it ran again; first: message 1"));
  EXPECT_THAT(text, HasSubstr("passed 0 of 3 times when it ran again; first: message 2"));
  EXPECT_THAT(FormatGateMarkdown(report, OptionsOf({}), result),
              HasSubstr("| flaky, among these | 1 |"));
  EXPECT_THAT(GateSarif(report, OptionsOf({}), result).dump(), HasSubstr("\"C/flaky\""));
  // No baseline has it, neither the old one nor a new one.
  result = gate(BaselineOf({{"c/1", Verdict::kFail}, {"c/2", Verdict::kCrash}}), {});
  EXPECT_THAT(Ids(result.fresh), ElementsAre("c/1"));
  EXPECT_THAT(result.now.failures, ElementsAre(std::pair("c/2", Verdict::kCrash)));
  // A waiver of the verdict that it had first does not cover it.
  const Baseline crash = BaselineOf({{"c/2", Verdict::kCrash}});
  EXPECT_FALSE(gate(crash, {WaiverOf("c/1", {Verdict::kFail})}).Passed());
  Waiver flaky = WaiverOf("c/1");
  EXPECT_TRUE(gate(crash, {flaky}).Passed()) << "it covers all verdicts";
  flaky.flaky = true;
  result = gate(crash, {flaky});
  EXPECT_TRUE(result.Passed());
  EXPECT_THAT(Ids(result.waived), ElementsAre("c/1"));
  // It covers no case that always fails, and it may stand where the case passes today.
  flaky.pattern = "c/2";
  EXPECT_FALSE(gate(std::nullopt, {flaky}).Passed());
  flaky.pattern = "c/0";
  EXPECT_THAT(gate(crash, {flaky}).faults, IsEmpty());
  // One that covers other verdicts as well is of no use there.
  flaky.verdicts = {Verdict::kFail};
  EXPECT_THAT(gate(crash, {flaky}).faults,
              ElementsAre(HasSubstr("1 of the 1 cases that it matches pass")));
  flaky.pattern = "c/1";
  EXPECT_TRUE(gate(crash, {flaky}).Passed());
  flaky.verdicts = {};
  flaky.pattern = "c/9";
  EXPECT_THAT(gate(crash, {flaky}).faults, ElementsAre(HasSubstr("matches nothing")));
}

TEST(Gate, RunsOnlyNewFailuresAgain) {
  Report report = ReportOf({Verdict::kPass, Verdict::kFail, Verdict::kCrash, Verdict::kUnsupported,
                            Verdict::kMissing, Verdict::kTimeout});
  report.findings = {{"mixed_flushing", "kept and flushed", {"c/0"}}};
  const auto result =
      ApplyGate(report, OptionsOf(BaselineOf({{"c/2", Verdict::kCrash}}), {WaiverOf("c/5")}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(CasesToRunAgain(*result), ElementsAre("c/1", "c/4"));
}

TEST(Gate, RefusesAWaiverOfWhichOneOfSeveralCasesPasses) {
  const auto result = ApplyGate(ReportOf({Verdict::kFail, Verdict::kPass}),
                                OptionsOf(std::nullopt, {WaiverOf("c/*")}));
  EXPECT_THAT(Ids(result->waived), ElementsAre("c/0"));
  EXPECT_THAT(result->faults, ElementsAre(HasSubstr("waivers.json: /0: c/*: 1 of the 2 cases that "
                                                    "it matches pass, such as c/1")));
}

// It did not pass, so that no bug is gone; and it did not fail, so that nothing is to be waived.
TEST(Gate, SaysOfAWaiverOfACaseThatIsNotCheckedWhatToName) {
  Report report = ReportOf({Verdict::kPass});
  report.cases[0].unchecked = true;
  const auto result = ApplyGate(report, OptionsOf(std::nullopt, {WaiverOf("c/0")}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->faults,
              ElementsAre(HasSubstr("waivers.json: /0: c/0: matches cases that are not checked, "
                                    "such as c/0: their failure is finding/not_checked/c/0")));
}

TEST(Gate, ComparesABaselineOfAnotherSuiteByIdAndSaysSo) {
  Baseline baseline = BaselineOf({{"c/0", Verdict::kFail}, {"c/7", Verdict::kFail}});
  baseline.digest[0] = 'f';
  const auto result = ApplyGate(ReportOf({Verdict::kFail, Verdict::kFail}), OptionsOf(baseline));
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(Ids(result->known), ElementsAre("c/0"));
  EXPECT_THAT(Ids(result->fresh), ElementsAre("c/1"));
  EXPECT_THAT(result->gone, ElementsAre("c/7"));
  EXPECT_THAT(result->notes, ElementsAre(HasSubstr("another suite")));
}

TEST(Gate, RefusesABaselineOfAnotherEditionOrLevel) {
  Baseline edition = BaselineOf({});
  edition.edition = "tosa-0.100";
  EXPECT_THAT(ApplyGate(ReportOf({}), OptionsOf(edition)).status().ToString(),
              HasSubstr("baseline.json: /suite: found a baseline of tosa-0.100"));
  Baseline level = BaselineOf({});
  level.level = "none";
  EXPECT_FALSE(ApplyGate(ReportOf({}), OptionsOf(level)).ok());
}

TEST(Gate, CountsFindingsOverSeveralCasesAsFailuresOfTheirOwn) {
  Report report = ReportOf({Verdict::kPass});
  report.findings = {{"mixed_flushing", "both", {"c/0", "c/1"}}, {"outside", "all", {}}};
  const auto fresh = ApplyGate(report, OptionsOf(std::nullopt));
  EXPECT_THAT(Ids(fresh->fresh), ElementsAre("finding/mixed_flushing/c/0",
                                             "finding/mixed_flushing/c/1", "finding/outside"));
  // A finding that another case shows is new although the first is known.
  const auto second =
      ApplyGate(report, OptionsOf(BaselineOf({{"finding/mixed_flushing/c/0", Verdict::kFail}})));
  EXPECT_THAT(Ids(second->fresh), ElementsAre("finding/mixed_flushing/c/1", "finding/outside"));
  const auto waived = ApplyGate(report, OptionsOf(std::nullopt, {WaiverOf("finding/*")}));
  EXPECT_TRUE(waived->Passed());
  EXPECT_EQ(waived->waived.size(), 3);
  report.findings.clear();
  const auto fixed =
      ApplyGate(report, OptionsOf(BaselineOf({{"finding/mixed_flushing/c/0", Verdict::kFail}})));
  EXPECT_THAT(fixed->fixed, ElementsAre("finding/mixed_flushing/c/0"));
}

TEST(Gate, FitsALogWhateverHappens) {
  std::map<std::string, Verdict> failures;
  for (int i = 0; i < 100; ++i) failures[StrCat("gone/", i)] = Verdict::kFail;
  for (int i = 0; i < 100; ++i) failures[StrCat("c/", i)] = Verdict::kFail;
  std::vector<Verdict> verdicts(100, Verdict::kPass);
  verdicts.resize(1000, Verdict::kCrash);
  std::vector<Waiver> waivers;
  for (int i = 0; i < 100; ++i) waivers.push_back(WaiverOf(StrCat("x", i)));
  Report report = ReportOf(verdicts);
  for (size_t i = 0; i < report.cases.size(); ++i) report.cases[i].op = StrCat("OP", i % 30);
  const GateOptions options = OptionsOf(BaselineOf(failures), waivers);
  const auto result = ApplyGate(report, options);
  EXPECT_EQ(result->fresh.size(), 900);
  EXPECT_EQ(result->fixed.size(), 100);
  EXPECT_EQ(result->gone.size(), 100);
  EXPECT_EQ(result->faults.size(), 100);
  const std::string text = FormatGate(report, options, *result);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 40) << text;
  EXPECT_THAT(text, HasSubstr("... and 540 more of 18 causes\n"));
  EXPECT_THAT(
      text,
      HasSubstr("GATE FAILED: 900 new failures, 0 newly not supported, 100 waivers to mend\n"));
}

TEST(Gate, ShowsWhatIsWaivedWhyAndByWhom) {
  const Report report = ReportOf({Verdict::kFail, Verdict::kCrash, Verdict::kPass});
  const GateOptions options = OptionsOf(std::nullopt, {WaiverOf("c/0"), WaiverOf("c/1")});
  const auto result = ApplyGate(report, options);
  const std::string text = FormatGate(report, options, *result);
  EXPECT_THAT(text, HasSubstr("Waived by c/0 (1, Ann, until 2026-06-15): known\n"));
  EXPECT_THAT(text, HasSubstr("Waived by c/1 (1, Ann, until 2026-06-15): known\n"));
}

TEST(Gate, ShowsNoExpiredWaiverAndNoControlCharacters) {
  const Report report = ReportOf({Verdict::kFail, Verdict::kPass});
  Waiver expired = WaiverOf("c/*");
  expired.expires = "2020-01-01";
  Waiver hostile = WaiverOf("c/0");
  hostile.owner = "Ann\n::error::\x1b[31m";
  const GateOptions options = OptionsOf(std::nullopt, {expired, hostile});
  const std::string text = FormatGate(report, options, *ApplyGate(report, options));
  EXPECT_THAT(text, HasSubstr("Waived by c/0 (1, Ann"));
  EXPECT_THAT(text, testing::Not(testing::AnyOf(HasSubstr("Waived by c/*"), HasSubstr("\n::error"),
                                                HasSubstr("\x1b"))));
}

TEST(Gate, ReadsTheBaselineThatItWrites) {
  const Directory directory;
  const auto result =
      ApplyGate(ReportOf({Verdict::kFail, Verdict::kPass, Verdict::kTimeout, Verdict::kCrash}),
                OptionsOf(std::nullopt, {WaiverOf("c/3")}));
  ASSERT_TRUE(SaveJson(directory / "b.json", BaselineToJson(result->now)).ok());
  const auto read = ReadBaseline(directory / "b.json");
  ASSERT_TRUE(read.ok()) << read.status();
  // The baseline lacks waived failures, so that they are reported once the waiver is removed.
  EXPECT_THAT(read->failures,
              ElementsAre(std::pair("c/0", Verdict::kFail), std::pair("c/2", Verdict::kTimeout)));
  EXPECT_EQ(read->edition, "tosa-1.0");
  EXPECT_EQ(read->digest, kDigest);
  EXPECT_EQ(read->implementation, "npu");
}

// Texts from outside are text, whatever they say.
constexpr char kHostile[] =
    "a|b `c` <img src=x onerror=1> [x](javascript:1) **b**\n::warning::x\n| 1 |\x1b[31m%0A";

TEST(GateMarkdown, TellsNewFailuresByCauseWithAnExample) {
  Report report = ReportOf({Verdict::kCrash, Verdict::kPass, Verdict::kCrash, Verdict::kCrash,
                            Verdict::kUnsupported, Verdict::kMissing});
  for (CaseReport& c : report.cases) c.message = StrCat("exit code ", c.id.size());
  report.findings.push_back({"mixed_flushing", "both ways", {"c/1"}});
  const GateOptions options =
      OptionsOf(BaselineOf({{"c/3", Verdict::kCrash}}), {WaiverOf("c/5"), WaiverOf("none/*")});
  const std::string text = FormatGateMarkdown(report, options, *ApplyGate(report, options));
  EXPECT_THAT(text, testing::StartsWith("## Gate failed: npu 1.2 on smoke\n"));
  for (const char* const line :
       {"\n| all | 6 |\n", "\n| passed | 1 |\n", "\n| **newly failed** | **3** |\n",
        "\n| newly not supported | 1 |\n", "\n| as in the baseline | 1 |\n", "\n| waived | 1 |\n",
        "\n| 2 | C, crash | <code>c/0</code><br>exit code 3",
        "\n| 1 | finding/mixed&#95;flushing | <code>finding/mixed&#95;flushing/c/1</code>",
        "\n### Newly not supported (1)\n\n* C&#58; 1 case\n", "\n### Waivers to mend (1)\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr("c/3")));
  const auto passed = OptionsOf(ApplyGate(report, OptionsOf(std::nullopt))->now);
  EXPECT_THAT(FormatGateMarkdown(report, passed, *ApplyGate(report, passed)),
              testing::AllOf(testing::StartsWith("## Gate passed: "), Not(HasSubstr("###"))));
}

TEST(GateMarkdown, TakesNoMarkupFromOutside) {
  Report report = ReportOf({Verdict::kFail});
  report.cases[0].message = kHostile;
  report.run.name = kHostile;
  report.findings.push_back({kHostile, kHostile, {"c/0"}});
  Waiver hostile = WaiverOf(kHostile);
  hostile.owner = kHostile;
  const GateOptions options = OptionsOf(std::nullopt, {hostile});
  const std::string text = FormatGateMarkdown(report, options, *ApplyGate(report, options));
  for (const char* const markup :
       {"<img", "](", "**b", "\n::", "\n| 1 |\x1b", "\x1b", "`", "a|b"}) {
    EXPECT_THAT(text, Not(HasSubstr(markup)));
  }
  // A row for each of the two failures, each with three cells.
  const size_t table = text.find("|---:|---|---|\n") + 15;
  const std::string rows = text.substr(table, text.find("\n\n", table) - table);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '|'), 2 * 4) << rows;
}

TEST(GateAnnotations, AreOneLineForEachOfTheTenLargestCauses) {
  Report report = ReportOf(std::vector<Verdict>(60, Verdict::kCrash));
  for (size_t i = 0; i < report.cases.size(); ++i) report.cases[i].op = StrCat("OP", i % 15);
  for (size_t i = 1; i < report.cases.size(); i += 15) report.cases[i].message = kHostile;
  const std::string text = GateAnnotations(report, *ApplyGate(report, OptionsOf(std::nullopt)));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10) << text;
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    EXPECT_TRUE(text.compare(at, 16, "::error title=OP") == 0) << text.substr(at);
  }
  EXPECT_THAT(text, HasSubstr("::error title=OP2%2C crash::4 cases, first c/2: message 2\n"));
  EXPECT_THAT(text, HasSubstr("%250A"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(GateSarif, HasTheNewFailuresAtTheFileOfTheRepository) {
  Report report = ReportOf(
      {Verdict::kCrash, Verdict::kPass, Verdict::kFail, Verdict::kFail, Verdict::kUnsupported});
  report.findings.push_back({"mixed_flushing", "both ways", {"c/1"}});
  GateOptions options =
      OptionsOf(BaselineOf({{"c/2", Verdict::kFail}, {"c/0", Verdict::kFail}}), {WaiverOf("c/3")});
  options.sarif_file = "my tools/adapter.py";
  const Json sarif = GateSarif(report, options, *ApplyGate(report, options));
  EXPECT_EQ(sarif["version"], "2.1.0");
  const Json& run = sarif["runs"][0];
  const Json& rules = run["tool"]["driver"]["rules"];
  std::map<std::string, Json> results;
  for (const Json& result : run["results"]) {
    results[result["partialFingerprints"]["tensorCtsCase/v1"]] = result;
    EXPECT_EQ(rules[result["ruleIndex"].get<size_t>()]["id"], result["ruleId"]);
  }
  // Neither what the baseline has, nor what is waived.
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results["c/0"]["baselineState"], "updated");
  EXPECT_EQ(results["c/0"]["ruleId"], "C/crash");
  EXPECT_EQ(results["c/0"]["level"], "error");
  EXPECT_EQ(results["c/4"]["baselineState"], "new");
  EXPECT_EQ(results["c/4"]["level"], "note");
  EXPECT_EQ(results["finding/mixed_flushing/c/1"]["ruleId"], "finding/mixed_flushing");
  for (const auto& [id, result] : results) {
    EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
              "my%20tools/adapter.py");
  }
}

TEST(Gate, NamesFindingsFirstEachKindOnce) {
  Report report = ReportOf({Verdict::kFail, Verdict::kPass, Verdict::kPass});
  report.findings.push_back({"mixed_flushing", "both ways", {"c/1", "c/2"}});
  const GateOptions options = OptionsOf(std::nullopt);
  EXPECT_THAT(FormatGate(report, options, *ApplyGate(report, options)),
              HasSubstr("New failures, by cause:\n  finding/mixed_flushing, 2 cases: tensor-cts "
                        "explain results c/1\n    both ways\n  C, fail: "));
}

TEST(Gate, PutsWhatIsWrongOnLegalGraphsFirst) {
  Report report = ReportOf({Verdict::kWrongOutcome, Verdict::kWrongOutcome, Verdict::kWrongOutcome,
                            Verdict::kPass, Verdict::kFail});
  for (int i = 0; i < 3; ++i) {
    report.cases[static_cast<size_t>(i)].outcome = Outcome::kError;
    report.cases[static_cast<size_t>(i)].condition = "c.rank";
  }
  report.findings.push_back({"mixed_flushing", "both ways", {"c/3"}});
  const GateOptions options = OptionsOf(std::nullopt);
  const GateResult result = *ApplyGate(report, options);
  EXPECT_THAT(Ids(result.fresh),
              ElementsAre("finding/mixed_flushing/c/3", "c/4", "c/0", "c/1", "c/2"));
  const Json sarif = GateSarif(report, options, result);
  std::vector<std::string> ids;
  for (const Json& each : sarif["runs"][0]["results"]) {
    ids.push_back(each["partialFingerprints"]["tensorCtsCase/v1"]);
  }
  EXPECT_EQ(ids, Ids(result.fresh));
  for (const std::string& text :
       {FormatGate(report, options, result), FormatGateMarkdown(report, options, result),
        GateAnnotations(report, result)}) {
    EXPECT_LT(text.find("both ways"), text.find("message 4")) << text;
    EXPECT_LT(text.find("message 4"), text.find("message 0")) << text;
  }
}

TEST(Gate, FailsWhenAccuracyGetsWorseThoughEveryResultIsLegal) {
  Report report = ReportOf({Verdict::kPass, Verdict::kPass});
  OutputReport output;
  output.dtype = DType::kFp32;
  output.rule.kind = RuleKind::kUlp;
  output.elements = 2;
  output.worst_of_bound = 0.5;
  output.worst_ulp = 0.75;
  output.ulps.Add(0.25);
  output.ulps.Add(0.75);
  report.cases[0].outputs = {output};
  report.cases[0].data_set = "unit";
  GateOptions options = OptionsOf(std::nullopt);
  options.accuracy = AccuracyNow(report);
  options.accuracy_path = "accuracy.json";
  EXPECT_TRUE(ApplyGate(report, options)->Passed());

  report.cases[0].outputs[0].worst_of_bound = 0.53;
  const auto worse = ApplyGate(report, options);
  EXPECT_FALSE(worse->Passed());
  EXPECT_THAT(worse->worse,
              ElementsAre("C, fp32, unit: greatest error 53 % of the bound, was 50 % (c/0)"));
  EXPECT_THAT(FormatGate(report, options, *worse),
              testing::AllOf(HasSubstr("Legal, but less accurate than accuracy.json:\n  C, fp32"),
                             HasSubstr("0 waivers to mend, 1 less accurate\n")));
  EXPECT_THAT(FormatGateMarkdown(report, options, *worse),
              HasSubstr("### Legal, but less accurate"));
  EXPECT_THAT(GateAnnotations(report, *worse), HasSubstr("::error title=less accurate::"));
  options.accuracy->slack = 0.1;
  EXPECT_TRUE(ApplyGate(report, options)->Passed());

  report.cases[0].outputs[0].ulps.Add(0.75);
  report.cases[0].outputs[0].elements = 3;
  EXPECT_THAT(ApplyGate(report, options)->worse,
              ElementsAre("C, fp32, unit: mean error 0.583333 ulp, was 0.5"));
  // The figures of a wrong result are no accuracy.
  report.cases[0].outputs[0].verdict = Verdict::kFail;
  EXPECT_THAT(ApplyGate(report, options)->worse, IsEmpty());
  options.accuracy->digest[0] = '9';
  const auto other = ApplyGate(report, options);
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(Message(other.status()), HasSubstr("accuracy.json: /suite/digest: found 91234"));
}

// Returns the complaint of ReadWaivers about a text.
std::string Complaint(const std::string& text) {
  const Directory directory;
  EXPECT_TRUE(WriteFile(directory / "w.json", text).ok());
  const auto waivers = ReadWaivers(directory / "w.json");
  return waivers.ok() ? "fine" : Message(waivers.status());
}

std::string WaiverText(const std::string& member, const std::string& value) {
  Json waiver = {
      {"pattern", "c/*"}, {"reason", "slow"}, {"owner", "Ann"}, {"expires", "2026-12-31"}};
  if (value.empty()) {
    waiver.erase(member);
  } else {
    waiver[member] = *ParseJson(value, "");
  }
  return Json::array({waiver}).dump();
}

TEST(Waivers, ComplaintsNameThePlace) {
  EXPECT_EQ(Complaint(WaiverText("verdicts", R"(["fail", "crash"])")), "fine");
  EXPECT_THAT(Complaint(WaiverText("reason", "")),
              HasSubstr("w.json: /0: missing required member \"reason\""));
  EXPECT_THAT(Complaint(WaiverText("owner", "")), HasSubstr("/0: missing required member"));
  EXPECT_THAT(Complaint(WaiverText("reason", R"("")")), HasSubstr("w.json: /0/reason: "));
  EXPECT_THAT(Complaint(WaiverText("reason", R"("  ")")), HasSubstr("w.json: /0/reason: "));
  EXPECT_THAT(Complaint(WaiverText("owner", R"("\t")")), HasSubstr("w.json: /0/owner: "));
  EXPECT_THAT(Complaint(WaiverText("pattern", R"(" ")")), HasSubstr("w.json: /0/pattern: "));
  EXPECT_THAT(Complaint(WaiverText("reson", R"("typo")")), HasSubstr("unknown member \"reson\""));
  EXPECT_THAT(Complaint(WaiverText("expires", R"("31.12.2026")")), HasSubstr("/0/expires: "));
  EXPECT_THAT(Complaint(WaiverText("expires", R"("2026-02-29")")),
              HasSubstr("/0/expires: found \"2026-02-29\", expected a day of the calendar"));
  EXPECT_THAT(Complaint(WaiverText("verdicts", "[]")), HasSubstr("/0/verdicts: "));
  EXPECT_THAT(Complaint(WaiverText("verdicts", R"(["pass"])")), HasSubstr("/0/verdicts/0: "));
  EXPECT_THAT(Complaint("{}"), HasSubstr("expected type \"array\""));
  const std::string one = WaiverText("reason", R"("a")");
  const std::string other = WaiverText("reason", R"("b")");
  EXPECT_THAT(Complaint(one.substr(0, one.size() - 1) + "," + other.substr(1)),
              HasSubstr("/1/pattern: found \"c/*\", which /0/pattern is already"));
}

TEST(Waivers, MayNameFlakyCases) {
  const auto read = [](const Json& verdicts) {
    return WaiversFromJson(Json::array({{{"pattern", "a/b"},
                                         {"reason", "r"},
                                         {"owner", "o"},
                                         {"expires", "2026-06-15"},
                                         {"verdicts", verdicts}}}),
                           "w.json");
  };
  const auto waivers = read({"flaky", "fail"});
  ASSERT_TRUE(waivers.ok()) << waivers.status();
  EXPECT_TRUE((*waivers)[0].flaky);
  EXPECT_THAT((*waivers)[0].verdicts, ElementsAre(Verdict::kFail));
  EXPECT_FALSE((*read({"fail"}))[0].flaky);
}

TEST(Waivers, KnowTheCalendar) {
  for (const char* good : {"2026-01-01", "2024-02-29", "2000-02-29", "2026-12-31"}) {
    EXPECT_TRUE(IsDate(good)) << good;
  }
  for (const char* bad :
       {"2026-02-29", "1900-02-29", "2026-13-01", "2026-00-01", "2026-04-31", "2026-01-00",
        "2026-1-01", "2026-01-1", "2026/01/01", "20260101", "", "2026-01-011", "+026-01-01"}) {
    EXPECT_FALSE(IsDate(bad)) << bad;
  }
  EXPECT_TRUE(IsDate(Today()));
}

}  // namespace
}  // namespace cts
