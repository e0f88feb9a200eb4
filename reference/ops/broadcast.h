// What several operators' conditions and texts share: broadcasting, and tests of short lists.
#pragma once

#include <optional>
#include <string_view>

#include "reference/graph/call.h"

namespace cts {

// broadcast_shape of the specification: nothing if the ranks differ or a dimension neither matches
// nor is 1.
inline std::optional<Shape> BroadcastShape(const Shape& shape1, const Shape& shape2) {
  if (shape1.size() != shape2.size()) return std::nullopt;
  Shape shape = shape1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) {
      shape[i] = shape2[i];
    } else if (shape2[i] != 1 && shape2[i] != shape[i]) {
      return std::nullopt;
    }
  }
  return shape;
}

// apply_broadcast of the specification, on offsets: where element `offset` of `out` comes from in a
// tensor of shape `in`, which has the same rank and broadcasts to it.
inline int64_t BroadcastOffset(const Shape& out, const Shape& in, int64_t offset) {
  int64_t result = 0, stride = 1;
  for (size_t i = out.size(); i-- > 0;) {
    const int64_t index = offset % out[i];
    offset /= out[i];
    if (in[i] != 1) result += index * stride;
    stride *= in[i];
  }
  return result;
}

// Whether any element of a list argument is below `least`.
inline bool AnyBelow(const Call& call, std::string_view argument, int64_t least) {
  for (int64_t i = 0; i < call.Length(argument); ++i) {
    if (call.Integer(argument, i) < least) return true;
  }
  return false;
}

// LEVEL_CHECK of a tensor argument's rank.
inline bool RankExceedsLevel(const Call& call, std::string_view argument) {
  return static_cast<int64_t>(call.shape(argument).size()) > call.level().Max("MAX_RANK");
}

}  // namespace cts
