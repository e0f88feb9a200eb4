// Changes the order of the dimensions of shapes and tensors.
#pragma once

#include <cstddef>
#include <vector>

#include "reference/base/shape.h"
#include "reference/base/tensor.h"

namespace cts {

// Dimension j of the result is dimension order[j] of the operand. An empty list leaves the order
// unchanged.
using AxisOrder = std::vector<size_t>;

// If the rank differs from the length of `order`, Permute returns its operand unchanged. The tensor
// must not be block-scaled.
Shape Permute(const Shape& shape, const AxisOrder& order);
Tensor Permute(const Tensor& tensor, const AxisOrder& order);

// The order that undoes `order`.
AxisOrder Inverse(const AxisOrder& order);

}  // namespace cts
