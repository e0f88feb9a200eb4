#include "reference/base/tensor.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace cts {

std::string Name(ElementType type) {
  return StrCat(type.block_scaled ? kBlockScaledPrefix : "", Name(type.dtype));
}

StatusOr<Shape> ScaleShape(const Shape& shape) {
  CTS_RETURN_IF_ERROR(CheckedElementCount(shape).status());
  if (shape.empty() || shape.back() % kScaleBlock != 0) {
    return InvalidArgument("shape: found ", ToString(shape), ", expected a last dimension of ",
                           kScaleBlock, " or a multiple, as a scale stands for ", kScaleBlock,
                           " elements");
  }
  Shape scales = shape;
  scales.back() /= kScaleBlock;
  return scales;
}

StatusOr<Tensor> Tensor::BlockScaled(DType dtype, Shape shape) {
  if (dtype != DType::kFp8E4M3 && dtype != DType::kFp8E5M2) {
    return InvalidArgument("block-scaled values: found ", Name(dtype),
                           ", expected fp8e4m3 or fp8e5m2");
  }
  CTS_ASSIGN_OR_RETURN(const Shape scales, ScaleShape(shape));
  Tensor tensor(dtype, std::move(shape));
  tensor.scales_.assign(static_cast<size_t>(ElementCount(scales)), kScaleOfOne);
  return tensor;
}

std::string Tensor::TypeName() const { return Name(ElementType(dtype_, is_block_scaled())); }

double Tensor::Scale(int64_t i) const {
  const int bits = scales_[static_cast<size_t>(i / kScaleBlock)];
  return bits == kScaleNan ? std::numeric_limits<double>::quiet_NaN()
                           : std::ldexp(1.0, bits - kScaleOfOne);
}

Tensor Tensor::OfIntegers(DType dtype, Shape shape, const std::vector<int64_t>& values) {
  Tensor tensor(dtype, std::move(shape));
  assert(tensor.size() == static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) tensor.SetInteger(static_cast<int64_t>(i), values[i]);
  return tensor;
}

Tensor Tensor::OfFloats(DType dtype, Shape shape, const std::vector<double>& values) {
  Tensor tensor(dtype, std::move(shape));
  assert(tensor.size() == static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) tensor.SetValue(static_cast<int64_t>(i), values[i]);
  return tensor;
}

std::vector<int64_t> Tensor::Integers() const {
  std::vector<int64_t> values(static_cast<size_t>(size()));
  for (int64_t i = 0; i < size(); ++i) values[i] = Integer(i);
  return values;
}

std::vector<double> Tensor::Elements() const {
  std::vector<double> values(static_cast<size_t>(size()));
  for (int64_t i = 0; i < size(); ++i) values[i] = Element(i);
  return values;
}

}  // namespace cts
