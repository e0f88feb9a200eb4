#include "checker/across_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/check.h"
#include "checker/suite_on_disk.h"

namespace cts {
namespace {

using namespace testing_suite;  // NOLINT
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What an output of an operator over tensors of these types shows.
CaseReport Shows(const std::string& id, std::set<std::string> types, const std::string& answer,
                 bool silent = false) {
  CaseReport c;
  c.id = id;
  c.flushing = {.types = std::move(types), .silent = silent};
  c.outputs.emplace_back();
  c.outputs[0].answer = answer;
  return c;
}

std::vector<std::vector<std::string>> Mixed(std::vector<CaseReport> cases) {
  Report report;
  report.suite.edition = "tosa-1.0";
  report.cases = std::move(cases);
  FindMixedFlushing(&report);
  EXPECT_THAT(report.notes, IsEmpty());
  std::vector<std::vector<std::string>> found;
  for (const Finding& finding : report.findings) {
    EXPECT_EQ(finding.kind, "mixed_flushing");
    found.push_back(finding.cases);
  }
  return found;
}

TEST(MixedFlushing, NamesTheTwoCasesOfAType) {
  EXPECT_THAT(Mixed({Shows("a", {"fp32"}, "flushed"), Shows("b", {"fp32"}, "flushed"),
                     Shows("c", {"fp32"}, "unflushed"), Shows("d", {"fp32"}, "unflushed")}),
              ElementsAre(ElementsAre("a", "c")));
}

TEST(MixedFlushing, LeavesEveryTypeItsOwnChoice) {
  EXPECT_THAT(Mixed({Shows("a", {"fp16"}, "flushed"), Shows("b", {"fp32"}, "unflushed"),
                     Shows("c", {"bf16"}, "flushed")}),
              IsEmpty());
}

TEST(MixedFlushing, TellsEachTypeThatIsMixed) {
  EXPECT_THAT(Mixed({Shows("a", {"fp16"}, "flushed"), Shows("b", {"fp32"}, "unflushed"),
                     Shows("c", {"fp16"}, "unflushed"), Shows("d", {"fp32"}, "flushed")}),
              ElementsAre(ElementsAre("a", "c"), ElementsAre("b", "d")));
}

TEST(MixedFlushing, SaysNothingWhereBothAnswersFit) {
  EXPECT_THAT(Mixed({Shows("a", {"fp32"}, "flushed"), Shows("b", {"fp32"}, "either"),
                     Shows("c", {"fp32"}, "")}),
              IsEmpty());
}

// CAST from fp16 to fp32: which of the two was flushed, the result does not say.
TEST(MixedFlushing, TakesTwoTypesTogether) {
  const CaseReport both = Shows("cast", {"fp16", "fp32"}, "flushed");
  EXPECT_THAT(Mixed({both, Shows("b", {"fp32"}, "unflushed")}), IsEmpty());
  EXPECT_THAT(Mixed({both, Shows("b", {"fp16"}, "unflushed")}), IsEmpty());
  EXPECT_THAT(Mixed({both, Shows("b", {"fp16"}, "unflushed"), Shows("c", {"fp32"}, "unflushed")}),
              ElementsAre(ElementsAre("cast", "b", "c")));
  // One that is kept leaves the other.
  const CaseReport kept = Shows("cast", {"fp16", "fp32"}, "unflushed");
  EXPECT_THAT(Mixed({kept, Shows("b", {"fp32"}, "flushed")}), IsEmpty());
  EXPECT_THAT(Mixed({kept, Shows("b", {"fp32"}, "flushed"), Shows("c", {"fp16"}, "flushed")}),
              ElementsAre(ElementsAre("cast", "b", "c")));
  EXPECT_THAT(Mixed({kept, Shows("other", {"fp16", "fp32"}, "flushed")}), IsEmpty());
}

// By brute force: a finding if and only if no choice for the three types gives all of the answers.
TEST(MixedFlushing, IsFoundExactlyWhereNoChoiceExplainsTheAnswers) {
  const std::vector<std::set<std::string>> scopes = {
      {"fp16"}, {"bf16"}, {"fp32"}, {"fp16", "fp32"}, {"bf16", "fp32"}};
  int found = 0;
  for (int bits = 0; bits < 243; ++bits) {
    // Of every scope: flushed, kept, nothing.
    std::vector<CaseReport> cases;
    int rest = bits;
    for (const auto& scope : scopes) {
      const char* const answers[] = {"flushed", "unflushed", "either"};
      cases.push_back(Shows(StrCat("c", cases.size()), scope, answers[rest % 3]));
      rest /= 3;
    }
    bool explained = false;
    for (int choice = 0; choice < 8; ++choice) {
      const std::map<std::string, bool> flushes = {
          {"fp16", choice & 1}, {"bf16", choice & 2}, {"fp32", choice & 4}};
      bool all = true;
      for (const CaseReport& c : cases) {
        bool some_flushed = false;
        bool some_kept = false;
        for (const std::string& type : c.flushing.types) {
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

TEST(MixedFlushing, DoesNotHoldCopyingAgainstAnybody) {
  EXPECT_THAT(
      Mixed({Shows("add", {"fp32"}, "flushed"), Shows("copy", {"fp32"}, "unflushed", true)}),
      IsEmpty());
  // Who flushes while copying flushes.
  EXPECT_THAT(
      Mixed({Shows("add", {"fp32"}, "unflushed"), Shows("copy", {"fp32"}, "flushed", true)}),
      ElementsAre(ElementsAre("add", "copy")));
}

TEST(MixedFlushing, IsANoteInTheDraftThatDoesNotForbidIt) {
  Report report;
  report.suite.edition = "tosa-0.100";
  report.cases = {Shows("a", {"fp32"}, "flushed"), Shows("b", {"fp32"}, "unflushed")};
  FindMixedFlushing(&report);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_THAT(report.notes, ElementsAre(AllOf(HasSubstr("a flushes"), HasSubstr("b keeps"))));
}

TEST(ScopeOf, KnowsTheTypesAndWhatShowsNothing) {
  const auto scope = [](const std::string& op, DType dtype) {
    Case c = FloatCase("identity/a", {1});
    c.graph.main().operators[0].op = op;
    c.graph.main().tensors[0].dtype = dtype;
    return ScopeOf(c.graph);
  };
  EXPECT_THAT(scope("ABS", DType::kFp32).types, ElementsAre("fp32"));
  EXPECT_THAT(scope("CAST", DType::kFp16).types, ElementsAre("fp16", "fp32"));
  EXPECT_THAT(scope("CAST", DType::kFp8E5M2).types, ElementsAre("fp32"));
  EXPECT_FALSE(scope("ABS", DType::kFp32).silent);
  for (const char* op : {"TRANSPOSE", "ARGMAX", "RESIZE", "CONST", "WHILE_LOOP"}) {
    EXPECT_TRUE(scope(op, DType::kFp32).silent) << op;
  }
  EXPECT_FALSE(scope("CAST", DType::kFp32).silent);
  Case to_bool = FloatCase("cast/a", {1});
  to_bool.graph.main().operators[0].op = "CAST";
  to_bool.graph.main().tensors[1].dtype = DType::kBool;
  EXPECT_TRUE(ScopeOf(to_bool.graph).silent);
}

TEST(ScopeOf, KnowsWhichOfTwoTypesDecides) {
  const auto scope = [](const std::string& op, DType read, DType yielded) {
    Case c = FloatCase("identity/a", {1});
    c.graph.main().operators[0].op = op;
    c.graph.main().tensors[0].dtype = read;
    c.graph.main().tensors[1].dtype = yielded;
    const FlushingScope found = ScopeOf(c.graph);
    return std::make_pair(found.kept, found.flushed);
  };
  const auto both = [](const std::string& kept, const std::string& flushed) {
    return std::make_pair(kept, flushed);
  };
  // 2^-24, the least of fp16, is an ordinary number of the others.
  EXPECT_EQ(scope("CAST", DType::kFp16, DType::kFp32), both("fp16", "fp16"));
  EXPECT_EQ(scope("CAST", DType::kFp16, DType::kBf16), both("fp16", "fp16"));
  EXPECT_EQ(scope("MATMUL", DType::kFp16, DType::kFp32), both("fp16", "fp16"));
  EXPECT_EQ(scope("CAST", DType::kFp32, DType::kBf16), both("fp32", ""));
  EXPECT_EQ(scope("CAST", DType::kBf16, DType::kFp32), both("bf16", ""));
  // An ordinary fp32 number may become a subnormal fp16 one, whatever becomes of subnormal fp32.
  EXPECT_EQ(scope("CAST", DType::kFp32, DType::kFp16), both("", ""));
  EXPECT_EQ(scope("MATMUL", DType::kBf16, DType::kFp32), both("", ""));
  EXPECT_EQ(scope("ABS", DType::kFp32, DType::kFp32), both("", ""));
}

// From files to the verdict.
class Mixture : public testing::Test {
 protected:
  // Two cases of one operator whose answers differ in every subnormal.
  void Write(const std::string& op) {
    const auto fp64 = [](std::vector<double> v) { return Tensor::OfFloats(DType::kFp64, {3}, v); };
    std::vector<Case> cases;
    for (const char* id : {"test/a", "test/b"}) {
      cases.push_back(ValidCase(
          id, DType::kFp32, RuleOf(RuleKind::kExact),
          {{false, fp64({0x1p-130, 1, 0x1p-131}), {}, {}}, {true, fp64({0, 1, 0}), {}, {}}}));
      cases.back().op = op;
      cases.back().graph.main().operators[0].op = op;
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
  Write("ABS");
  Answer("test/a", true);
  Answer("test/b", true);
  EXPECT_TRUE(Conformant(Check()));
  Answer("test/a", false);
  const Report report = Check();
  EXPECT_EQ(CountVerdicts(report)[0], 2);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_THAT(report.findings[0].cases, ElementsAre("test/a", "test/b"));
  EXPECT_EQ(report.findings[0].message,
            "test/a keeps subnormal numbers of fp32, test/b flushes subnormal numbers of fp32; an "
            "implementation does one or the other for all values of a type");
  EXPECT_FALSE(Conformant(report));
  Answer("test/b", false);
  EXPECT_TRUE(Conformant(Check()));
}

TEST_F(Mixture, OfOperatorsThatMoveIsNone) {
  Write("TRANSPOSE");
  Answer("test/a", true);
  Answer("test/b", false);
  EXPECT_TRUE(Conformant(Check()));
}

TEST_F(Mixture, OfAnswersBetweenRepeatsIsOneFindingThatListsTheCases) {
  Write("ABS");
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
  Write("ABS");
  Answer("test/a", true);
  WriteResult(directory_ / "results", "test/a", {{"status", "ok"}, {"differs", true}});
  EXPECT_EQ(Check().cases[0].verdict, Verdict::kMalformed);
}

}  // namespace
}  // namespace cts
