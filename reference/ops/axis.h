// Helpers for operators that work along one axis of a tensor.
#pragma once

#include <cstdint>

#include "reference/base/shape.h"

namespace cts {

inline bool IsAxisOf(const Shape& shape, int64_t axis) {
  return axis >= 0 && axis < static_cast<int64_t>(shape.size());
}

// A shape, seen as [outer, size, inner], where `size` is the size of one of its axes.
struct AxisView {
  int64_t size = 1;   // the size of the axis
  int64_t inner = 1;  // the distance in elements between two neighbours along the axis

  AxisView(const Shape& shape, int64_t axis) : size(shape[axis]) {
    for (size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  }

  // The offset of element `k` along the axis, where `i` is a position in [outer, inner].
  int64_t Offset(int64_t i, int64_t k) const { return (i / inner * size + k) * inner + i % inner; }
};

}  // namespace cts
