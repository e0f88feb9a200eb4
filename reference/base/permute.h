// Tensors with their dimensions in another order.
#pragma once

#include <cstddef>
#include <vector>

#include "reference/base/shape.h"
#include "reference/base/tensor.h"

namespace cts {

// Dimension j of the result is dimension order[j] of the operand. If empty, the order is unchanged.
using AxisOrder = std::vector<size_t>;

// Returns a shape or tensor unchanged if its rank differs from the length of the order.
Shape Permute(const Shape& shape, const AxisOrder& order);
Tensor Permute(const Tensor& tensor, const AxisOrder& order);

// The order that undoes `order`.
AxisOrder Inverse(const AxisOrder& order);

}  // namespace cts
