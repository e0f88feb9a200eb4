#include "reference/faults/call_editor.h"

#include <cassert>

namespace cts {

std::string CallEditor::NameOf(std::string_view argument, int k) {
  return std::string(argument) + '#' + std::to_string(k);
}

CallEditor::CallEditor(const Call& call) : call_(call) {
  op_.op = call.name();
  for (const Argument& argument : call.arguments()) {
    if (argument.spec->category == ArgumentCategory::kAttribute) {
      if (argument.attribute != nullptr) op_.attributes[argument.spec->name] = *argument.attribute;
      continue;
    }
    for (size_t k = 0; k < argument.tensors.size(); ++k) {
      GraphTensor tensor = *argument.tensors[k];
      tensor.name = NameOf(argument.spec->name, static_cast<int>(k));
      const bool output = argument.spec->category == ArgumentCategory::kOutput;
      (output ? op_.outputs : op_.inputs).push_back(tensor.name);
      if (!output && argument.values[k] != nullptr) values_[tensor.name] = argument.values[k];
      block_.tensors.push_back(std::move(tensor));
    }
  }
}

GraphTensor& CallEditor::Find(const std::string& name) {
  for (GraphTensor& tensor : block_.tensors) {
    if (tensor.name == name) return tensor;
  }
  assert(false);
  return block_.tensors.front();
}

std::vector<int64_t> CallEditor::Integers(std::string_view argument) const {
  if (const auto found = op_.attributes.find(std::string(argument));
      found != op_.attributes.end()) {
    if (const auto* list = std::get_if<std::vector<int64_t>>(&found->second)) return *list;
    if (const auto* integer = std::get_if<int64_t>(&found->second)) return {*integer};
    if (const auto* flag = std::get_if<bool>(&found->second)) return {*flag ? 1 : 0};
    return {};
  }
  const auto value = values_.find(NameOf(argument, 0));
  if (value == values_.end() || IsFloat(value->second->dtype())) return {};
  return value->second->Integers();
}

void CallEditor::Set(std::string_view argument, const std::vector<int64_t>& values) {
  if (const auto found = op_.attributes.find(std::string(argument));
      found != op_.attributes.end()) {
    if (std::holds_alternative<bool>(found->second)) {
      found->second = values.at(0) != 0;
    } else if (std::holds_alternative<int64_t>(found->second)) {
      found->second = values.at(0);
    } else if (std::holds_alternative<double>(found->second)) {
      found->second = static_cast<double>(values.at(0));
    } else if (std::holds_alternative<std::vector<int64_t>>(found->second)) {
      found->second = values;
    }
    return;
  }
  const auto value = values_.find(NameOf(argument, 0));
  if (value == values_.end()) return;
  Tensor changed = *value->second;
  for (int64_t i = 0; i < changed.size() && i < static_cast<int64_t>(values.size()); ++i) {
    changed.SetInteger(i, values[static_cast<size_t>(i)]);
  }
  SetOperand(argument, std::move(changed));
}

void CallEditor::SetEnum(std::string_view argument, std::string value) {
  op_.attributes[std::string(argument)] = std::move(value);
}

std::optional<double> CallEditor::Number(std::string_view argument) const {
  const auto found = op_.attributes.find(std::string(argument));
  if (found == op_.attributes.end()) return std::nullopt;
  const auto* const number = std::get_if<double>(&found->second);
  return number == nullptr ? std::nullopt : std::optional<double>(*number);
}

void CallEditor::SetNumber(std::string_view argument, double value) {
  op_.attributes[std::string(argument)] = value;
}

void CallEditor::SetOperand(std::string_view argument, Tensor value, int k) {
  const std::string name = NameOf(argument, k);
  GraphTensor& tensor = Find(name);
  tensor.dtype = value.dtype();
  tensor.shape = value.shape();
  auto shared = std::make_shared<const Tensor>(std::move(value));
  if (tensor.values != nullptr) tensor.values = shared;
  values_[name] = std::move(shared);
}

void CallEditor::Swap(std::string_view argument1, std::string_view argument2) {
  const auto value1 = values_.find(NameOf(argument1, 0)),
             value2 = values_.find(NameOf(argument2, 0));
  if (value1 == values_.end() || value2 == values_.end()) return;
  Tensor first = *value1->second, second = *value2->second;
  SetOperand(argument1, std::move(second));
  SetOperand(argument2, std::move(first));
}

const Call* CallEditor::Make() {
  made_.emplace(call_.edition(), call_.spec(), call_.level(), block_, op_, values_);
  return made_->fits() ? &*made_ : nullptr;
}

}  // namespace cts
