#include "tools/program/audit/diagnose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "checker/judge/suite_on_disk.h"
#include "generator/generate.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/evaluate/native.h"
#include "reference/faults/catalogue.h"
#include "tools/program/audit/diagnose_part.h"

namespace cts {
namespace {

using testing_suite::Directory;

// A suite of a few operators, and the results of an implementation that is `builtin:native` but for
// one fault, or for one wrong element of each output.
class DiagnoseTest : public ::testing::Test {
 protected:
  // A way to spoil results besides the fault.
  enum class Spoil {
    kNothing,
    kFirst,  // the first element of each output, by a pattern
    // The fault itself, but in each output in which it changes several elements it changes only the
    // first.
    kAllButOne,
    kHalf,  // every third element of the second half is zero
  };
  void Run(const std::vector<std::string>& operators, const Fault* fault,
           Spoil spoil = Spoil::kNothing, const char* recipe = "smoke") {
    GenerateOptions generate{.recipe = *FindRecipe(recipe), .out = suite()};
    generate.recipe.operators = operators;
    const StatusOr<Suite> suite_or = Generate(generate);
    ASSERT_TRUE(suite_or.ok()) << suite_or.status();
    testing_suite::WriteRun(results(), suite_or->digest);
    const Edition& edition = **FindEdition(kDefaultEdition);
    for (const SuiteEntry& entry : suite_or->cases) {
      const Case c = *ReadCase(suite() / entry.id);
      const Level& level = *edition.FindLevel(c.level);
      const std::vector<std::string> features = FeaturesOf(c);
      int64_t elements = c.outputs.empty() ? 0 : 1;
      for (const ExpectedOutput& output : c.outputs) {
        for (const int64_t dim : output.shape) elements *= dim;
      }
      const Fault* const of_case = elements > 1024 && large_ != nullptr ? large_ : fault;
      const bool has_fault = of_case != nullptr && std::includes(features.begin(), features.end(),
                                                                 only_.begin(), only_.end());
      const auto made =
          has_fault ? ExecuteFaulty(*of_case, c.graph, c.InputsOfExecutions(), edition, level)
                    : ExecuteNativeSequence(c.graph, c.InputsOfExecutions(), edition, level);
      ASSERT_TRUE(made.ok()) << made.status();
      // The first of several executions that is not valid tells the status.
      const NativeResult& result =
          made->back().outcome == Outcome::kValid ? made->front() : made->back();
      const auto right = ExecuteNativeSequence(c.graph, c.InputsOfExecutions(), edition, level);
      ASSERT_TRUE(right.ok()) << right.status();
      testing_suite::WriteResult(results(), entry.id,
                                 {{"status", result.outcome == Outcome::kError ? "error" : "ok"}});
      for (auto [output, tensor] : result.outputs) {
        if (spoil == Spoil::kFirst) tensor.SetBits(0, tensor.Bits(0) ^ 0x35);
        for (int64_t i = tensor.size() / 2; spoil == Spoil::kHalf && i < tensor.size(); i += 3) {
          tensor.SetBits(i, 0);
        }
        if (spoil == Spoil::kAllButOne) {
          tensor = OnlyFirstOf(tensor, right->front().outputs.at(output));
        }
        ASSERT_TRUE(WriteNpy(results() / entry.id / (output + ".npy"), tensor).ok());
      }
      for (size_t k = 1; k < made->size(); ++k) {
        for (const auto& [output, tensor] : (*made)[k].outputs) {
          const std::string file = ResultName(output, static_cast<int>(k)) + ".npy";
          ASSERT_TRUE(WriteNpy(results() / entry.id / file, tensor).ok());
        }
      }
    }
  }
  std::vector<OperatorDiagnosis> DiagnoseThem(int jobs = 2) {
    auto diagnoses =
        Diagnose(DiagnoseOptions{.suite = suite(), .results = results(), .jobs = jobs});
    EXPECT_TRUE(diagnoses.ok()) << diagnoses.status();
    return *diagnoses;
  }
  // The part in which the implementation has its fault; empty: everywhere.
  std::vector<std::string> only_;
  // The fault of cases with more than 1024 elements; null: the same as of others.
  const Fault* large_ = nullptr;
  std::filesystem::path suite() const { return root_ / "suite"; }
  std::filesystem::path results() const { return root_ / "results"; }

 private:
  static Tensor OnlyFirstOf(const Tensor& wrong, const Tensor& right) {
    Tensor made = right;
    int64_t first = -1, count = 0;
    for (int64_t i = right.size() - 1; i >= 0; --i) {
      if (wrong.Bits(i) == right.Bits(i)) continue;
      first = i;
      ++count;
    }
    if (count > 1) made.SetBits(first, wrong.Bits(first));
    return made;
  }

  Directory root_;
};

const Fault* Find(const char* id) { return *FindFault(**FindEdition(kDefaultEdition), id); }

TEST_F(DiagnoseTest, NamesTheFaultThatMadeTheResults) {
  for (const char* id : {"arithmetic_right_shift.ignores_round", "reverse.axis_one_less"}) {
    SCOPED_TRACE(id);
    const Fault* const fault = Find(id);
    Run({fault->op, "ADD"}, fault);
    const auto diagnoses = DiagnoseThem();
    ASSERT_EQ(diagnoses.size(), 1U);
    EXPECT_EQ(diagnoses[0].op, fault->op);
    EXPECT_EQ(diagnoses[0].explained, diagnoses[0].failing);
    ASSERT_FALSE(diagnoses[0].faults.empty());
    const Diagnosis& best = diagnoses[0].faults.front();
    EXPECT_EQ(best.fault->id, id);
    EXPECT_EQ(best.cases, diagnoses[0].failing);
    EXPECT_GT(best.elements, 0U);
    EXPECT_EQ(best.contradicted, 0U);
    EXPECT_GT(best.of_passing, 0U);
    std::filesystem::remove_all(suite());
    std::filesystem::remove_all(results());
  }
}

// Faults are tried on small cases first; what these do not show, the large ones do.
TEST_F(DiagnoseTest, NamesAFaultThatOnlyLargeCasesShow) {
  const Fault* const fault = Find("clamp.max_val_one_less");
  large_ = Find("clamp.shape.elements_beyond_1024.zeros");
  Run({fault->op}, fault, Spoil::kNothing, "certify");
  const auto diagnoses = DiagnoseThem();
  ASSERT_EQ(diagnoses.size(), 1U);
  EXPECT_EQ(diagnoses[0].explained, diagnoses[0].tried);
  const auto& faults = diagnoses[0].faults;
  for (const Fault* const made : {fault, large_}) {
    const auto named = std::find_if(faults.begin(), faults.end(),
                                    [&](const Diagnosis& one) { return one.fault == made; });
    ASSERT_NE(named, faults.end()) << FormatDiagnosis(diagnoses);
    EXPECT_GT(named->cases, 0U);
  }
}

// A refusal of a legal sum of products has no output that could show an accumulator.
TEST_F(DiagnoseTest, TakesRefusalsOfSumsOfProducts) {
  const Fault* const fault = Find("avg_pool2d.output_width.pad_3_one_less");
  Run({fault->op}, fault);
  const auto diagnoses = DiagnoseThem();
  ASSERT_EQ(diagnoses.size(), 1U);
  EXPECT_EQ(diagnoses[0].explained, diagnoses[0].tried);
  ASSERT_FALSE(diagnoses[0].faults.empty());
}

TEST_F(DiagnoseTest, NamesTheKernelThatHasTheFault) {
  struct Kernel {
    const char* fault;
    std::vector<std::string> only;
    const char* recipe;
  };
  for (const auto& [id, only, recipe] :
       {Kernel{"clamp.max_val_one_less", {"mode signed 8"}, "smoke"},
        Kernel{"rescale.truncates", {"rounding_mode SINGLE_ROUND"}, "smoke"},
        Kernel{"mul.in_the_operands_type", {"constant operands", "mode signed 8"}, "certify"}}) {
    SCOPED_TRACE(id);
    const Fault* const fault = Find(id);
    only_ = only;
    Run({fault->op}, fault, Spoil::kNothing, recipe);
    const auto diagnoses = DiagnoseThem();
    ASSERT_EQ(diagnoses.size(), 1U);
    const auto& faults = diagnoses[0].faults;
    const auto named = std::find_if(faults.begin(), faults.end(),
                                    [&](const Diagnosis& one) { return one.fault == fault; });
    ASSERT_NE(named, faults.end()) << FormatDiagnosis(diagnoses);
    EXPECT_EQ(named->cases, diagnoses[0].failing) << FormatDiagnosis(diagnoses);
    EXPECT_EQ(named->contradicted, 0U);
    // A part has no further features that all its cases share in this suite.
    EXPECT_TRUE(std::includes(only.begin(), only.end(), named->part.begin(), named->part.end()))
        << Evidence(*named);
    EXPECT_FALSE(named->part.empty());
    EXPECT_EQ(Evidence(*named).find(StrCat("for ", named->part.front())), 0U) << Evidence(*named);
    const Json json = DiagnosisToJson(diagnoses);
    EXPECT_TRUE(ValidateJson(json, "diagnosis", "test").ok())
        << ValidateJson(json, "diagnosis", "test");
    std::filesystem::remove_all(suite());
    std::filesystem::remove_all(results());
  }
}

TEST_F(DiagnoseTest, NamesTheConditionThatIsNotSeen) {
  Run({"CONCAT"}, Find("concat.axis_range.accepted"));
  const auto diagnoses = DiagnoseThem();
  ASSERT_EQ(diagnoses.size(), 1U);
  ASSERT_FALSE(diagnoses[0].faults.empty());
  const auto& faults = diagnoses[0].faults;
  EXPECT_TRUE(std::any_of(faults.begin(), faults.end(), [](const Diagnosis& one) {
    return one.fault->id == "concat.axis_range.accepted" && one.contradicted == 0;
  }));
  // The line of eval.
  const std::string text = FormatDiagnosis(diagnoses);
  EXPECT_NE(text.find(" - 1: found input1[0] of shape"), std::string::npos) << text;
  const Json json = DiagnosisToJson(diagnoses);
  EXPECT_EQ(json["operators"][0]["faults"][0]["meaning"], faults.front().meaning);
  EXPECT_TRUE(ValidateJson(json, "diagnosis", "").ok());
}

TEST_F(DiagnoseTest, NamesWhatIsWrongWithSymbolicPrograms) {
  // The last makes other shapes only.
  for (const char* id : {"data_dependent_gather.column_by_column", "extract_dim.first_element",
                         "symbol.index_count.accepted", "iota.from_zero"}) {
    SCOPED_TRACE(id);
    Run({Find(id)->op == "IOTA" ? "CONST" : "GATHER"}, Find(id), Spoil::kNothing, "symbolic");
    const auto diagnoses = DiagnoseThem();
    ASSERT_EQ(diagnoses.size(), 1U);
    EXPECT_GT(diagnoses[0].failing, 0U);
    const auto& faults = diagnoses[0].faults;
    EXPECT_TRUE(std::any_of(faults.begin(), faults.end(), [&](const Diagnosis& one) {
      return one.fault->id == id && one.contradicted == 0 && one.cases == diagnoses[0].failing;
    })) << FormatDiagnosis(diagnoses);
    std::filesystem::remove_all(suite());
    std::filesystem::remove_all(results());
  }
}

TEST_F(DiagnoseTest, NamesTheAccumulator) {
  for (const auto& [id, what] : std::map<std::string, std::string>{
           {"matmul.keeps_22_fraction_bits", "sums keep 22 fraction bits"},
           {"matmul.rounds_operands_to_tf32", "operands rounded to TF32"}}) {
    SCOPED_TRACE(id);
    Run({"MATMUL"}, Find(id.c_str()));
    const auto diagnoses = DiagnoseThem();
    ASSERT_EQ(diagnoses.size(), 1U);
    ASSERT_TRUE(diagnoses[0].accumulator.has_value()) << FormatDiagnosis(diagnoses);
    const AccumulatorDiagnosis& accumulator = *diagnoses[0].accumulator;
    EXPECT_EQ(WhatIsLost(*accumulator.model), what);
    EXPECT_EQ(accumulator.same, accumulator.of_failing);
    EXPECT_EQ(accumulator.same_passing, accumulator.of_passing);
    EXPECT_FALSE(accumulator.factor.has_value());
    const std::string text = FormatDiagnosis(diagnoses);
    EXPECT_NE(text.find("  accumulator: " + what + " ("), std::string::npos) << text;
    const Json json = DiagnosisToJson(diagnoses);
    EXPECT_EQ(json["operators"][0]["accumulator"]["what"], what);
    EXPECT_TRUE(ValidateJson(json, "diagnosis", "test").ok())
        << ValidateJson(json, "diagnosis", "test");
    EXPECT_EQ(NotesOf(diagnoses).at(0).find("MATMUL: " + what), 0U);
    std::filesystem::remove_all(suite());
    std::filesystem::remove_all(results());
  }
}

// The fault rounds products to fp32 before it adds them, the model does not.
TEST_F(DiagnoseTest, NamesTheNearestAccumulator) {
  Run({"MATMUL"}, Find("matmul.accumulates_in_bf16"));
  const auto diagnoses = DiagnoseThem();
  ASSERT_EQ(diagnoses.size(), 1U);
  ASSERT_TRUE(diagnoses[0].accumulator.has_value()) << FormatDiagnosis(diagnoses);
  const AccumulatorDiagnosis& accumulator = *diagnoses[0].accumulator;
  EXPECT_EQ(WhatIsLost(*accumulator.model), "sums in bf16");
  if (accumulator.same < accumulator.of_failing) {
    ASSERT_TRUE(accumulator.factor.has_value());
    EXPECT_LT(*accumulator.factor, 1.1);
  }
}

TEST_F(DiagnoseTest, NamesNoAccumulatorWhereNoneFits) {
  Run({"MATMUL"}, nullptr, Spoil::kFirst);
  const auto diagnoses = DiagnoseThem();
  ASSERT_EQ(diagnoses.size(), 1U);
  EXPECT_FALSE(diagnoses[0].accumulator.has_value()) << FormatDiagnosis(diagnoses);
}

TEST_F(DiagnoseTest, IsSilentWhereNothingFits) {
  Run({"BITWISE_XOR"}, nullptr, Spoil::kFirst);
  const auto diagnoses = DiagnoseThem();
  ASSERT_EQ(diagnoses.size(), 1U);
  EXPECT_GT(diagnoses[0].failing, 0U);
  EXPECT_TRUE(diagnoses[0].faults.empty()) << FormatDiagnosis(diagnoses);
  EXPECT_EQ(diagnoses[0].explained, 0U);
}

TEST_F(DiagnoseTest, NamesNoFaultThatWouldHaveMoreElementsWrong) {
  Run({"REVERSE"}, Find("reverse.axis_one_less"), Spoil::kAllButOne);
  const auto diagnoses = DiagnoseThem();
  ASSERT_EQ(diagnoses.size(), 1U);
  EXPECT_GT(diagnoses[0].failing, 0U);
  for (const Diagnosis& one : diagnoses[0].faults) {
    EXPECT_NE(one.fault->id, "reverse.axis_one_less") << Evidence(one);
  }
}

TEST_F(DiagnoseTest, SaysHowManyCasesWereTried) {
  Run({"ARITHMETIC_RIGHT_SHIFT"}, Find("arithmetic_right_shift.ignores_round"));
  const auto all = DiagnoseThem();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].tried, all[0].failing);
  EXPECT_EQ(FormatDiagnosis(all).find("tried"), std::string::npos);
  auto one = Diagnose(DiagnoseOptions{.suite = suite(), .results = results(), .most_failing = 1});
  ASSERT_TRUE(one.ok()) << one.status();
  ASSERT_EQ(one->size(), 1U);
  EXPECT_EQ(one->front().failing, all[0].failing);
  EXPECT_EQ(one->front().tried, 1U);
  EXPECT_EQ(one->front().explained, 1U);
  EXPECT_NE(FormatDiagnosis(*one).find(StrCat("(", all[0].failing - 1, " were not tried)")),
            std::string::npos)
      << FormatDiagnosis(*one);
}

TEST(NotesOf, AreAsSureAsTheEvidenceIs) {
  const Fault* const first = Find("reverse.axis_one_less");
  const Fault* const second = Find("reverse.begins_one_late");
  const Diagnosis best = {.fault = first,
                          .cases = 4,
                          .of_cases = 4,
                          .first = {"reverse/a"},
                          .elements = 9,
                          .contradicted = 0,
                          .of_passing = 7};
  OperatorDiagnosis of = {
      .op = "REVERSE", .failing = 4, .tried = 4, .explained = 4, .faults = {best}};
  std::string note = NotesOf({of}).at(0);
  EXPECT_EQ(note.find("REVERSE answers as fault reverse.axis_one_less would"), 0U) << note;
  EXPECT_EQ(note.find("just as well"), std::string::npos) << note;
  // Another fault that fits as well, and one that fits less.
  of.faults.push_back(best);
  of.faults.back().fault = second;
  of.faults.push_back(best);
  of.faults.back().cases = 2;
  note = NotesOf({of}).at(0);
  EXPECT_NE(note.find("; 1 other just as well: reverse.begins_one_late"), std::string::npos)
      << note;
  of.failing = of.tried = 5;
  note = NotesOf({of}).at(0);
  EXPECT_EQ(note.find("REVERSE answers in some cases as fault"), 0U) << note;
  of.failing = of.tried = 4;
  of.faults.front().contradicted = 1;
  note = NotesOf({of}).at(0);
  EXPECT_EQ(note.find("REVERSE may answer, as a guess, as fault"), 0U) << note;
  EXPECT_NE(FormatDiagnosis({of}).find("  a guess, which passing cases contradict: reverse.axis"),
            std::string::npos);
  const Json json = DiagnosisToJson({of});
  EXPECT_EQ(json["operators"][0]["faults"][0]["guess"], true);
  EXPECT_FALSE(json["operators"][0]["faults"][1].contains("guess"));
  EXPECT_TRUE(ValidateJson(json, "diagnosis", "test").ok());
}

TEST_F(DiagnoseTest, ShowsProgressCaseByCase) {
  Run({"REVERSE"}, Find("reverse.axis_one_less"));
  std::vector<std::pair<size_t, size_t>> steps, checked;
  DiagnoseOptions options{.suite = suite(), .results = results(), .jobs = 2};
  options.progress = [&](size_t done, size_t total) { steps.emplace_back(done, total); };
  options.check_progress = [&](size_t done, size_t total) { checked.emplace_back(done, total); };
  const auto diagnoses = Diagnose(options);
  ASSERT_TRUE(diagnoses.ok()) << diagnoses.status();
  ASSERT_GE(steps.size(), diagnoses->front().tried);
  EXPECT_GT(checked.size(), 1U);
  EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
  EXPECT_EQ(steps.front().first, 1U);
  EXPECT_EQ(steps.back().first, steps.back().second);
}

TEST_F(DiagnoseTest, SaysWhatWrongElementsHaveInCommonWhereNoFaultFits) {
  Run({"BITWISE_XOR"}, nullptr, Spoil::kFirst);
  const auto diagnoses = DiagnoseThem();
  ASSERT_EQ(diagnoses.size(), 1U);
  EXPECT_TRUE(diagnoses[0].faults.empty());
  ASSERT_EQ(diagnoses[0].in_common.size(), 1U) << FormatDiagnosis(diagnoses);
  EXPECT_NE(diagnoses[0].in_common[0].find(": the first element alone (bitwise_xor/"),
            std::string::npos);
  std::filesystem::remove_all(results());
  std::filesystem::remove_all(suite());
  // Zeros in the second half of each output.
  Run({"BITWISE_XOR"}, nullptr, Spoil::kHalf);
  const auto again = DiagnoseThem();
  ASSERT_EQ(again.size(), 1U);
  const std::string text = FormatDiagnosis(again);
  EXPECT_NE(text.find("in common that no fault explains, by cases (24 at most):\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(": zero is answered (bitwise_xor/"), std::string::npos) << text;
  EXPECT_TRUE(ValidateJson(DiagnosisToJson(again), "diagnosis", "test").ok());
}

TEST_F(DiagnoseTest, IsEmptyWhereNothingFails) {
  Run({"BITWISE_XOR"}, nullptr);
  EXPECT_TRUE(DiagnoseThem().empty());
}

// Illegal graphs that are accepted, though they are more, stand behind wrong values, of an operator
// and among operators.
TEST_F(DiagnoseTest, PutsLegalGraphsFirst) {
  Run({"CONCAT", "REVERSE"}, Find("concat.axis_range.accepted"));
  for (const auto& file : std::filesystem::recursive_directory_iterator(results() / "reverse")) {
    if (file.path().extension() != ".npy") continue;
    std::string bytes = *ReadFile(file.path());
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    ASSERT_TRUE(WriteFile(file.path(), bytes).ok());
    break;
  }
  const auto diagnoses = DiagnoseThem();
  ASSERT_EQ(diagnoses.size(), 2U);
  EXPECT_EQ(diagnoses[0].op, "REVERSE");
  EXPECT_EQ(diagnoses[0].failing, 1U);
  EXPECT_EQ(diagnoses[1].op, "CONCAT");
}

// Operators that only accept illegal graphs have no part of their own.
TEST_F(DiagnoseTest, ListsIllegalGraphsThatAreAcceptedByCondition) {
  const auto diagnosis = [](const char* id, uint64_t cases, bool illegal) {
    return Diagnosis{.fault = Find(id),
                     .cases = cases,
                     .of_cases = cases,
                     .first = {StrCat(Find(id)->op, "/a")},
                     .illegal = illegal};
  };
  const auto of = [](const char* op, std::vector<Diagnosis> faults) {
    OperatorDiagnosis result{.op = op, .faults = std::move(faults)};
    for (const Diagnosis& one : result.faults) result.failing += one.cases;
    result.tried = result.explained = result.failing;
    return result;
  };
  const std::vector<OperatorDiagnosis> diagnoses = {
      of("CONV2D", {diagnosis("conv2d.swaps_pad_2_and_3", 4, false),
                    diagnosis("conv2d.dilation_below_one.accepted", 2, true),
                    diagnosis("conv2d.dilation_below_one.dilation_0_one_more", 1, true),
                    diagnosis("conv2d.graph.rank.accepted", 1, true)}),
      of("ABS", {diagnosis("abs.graph.rank.accepted", 3, true)}),
      of("NEGATE", {diagnosis("negate.graph.rank.accepted", 5, true)})};
  const std::string text = FormatDiagnosis(diagnoses);
  const size_t below = text.find("illegal graphs that are accepted, by the condition");
  EXPECT_EQ(text.find("CONV2D: 8 failing, 8 explained; it accepts 3 illegal graphs, which are "
                      "listed below\n"
                      "  conv2d.swaps_pad_2_and_3: "),
            0U)
      << text;
  EXPECT_EQ(text.find("dilation_0_one_more"), std::string::npos) << text;
  EXPECT_EQ(text.find("ABS: "), std::string::npos) << text;
  const size_t rank = text.find("  graph.rank: ", below);
  ASSERT_NE(rank, std::string::npos) << text;
  EXPECT_NE(text.find("    9 cases: CONV2D 1, ABS 3, NEGATE 5\n    first: CONV2D/a", rank),
            std::string::npos)
      << text;
  // Fewer operators, so it stands below.
  EXPECT_NE(text.find("  conv2d.dilation_below_one: ", rank), std::string::npos) << text;
  EXPECT_NE(text.find("    2 cases: CONV2D 2\n", rank), std::string::npos) << text;
  // What passing cases contradict stands with its operator.
  std::vector<OperatorDiagnosis> guess = {diagnoses[1]};
  guess[0].faults[0].contradicted = 1;
  EXPECT_EQ(FormatDiagnosis(guess).find("ABS: 3 failing, 3 explained\n  a guess, "), 0U)
      << FormatDiagnosis(guess);
}

TEST_F(DiagnoseTest, PutsFaultsOfLegalGraphsFirst) {
  large_ = Find("clamp.shape.elements_beyond_1024.zeros");
  Run({"CLAMP"}, Find("clamp.bounds_order.accepted"), Spoil::kNothing, "certify");
  const auto diagnoses = DiagnoseThem();
  ASSERT_EQ(diagnoses.size(), 1U);
  const auto& faults = diagnoses[0].faults;
  const auto is_legal = [](const Diagnosis& one) { return !one.illegal; };
  EXPECT_TRUE(std::is_partitioned(faults.begin(), faults.end(), is_legal))
      << FormatDiagnosis(diagnoses);
  EXPECT_EQ(faults.front().illegal, false);
  EXPECT_EQ(faults.back().illegal, true);
}

TEST_F(DiagnoseTest, IsTheSameForAnyNumberOfJobsAndValidJson) {
  Run({"ARITHMETIC_RIGHT_SHIFT"}, Find("arithmetic_right_shift.ignores_round"));
  const Json json = DiagnosisToJson(DiagnoseThem(1));
  EXPECT_EQ(json, DiagnosisToJson(DiagnoseThem(4)));
  EXPECT_TRUE(ValidateJson(json, "diagnosis", "test").ok())
      << ValidateJson(json, "diagnosis", "test");
}

TEST_F(DiagnoseTest, RefusesResultsOfAnotherSuite) {
  Run({"BITWISE_XOR"}, nullptr);
  testing_suite::WriteRun(results(), std::string(64, '0'));
  const auto diagnoses = Diagnose(DiagnoseOptions{.suite = suite(), .results = results()});
  ASSERT_FALSE(diagnoses.ok());
  EXPECT_NE(diagnoses.status().message().find("suite_digest"), std::string::npos)
      << diagnoses.status();
}

}  // namespace
}  // namespace cts
