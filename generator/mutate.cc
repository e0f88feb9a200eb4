#include "generator/mutate.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace cts {
namespace {

template <class Container>
auto& Pick(Random& random, Container& container) {
  return *std::next(container.begin(), static_cast<int64_t>(random.Below(container.size())));
}

// A number near `x`, or one that is often forbidden.
int64_t Neighbour(Random& random, int64_t x) {
  constexpr int64_t kFar = int64_t{1} << 40;
  x = std::clamp(x, -kFar, kFar);
  switch (random.Below(6)) {
    case 0:
      return x + 1;
    case 1:
      return x - 1;
    case 2:
      return -x;
    case 3:
      return 0;
    case 4:
      return -1;
    default:
      return 2 * x + 3;
  }
}

// Gives a tensor of the graph another type and shape. Its values become zeros wherever they are
// known.
void Redeclare(Assembly& assembly, GraphTensor& tensor, DType dtype, const Shape& shape) {
  tensor.dtype = dtype;
  tensor.shape = shape;
  if (tensor.values != nullptr) tensor.values = std::make_shared<Tensor>(dtype, shape);
  const auto input = assembly.inputs.find(tensor.name);
  if (input != assembly.inputs.end()) input->second = Tensor(dtype, shape);
}

void ChangeShape(Random& random, Assembly& assembly, GraphTensor& tensor) {
  Shape shape = tensor.shape;
  const size_t at = random.Below(shape.size() + 1);
  if (at == shape.size() || random.Below(4) == 0) {
    if (shape.empty() || random.Below(2) == 0) {
      shape.insert(shape.begin() + static_cast<int64_t>(at), 1);
    } else {
      shape.erase(shape.begin() + static_cast<int64_t>(std::min(at, shape.size() - 1)));
    }
  } else {
    shape[at] = std::max<int64_t>(1, Neighbour(random, shape[at]));
  }
  Redeclare(assembly, tensor, tensor.dtype, shape);
}

void ChangeType(Random& random, Assembly& assembly, GraphTensor& tensor) {
  constexpr DType kTypes[] = {DType::kBool, DType::kI8,      DType::kI16,     DType::kI32,
                              DType::kI48,  DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp16,
                              DType::kBf16, DType::kFp32};
  if (tensor.dtype == DType::kShape) return;
  Redeclare(assembly, tensor, kTypes[random.Below(std::size(kTypes))], tensor.shape);
}

void ChangeConstant(Random& random, GraphTensor& tensor) {
  if (tensor.values == nullptr || tensor.values->size() == 0) return;
  auto values = std::make_shared<Tensor>(*tensor.values);
  const auto at = static_cast<int64_t>(random.Below(static_cast<uint64_t>(values->size())));
  if (IsFloat(tensor.dtype)) {
    values->SetValue(at, static_cast<double>(Neighbour(random, 1)));
  } else {
    const int64_t value = Neighbour(random, values->Integer(at));
    values->SetInteger(at, std::clamp(value, IntegerMin(tensor.dtype), IntegerMax(tensor.dtype)));
  }
  tensor.values = std::move(values);
}

void ChangeAttribute(Random& random, const Edition& edition, GraphOperator& op) {
  if (op.attributes.empty()) return;
  auto& [name, value] = Pick(random, op.attributes);
  if (auto* flag = std::get_if<bool>(&value)) {
    *flag = !*flag;
  } else if (auto* number = std::get_if<int64_t>(&value)) {
    *number = Neighbour(random, *number);
  } else if (auto* list = std::get_if<std::vector<int64_t>>(&value)) {
    if (!list->empty()) {
      int64_t& element = Pick(random, *list);
      element = Neighbour(random, element);
    }
  } else if (auto* chosen = std::get_if<std::string>(&value)) {
    const ArgumentSpec* argument = edition.FindOperator(op.op)->FindArgument(name);
    const EnumSpec* enumeration = edition.FindEnum(argument->type);
    if (enumeration == nullptr) enumeration = edition.FindEnum(argument->element_type);
    if (enumeration != nullptr) *chosen = Pick(random, enumeration->values).name;
  }
}

}  // namespace

void Mutate(Random& random, const Edition& edition, Assembly& assembly) {
  Block& block = assembly.graph.main();
  switch (random.Below(4)) {
    case 0:
      return ChangeShape(random, assembly, Pick(random, block.tensors));
    case 1:
      return ChangeType(random, assembly, Pick(random, block.tensors));
    case 2:
      return ChangeConstant(random, Pick(random, block.tensors));
    default:
      return ChangeAttribute(random, edition, Pick(random, block.operators));
  }
}

}  // namespace cts
