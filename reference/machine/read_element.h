// The elements that an operator read to compute one element of an output.
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
  // The factors of a multiplication, after their zero points were subtracted. Only the last element
  // that was read before the multiplication has them. In a sum of products the one or two elements
  // of a product are read just before the multiplication.
  std::optional<std::pair<double, double>> factors;
};

// Describes the element of `load` by its tensor's name in the graph, its index in that tensor, and
// its value. The name is empty if the operand is not a tensor of the graph.
ReadElement ReadOf(const Call& call, const Computation& trace, const TracedLoad& load);

// Names the element of an output that breaks a REQUIRE, and the elements from which it is computed:
// "out[3] of in0[3] = 5, in1[3] = 40". Empty if the REQUIRE holds when no subnormal is flushed.
std::string BrokenElement(const Operator& op, const Call& call, std::string_view broken);

}  // namespace cts
