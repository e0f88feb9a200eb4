// For tests: builds and evaluates graphs of several blocks.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/evaluate/evaluate.h"
#include "reference/evaluate/native.h"

namespace cts::testing_graph {

using Names = std::vector<std::string>;
using Tensors = std::map<std::string, Tensor>;

inline GraphTensor T(std::string name, DType type, Shape shape = {1}) {
  return {std::move(name), type, std::move(shape), nullptr};
}
inline GraphTensor I32(std::string name, Shape shape = {1}) {
  return T(std::move(name), DType::kI32, std::move(shape));
}
inline GraphTensor Bool(std::string name, Shape shape = {1}) {
  return T(std::move(name), DType::kBool, std::move(shape));
}
inline GraphTensor Constant(std::string name, int64_t value) {
  auto values = std::make_shared<Tensor>(Tensor::OfIntegers(DType::kI32, {1}, {value}));
  return {std::move(name), DType::kI32, {1}, std::move(values)};
}
inline Tensor Integers(const std::vector<int64_t>& values, DType type = DType::kI32) {
  return Tensor::OfIntegers(type, {static_cast<int64_t>(values.size())}, values);
}
inline Tensor Floats(const std::vector<double>& values) {
  return Tensor::OfFloats(DType::kFp32, {static_cast<int64_t>(values.size())}, values);
}

inline GraphOperator Op(std::string op, Names inputs, Names outputs,
                        std::map<std::string, AttributeValue> attributes = {}) {
  return {std::move(op), std::move(inputs), std::move(outputs), std::move(attributes)};
}
inline GraphOperator CondIf(Names inputs, Names outputs, std::string then_graph,
                            std::string else_graph) {
  return Op("COND_IF", std::move(inputs), std::move(outputs),
            {{"then_graph", std::move(then_graph)}, {"else_graph", std::move(else_graph)}});
}
inline GraphOperator WhileLoop(Names inputs, Names outputs, std::string cond_graph = "cond",
                               std::string body_graph = "body") {
  return Op("WHILE_LOOP", std::move(inputs), std::move(outputs),
            {{"cond_graph", std::move(cond_graph)}, {"body_graph", std::move(body_graph)}});
}

// A region with one block; both have the name `name`. Adds a CONST operator for each tensor with
// values.
inline Region R(std::string name, Names inputs, Names outputs, std::vector<GraphTensor> tensors,
                std::vector<GraphOperator> operators) {
  Block block{std::move(name), std::move(inputs), std::move(outputs), std::move(tensors), {}};
  for (const GraphTensor& tensor : block.tensors) {
    if (tensor.values) block.operators.push_back(Op("CONST", {}, {tensor.name}));
  }
  for (GraphOperator& op : operators) block.operators.push_back(std::move(op));
  std::string region = block.name;
  return {std::move(region), {std::move(block)}};
}

struct Setting {
  explicit Setting(std::string_view id = "tosa-1.0", std::string_view level_name = "8K")
      : edition(**FindEdition(id)), level(*edition.FindLevel(level_name)) {}
  const Edition& edition;
  const Level& level;
};

// The outcome of the last execution: "valid", "error: cond_if.nesting", "unpredictable: ...",
// "unsupported: MESSAGE", or the message of an error status. Also expects the same outcome from the
// embedded implementation.
inline std::string Verdict(const Graph& graph, const std::vector<Tensors>& executions,
                           const Setting& setting = Setting()) {
  InputSequence inputs;
  for (const Tensors& tensors : executions) inputs.push_back(&tensors);
  const auto results = EvaluateSequence(graph, inputs, setting.edition, setting.level);
  if (!results.ok()) return Message(results.status());
  const Evaluation& last = results->back();
  const auto native = ExecuteNativeSequence(graph, inputs, setting.edition, setting.level);
  // The embedded implementation can compute with a result that the reference knows only within
  // bounds, so the two outcomes may then differ.
  const bool only_bounded = last.message.find("judged within bounds") != std::string::npos;
  EXPECT_TRUE(native.ok());
  EXPECT_TRUE(only_bounded || native->back().outcome == last.outcome);
  std::string verdict(Name(last.outcome));
  if (last.outcome == Outcome::kUnsupported) return StrCat(verdict, ": ", last.message);
  for (const Violation& v : last.violations) {
    verdict += StrCat(&v == last.violations.data() ? ": " : ", ", v.condition);
  }
  return verdict;
}

// The violations of the last execution: one line "id: message" for each violation.
inline std::string Findings(const Graph& graph, const std::vector<Tensors>& executions,
                            const Setting& setting = Setting()) {
  InputSequence inputs;
  for (const Tensors& tensors : executions) inputs.push_back(&tensors);
  const auto results = EvaluateSequence(graph, inputs, setting.edition, setting.level);
  if (!results.ok()) return Message(results.status());
  std::string text;
  for (const Violation& v : results->back().violations) {
    text += StrCat(text.empty() ? "" : "\n", v.condition, ": ", v.message);
  }
  return text;
}

// The outputs of a valid graph, execution by execution. Also expects the same integers and booleans
// from the embedded implementation.
inline std::vector<ExpectedOutput> Outputs(const Graph& graph,
                                           const std::vector<Tensors>& executions,
                                           const Setting& setting = Setting()) {
  InputSequence inputs;
  for (const Tensors& tensors : executions) inputs.push_back(&tensors);
  const auto results = EvaluateSequence(graph, inputs, setting.edition, setting.level);
  const auto native = ExecuteNativeSequence(graph, inputs, setting.edition, setting.level);
  std::vector<ExpectedOutput> outputs;
  if (!results.ok() || !native.ok() || results->back().outcome != Outcome::kValid) {
    ADD_FAILURE() << Verdict(graph, executions, setting);
    return outputs;
  }
  for (size_t k = 0; k < results->size(); ++k) {
    for (const ExpectedOutput& output : (*results)[k].outputs) {
      if (!IsFloat(output.dtype)) {
        EXPECT_EQ(output.answers[0].expected, (*native)[k].outputs.at(output.name)) << output.name;
      }
      outputs.push_back(output);
    }
  }
  return outputs;
}

// The first element of every output, as an integer.
inline std::vector<int64_t> Values(const Graph& graph, const std::vector<Tensors>& executions,
                                   const Setting& setting = Setting()) {
  std::vector<int64_t> values;
  for (const ExpectedOutput& output : Outputs(graph, executions, setting)) {
    values.push_back(output.answers[0].expected.Integer(0));
  }
  return values;
}

}  // namespace cts::testing_graph
