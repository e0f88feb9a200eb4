// Tensor shapes and their index arithmetic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/base/status.h"

namespace cts {

// The sizes of the dimensions, outermost first. The empty list is the shape of a scalar: rank 0,
// one element.
using Shape = std::vector<int64_t>;

// The shape as text: "[1,2,3]".
std::string ToString(const Shape& shape);

// Returns the number of elements; an error if a dimension is below 1 or the number exceeds 2^62.
StatusOr<int64_t> CheckedElementCount(const Shape& shape);

// Returns the number of elements. CheckedElementCount must accept the shape.
inline int64_t ElementCount(const Shape& shape) {
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  return count;
}

// Offset converts an index to the position of the element in row-major order, counted from 0. Index
// converts a position to an index. `index` must have the rank of `shape`, and index[i] must be from
// 0 to shape[i] - 1.
inline int64_t Offset(const Shape& shape, const Shape& index) {
  int64_t offset = 0;
  for (size_t i = 0; i < shape.size(); ++i) offset = offset * shape[i] + index[i];
  return offset;
}
Shape Index(const Shape& shape, int64_t offset);

}  // namespace cts
