#include "reference/ops/inference.h"

#include <algorithm>

#include "reference/ops/axis.h"
#include "reference/ops/broadcast.h"

namespace cts {
namespace {

template <class... Args>
Status Undetermined(const Call& c, const Args&... args) {
  return InvalidArgument(c.name(), ": no shape follows: ", args...);
}

// The shape of the first input, whatever its name in an edition.
StatusOr<Shapes> Like(const Call& c) {
  for (const Argument& argument : c.arguments()) {
    if (argument.spec->category == ArgumentCategory::kInput) {
      return Shapes{argument.tensors[0]->shape};
    }
  }
  return Undetermined(c, "there is no input");
}

StatusOr<Shapes> BroadcastOf(const Call& c, const std::vector<std::string_view>& inputs) {
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
StatusOr<Shapes> Pair(const Call& c) { return BroadcastOf(c, {"input1", "input2"}); }

StatusOr<int64_t> AxisOf(const Call& c, std::string_view input) {
  const int64_t axis = c.Integer("axis");
  if (IsAxisOf(c.shape(input), axis)) return axis;
  return Undetermined(c, "axis ", axis, " is none of ", input, " of shape ",
                      ToString(c.shape(input)));
}

// Makes a shape of sizes that must all exist.
StatusOr<Shapes> Sizes(const Call& c, const std::vector<std::optional<int64_t>>& sizes) {
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

StatusOr<Shapes> Reduced(const Call& c) {
  CTS_ASSIGN_OR_RETURN(const int64_t axis, AxisOf(c, "input"));
  Shape shape = c.shape("input");
  shape[static_cast<size_t>(axis)] = 1;
  return Shapes{shape};
}

StatusOr<Shapes> Pooled(const Call& c) {
  const Shape& in = c.shape("input");
  return Sizes(c, {in[0], PooledSize(c, 0).Size(), PooledSize(c, 1).Size(), in[3]});
}

// For CONST and CONST_SHAPE, only the values themselves determine the shape.
StatusOr<Shapes> OfValues(const Call& c) {
  for (const Argument& argument : c.arguments()) {
    if (argument.spec->category != ArgumentCategory::kOutput) continue;
    const GraphTensor* tensor = argument.tensors[0];
    if (tensor != nullptr && tensor->values != nullptr) return Shapes{tensor->values->shape()};
  }
  return Undetermined(c, "there are no values");
}

Shape Elements(const Call& c, std::string_view operand) {
  Shape elements;
  for (int64_t i = 0; i < c.Length(operand); ++i) elements.push_back(c.Integer(operand, i));
  return elements;
}

// Checks that a shape operand has one element for each of `length` dimensions.
Status CheckLength(const Call& c, std::string_view operand, size_t length) {
  if (c.Length(operand) == static_cast<int64_t>(length)) return absl::OkStatus();
  return Undetermined(c, operand, " has ", c.Length(operand), " elements, not ", length);
}

}  // namespace

// Families.
#define CTS_INFER_AS(Function, family) \
  StatusOr<Shapes> Infer##Function(const Call& c) { return family(c); }
CTS_INFER_AS(Add, Pair)
CTS_INFER_AS(ArithmeticRightShift, Pair)
CTS_INFER_AS(BitwiseAnd, Pair)
CTS_INFER_AS(BitwiseOr, Pair)
CTS_INFER_AS(BitwiseXor, Pair)
CTS_INFER_AS(Intdiv, Pair)
CTS_INFER_AS(LogicalAnd, Pair)
CTS_INFER_AS(LogicalLeftShift, Pair)
CTS_INFER_AS(LogicalRightShift, Pair)
CTS_INFER_AS(LogicalOr, Pair)
CTS_INFER_AS(LogicalXor, Pair)
CTS_INFER_AS(Maximum, Pair)
CTS_INFER_AS(Minimum, Pair)
CTS_INFER_AS(Mul, Pair)
CTS_INFER_AS(Pow, Pair)
CTS_INFER_AS(Sub, Pair)
CTS_INFER_AS(Equal, Pair)
CTS_INFER_AS(Greater, Pair)
CTS_INFER_AS(GreaterEqual, Pair)
CTS_INFER_AS(ReduceAll, Reduced)
CTS_INFER_AS(ReduceAny, Reduced)
CTS_INFER_AS(ReduceMax, Reduced)
CTS_INFER_AS(ReduceMin, Reduced)
CTS_INFER_AS(ReduceProduct, Reduced)
CTS_INFER_AS(ReduceSum, Reduced)
CTS_INFER_AS(AvgPool2d, Pooled)
CTS_INFER_AS(MaxPool2d, Pooled)
CTS_INFER_AS(Const, OfValues)
CTS_INFER_AS(ConstShape, OfValues)
CTS_INFER_AS(Clamp, Like)
CTS_INFER_AS(Erf, Like)
CTS_INFER_AS(Sigmoid, Like)
CTS_INFER_AS(Tanh, Like)
CTS_INFER_AS(Table, Like)
CTS_INFER_AS(Abs, Like)
CTS_INFER_AS(BitwiseNot, Like)
CTS_INFER_AS(Ceil, Like)
CTS_INFER_AS(Clz, Like)
CTS_INFER_AS(Cos, Like)
CTS_INFER_AS(Exp, Like)
CTS_INFER_AS(Floor, Like)
CTS_INFER_AS(Log, Like)
CTS_INFER_AS(LogicalNot, Like)
CTS_INFER_AS(Negate, Like)
CTS_INFER_AS(Reciprocal, Like)
CTS_INFER_AS(Rsqrt, Like)
CTS_INFER_AS(Sin, Like)
CTS_INFER_AS(Identity, Like)
CTS_INFER_AS(Cast, Like)
CTS_INFER_AS(Rescale, Like)
CTS_INFER_AS(Scatter, Like)
CTS_INFER_AS(AddShape, Like)
CTS_INFER_AS(DivShape, Like)
CTS_INFER_AS(MulShape, Like)
CTS_INFER_AS(SubShape, Like)
CTS_INFER_AS(Reverse, Like)
#undef CTS_INFER_AS

StatusOr<Shapes> InferSelect(const Call& c) {
  return BroadcastOf(c, {"input1", "input2", "input3"});
}

StatusOr<Shapes> InferArgmax(const Call& c) {
  CTS_ASSIGN_OR_RETURN(const int64_t axis, AxisOf(c, "input"));
  Shape shape = c.shape("input");
  shape.erase(shape.begin() + axis);
  return Shapes{shape};
}

StatusOr<Shapes> InferConv2d(const Call& c) {
  const Shape &in = c.shape("input"), &weight = c.shape("weight");  // OC, KH, KW, IC
  return Sizes(c, {in[0], ConvolvedSize(c, 0, 1).Size(), ConvolvedSize(c, 1, 2).Size(), weight[0]});
}

StatusOr<Shapes> InferConv3d(const Call& c) {
  const Shape &in = c.shape("input"), &weight = c.shape("weight");  // OC, KD, KH, KW, IC
  return Sizes(c, {in[0], ConvolvedSize(c, 0, 1).Size(), ConvolvedSize(c, 1, 2).Size(),
                   ConvolvedSize(c, 2, 3).Size(), weight[0]});
}

StatusOr<Shapes> InferDepthwiseConv2d(const Call& c) {
  const Shape &in = c.shape("input"), &weight = c.shape("weight");  // KH, KW, C, M
  return Sizes(c, {in[0], ConvolvedSize(c, 0, 0).Size(), ConvolvedSize(c, 1, 1).Size(),
                   NarrowSize(WideSize{weight[2]} * weight[3])});
}

StatusOr<Shapes> InferTransposeConv2d(const Call& c) {
  const Shape &in = c.shape("input"), &weight = c.shape("weight");  // OC, KH, KW, IC
  return Sizes(c, {in[0], TransposedSize(c, 0), TransposedSize(c, 1), weight[0]});
}

StatusOr<Shapes> InferFullyConnected(const Call& c) {
  return Shapes{{c.shape("input")[0], c.shape("weight")[0]}};
}

StatusOr<Shapes> InferMatmul(const Call& c) {
  const Shape &a = c.shape("A"), &b = c.shape("B");  // N, H, C and N, C, W
  return Shapes{{a[0], a[1], b[2]}};
}

StatusOr<Shapes> InferFft2d(const Call& c) {
  return Shapes{c.shape("input_real"), c.shape("input_real")};
}

StatusOr<Shapes> InferRfft2d(const Call& c) {
  Shape shape = c.shape("input_real");  // N, H, W
  shape[2] = shape[2] / 2 + 1;
  return Shapes{shape, shape};
}

// In 0.100 scalars become a vector: shape_dim is 1 beyond the rank.
StatusOr<Shapes> InferConcat(const Call& c) {
  if (c.Count("input1") == 0) return Undetermined(c, "the list of inputs is empty");
  Shape shape = c.shape("input1");
  if (shape.empty()) shape = {1};
  const int64_t axis = c.Integer("axis");
  if (!IsAxisOf(shape, axis)) return Undetermined(c, "axis ", axis, " is none of the inputs");
  WideSize sum = 0;
  for (int k = 0; k < c.Count("input1"); ++k) {
    const Shape& in = c.shape("input1", k);
    sum += IsAxisOf(in, axis) ? in[static_cast<size_t>(axis)] : 1;
  }
  std::vector<std::optional<int64_t>> sizes(shape.begin(), shape.end());
  sizes[static_cast<size_t>(axis)] = NarrowSize(sum);
  return Sizes(c, sizes);
}

StatusOr<Shapes> InferPad(const Call& c) {
  const Shape& in = c.shape("input1");
  CTS_RETURN_IF_ERROR(CheckLength(c, "padding", 2 * in.size()));
  std::vector<std::optional<int64_t>> sizes;
  for (size_t i = 0; i < in.size(); ++i) {
    const int64_t axis = static_cast<int64_t>(i);
    sizes.push_back(NarrowSize(WideSize{in[i]} + c.Integer("padding", 2 * axis) +
                               c.Integer("padding", 2 * axis + 1)));
  }
  return Sizes(c, sizes);
}

StatusOr<Shapes> InferDim(const Call&) { return Shapes{{1}}; }

StatusOr<Shapes> InferReshape(const Call& c) { return Shapes{Elements(c, "shape")}; }

StatusOr<Shapes> InferSlice(const Call& c) {
  CTS_RETURN_IF_ERROR(CheckLength(c, "size", c.shape("input1").size()));
  return Shapes{Elements(c, "size")};
}

StatusOr<Shapes> InferTile(const Call& c) {
  const Shape& in = c.shape("input1");
  CTS_RETURN_IF_ERROR(CheckLength(c, "multiples", in.size()));
  std::vector<std::optional<int64_t>> sizes;
  for (size_t i = 0; i < in.size(); ++i) {
    sizes.push_back(NarrowSize(WideSize{in[i]} * c.Integer("multiples", static_cast<int64_t>(i))));
  }
  return Sizes(c, sizes);
}

StatusOr<Shapes> InferTranspose(const Call& c) {
  const Shape& in = c.shape("input1");
  CTS_RETURN_IF_ERROR(CheckLength(c, "perms", in.size()));
  Shape shape;
  for (size_t i = 0; i < in.size(); ++i) {
    const int64_t axis = c.Integer("perms", static_cast<int64_t>(i));
    if (!IsAxisOf(in, axis)) return Undetermined(c, "perms names axis ", axis);
    shape.push_back(in[static_cast<size_t>(axis)]);
  }
  return Shapes{shape};
}

StatusOr<Shapes> InferGather(const Call& c) {
  const Shape &values = c.shape("values"), &indices = c.shape("indices");  // N, K, C and N, W
  return Shapes{{values[0], indices[1], values[2]}};
}

StatusOr<Shapes> InferResize(const Call& c) {
  const Shape& in = c.shape("input");
  return Sizes(c, {in[0], ResizedSize(c, 0).Size(), ResizedSize(c, 1).Size(), in[3]});
}

StatusOr<Shapes> InferConcatShape(const Call& c) {
  WideSize length = 0;
  for (int k = 0; k < c.Count("input1"); ++k) length += c.shape("input1", k)[0];
  return Sizes(c, {NarrowSize(length)});
}

// Only an implementation knows.
StatusOr<Shapes> InferCustom(const Call& c) {
  return Undetermined(c, "it is what an implementation makes of it");
}

StatusOr<Shapes> InferCondIf(const Call& c) {
  const Block& graph = c.Subgraph("then_graph");
  Shapes shapes;
  for (const std::string& output : graph.outputs) shapes.push_back(graph.Find(output)->shape);
  return shapes;
}

// Every iteration takes the results of the one before it.
StatusOr<Shapes> InferWhileLoop(const Call& c) {
  Shapes shapes;
  for (int k = 0; k < c.Count("input_list"); ++k) shapes.push_back(c.shape("input_list", k));
  return shapes;
}

StatusOr<Shapes> InferVariable(const Call&) { return Shapes{}; }
StatusOr<Shapes> InferVariableWrite(const Call&) { return Shapes{}; }

StatusOr<Shapes> InferVariableRead(const Call& c) {
  if (c.FindVariable() == nullptr) return Undetermined(c, "there is no such variable");
  return Shapes{c.FindVariable()->shape};
}

}  // namespace cts
