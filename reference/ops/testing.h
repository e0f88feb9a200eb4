// Graphs of one operator for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reference/evaluate/evaluate.h"
#include "reference/evaluate/native.h"
#include "reference/evaluate/trace_testing.h"
#include "reference/ops/conditions.h"
#include "reference/ops/operator.h"

namespace cts {

class OneOperator {
 public:
  explicit OneOperator(std::string op, std::string_view edition = kDefaultEdition)
      : edition_(*FindEdition(edition)), graph_(EmptyGraph()) {
    node_.op = std::move(op);
  }

  // Adds the next input in the edition's order. A shape becomes a CONST_SHAPE, any other tensor an
  // input of the graph.
  OneOperator& In(Tensor values) {
    const std::string name = StrCat("in", node_.inputs.size());
    Block& block = graph_.main();
    block.tensors.push_back({name, values.dtype(), values.shape()});
    node_.inputs.push_back(name);
    if (values.dtype() == DType::kShape) {
      block.tensors.back().values = std::make_shared<Tensor>(std::move(values));
      block.operators.push_back({.op = "CONST_SHAPE", .inputs = {}, .outputs = {name}});
    } else {
      block.inputs.push_back(name);
      inputs_.emplace(name, std::move(values));
    }
    return *this;
  }
  OneOperator& Integers(DType type, Shape shape, const std::vector<int64_t>& values) {
    return In(Tensor::OfIntegers(type, std::move(shape), values));
  }
  OneOperator& Floats(DType type, Shape shape, const std::vector<double>& values) {
    return In(Tensor::OfFloats(type, std::move(shape), values));
  }
  OneOperator& ShapeIn(const std::vector<int64_t>& values) {
    return Integers(DType::kShape, {static_cast<int64_t>(values.size())}, values);
  }
  OneOperator& Set(const std::string& attribute, AttributeValue value) {
    node_.attributes[attribute] = std::move(value);
    return *this;
  }
  OneOperator& Out(DType type, Shape shape) {
    graph_.main().tensors.push_back({"out", type, std::move(shape)});
    node_.outputs = {"out"};
    return *this;
  }
  // Adds the second output.
  OneOperator& AndOut(DType type, Shape shape) {
    graph_.main().tensors.push_back({"out2", type, std::move(shape)});
    node_.outputs.push_back("out2");
    return *this;
  }

  // The outcome as text: "valid", "error: clamp.bounds_order" or "unpredictable: integer.overflow".
  // The text names every violated condition in the order of detection. The embedded implementation
  // must have the same outcome.
  std::string Verdict(const std::map<std::string, int64_t>& maxima = {}) const {
    const StatusOr<Evaluation> evaluation = Evaluate(graph(), inputs_, *edition_, LevelOf(maxima));
    if (!evaluation.ok()) return Message(evaluation.status());
    const auto native = ExecuteNative(graph(), inputs_, *edition_, LevelOf(maxima));
    EXPECT_TRUE(native.ok() && native->outcome == evaluation->outcome);
    std::string verdict(Name(evaluation->outcome));
    for (const Violation& v : evaluation->violations) {
      verdict += StrCat(&v == evaluation->violations.data() ? ": " : ", ", v.condition);
    }
    return verdict;
  }

  // Returns the elements that were read for one element of the first output.
  StatusOr<std::vector<ReadElement>> Trace(int64_t offset) const {
    return TraceElement(graph(), inputs_, *edition_, LevelOf({}), node_.outputs[0], offset);
  }

  // The reference's answer for output `k` without flushing: fp64 for floating-point outputs. If the
  // output has integers and an exact rule, also expects the same answer from the embedded
  // implementation.
  Tensor Run(size_t k = 0) const {
    const StatusOr<Evaluation> evaluation = Evaluate(graph(), inputs_, *edition_, LevelOf({}));
    if (!evaluation.ok() || evaluation->outcome != Outcome::kValid) {
      ADD_FAILURE() << node_.op << ": " << Verdict();
      return Tensor(DType::kI8, {1});
    }
    const ExpectedOutput& output = evaluation->outputs[k];
    if (!IsFloat(output.dtype) && output.rule.kind == RuleKind::kExact) {
      EXPECT_EQ(output.answers[0].expected, RunNative(k));
    }
    return output.answers[0].expected;
  }
  // The rule and answers of output `k` of a valid graph. `data_set`: the number S of the data set,
  // for the dot-product rule; -1: any other data.
  ExpectedOutput Output(int data_set = -1, size_t k = 0) const {
    auto evaluation = Evaluate(graph(), inputs_, *edition_, LevelOf({}), data_set);
    if (evaluation.ok() && evaluation->outcome == Outcome::kValid) return evaluation->outputs[k];
    ADD_FAILURE() << node_.op << ": " << Verdict();
    return {"out", DType::kI8, {1}, {}, {{.expected = Tensor(DType::kI8, {1})}}};
  }
  Tensor RunNative(size_t k = 0) const {
    const StatusOr<NativeResult> result = ExecuteNative(graph(), inputs_, *edition_, LevelOf({}));
    if (result.ok() && result->outcome == Outcome::kValid)
      return result->outputs.at(node_.outputs[k]);
    ADD_FAILURE() << node_.op << ": " << (result.ok() ? result->message : Message(result.status()));
    return Tensor(DType::kI8, {1});
  }

  // Whether the call breaks condition `id` according to the condition's predicate. This is useful
  // if Verdict would report a rule of the argument tables instead.
  bool Breaks(std::string_view id, const std::map<std::string, int64_t>& maxima = {}) const {
    const Graph whole = graph();
    std::map<std::string, std::shared_ptr<const Tensor>> values;
    for (const auto& [name, tensor] : inputs_) values[name] = std::make_shared<Tensor>(tensor);
    const Level level = LevelOf(maxima);
    const Call call(*edition_, *edition_->FindOperator(node_.op), level, whole.main(), node_,
                    values);
    for (const Condition& c : ConditionsOf(*FindOperator(node_.op), *edition_)) {
      if (c.id == id) return bool{c.broken(call)};
    }
    ADD_FAILURE() << "no condition " << id;
    return false;
  }

  const Edition& edition() const { return *edition_; }
  const std::map<std::string, Tensor>& inputs() const { return inputs_; }
  Graph graph() const {
    Graph whole = graph_;
    whole.main().outputs = node_.outputs;
    whole.main().operators.push_back(node_);
    return whole;
  }

 private:
  Level LevelOf(const std::map<std::string, int64_t>& maxima) const {
    Level level = *edition_->FindLevel("8K");
    for (const auto& [name, value] : maxima) level.maxima[name] = value;
    return level;
  }

  const Edition* edition_;
  Graph graph_;
  GraphOperator node_;
  std::map<std::string, Tensor> inputs_;
};

// Every value of an integer type of at most 16 bits.
inline std::vector<int64_t> EveryValue(DType type) {
  std::vector<int64_t> values;
  for (int64_t x = IntegerMin(type); x <= IntegerMax(type); ++x) values.push_back(x);
  return values;
}

// Every bit pattern of a floating-point type of at most 16 bits.
inline Tensor EveryPattern(DType type) {
  Tensor tensor(type, {int64_t{1} << Info(type).bits});
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.SetBits(i, static_cast<uint64_t>(i));
  return tensor;
}

// Reproducible pseudorandom numbers from `low` to `high`, both included (a linear congruential
// generator with Knuth's multiplier for 64 bits).
inline std::vector<int64_t> Numbers(int64_t count, int64_t low, int64_t high, uint64_t seed = 1) {
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    numbers.push_back(low +
                      static_cast<int64_t>((seed >> 16) % static_cast<uint64_t>(high - low + 1)));
  }
  return numbers;
}

}  // namespace cts
