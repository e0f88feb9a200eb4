// Shape inference: computes the shapes of an operator's outputs from the shapes of its inputs, its
// attributes and its shape operands. Sizes are computed in 128 bits, so that arithmetic on 64-bit
// numbers does not overflow.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "reference/graph/call.h"
#include "reference/ops/breach.h"

namespace cts {

// One shape for each output, in the order of the argument table. A shape may be illegal: conditions
// and InferShapes (reference/evaluate/infer_shapes.h) check it.
using Shapes = std::vector<Shape>;

using WideSize = __int128;

// The size as int64_t; nullopt if it does not fit.
inline std::optional<int64_t> NarrowSize(WideSize size) {
  if (size < std::numeric_limits<int64_t>::min() || size > std::numeric_limits<int64_t>::max()) {
    return std::nullopt;
  }
  return static_cast<int64_t>(size);
}

inline constexpr const char* kTooWide = "what 64 bits do not hold";

// The size numerator / divisor + 1, where "/" is idiv_check of the pseudocode.
struct SizeQuotient {
  WideSize numerator = 0;
  int64_t divisor = 1;

  // nullopt if the division is not exact, or if the divisor or the size is not positive.
  std::optional<int64_t> Size() const {
    if (divisor < 1 || numerator < 0 || numerator % divisor != 0) return std::nullopt;
    return NarrowSize(numerator / divisor + 1);
  }
  // The size, or the formula if there is no size: "8", "15 / 2 + 1".
  std::string Text() const {
    if (const auto size = Size()) return std::to_string(*size);
    const auto narrow = NarrowSize(numerator);
    return StrCat(narrow ? std::to_string(*narrow) : kTooWide, " / ", divisor, " + 1");
  }
};

// Whether an output's size differs from the size that the specification's equation gives.
inline Breach SizeDiffers(int64_t found, const SizeQuotient& expected) {
  if (expected.Size() == found) return false;
  return Breach::Differing(found, expected.Text());
}

// The output's size along spatial axis `axis` of a convolution. Axis `weight_axis` of the weight
// has the kernel's size.
inline SizeQuotient ConvolvedSize(const Call& c, int axis, int weight_axis) {
  const WideSize kernel = c.shape("weight")[weight_axis];
  const WideSize in = c.shape("input")[1 + axis];
  return {in - 1 + c.Integer("pad", 2 * axis) + c.Integer("pad", 2 * axis + 1) -
              (kernel - 1) * c.Integer("dilation", axis),
          c.Integer("stride", axis)};
}

inline std::optional<int64_t> TransposedSize(const Call& c, int axis) {
  const WideSize in = c.shape("input")[1 + axis];
  return NarrowSize((in - 1) * c.Integer("stride", axis) + c.Integer("out_pad", 2 * axis) +
                    c.Integer("out_pad", 2 * axis + 1) + c.shape("weight")[1 + axis]);
}

inline SizeQuotient PooledSize(const Call& c, int axis) {
  const WideSize in = c.shape("input")[1 + axis];
  return {
      in + c.Integer("pad", 2 * axis) + c.Integer("pad", 2 * axis + 1) - c.Integer("kernel", axis),
      c.Integer("stride", axis)};
}

inline SizeQuotient ResizedSize(const Call& c, int axis) {
  const WideSize in = c.shape("input")[1 + axis];
  return {(in - 1) * c.Integer("scale", 2 * axis) - c.Integer("offset", axis) +
              c.Integer("border", axis),
          c.Integer("scale", 2 * axis + 1)};
}

// --- Shapes of outputs, for many operators. Functions for one operator are next to its facts.

// The shape of the operator's first input, whatever the edition calls this input.
StatusOr<Shapes> InferAsInput(const Call& call);
StatusOr<Shapes> InferBroadcast(const Call& call);  // of input1 and input2
StatusOr<Shapes> InferBroadcastOf(const Call& call, const std::vector<std::string_view>& inputs);
StatusOr<Shapes> InferReduced(const Call& call);
StatusOr<Shapes> InferPooled(const Call& call);
// For CONST and CONST_SHAPE: the shape of the values; an error if there are no values.
StatusOr<Shapes> InferOfValues(const Call& call);

template <class... Args>
Status Undetermined(const Call& call, const Args&... args) {
  return InvalidArgument(call.name(), ": no shape follows: ", args...);
}
// Makes a shape from sizes; an error if a size is nullopt.
StatusOr<Shapes> InferOfSizes(const Call& call, const std::vector<std::optional<int64_t>>& sizes);
// The attribute `axis`; an error if it is not an axis of the input.
StatusOr<int64_t> InferAxis(const Call& call, std::string_view input);

}  // namespace cts
