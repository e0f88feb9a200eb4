// Tensors with their dimensions in another order.
#pragma once

#include <cstddef>
#include <vector>

#include "reference/base/shape.h"
#include "reference/base/tensor.h"

namespace cts {

// Dimension j of what comes out is dimension order[j] of what goes in. Empty: as they stand.
using AxisOrder = std::vector<size_t>;

// Of another rank than the order's they stay as they are.
Shape Permute(const Shape& shape, const AxisOrder& order);
Tensor Permute(const Tensor& tensor, const AxisOrder& order);

// What undoes it.
AxisOrder Inverse(const AxisOrder& order);

}  // namespace cts
