#include "reference/base/permute.h"

#include <cassert>

namespace cts {

Shape Permute(const Shape& shape, const AxisOrder& order) {
  if (order.size() != shape.size()) return shape;
  Shape permuted;
  permuted.reserve(order.size());
  for (const size_t axis : order) permuted.push_back(shape[axis]);
  return permuted;
}

Tensor Permute(const Tensor& tensor, const AxisOrder& order) {
  assert(!tensor.is_block_scaled() && "blocks lie along the last dimension and cannot be moved");
  const size_t rank = order.size();
  if (rank == 0 || rank != tensor.shape().size()) return tensor;
  const Shape& shape = tensor.shape();
  Shape given_strides(rank, 1);
  for (size_t axis = rank; axis-- > 1;) {
    given_strides[axis - 1] = given_strides[axis] * shape[axis];
  }
  Tensor permuted(tensor.dtype(), Permute(shape, order));
  Shape index(rank, 0);
  int64_t from = 0;
  for (int64_t i = 0; i < permuted.size(); ++i) {
    permuted.SetBits(i, tensor.Bits(from));
    // The next place, and its offset in the operand.
    for (size_t axis = rank; axis-- > 0;) {
      const int64_t stride = given_strides[order[axis]];
      from += stride;
      if (++index[axis] < permuted.shape()[axis]) break;
      from -= stride * permuted.shape()[axis];
      index[axis] = 0;
    }
  }
  return permuted;
}

AxisOrder Inverse(const AxisOrder& order) {
  AxisOrder inverse(order.size());
  for (size_t axis = 0; axis < order.size(); ++axis) inverse[order[axis]] = axis;
  return inverse;
}

}  // namespace cts
