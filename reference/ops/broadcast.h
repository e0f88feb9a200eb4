// Helpers for the conditions and the computations of several operators: broadcasting, and checks of
// short lists.
#pragma once

#include <optional>
#include <string_view>

#include "reference/graph/call.h"
#include "reference/ops/computation.h"
#include "reference/ops/condition.h"

namespace cts {

// broadcast_shape of the specification: nullopt if the ranks differ, or if the shapes have
// different sizes in a dimension and neither size is 1.
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

// apply_broadcast of the specification, on offsets. Returns the offset in a tensor of shape `in`
// from which element `offset` of a tensor of shape `out` comes. `in` has the same rank as `out` and
// broadcasts to it.
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

// Maps offsets of the output to offsets of one input by BroadcastOffset. If both shapes are equal,
// returns the offset unchanged.
class BroadcastMap {
 public:
  BroadcastMap(const Shape& out, const Shape& in) : out_(out), in_(in), same_(in == out) {}
  int64_t operator()(int64_t offset) const {
    return same_ ? offset : BroadcastOffset(out_, in_, offset);
  }

 private:
  const Shape &out_, &in_;
  const bool same_;
};

// Whether any element of a list argument is below `least`.
inline Breach AnyBelow(const Call& call, std::string_view argument, int64_t least) {
  for (int64_t i = 0; i < call.Length(argument); ++i) {
    if (call.Integer(argument, i) >= least) continue;
    return Breach::Saying(call.ElementName(argument, i), " is ", call.Integer(argument, i),
                          ", expected at least ", least);
  }
  return false;
}

// --- Elementwise operators of two inputs --------------------------------------------------------

inline bool PairDoesNotBroadcast(const Call& c) {
  return BroadcastShape(c.shape("input1"), c.shape("input2")) != c.shape("output");
}

// The conditions that every elementwise operator of two inputs has. Their ids begin with `prefix`.
#define CTS_BROADCAST_CONDITIONS(prefix)                                                   \
  {prefix ".broadcast", ConditionKind::kErrorIf,                                           \
   "the output's shape is not the broadcast of the inputs' shapes", PairDoesNotBroadcast}, \
      kLevelChecks

// Calls `f(arithmetic, value1, value2)` for every element of the broadcast output.
template <class F>
void ForEachPair(const Call& call, Computation& computation, F f) {
  const Operand& input1 = computation.In("input1");
  const Operand& input2 = computation.In("input2");
  const BroadcastMap offset1(call.shape("output"), call.shape("input1"));
  const BroadcastMap offset2(call.shape("output"), call.shape("input2"));
  computation.ForEach("output", [&](auto& a, int64_t i) {
    // A trace shows the order of the loads, so two statements fix this order. As arguments of `f`,
    // the loads could run in either order.
    const auto x = a.Load(input1, offset1(i));
    const auto y = a.Load(input2, offset2(i));
    return f(a, x, y);
  });
}

}  // namespace cts
