#include "reference/enclosure/enclosed_operands.h"

#include <utility>

#include "reference/base/contains.h"

namespace cts {
namespace {

std::string NameOf(size_t k) { return StrCat("operand_", k); }

std::shared_ptr<const Tensor> ValueOf(const GraphTensor& tensor, const Frame& frame) {
  const KnownTensor known = frame.Get(tensor.name);
  return known.value != nullptr ? known.value : tensor.values;
}

}  // namespace

std::shared_ptr<const Tensor> Ones(const GraphTensor& tensor) {
  auto ones = std::make_shared<Tensor>(tensor.dtype, tensor.shape);
  for (int64_t i = 0; i < ones->size(); ++i) {
    IsFloat(tensor.dtype) ? ones->SetElement(i, 1) : ones->SetInteger(i, 1);
  }
  return ones;
}

StatusOr<EnclosedOperands> EnclosedOperands::Of(const Operator& op, const OperatorSpec& spec,
                                                const Edition& edition, const Level& level,
                                                const Block& block, const GraphOperator& node,
                                                const Frame& frame) {
  EnclosedOperands operands(op, spec, edition, level, block, frame);
  operands.names_ = node.inputs;
  operands.block_ = std::make_shared<Block>();
  operands.node_ = std::make_shared<GraphOperator>(node);
  for (size_t k = 0; k < node.inputs.size(); ++k) {
    GraphTensor tensor = *block.Find(node.inputs[k]);
    std::shared_ptr<const Tensor> value = ValueOf(tensor, frame);
    std::optional<Enclosure> enclosure = operands.Known(tensor.name);
    if (value == nullptr && !enclosure) {
      return InvalidArgument(tensor.name, " has neither a value nor an enclosure");
    }
    operands.ones_.push_back(value == nullptr ? Ones(tensor) : nullptr);
    operands.values_.push_back(std::move(value));
    operands.enclosures_.push_back(std::move(enclosure));
    tensor.name = operands.node_->inputs[k] = NameOf(k);
    operands.block_->tensors.push_back(std::move(tensor));
  }
  for (const std::string& name : node.outputs) {
    if (const GraphTensor* output = block.Find(name)) operands.block_->tensors.push_back(*output);
  }
  return operands;
}

Call EnclosedOperands::With(const Replaced& replaced) const {
  TensorValues values;
  for (size_t k = 0; k < size(); ++k) {
    const auto other = replaced.find(k);
    values[NameOf(k)] = other != replaced.end() ? other->second
                        : IsInexact(k)          ? ones_[k]
                                                : values_[k];
  }
  return Call(*edition_, *spec_, *level_, *block_, *node_, values);
}

const GraphOperator* EnclosedOperands::MakerOf(const std::string& tensor) const {
  for (const GraphOperator& node : graph_->operators) {
    if (Contains(node.outputs, tensor)) return &node;
  }
  return nullptr;
}

Call EnclosedOperands::CallOf(const GraphOperator& maker) const {
  return Call(*edition_, *edition_->FindOperator(maker.op), *level_, *graph_, maker, {});
}

std::optional<Enclosure> EnclosedOperands::Known(const std::string& name) const {
  const GraphTensor& tensor = *graph_->Find(name);
  const auto value = ValueOf(tensor, *frame_);
  if (value != nullptr && tensor.dtype != DType::kShape) return EncloseValue(*value);
  const auto answer = frame_->answers.find(name);
  if (value != nullptr || answer == frame_->answers.end()) return std::nullopt;
  return EncloseAnswer(*answer->second, tensor.dtype);
}

std::optional<size_t> EnclosedOperands::Find(const Call& call, std::string_view argument) const {
  for (const Argument& each : call.arguments()) {
    if (each.spec->name != argument || each.tensors.size() != 1) continue;
    for (size_t k = 0; k < size(); ++k) {
      if (each.tensors[0]->name == NameOf(k)) return k;
    }
  }
  return std::nullopt;
}

std::optional<EnclosedOperands::Outputs> EnclosedOperands::Run(const Replaced& replaced,
                                                               ComputationKind kind) const {
  const Call call = With(replaced);
  Computation computation(call, kind);
  op_->compute(call, computation);
  if (!computation.broken().empty()) return std::nullopt;
  Outputs outputs;
  for (const auto& [name, output] : computation.outputs()) outputs.emplace(name, *output);
  return outputs;
}

}  // namespace cts
