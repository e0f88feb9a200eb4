#include "generator/graphs/graphs.h"
#include "generator/symbolic/symbolic_breakers.h"
#include "generator/symbolic/symbolic_data.h"
#include "generator/symbolic/symbolic_domains.h"

namespace cts::symbolic_graphs {
namespace {

// The weight of each convolution. Kernels are 2 x 3, so that the directions cannot be mistaken.
Shape WeightShape(const Choice& choice) {
  const std::string& op = choice.setting.spec->name;
  if (op == "DEPTHWISE_CONV2D") return {2, 3, 3, 2};
  if (op == "CONV3D") return {3, 2, 2, 3, 2};
  return {4, 2, 3, 3};
}

DotProductSet SetOfConvolution(const Choice& choice) {
  const Shape weight = WeightShape(choice);
  const bool depthwise = choice.setting.spec->name == "DEPTHWISE_CONV2D";
  return SetOf(choice, depthwise ? weight[0] * weight[1] : ElementCount(weight) / weight[0]);
}

Tensor Convolved(const Choice& choice, std::string_view name, DType type, const Shape& shape) {
  if (!IsFloat(type)) return Filled(choice, name, type, shape);
  const std::string& op = choice.setting.spec->name;
  DotProductSet set = SetOfConvolution(choice);
  return (op == "CONV3D"             ? Conv3dInput
          : op == "DEPTHWISE_CONV2D" ? DepthwiseConv2dInput
                                     : Conv2dInput)(set, type, shape, WeightShape(choice));
}

Tensor WeightOf(const Choice& choice) {
  const DType type = choice.Type("weight_t");
  const Shape shape = WeightShape(choice);
  if (!IsFloat(type)) return FullRange(choice.Stream("weight"), type, shape);
  DotProductSet set = SetOfConvolution(choice);
  return choice.setting.spec->name == "DEPTHWISE_CONV2D" ? DepthwiseConv2dWeight(set, type, shape)
                                                         : Conv2dWeight(set, type, shape);
}

// A bias with room for a sum of products.
Tensor SmallBias(const Choice& choice, std::string_view name, DType type, const Shape& shape) {
  if (IsFloat(type)) {
    DotProductSet set = SetOfConvolution(choice);
    return Conv2dBias(set, type, shape);
  }
  return IntegersBetween(choice.Stream(name), type, shape, -9999, 9999);
}

constexpr ListedAxis<bool> kAtRunTimeAxis{"parameters", "", {{"run-time", true}, {"const", false}}};

std::vector<Axis> ParameterAxes(const Setting& setting) {
  return {kAtRunTimeAxis.All(), SumData(setting)};
}

Labels AtRunTime() { return {{"parameters", "run-time"}}; }

CaseDraft BuildConvolution(const Choice& choice) {
  const std::string& op = choice.setting.spec->name;
  const bool deep = op == "CONV3D", transposed = op == "TRANSPOSE_CONV2D";
  std::vector<Binding> bindings = Images(IsFloatRow(choice.setting));
  for (size_t k = 0; deep && k < bindings.size(); ++k) {
    bindings[k]["D"] = std::vector<int64_t>{4, 1, 7}[k];
  }
  SymbolicBuilder builder(choice, bindings);
  const DType in = choice.Type("in_t"), out = choice.Type("out_t");
  const bool at_run_time = choice[kAtRunTimeAxis];
  const bool depthwise = op == "DEPTHWISE_CONV2D";
  std::vector<SymbolicBuilder::Dimension> dimensions = {"N", "H", "W", 3};
  if (deep) dimensions = {"N", "D", "H", "W", 2};
  const Name input = builder.Input("input", in, dimensions, Convolved);
  const Name weight = builder.Constant("weight", WeightOf(choice));
  const int64_t channels = depthwise ? 6 : WeightShape(choice)[0];
  const Name bias = builder.Constant("bias", SmallBias(choice, "bias", out, {channels}));
  // The height is even with its padding, less the kernel's last row; the width is unchanged.
  std::vector<Sizes> pads = {{1, 1, 0, 2}, {0, 0, 1, 0}, {0, 1, 2, 2}};
  Sizes stride = {2, 1}, dilation = {1, 2}, fixed_pad = {1, 1, 0, 2};
  if (!at_run_time) pads = {fixed_pad, fixed_pad, fixed_pad}, stride = {1, 1};
  const Sizes depth = {1, 0};
  const std::string pad = transposed ? "out_pad" : "pad";
  if (deep) {
    stride.insert(stride.begin(), at_run_time ? 3 : 1);
    dilation.insert(dilation.begin(), 1);
    fixed_pad.insert(fixed_pad.begin(), depth.begin(), depth.end());
  }
  if (!at_run_time) {
    SymbolicBuilder::Parameters parameters = {{pad, fixed_pad}, {"stride", stride}};
    if (!transposed) parameters["dilation"] = dilation;
    return builder.Finish({builder.Apply(op, {input, weight, bias}, parameters)});
  }
  Indices padding = ExtractAll(builder, "padding", pads);
  if (deep) {
    const Indices of_depth = Consts(builder, depth);
    padding.insert(padding.begin(), of_depth.begin(), of_depth.end());
  }
  const Indices strides = ExtractAll(builder, "strides", {stride, stride, stride});
  std::vector<std::pair<std::string, Indices>> run_time = {{pad, padding}, {"stride", strides}};
  if (!transposed) run_time.emplace_back("dilation", Consts(builder, dilation));
  return builder.Finish({builder.AtRunTime(op, {input, weight, bias}, run_time)});
}

// A bias of as many elements as there are channels, though its dimension is a symbol.
CaseDraft BuildBiased(const Choice& choice) {
  std::vector<Binding> bindings = Images();
  for (Binding& binding : bindings) binding["C"] = 4, binding["H"] += 1;
  SymbolicBuilder builder(choice, bindings);
  const Name input = builder.Input("input", choice.Type("in_t"), {"N", "H", "W", 3});
  const Name weight = builder.Constant("weight", WeightOf(choice));
  const Name bias = builder.Input("bias", choice.Type("out_t"), {"C"}, SmallBias);
  return builder.Finish({builder.Apply("CONV2D", {input, weight, bias})});
}

// The graphs that frameworks emit for images of any size and number.
CaseDraft BuildLayers(const Choice& choice) {
  std::vector<Binding> bindings = Images();
  for (Binding& binding : bindings) binding["H"] += 4;
  SymbolicBuilder builder(choice, bindings);
  const Name input = builder.Input("input", DType::kI8, {"N", "H", "W", 3});
  const Name weight =
      builder.Constant("weight", FullRange(choice.Stream("weight"), DType::kI8, {4, 3, 3, 3}));
  const Name bias = builder.Constant("bias", SmallBias(choice, "bias", DType::kI32, {4}));
  const Name sum = builder.Apply("CONV2D", {input, weight, bias},
                                 {{"pad", Sizes{1, 1, 1, 1}}, {"input_zp", int64_t{-4}}});
  const Name scaled = builder.Rescale(sum, {0.0021, 0.0017, 0.0019, 0.0023}, DType::kI8);
  const Name bounded =
      builder.Apply("CLAMP", {scaled}, {{"min_val", int64_t{-100}}, {"max_val", int64_t{101}}});
  const Name pooled =
      builder.Apply("MAX_POOL2D", {bounded}, {{"kernel", Sizes{2, 2}}, {"stride", Sizes{1, 1}}});
  const Index n = builder.Dim(pooled, 0);
  const Index h = builder.Dim(pooled, 1), w = builder.Dim(pooled, 2);
  const Name turned = builder.Apply("TRANSPOSE", {pooled}, {{"perms", Sizes{0, 3, 2, 1}}});
  return builder.Finish({builder.Reshape(turned, {n, 2, 2, w, h})});
}

}  // namespace

Domain Convolution() { return {.axes = ParameterAxes, .build = BuildConvolution}; }

Domain Convolution2d() {
  Domain domain = Convolution();
  domain.breakers = {
      Breaks("conv2d.pad_negative", WithElement("padding", 0, -1), AtRunTime()),
      Breaks("symbol.index_count", WithoutLastInput("DATA_DEPENDENT_CONV2D"), AtRunTime())};
  return domain;
}

// CONV2D is left out: no size follows from a stride of 0, so that more than the stride would be
// wrong.
Domain TransposeConvolution() {
  Domain domain = Convolution();
  domain.breakers = {
      Breaks("transpose_conv2d.stride_below_one", WithElement("strides", 1, 0), AtRunTime())};
  return domain;
}

Domain Biased() {
  return {.axes = OneAxis,
          .build = BuildBiased,
          .breakers = {Breaks("symbol.broadcast", WithSymbol("C", 1, "bias"))}};
}

Domain Layers() { return {.axes = OneAxis, .build = BuildLayers}; }

}  // namespace cts::symbolic_graphs
