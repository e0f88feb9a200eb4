// Shape inference: computes the shapes of an operator's outputs from the shapes of its inputs, its
// attributes and its shape operands. Sizes are computed in 128 bits, where numbers of 64 bits
// cannot overflow.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "reference/graph/call.h"

namespace cts {

// One shape for each output, in the order of the argument table. It may be illegal: conditions and
// InferShapes judge it.
using Shapes = std::vector<Shape>;

using WideSize = __int128;

// nullopt if it does not fit into 64 bits.
inline std::optional<int64_t> NarrowSize(WideSize size) {
  if (size < std::numeric_limits<int64_t>::min() || size > std::numeric_limits<int64_t>::max()) {
    return std::nullopt;
  }
  return static_cast<int64_t>(size);
}

inline constexpr const char* kTooWide = "what 64 bits do not hold";

// numerator / divisor + 1, where idiv_check of the pseudocode divides.
struct SizeQuotient {
  WideSize numerator = 0;
  int64_t divisor = 1;

  // nullopt if the division is not exact, or if the divisor or the size is not positive.
  std::optional<int64_t> Size() const {
    if (divisor < 1 || numerator < 0 || numerator % divisor != 0) return std::nullopt;
    return NarrowSize(numerator / divisor + 1);
  }
  // "8", "15 / 2 + 1".
  std::string Text() const {
    if (const auto size = Size()) return std::to_string(*size);
    const auto narrow = NarrowSize(numerator);
    return StrCat(narrow ? std::to_string(*narrow) : kTooWide, " / ", divisor, " + 1");
  }
};

// Whether an output's size differs from the one that the condition's equation gives.
inline bool SizeDiffers(const Call& c, int64_t found, const SizeQuotient& expected) {
  return expected.Size() != found && c.Differs(found, expected.Text());
}

// Spatial axis `axis` of a convolution; the weight has its size at `weight_axis`.
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

// --- Outputs of many operators. A function for one operator stands beside its facts.

// The shape of the first input, whatever its name in an edition.
StatusOr<Shapes> InferAsInput(const Call& call);
StatusOr<Shapes> InferBroadcast(const Call& call);  // of input1 and input2
StatusOr<Shapes> InferBroadcastOf(const Call& call, const std::vector<std::string_view>& inputs);
StatusOr<Shapes> InferReduced(const Call& call);
StatusOr<Shapes> InferPooled(const Call& call);
// For CONST and CONST_SHAPE, only the values themselves determine the shape.
StatusOr<Shapes> InferOfValues(const Call& call);

template <class... Args>
Status Undetermined(const Call& call, const Args&... args) {
  return InvalidArgument(call.name(), ": no shape follows: ", args...);
}
// Makes a shape of sizes that must all exist.
StatusOr<Shapes> InferOfSizes(const Call& call, const std::vector<std::optional<int64_t>>& sizes);
// The axis, which must be one of the input.
StatusOr<int64_t> InferAxis(const Call& call, std::string_view input);

}  // namespace cts
