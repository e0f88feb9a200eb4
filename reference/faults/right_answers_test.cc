#include "reference/faults/right_answers.h"

#include <gtest/gtest.h>

#include "reference/evaluate/native.h"
#include "reference/faults/fault.h"
#include "reference/graph/graph.h"

namespace cts {
namespace {

// SUB of two tensors of fp32.
Graph Subtraction() {
  Graph graph = EmptyGraph();
  Block& main = graph.main();
  for (const char* const name : {"a", "b", "c"}) main.tensors.push_back({name, DType::kFp32, {2}});
  main.inputs = {"a", "b"};
  main.outputs = {"c"};
  main.operators.push_back({.op = "SUB", .inputs = {"a", "b"}, .outputs = {"c"}, .attributes = {}});
  return graph;
}

// Asks at each call what is remembered of it, and computes the right answer.
class Asking : public Departure {
 public:
  std::optional<OperatorOutputs> Compute(const Operator& op, const Call& call) const override {
    RightAnswers* const known = RightAnswers::OfThread();
    answers.push_back(known == nullptr ? nullptr : known->Of(op, call));
    right.push_back(ComputeRight(op, call));
    return right.back();
  }
  mutable std::vector<std::shared_ptr<const RightAnswers::Answer>> answers;
  mutable std::vector<OperatorOutputs> right;
};

using Inputs = std::map<std::string, Tensor>;

Inputs Numbers(std::vector<double> a, std::vector<double> b) {
  return {{"a", Tensor::OfFloats(DType::kFp32, {2}, a)},
          {"b", Tensor::OfFloats(DType::kFp32, {2}, b)}};
}

class RightAnswersTest : public testing::Test {
 protected:
  // The outputs of SUB.
  std::vector<double> Run(const Inputs& inputs) {
    const Edition& edition = **FindEdition("tosa-1.0");
    const auto results =
        ExecuteNativeSequence(graph_, {&inputs}, edition, *edition.FindLevel("8K"), &asking_);
    EXPECT_TRUE(results.ok()) << results.status();
    const Tensor& c = results->front().outputs.at("c");
    return {c.Element(0), c.Element(1)};
  }

  const Graph graph_ = Subtraction();
  Asking asking_;
};

TEST_F(RightAnswersTest, TheSameOperandsHaveOneAnswer) {
  const RightAnswers answers;
  EXPECT_EQ(Run(Numbers({5, 7}, {1, 2})), (std::vector<double>{4, 5}));
  EXPECT_EQ(Run(Numbers({5, 7}, {1, 2})), (std::vector<double>{4, 5}));
  EXPECT_EQ(asking_.answers[0], asking_.answers[1]);
}

TEST_F(RightAnswersTest, OneOtherElementHasAnotherAnswer) {
  const RightAnswers answers;
  EXPECT_EQ(Run(Numbers({5, 7}, {1, 2})), (std::vector<double>{4, 5}));
  EXPECT_EQ(Run(Numbers({5, 7}, {1, 3})), (std::vector<double>{4, 4}));
  EXPECT_EQ(Run(Numbers({1, 2}, {5, 7})), (std::vector<double>{-4, -5}));
  EXPECT_NE(asking_.answers[0], asking_.answers[1]);
}

// 0 - 0 is +0, -0 - 0 is -0.
TEST_F(RightAnswersTest, ZerosOfTwoSignsAreTwoOperands) {
  const RightAnswers answers;
  EXPECT_FALSE(std::signbit(Run(Numbers({0, 0}, {0, 0}))[0]));
  EXPECT_TRUE(std::signbit(Run(Numbers({-0.0, 0}, {0, 0}))[0]));
}

TEST_F(RightAnswersTest, WhoeverSpoilsAnAnswerSpoilsItsOwn) {
  const RightAnswers answers;
  Run(Numbers({5, 7}, {1, 2}));
  asking_.right[0].at("output")->SetElement(0, 99);
  EXPECT_EQ(Run(Numbers({5, 7}, {1, 2})), (std::vector<double>{4, 5}));
}

TEST_F(RightAnswersTest, AttributesAreLookedAt) {
  const Edition& edition = **FindEdition("tosa-1.0");
  const RightAnswers answers;
  Graph graph = EmptyGraph();
  Block& main = graph.main();
  main.tensors = {{"input", DType::kI8, {2, 2}}, {"output", DType::kI8, {2, 2}}};
  main.inputs = {"input"};
  main.outputs = {"output"};
  main.operators.push_back(
      {.op = "REVERSE", .inputs = {"input"}, .outputs = {"output"}, .attributes = {}});
  const Inputs inputs = {{"input", Tensor::OfIntegers(DType::kI8, {2, 2}, {1, 2, 3, 4})}};
  const std::vector<std::vector<int64_t>> expected = {{3, 4, 1, 2}, {2, 1, 4, 3}};
  for (const int64_t axis : {0, 1}) {
    main.operators[0].attributes["axis"] = axis;
    const auto results =
        ExecuteNativeSequence(graph, {&inputs}, edition, *edition.FindLevel("8K"), &asking_);
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_EQ(results->front().outputs.at("output").Integers(), expected[axis]);
  }
}

TEST_F(RightAnswersTest, ZerosOfTwoSignsAreTwoAttributes) {
  const Edition& edition = **FindEdition("tosa-1.0");
  const RightAnswers answers;
  Graph graph = EmptyGraph();
  Block& main = graph.main();
  main.tensors = {{"input", DType::kFp32, {1}}, {"output", DType::kFp32, {1}}};
  main.inputs = {"input"};
  main.outputs = {"output"};
  main.operators.push_back(
      {.op = "CLAMP",
       .inputs = {"input"},
       .outputs = {"output"},
       .attributes = {{"max_val", 1.0}, {"nan_mode", std::string("PROPAGATE")}}});
  const Inputs inputs = {{"input", Tensor::OfFloats(DType::kFp32, {1}, {-1})}};
  for (const double least : {0.0, -0.0}) {
    main.operators[0].attributes["min_val"] = least;
    const auto results =
        ExecuteNativeSequence(graph, {&inputs}, edition, *edition.FindLevel("8K"), &asking_);
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_EQ(std::signbit(results->front().outputs.at("output").Element(0)), std::signbit(least));
  }
}

TEST_F(RightAnswersTest, NothingIsRememberedWithoutOne) {
  EXPECT_EQ(RightAnswers::OfThread(), nullptr);
  Run(Numbers({5, 7}, {1, 2}));
  EXPECT_EQ(asking_.answers[0], nullptr);
  {
    const RightAnswers outer;
    {
      const RightAnswers inner;
      EXPECT_EQ(RightAnswers::OfThread(), &inner);
    }
    EXPECT_EQ(RightAnswers::OfThread(), &outer);
  }
  EXPECT_EQ(RightAnswers::OfThread(), nullptr);
}

}  // namespace
}  // namespace cts
