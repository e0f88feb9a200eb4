#include "reference/ops/inference.h"

#include "reference/ops/axis.h"
#include "reference/ops/broadcast.h"

namespace cts {

StatusOr<Shapes> InferAsInput(const Call& c) {
  for (const Argument& argument : c.arguments()) {
    if (argument.spec->category == ArgumentCategory::kInput) {
      return Shapes{argument.tensors[0]->shape};
    }
  }
  return Undetermined(c, "there is no input");
}

StatusOr<Shapes> InferBroadcastOf(const Call& c, const std::vector<std::string_view>& inputs) {
  Shape shape = c.shape(inputs[0]);
  for (const std::string_view input : inputs) {
    const std::optional<Shape> both = BroadcastShape(shape, c.shape(input));
    if (!both) {
      return Undetermined(c, input, " of shape ", ToString(c.shape(input)),
                          " does not broadcast with ", ToString(shape));
    }
    shape = *both;
  }
  return Shapes{shape};
}
StatusOr<Shapes> InferBroadcast(const Call& c) { return InferBroadcastOf(c, {"input1", "input2"}); }

StatusOr<int64_t> InferAxis(const Call& c, std::string_view input) {
  const int64_t axis = c.Integer("axis");
  if (IsAxisOf(c.shape(input), axis)) return axis;
  return Undetermined(c, "axis ", axis, " is none of ", input, " of shape ",
                      ToString(c.shape(input)));
}

StatusOr<Shapes> InferOfSizes(const Call& c, const std::vector<std::optional<int64_t>>& sizes) {
  Shape shape;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!sizes[i]) {
      return Undetermined(c, "dimension ", i,
                          " of the output does not divide, is not positive or exceeds 64 bits");
    }
    shape.push_back(*sizes[i]);
  }
  return Shapes{shape};
}

StatusOr<Shapes> InferReduced(const Call& c) {
  CTS_ASSIGN_OR_RETURN(const int64_t axis, InferAxis(c, "input"));
  Shape shape = c.shape("input");
  shape[static_cast<size_t>(axis)] = 1;
  return Shapes{shape};
}

StatusOr<Shapes> InferPooled(const Call& c) {
  const Shape& in = c.shape("input");
  return InferOfSizes(c, {in[0], PooledSize(c, 0).Size(), PooledSize(c, 1).Size(), in[3]});
}

StatusOr<Shapes> InferOfValues(const Call& c) {
  for (const Argument& argument : c.arguments()) {
    if (argument.spec->category != ArgumentCategory::kOutput) continue;
    const GraphTensor* tensor = argument.tensors[0];
    if (tensor != nullptr && tensor->values != nullptr) return Shapes{tensor->values->shape()};
  }
  return Undetermined(c, "there are no values");
}

}  // namespace cts
