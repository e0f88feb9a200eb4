// Describes the elements that an operator read to compute one element of an output.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "reference/base/shape.h"
#include "reference/base/tensor.h"
#include "reference/graph/call.h"
#include "reference/ops/computation.h"
#include "reference/ops/operator.h"

namespace cts {

// One element that an operator read to compute one element of an output.
struct ReadElement {
  std::string tensor;
  Shape index;
  DType dtype = DType::kI32;
  double value = 0;     // of a floating-point tensor
  int64_t integer = 0;  // of a tensor of any other type
  // The two factors of a multiplication, after the subtraction of zero points; nullopt if this
  // element is not the last element that was read before a multiplication. In a sum of products,
  // the operator reads the one or two elements of a product just before the multiplication.
  std::optional<std::pair<double, double>> factors;
};

// Describes the element of `load` by its tensor's name in the graph, its index in that tensor, and
// its value. The name is empty if the operand is not a tensor of the graph.
ReadElement ReadOf(const Call& call, const Computation& trace, const TracedLoad& load);

// Names the element of an output that breaks the REQUIRE `broken`, and up to four elements that the
// operator read to compute this element: "out[3] of in0[3] = 5, in1[3] = 40". Empty if the REQUIRE
// is broken only when subnormals are flushed.
std::string BrokenElement(const Operator& op, const Call& call, std::string_view broken);

}  // namespace cts
