// Helpers that operators along one axis of a tensor share.
#pragma once

#include <cstdint>

#include "reference/base/shape.h"

namespace cts {

inline bool IsAxisOf(const Shape& shape, int64_t axis) {
  return axis >= 0 && axis < static_cast<int64_t>(shape.size());
}

// A shape as [outer, size, inner] about one of its axes.
struct AxisView {
  int64_t size = 1;   // of the axis
  int64_t inner = 1;  // elements between two neighbours along it

  AxisView(const Shape& shape, int64_t axis) : size(shape[axis]) {
    for (size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  }

  // Element k along the axis, where `i` counts the positions of [outer, inner].
  int64_t Offset(int64_t i, int64_t k) const { return (i / inner * size + k) * inner + i % inner; }
};

}  // namespace cts
