#include "checker/judge/across_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/judge/check.h"
#include "checker/judge/suite_on_disk.h"
#include "checker/report/html.h"
#include "checker/report/report.h"
#include "reference/base/json.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

using namespace testing_suite;  // NOLINT
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr DType kFp16 = DType::kFp16, kBf16 = DType::kBf16, kFp32 = DType::kFp32;

// A case with an output that speaks of these types.
CaseReport Shows(const std::string& id, const std::set<DType>& types, const std::string& answer,
                 bool all_or_none = true) {
  CaseReport c;
  c.id = id;
  c.outputs.emplace_back();
  c.outputs[0].answer = answer;
  c.outputs[0].flushing = {types, types, all_or_none};
  return c;
}

std::vector<std::vector<std::string>> Mixed(std::vector<CaseReport> cases) {
  Report report;
  report.cases = std::move(cases);
  FindChoices(&report);
  EXPECT_THAT(report.notes, IsEmpty());
  std::vector<std::vector<std::string>> found;
  for (const Finding& finding : report.findings) {
    EXPECT_EQ(finding.kind, "mixed_flushing");
    found.push_back(finding.cases);
  }
  return found;
}

TEST(MixedFlushing, NamesTheTwoCasesOfAType) {
  EXPECT_THAT(Mixed({Shows("a", {kFp32}, "flushed"), Shows("b", {kFp32}, "flushed"),
                     Shows("c", {kFp32}, "unflushed"), Shows("d", {kFp32}, "unflushed")}),
              ElementsAre(ElementsAre("a", "c")));
}

TEST(MixedFlushing, LeavesEveryTypeItsOwnChoice) {
  EXPECT_THAT(Mixed({Shows("a", {kFp16}, "flushed"), Shows("b", {kFp32}, "unflushed"),
                     Shows("c", {kBf16}, "flushed")}),
              IsEmpty());
}

TEST(MixedFlushing, TellsEachTypeThatIsMixed) {
  EXPECT_THAT(Mixed({Shows("a", {kFp16}, "flushed"), Shows("b", {kFp32}, "unflushed"),
                     Shows("c", {kFp16}, "unflushed"), Shows("d", {kFp32}, "flushed")}),
              ElementsAre(ElementsAre("a", "c"), ElementsAre("b", "d")));
}

TEST(MixedFlushing, SaysNothingWhereBothAnswersFit) {
  EXPECT_THAT(Mixed({Shows("a", {kFp32}, "flushed"), Shows("b", {kFp32}, "either"),
                     Shows("c", {kFp32}, "")}),
              IsEmpty());
}

// CAST from fp16 to fp32: which of the two was flushed, the result does not say.
TEST(MixedFlushing, TakesTwoTypesTogether) {
  const CaseReport both = Shows("cast", {kFp16, kFp32}, "flushed");
  EXPECT_THAT(Mixed({both, Shows("b", {kFp32}, "unflushed")}), IsEmpty());
  EXPECT_THAT(Mixed({both, Shows("b", {kFp16}, "unflushed")}), IsEmpty());
  EXPECT_THAT(Mixed({both, Shows("b", {kFp16}, "unflushed"), Shows("c", {kFp32}, "unflushed")}),
              ElementsAre(ElementsAre("cast", "b", "c")));
  // One that is kept leaves the other.
  const CaseReport kept = Shows("cast", {kFp16, kFp32}, "unflushed");
  EXPECT_THAT(Mixed({kept, Shows("b", {kFp32}, "flushed")}), IsEmpty());
  EXPECT_THAT(Mixed({kept, Shows("b", {kFp32}, "flushed"), Shows("c", {kFp16}, "flushed")}),
              ElementsAre(ElementsAre("cast", "b", "c")));
  EXPECT_THAT(Mixed({kept, Shows("other", {kFp16, kFp32}, "flushed")}), IsEmpty());
}

// Values kept where they were moved are a finding of their own; computed ones go first.
TEST(MixedFlushing, OfNumbersThatWereMovedIsItsOwnFinding) {
  const auto kinds = [](std::vector<CaseReport> cases) {
    Report report;
    report.cases = std::move(cases);
    FindChoices(&report);
    std::vector<std::string> found;
    for (const Finding& finding : report.findings) found.push_back(finding.kind);
    return found;
  };
  CaseReport abs = Shows("abs", {kFp32}, "unflushed");
  abs.outputs[0].flushing->moved = true;
  const CaseReport add = Shows("add", {kFp32}, "flushed"), mul = Shows("mul", {kFp32}, "unflushed");
  EXPECT_THAT(kinds({abs, mul}), IsEmpty());
  EXPECT_THAT(kinds({abs, add}), ElementsAre("moved_not_computed"));
  EXPECT_THAT(kinds({abs, add, mul}), ElementsAre("mixed_flushing"));
  // An implementation that flushes while moving and keeps while computing has no such excuse.
  abs.outputs[0].answer = "flushed";
  EXPECT_THAT(kinds({abs, mul}), ElementsAre("mixed_flushing"));
  // Each type by itself.
  CaseReport fp16 = Shows("max", {kFp16}, "unflushed");
  fp16.outputs[0].flushing->moved = true;
  EXPECT_THAT(kinds({add, mul, fp16, Shows("sub", {kFp16}, "flushed")}),
              ElementsAre("mixed_flushing", "moved_not_computed"));
}

// The elements of one output, as checker/rules/shown.h finds them.
CaseReport Elements(const std::string& id, int64_t flushed, int64_t kept, bool silent = false) {
  CaseReport c = Shows(id, {kFp32}, "");
  c.outputs[0].dtype = kFp32;
  c.outputs[0].shown = {.flushed = flushed, .kept = kept};
  if (silent) c.outputs[0].flushing->kept.clear();
  return c;
}

TEST(MixedFlushing, IsFoundWithinOneTensorAndAcrossSuch) {
  EXPECT_THAT(Mixed({Elements("mul", 0, 1)}), ElementsAre(ElementsAre("mul")));
  EXPECT_THAT(Mixed({Elements("mul", 0, -1), Elements("exp", -1, 3)}),
              ElementsAre(ElementsAre("mul", "exp")));
  EXPECT_THAT(Mixed({Elements("mul", 0, -1), Shows("sub", {kFp32}, "unflushed")}),
              ElementsAre(ElementsAre("mul", "sub")));
  EXPECT_THAT(Mixed({Elements("mul", 0, -1), Shows("sub", {kFp32}, "flushed")}), IsEmpty());
  EXPECT_THAT(Mixed({Elements("mul", 0, -1), Elements("resize", -1, 0, true)}), IsEmpty());
}

// From the operator's text to the finding: 2^-100 * 2^-40 is flushed, -2^-100 * 2^-41 is kept.
TEST(MixedFlushing, OfProductsIsFoundInOneTensor) {
  OneOperator mul("MUL");
  mul.Floats(kFp32, {2}, {0x1p-100, -0x1p-100}).Floats(kFp32, {2}, {0x1p-40, 0x1p-41});
  const ExpectedOutput output = mul.Integers(DType::kI8, {1}, {0}).Out(kFp32, {2}).Output();
  const auto product = [&](const std::string& id, const std::vector<double>& result) {
    CaseReport c;
    c.id = id;
    c.outputs = {JudgeTensor(output, Floats(result))};
    EXPECT_EQ(c.outputs[0].verdict, Verdict::kPass);
    return c;
  };
  EXPECT_THAT(Mixed({product("mul", {0, -0x1p-141})}), ElementsAre(ElementsAre("mul")));
  EXPECT_THAT(Mixed({product("mul", {0x1p-140, -0.0})}), ElementsAre(ElementsAre("mul")));
  EXPECT_THAT(Mixed({product("mul", {0, -0.0})}), IsEmpty());
  EXPECT_THAT(Mixed({product("mul", {0x1p-140, -0x1p-141})}), IsEmpty());
  EXPECT_THAT(Mixed({product("a", {0, -0.0}), product("b", {0x1p-140, -0x1p-141})}),
              ElementsAre(ElementsAre("a", "b")));
}

// Such a SIGMOID gives 0 where the result is subnormal.
TEST(MixedFlushing, SaysWhyAZeroCountsAsFlushed) {
  OneOperator sigmoid("SIGMOID"), mul("MUL");
  sigmoid.Floats(kFp32, {2}, {1, -89}).Out(kFp32, {2});
  mul.Floats(kFp32, {1}, {0x1p-100}).Floats(kFp32, {1}, {0x1p-40});
  mul.Integers(DType::kI8, {1}, {0}).Out(kFp32, {1});
  Report report;
  report.cases.resize(2);
  report.cases[0].id = "sigmoid";
  report.cases[0].outputs = {JudgeTensor(sigmoid.Output(), Floats({0.7310586F, 0}))};
  report.cases[1].id = "mul";
  report.cases[1].outputs = {JudgeTensor(mul.Output(), Floats({0x1p-140}))};
  FindChoices(&report);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_THAT(report.findings[0].message,
              AllOf(HasSubstr("[1] is 0 where 2.227"),
                    HasSubstr("e-39 is expected: 0 is right for a flushed result only), mul keeps"),
                    HasSubstr("[0] is 7.174648137343064e-43, a subnormal number); "),
                    HasSubstr("SIGMOID written as 1 / (1 + EXP(-x)), counts as flushed")));
}

// And beside operators that only hand a number on.
TEST(MixedFlushing, OfProductsBesideNegateIsMovedNotComputed) {
  OneOperator mul("MUL"), negate("NEGATE");
  mul.Floats(kFp32, {1}, {0x1p-100}).Floats(kFp32, {1}, {0x1p-40});
  mul.Integers(DType::kI8, {1}, {0}).Out(kFp32, {1});
  negate.Floats(kFp32, {1}, {0x1p-140}).Floats(kFp32, {1}, {0}).Floats(kFp32, {1}, {0});
  negate.Out(kFp32, {1});
  Report report;
  report.cases.resize(2);
  report.cases[0].id = "mul";
  report.cases[0].outputs = {JudgeTensor(mul.Output(), Floats({0}))};
  report.cases[1].id = "negate";
  report.cases[1].outputs = {JudgeTensor(negate.Output(), Floats({-0x1p-140}))};
  for (CaseReport& c : report.cases) c.verdict = Verdict::kPass;
  FindChoices(&report);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].kind, "moved_not_computed");
  EXPECT_EQ(report.findings[0].message,
            "mul flushes subnormal numbers of fp32 (out[0] is 0 where 7.174648137343064e-43 is "
            "expected: 0 is right for a flushed result only), negate moves subnormal numbers of "
            "fp32 (out[0] is -7.174648137343064e-43, which flushed subnormals do not give); an "
            "implementation flushes all values of a type or none, those that it only moves, too");
  EXPECT_FALSE(AllPassed(report));
  report.findings[0].waived = true;
  EXPECT_TRUE(AllPassed(report));
}

// The sign of a zero that the text gives twice.
CaseReport Negates(const std::string& id, DType type, bool negative, bool positive) {
  CaseReport c;
  c.id = id;
  c.outputs.emplace_back();
  c.outputs[0].dtype = type;
  c.outputs[0].rule.zero_choice = "negate_of_zero";
  c.outputs[0].shown = {.negative_zero = negative ? 0 : -1, .positive_zero = positive ? 0 : -1};
  return c;
}

TEST(Choices, OfASignAreOneForAType) {
  Report report;
  report.suite.edition = "tosa-1.0";
  report.cases = {Negates("a", kFp32, true, false), Negates("b", kFp16, false, true),
                  Negates("c", kFp32, true, false)};
  FindChoices(&report);
  EXPECT_THAT(report.findings, IsEmpty());
  report.choices.clear();
  report.cases.push_back(Negates("d", kFp32, false, true));
  FindChoices(&report);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].kind, "mixed_choice");
  EXPECT_EQ(
      report.findings[0].message,
      "a gives -0 for NEGATE of +0 in fp32 (its table), d gives +0 for NEGATE of +0 in fp32 (its "
      "pseudocode); the text says both, and an implementation follows one");
}

// An edition of one's own may have any number of choices.
TEST(Choices, OfManyKindsAreTakenOneByOne) {
  Report report;
  report.suite.edition = "tosa-1.0";
  for (int i = 0; i < 40; ++i) {
    for (const DType type : {kFp16, kBf16, kFp32}) {
      report.cases.push_back(Negates(StrCat("a", i, Name(type)), type, false, true));
      report.cases.back().outputs[0].rule.zero_choice = StrCat("choice_", i);
    }
  }
  FindChoices(&report);
  EXPECT_THAT(report.findings, IsEmpty());
  report.cases.push_back(Negates("b", kBf16, true, false));
  report.cases.back().outputs[0].rule.zero_choice = "choice_33";
  FindChoices(&report);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_THAT(report.findings[0].cases, ElementsAre("a33bf16", "b"));
}

TEST(Choices, AreWrittenWhereTheCasesShowThem) {
  Report report;
  report.suite.edition = "tosa-1.0";
  report.cases = {Elements("mul", 0, -1), Negates("a", kFp16, false, true)};
  FindChoices(&report);
  std::vector<std::string> lines;
  for (const ChosenOption& chosen : report.choices) {
    lines.push_back(StrCat(chosen.choice, " ", Name(chosen.type), " ", chosen.option));
  }
  EXPECT_THAT(lines, ElementsAre("subnormals fp16 ", "subnormals fp32 flushed",
                                 "negate_of_zero fp16 +0", "negate_of_zero fp32 "));
  report.choices.clear();
  report.cases.push_back(Elements("exp", -1, 0));
  FindChoices(&report);
  EXPECT_EQ(report.choices[1].option, "mixed");
}

TEST(Choices, NameTheClauseThatIsFollowed) {
  Report report;
  report.suite.edition = "tosa-1.0";
  report.cases = {Negates("a", kFp32, true, false), Negates("b", kFp16, false, true)};
  FindChoices(&report);
  const std::string line = "NEGATE of +0: fp16 +0 (its pseudocode), fp32 -0 (its table)";
  EXPECT_THAT(FormatText(report), HasSubstr("choice: " + line));
  EXPECT_THAT(FormatHtml(report), HasSubstr("<li>" + line + "</li>"));
  const Json choices = ReportToJson(report)["choices"];
  ASSERT_EQ(choices.size(), 4U);
  EXPECT_EQ(choices[2]["choice"], "negate_of_zero");
  EXPECT_EQ(choices[2]["type"], "fp16");
  EXPECT_EQ(choices[2]["option"], "+0");
  EXPECT_EQ(choices[2]["means"], "its pseudocode");
  EXPECT_EQ(choices[3]["means"], "its table");
}

// One of two types is flushed, but it is unknown which.
TEST(Choices, AreOpenWhereTwoExplanationsDiffer) {
  Report report;
  report.suite.edition = "tosa-1.0";
  CaseReport both = Shows("cast", {kFp16, kFp32}, "flushed");
  both.outputs[0].dtype = kFp16;
  report.cases = {both, Elements("nothing", -1, -1)};
  FindChoices(&report);
  ASSERT_EQ(report.choices.size(), 4U);
  EXPECT_EQ(report.choices[0].option, "");
  EXPECT_EQ(report.choices[1].option, "");
  report.choices.clear();
  report.cases.push_back(Elements("exp", -1, 0));
  FindChoices(&report);
  EXPECT_EQ(report.choices[0].option, "flushed");
  EXPECT_EQ(report.choices[1].option, "kept");
}

// By brute force: a finding if and only if no choice for the three types gives all of the answers.
TEST(MixedFlushing, IsFoundExactlyWhereNoChoiceExplainsTheAnswers) {
  const std::vector<std::set<DType>> scopes = {
      {kFp16}, {kBf16}, {kFp32}, {kFp16, kFp32}, {kBf16, kFp32}};
  int found = 0;
  for (int bits = 0; bits < 243; ++bits) {
    // Every scope: flushed, kept, nothing.
    std::vector<CaseReport> cases;
    int rest = bits;
    for (const auto& scope : scopes) {
      const char* const answers[] = {"flushed", "unflushed", "either"};
      cases.push_back(Shows(StrCat("c", cases.size()), scope, answers[rest % 3]));
      rest /= 3;
    }
    bool explained = false;
    for (int choice = 0; choice < 8; ++choice) {
      const std::map<DType, bool> flushes = {
          {kFp16, choice & 1}, {kBf16, choice & 2}, {kFp32, choice & 4}};
      bool all = true;
      for (const CaseReport& c : cases) {
        bool some_flushed = false;
        bool some_kept = false;
        for (const DType type : c.outputs[0].flushing->flushed) {
          (flushes.at(type) ? some_flushed : some_kept) = true;
        }
        if (c.outputs[0].answer == "flushed") all = all && some_flushed;
        if (c.outputs[0].answer == "unflushed") all = all && some_kept;
      }
      explained = explained || all;
    }
    EXPECT_EQ(Mixed(cases).empty(), explained) << bits;
    found += explained ? 0 : 1;
  }
  EXPECT_GT(found, 0);
}

TEST(MixedFlushing, TakesEachAnswerForTheTypesThatItSpeaksOf) {
  CaseReport copy = Shows("copy", {kFp32}, "unflushed");
  copy.outputs[0].flushing->kept.clear();
  EXPECT_THAT(Mixed({Shows("add", {kFp32}, "flushed"), copy}), IsEmpty());
  // An implementation that flushes while copying flushes.
  copy.outputs[0].answer = "flushed";
  EXPECT_THAT(Mixed({Shows("add", {kFp32}, "unflushed"), copy}),
              ElementsAre(ElementsAre("add", "copy")));
  CaseReport cast = Shows("cast", {kBf16, kFp32}, "unflushed");
  cast.outputs[0].flushing->kept = {kBf16};
  EXPECT_THAT(Mixed({Shows("add", {kBf16}, "flushed"), cast}),
              ElementsAre(ElementsAre("add", "cast")));
  EXPECT_THAT(Mixed({Shows("add", {kFp32}, "flushed"), cast}), IsEmpty());
}

// A bundle that does not say what its answers show.
TEST(MixedFlushing, SaysWhereTheBundleSaysNothing) {
  Report report;
  report.cases = {Shows("a", {kFp32}, "flushed"), Shows("b", {kFp32}, "unflushed"),
                  Shows("c", {kFp32}, "either")};
  for (CaseReport& c : report.cases) c.outputs[0].flushing.reset();
  FindChoices(&report);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_THAT(report.notes,
              ElementsAre(AllOf(HasSubstr("2 outputs fit only one of two answers"),
                                HasSubstr("(a)"), HasSubstr("generate the suite again"))));
}

TEST(MixedFlushing, IsANoteWhereTheEditionDoesNotForbidIt) {
  for (const bool other : {false, true}) {
    Report report;
    report.cases = {Shows("a", {kFp32}, "flushed", false), Shows("b", {kFp32}, "unflushed", other)};
    FindChoices(&report);
    EXPECT_THAT(report.findings, IsEmpty());
    EXPECT_THAT(report.notes, ElementsAre(AllOf(HasSubstr("a flushes"), HasSubstr("b keeps"))));
  }
}

// From files to the verdict.
class Mixture : public testing::Test {
 protected:
  // Two cases whose answers differ in every subnormal.
  void Write(const std::set<DType>& kept) {
    const auto fp64 = [](std::vector<double> v) { return Tensor::OfFloats(DType::kFp64, {3}, v); };
    std::vector<Case> cases;
    for (const char* id : {"test/a", "test/b"}) {
      cases.push_back(ValidCase(
          id, DType::kFp32, RuleOf(RuleKind::kExact),
          {{false, fp64({0x1p-130, 1, 0x1p-131}), {}, {}}, {true, fp64({0, 1, 0}), {}, {}}}));
      cases.back().outputs[0].flushing = {kept, {kFp32}, true};
    }
    WriteRun(directory_ / "results", WriteSuite(directory_ / "suite", cases).digest);
  }
  void Answer(const std::string& id, bool flushed) {
    WriteOutput(directory_ / "results", id,
                flushed ? Floats({0, 1, 0}) : Floats({0x1p-130, 1, 0x1p-131}));
  }
  Report Check() {
    StatusOr<Report> report = CheckSuite({directory_ / "suite", directory_ / "results", 1});
    EXPECT_TRUE(report.ok()) << Message(report.status());
    return report.ok() ? *std::move(report) : Report{};
  }

  Directory directory_;
};

TEST_F(Mixture, IsNotConformantThoughEveryCasePasses) {
  Write({kFp32});
  Answer("test/a", true);
  Answer("test/b", true);
  EXPECT_TRUE(Conformant(Check()));
  Answer("test/a", false);
  const Report report = Check();
  EXPECT_EQ(CountVerdicts(report)[0], 2);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_THAT(report.findings[0].cases, ElementsAre("test/a", "test/b"));
  EXPECT_EQ(report.findings[0].message,
            "test/a keeps subnormal numbers of fp32 (out[0] is 7.346839692639297e-40, which "
            "flushed subnormals do not give), test/b flushes subnormal numbers of fp32 (out[0] is "
            "0, where subnormals that are kept give 7.346839692639297e-40); an implementation does "
            "one or the other for all values of a type");
  EXPECT_FALSE(Conformant(report));
  Answer("test/b", false);
  EXPECT_TRUE(Conformant(Check()));
}

TEST_F(Mixture, OfCasesThatShowNothingByKeepingIsNone) {
  Write({});
  Answer("test/a", true);
  Answer("test/b", false);
  EXPECT_TRUE(Conformant(Check()));
}

TEST_F(Mixture, OfAnswersBetweenRepeatsIsOneFindingThatListsTheCases) {
  Write({kFp32});
  Answer("test/a", true);
  Answer("test/b", true);
  for (const char* id : {"test/a", "test/b"}) {
    WriteResult(directory_ / "results", id,
                {{"status", "ok"}, {"differs", "out.npy differs in byte 130\x1b[2J"}});
  }
  const Report report = Check();
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].kind, "not_deterministic");
  EXPECT_THAT(report.findings[0].cases, ElementsAre("test/a", "test/b"));
  EXPECT_THAT(report.findings[0].message,
              AllOf(HasSubstr("2 cases"), HasSubstr("byte 130\\x1b[2J")));
  EXPECT_EQ(CountVerdicts(report)[0], 2);
  EXPECT_FALSE(Conformant(report));
}

TEST_F(Mixture, WhatDiffersMustBeText) {
  Write({kFp32});
  Answer("test/a", true);
  WriteResult(directory_ / "results", "test/a", {{"status", "ok"}, {"differs", true}});
  EXPECT_EQ(Check().cases[0].verdict, Verdict::kMalformed);
}

}  // namespace
}  // namespace cts
