// Tensors with their dimensions in another order.
#pragma once

#include <cstddef>
#include <vector>

#include "reference/base/shape.h"
#include "reference/base/tensor.h"

namespace cts {

// Dimension j of the result is dimension order[j] of the operand. Empty: the order stays.
using AxisOrder = std::vector<size_t>;

// A shape or tensor whose rank differs from the order's is unchanged.
Shape Permute(const Shape& shape, const AxisOrder& order);
Tensor Permute(const Tensor& tensor, const AxisOrder& order);

// The order that undoes it.
AxisOrder Inverse(const AxisOrder& order);

}  // namespace cts
