#include "reference/enclosure/inexact_operand.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/float_format.h"
#include "reference/ops/computation.h"
#include "reference/ops/facts.h"
#include "reference/precision/precision.h"

namespace cts {
namespace {

// The elements at `positions` of one tensor of each part, one after another.
template <class Get>
Tensor Gather(const Tensor& positions, const std::vector<const RuledAnswer*>& parts, Get get) {
  std::vector<uint64_t> elements;
  for (const RuledAnswer* part : parts) {
    const Tensor& tensor = *get(part->answer);
    for (int64_t i = 0; i < tensor.size(); ++i) elements.push_back(tensor.Bits(i));
  }
  Tensor gathered(get(parts[0]->answer)->dtype(), positions.shape());
  for (int64_t i = 0; i < gathered.size(); ++i) {
    gathered.SetBits(i, elements[static_cast<size_t>(positions.Element(i))]);
  }
  return gathered;
}

}  // namespace

bool MovesAnswers(const Call& call, const Answers& answers) {
  const Moves moves = FactsOf(call.name()).moves;
  if (moves == Moves::kNothing) return false;
  const Argument& moved = call.arguments().front();
  std::optional<Rule> rule;
  for (size_t k = 0; k < moved.tensors.size(); ++k) {
    const auto answer = answers.find(moved.tensors[k]->name);
    if (moved.values[k] != nullptr || answer == answers.end()) return false;
    Rule other = answer->second->rule;
    other.zero_choice.clear();
    other.zero_sign = false;  // no longer binds once data has moved
    if (rule && *rule != other) return false;
    rule = std::move(other);
  }
  return rule && (moves == Moves::kEach || rule->kind != RuleKind::kDotProduct);
}

void MoveAnswers(const Operator& op, const Call& call, const Block& block,
                 const GraphOperator& node, const Level& level, Frame& frame) {
  // Lets the operator move the positions of the elements, numbered through all operands, in place
  // of their values. Their type must hold the positions, and the operator must have it.
  Block stand_in;
  TensorValues values = frame.values;
  std::vector<const RuledAnswer*> parts;
  int64_t count = 0;
  for (const GraphTensor* operand : call.arguments().front().tensors) {
    if (stand_in.Find(operand->name) != nullptr) continue;  // concatenated with itself
    stand_in.tensors.push_back({operand->name, DType::kFp32, operand->shape, nullptr});
    parts.push_back(frame.answers.at(operand->name).get());
    auto positions = std::make_shared<Tensor>(DType::kFp64, operand->shape);
    for (int64_t i = 0; i < positions->size(); ++i) {
      positions->SetElement(i, static_cast<double>(count++));
    }
    values[operand->name] = std::move(positions);
  }
  for (const std::string& name : node.inputs) {
    const GraphTensor& tensor = *block.Find(name);
    if (tensor.dtype == DType::kShape) stand_in.tensors.push_back(tensor);
  }
  const GraphTensor& output = *block.Find(node.outputs[0]);
  stand_in.tensors.push_back({output.name, DType::kFp32, output.shape, nullptr});
  const Call moving(call.edition(), *call.edition().FindOperator(node.op), level, stand_in, node,
                    values);
  Computation computation(moving, ComputationKind::kReference);
  op.compute(moving, computation);
  const Tensor& from = *computation.outputs().begin()->second;

  auto moved = std::make_shared<RuledAnswer>(
      RuledAnswer{parts[0]->rule,
                  {.flushed = parts[0]->answer.flushed,
                   .expected = Gather(from, parts, [](const Answer& a) { return &a.expected; })}});
  // A zero may keep its sign or lose it where data moves.
  moved->rule.zero_sign = false;
  moved->rule.zero_choice.clear();
  moved->widened = parts[0]->widened;
  moved->overflows = std::any_of(parts.begin(), parts.end(),
                                 [](const RuledAnswer* part) { return part->overflows; });
  if (parts[0]->answer.bound) {
    moved->answer.bound = Gather(from, parts, [](const Answer& a) { return &*a.bound; });
  }
  if (parts[0]->answer.upper) {
    moved->answer.upper = Gather(from, parts, [](const Answer& a) { return &*a.upper; });
  }
  frame.answers[output.name] = std::move(moved);
}

std::shared_ptr<const Tensor> SettledByCast(const Operator& op, const Call& call,
                                            const Block& block, const GraphOperator& node,
                                            const Level& level, const Frame& frame) {
  if (call.name() != "CAST" || call.values("input") != nullptr) return nullptr;
  const DType in = call.dtype("input"), out = call.dtype("output");
  const auto known = frame.answers.find(node.inputs[0]);
  if (!IsFloat(in) || IsFloat(out) || out == DType::kBool || known == frame.answers.end() ||
      known->second->rule.kind != RuleKind::kUlp) {
    return nullptr;
  }
  const Tensor& expected = known->second->answer.expected;
  std::shared_ptr<const Tensor> ends[2];
  for (const int side : {0, 1}) {
    auto end = std::make_shared<Tensor>(DType::kFp64, expected.shape());
    for (int64_t i = 0; i < end->size(); ++i) {
      const double x = expected.Element(i);
      const double off =
          std::max(UlpErrorBound(in, x, known->second->rule.ulp), Format(in).normal_min());
      end->SetElement(i, side == 0 ? x - off : x + off);
    }
    TensorValues values = frame.values;
    values[node.inputs[0]] = std::move(end);
    const Call cast(call.edition(), *call.edition().FindOperator(node.op), level, block, node,
                    values);
    Computation computation(cast, ComputationKind::kReference);
    op.compute(cast, computation);
    if (!computation.broken().empty()) return nullptr;
    ends[side] = computation.outputs().at("output");
  }
  return *ends[0] == *ends[1] ? ends[0] : nullptr;
}

}  // namespace cts
