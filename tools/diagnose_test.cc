#include "tools/diagnose.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "checker/suite_on_disk.h"
#include "generator/generate.h"
#include "reference/base/json.h"

namespace cts {
namespace {

using testing_suite::Directory;

// A suite of a few operators, and the results of an implementation that is `builtin:native` but for
// one fault, or for one wrong element of each output.
class DiagnoseTest : public ::testing::Test {
 protected:
  void Run(const std::vector<std::string>& operators, const Fault* fault, bool noise = false) {
    GenerateOptions generate{.recipe = *FindRecipe("smoke"), .out = suite()};
    generate.recipe.operators = operators;
    const StatusOr<Suite> suite_or = Generate(generate);
    ASSERT_TRUE(suite_or.ok()) << suite_or.status();
    testing_suite::WriteRun(results(), suite_or->digest);
    const Edition& edition = **FindEdition(kDefaultEdition);
    for (const SuiteEntry& entry : suite_or->cases) {
      const Case c = *ReadCase(suite() / entry.id);
      const Level& level = *edition.FindLevel(c.level);
      const auto made =
          fault != nullptr ? ExecuteFaulty(*fault, c.graph, c.InputsOfExecutions(), edition, level)
                           : ExecuteNativeSequence(c.graph, c.InputsOfExecutions(), edition, level);
      ASSERT_TRUE(made.ok()) << made.status();
      const NativeResult& result = made->front();
      testing_suite::WriteResult(results(), entry.id,
                                 {{"status", result.outcome == Outcome::kError ? "error" : "ok"}});
      for (auto [output, tensor] : result.outputs) {
        if (noise) tensor.SetBits(0, tensor.Bits(0) ^ 0x35);
        ASSERT_TRUE(WriteNpy(results() / entry.id / (output + ".npy"), tensor).ok());
      }
    }
  }
  std::vector<OperatorDiagnosis> DiagnoseThem(int jobs = 2) {
    auto diagnoses =
        Diagnose(DiagnoseOptions{.suite = suite(), .results = results(), .jobs = jobs});
    EXPECT_TRUE(diagnoses.ok()) << diagnoses.status();
    return *diagnoses;
  }
  std::filesystem::path suite() const { return root_ / "suite"; }
  std::filesystem::path results() const { return root_ / "results"; }

 private:
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

TEST_F(DiagnoseTest, NamesTheConditionThatIsNotSeen) {
  Run({"CONCAT"}, Find("concat.axis_range.accepted"));
  const auto diagnoses = DiagnoseThem();
  ASSERT_EQ(diagnoses.size(), 1U);
  ASSERT_FALSE(diagnoses[0].faults.empty());
  const auto& faults = diagnoses[0].faults;
  EXPECT_TRUE(std::any_of(faults.begin(), faults.end(), [](const Diagnosis& one) {
    return one.fault->id == "concat.axis_range.accepted" && one.contradicted == 0;
  }));
}

TEST_F(DiagnoseTest, IsSilentWhereNothingFits) {
  Run({"BITWISE_XOR"}, nullptr, /*noise=*/true);
  const auto diagnoses = DiagnoseThem();
  ASSERT_EQ(diagnoses.size(), 1U);
  EXPECT_GT(diagnoses[0].failing, 0U);
  EXPECT_TRUE(diagnoses[0].faults.empty()) << FormatDiagnosis(diagnoses);
  EXPECT_EQ(diagnoses[0].explained, 0U);
}

TEST_F(DiagnoseTest, IsEmptyWhereNothingFails) {
  Run({"BITWISE_XOR"}, nullptr);
  EXPECT_TRUE(DiagnoseThem().empty());
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
