#include "tools/program/shrink/case_edits.h"

#include <memory>
#include <numeric>
#include <utility>

namespace cts {

GraphTensor* Find(Block& block, const std::string& name) {
  return const_cast<GraphTensor*>(std::as_const(block).Find(name));
}

std::vector<std::map<std::string, Tensor>*> InputsOf(Case& c) {
  std::vector<std::map<std::string, Tensor>*> all = {&c.inputs};
  for (auto& later : c.later_inputs) all.push_back(&later);
  return all;
}

void ChangeTensor(Case& c, const std::string& name,
                  const std::function<Tensor(const Tensor&)>& change) {
  GraphTensor* tensor = Find(c.graph.main(), name);
  if (tensor->values != nullptr) {
    tensor->values = std::make_shared<const Tensor>(change(*tensor->values));
    tensor->shape = tensor->values->shape();
    return;
  }
  for (std::map<std::string, Tensor>* inputs : InputsOf(c)) {
    Tensor& value = inputs->at(name);
    value = change(value);
    tensor->shape = value.shape();
  }
}

Tensor TakeSlices(const Tensor& from, size_t dim, const std::vector<int64_t>& keep) {
  Shape shape = from.shape();
  const int64_t before = shape[dim];
  shape[dim] = static_cast<int64_t>(keep.size());
  Tensor to(from.dtype(), shape);
  const int64_t inner =
      std::accumulate(shape.begin() + static_cast<ptrdiff_t>(dim) + 1, shape.end(),
                      int64_t{StorageBytes(from.dtype())}, std::multiplies<>());
  const int64_t outer =
      to.bytes().empty() ? 0 : static_cast<int64_t>(to.bytes().size()) / (inner * shape[dim]);
  uint8_t* out = to.bytes().data();
  for (int64_t o = 0; o < outer; ++o) {
    for (const int64_t k : keep) {
      out = std::copy_n(from.bytes().data() + (o * before + k) * inner, inner, out);
    }
  }
  return to;
}

const GraphTensor* ShapeOperand(const Block& block, const GraphOperator& op, size_t k) {
  if (k >= op.inputs.size()) return nullptr;
  const GraphTensor* tensor = block.Find(op.inputs[k]);
  const bool known =
      tensor != nullptr && tensor->dtype == DType::kShape && tensor->values != nullptr;
  return known ? tensor : nullptr;
}

GraphTensor* ShapeOperand(Block& block, const GraphOperator& op, size_t k) {
  return const_cast<GraphTensor*>(ShapeOperand(std::as_const(block), op, k));
}

void SetOperand(GraphTensor& tensor, const std::vector<int64_t>& values) {
  tensor.shape = {static_cast<int64_t>(values.size())};
  tensor.values =
      std::make_shared<const Tensor>(Tensor::OfIntegers(DType::kShape, tensor.shape, values));
}

}  // namespace cts
