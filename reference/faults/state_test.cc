// Faults that only a second execution shows.
#include "reference/faults/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/faults/catalogue.h"
#include "reference/faults/testing.h"

namespace cts {
namespace {

using testing::ElementsAre;

// The sums of rows, execution by execution: [1..8] by [9..16], others, the first again.
std::vector<std::vector<int64_t>> RunThrice(const char* id, const std::vector<int64_t>& other) {
  const OneOperator sum = [] {
    OneOperator op("REDUCE_SUM");
    op.Integers(DType::kI32, {2, 4}, {1, 2, 3, 4, 10, 20, 30, 40});
    return std::move(op.Set("axis", int64_t{1}).Out(DType::kI32, {2, 1}));
  }();
  std::map<std::string, Tensor> second = sum.inputs();
  second.begin()->second = Tensor::OfIntegers(DType::kI32, {2, 4}, other);
  const StatusOr<const Fault*> fault = FindFault(sum.edition(), id);
  EXPECT_TRUE(fault.ok()) << fault.status();
  std::vector<std::vector<int64_t>> answers;
  // Twice: nothing is kept from case to case.
  for (int k = 0; k < 2; ++k) {
    answers.clear();
    const auto results =
        ExecuteFaulty(**fault, sum.graph(), {&sum.inputs(), &second, &sum.inputs()}, sum.edition(),
                      *sum.edition().FindLevel("8K"));
    EXPECT_TRUE(results.ok()) << results.status();
    for (const NativeResult& result : *results) {
      answers.push_back(result.outputs.at("out").Integers());
    }
  }
  return answers;
}

const std::vector<int64_t> kAllOther = {0, 0, 0, 1, 0, 0, 0, 2};
const std::vector<int64_t> kOtherEnd = {1, 2, 3, 4, 0, 0, 0, 2};  // 16 bytes are the same

TEST(StateFaults, AnswerAsBefore) {
  EXPECT_THAT(RunThrice("reduce_sum.cached_by_shape", kAllOther),
              ElementsAre(ElementsAre(10, 100), ElementsAre(10, 100), ElementsAre(10, 100)));
  EXPECT_THAT(RunThrice("reduce_sum.one_execution_late", kAllOther),
              ElementsAre(ElementsAre(10, 100), ElementsAre(10, 100), ElementsAre(1, 2)));
}

TEST(StateFaults, KnowOperandsByTheirFirstBytes) {
  EXPECT_THAT(RunThrice("reduce_sum.cached_by_first_bytes", kAllOther),
              ElementsAre(ElementsAre(10, 100), ElementsAre(1, 2), ElementsAre(10, 100)));
  EXPECT_THAT(RunThrice("reduce_sum.cached_by_first_bytes", kOtherEnd),
              ElementsAre(ElementsAre(10, 100), ElementsAre(10, 100), ElementsAre(10, 100)));
}

TEST(StateFaults, KnowOperandsByTheirLastBytes) {
  const std::vector<int64_t> other_start = {0, 0, 0, 1, 10, 20, 30, 40};
  EXPECT_THAT(RunThrice("reduce_sum.cached_by_last_bytes", kAllOther),
              ElementsAre(ElementsAre(10, 100), ElementsAre(1, 2), ElementsAre(10, 100)));
  EXPECT_THAT(RunThrice("reduce_sum.cached_by_last_bytes", other_start),
              ElementsAre(ElementsAre(10, 100), ElementsAre(10, 100), ElementsAre(10, 100)));
}

TEST(StateFaults, KnowACallByOneOperandOfTwo) {
  OneOperator add("ADD");
  add.Integers(DType::kI32, {2}, {1, 2}).Integers(DType::kI32, {2}, {10, 20});
  add.Out(DType::kI32, {2});
  std::map<std::string, Tensor> other_first = add.inputs(), other_second = add.inputs();
  other_first.begin()->second = Tensor::OfIntegers(DType::kI32, {2}, {3, 4});
  other_second.rbegin()->second = Tensor::OfIntegers(DType::kI32, {2}, {30, 40});
  const auto run = [&](const char* id, const std::map<std::string, Tensor>& second) {
    const auto results =
        ExecuteFaulty(**FindFault(add.edition(), id), add.graph(), {&add.inputs(), &second},
                      add.edition(), *add.edition().FindLevel("8K"));
    return (*results)[1].outputs.at("out").Integers();
  };
  EXPECT_THAT(run("add.cached_by_first_operand", other_second), ElementsAre(11, 22));
  EXPECT_THAT(run("add.cached_by_first_operand", other_first), ElementsAre(13, 24));
  EXPECT_THAT(run("add.cached_by_second_operand", other_first), ElementsAre(11, 22));
  EXPECT_THAT(run("add.cached_by_second_operand", other_second), ElementsAre(31, 42));
}

// Only an execution with the first data again shows it.
TEST(StateFaults, AnswerKnownDataWithTheLatestAnswer) {
  EXPECT_THAT(RunThrice("reduce_sum.known_data_get_the_latest_answer", kAllOther),
              ElementsAre(ElementsAre(10, 100), ElementsAre(1, 2), ElementsAre(1, 2)));
}

TEST(StateFaults, DoNotClearMemory) {
  EXPECT_THAT(RunThrice("reduce_sum.goes_on_from_the_last_sums", kAllOther),
              ElementsAre(ElementsAre(10, 100), ElementsAre(11, 102), ElementsAre(21, 202)));
  EXPECT_THAT(RunThrice("reduce_sum.leaves_a_lane_of_the_last_result", kAllOther),
              ElementsAre(ElementsAre(10, 100), ElementsAre(1, 100), ElementsAre(10, 100)));
}

// An operator that keeps something by right, and those whose answer no data decide, have none.
TEST(StateFaults, AreOfOperatorsThatComputeFromData) {
  const Edition& edition = **FindEdition("tosa-1.0");
  for (const OperatorSpec& spec : edition.operators) {
    const bool has_none = spec.group == "variable" || spec.group == "control-flow" ||
                          spec.group == "shape" || spec.group == "custom" || spec.name == "CONST";
    EXPECT_EQ(StateFaults(edition, spec).empty(), has_none) << spec.name;
  }
}

}  // namespace
}  // namespace cts
