#include "tools/program/shrink/case_size.h"

#include <bit>
#include <cmath>
#include <variant>
#include <vector>

#include "reference/base/contains.h"
#include "reference/base/float_format.h"
#include "tools/program/shrink/case_edits.h"

namespace cts {

int64_t Complexity(int64_t value) {
  if (value == 0 || value == 1) return value;
  if (value == -1) return 2;
  const uint64_t magnitude =
      value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  // By the number of its bits; among numbers of as many bits, by the number of bits that are set.
  return 2 * std::bit_width(magnitude) + (std::popcount(magnitude) > 1 ? 1 : 0) + (value < 0) + 1;
}

int64_t Complexity(double value) {
  if (value == 0) return std::signbit(value) ? 2 : 0;
  if (value == 1) return 1;
  if (value == -1) return 2;
  if (std::isnan(value)) return 4;
  if (std::isinf(value)) return value > 0 ? 4 : 5;
  int exponent = 0;
  const double mantissa = std::frexp(std::abs(value), &exponent);  // from 0.5 to 1
  const auto bits = static_cast<uint64_t>(std::ldexp(mantissa, 53));
  const int64_t digits = 53 - std::countr_zero(bits);
  const auto scale = static_cast<uint64_t>(std::abs(exponent - 1));
  return 4 + 2 * digits + std::bit_width(scale) + (value < 0);
}

int64_t ElementComplexity(const Tensor& tensor, int64_t i) {
  return IsFloat(tensor.dtype()) ? Complexity(tensor.Value(i)) : Complexity(tensor.Integer(i));
}

int64_t EnumPosition(const Edition& edition, const std::string& name) {
  for (const EnumSpec& each : edition.enums) {
    for (size_t i = 0; i < each.values.size(); ++i) {
      if (each.values[i].name == name) return static_cast<int64_t>(i);
    }
  }
  return 0;
}

namespace {

int64_t TensorComplexity(const Tensor& tensor) {
  int64_t sum = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) sum += ElementComplexity(tensor, i);
  return sum;
}

int64_t AttributeComplexity(const Edition& edition, const AttributeValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* number = std::get_if<int64_t>(&value)) return Complexity(*number);
  if (const auto* number = std::get_if<double>(&value)) return Complexity(*number);
  if (const auto* name = std::get_if<std::string>(&value)) return EnumPosition(edition, *name);
  int64_t sum = 0;
  for (const int64_t number : std::get<std::vector<int64_t>>(value)) sum += Complexity(number);
  return sum;
}

}  // namespace

CaseSize SizeOf(const Case& c) {
  const StatusOr<const Edition*> edition = FindEdition(c.edition);
  const Block& block = c.graph.main();
  CaseSize size;
  size.executions = c.executions();
  for (const GraphOperator& op : block.operators) {
    if (IsConstant(op)) continue;
    ++size.operators;
    for (const auto& [name, value] : op.attributes) {
      if (edition.ok()) size.attributes += AttributeComplexity(**edition, value);
    }
  }
  for (const GraphTensor& tensor : block.tensors) {
    if (tensor.dtype == DType::kShape) {
      if (tensor.values != nullptr) size.attributes += TensorComplexity(*tensor.values);
      continue;
    }
    int64_t elements = 1;
    for (const int64_t n : tensor.shape) elements *= std::max<int64_t>(n, 0);
    size.ranks += static_cast<int64_t>(tensor.shape.size());
    if (Contains(block.outputs, tensor.name)) size.outputs += elements;
    if (tensor.values != nullptr) {
      size.elements += elements;
      size.values += TensorComplexity(*tensor.values);
    }
  }
  for (const ExecutionInputs& inputs : c.InputsOfExecutions()) {
    for (const auto& [name, tensor] : *inputs) {
      size.elements += tensor.size();
      size.values += TensorComplexity(tensor);
    }
  }
  return size;
}

}  // namespace cts
