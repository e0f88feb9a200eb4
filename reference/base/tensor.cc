#include "reference/base/tensor.h"

#include <cassert>

namespace cts {

Tensor Tensor::OfIntegers(DType dtype, Shape shape, const std::vector<int64_t>& values) {
  Tensor tensor(dtype, std::move(shape));
  assert(tensor.size() == static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) tensor.SetInteger(static_cast<int64_t>(i), values[i]);
  return tensor;
}

Tensor Tensor::OfFloats(DType dtype, Shape shape, const std::vector<double>& values) {
  Tensor tensor(dtype, std::move(shape));
  assert(tensor.size() == static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) tensor.SetFloat(static_cast<int64_t>(i), values[i]);
  return tensor;
}

std::vector<int64_t> Tensor::Integers() const {
  std::vector<int64_t> values(static_cast<size_t>(size()));
  for (int64_t i = 0; i < size(); ++i) values[i] = Integer(i);
  return values;
}

std::vector<double> Tensor::Floats() const {
  std::vector<double> values(static_cast<size_t>(size()));
  for (int64_t i = 0; i < size(); ++i) values[i] = Float(i);
  return values;
}

}  // namespace cts
