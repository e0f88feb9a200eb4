// CONV2D.
#include "generator/ops/convolution.h"
#include "generator/ops/non_finite.h"

namespace cts::conv2d_domain {
namespace {

constexpr char kSmall[] = "1x1x2x3";  // see FullSum

std::vector<Axis> Axes(const Setting& setting) {
  const bool is_float = IsFloat(setting.Type("in_t"));
  std::vector<Axis> axes;
  // MIN_DOT_PRODUCTS of appendix A: at least 1000 results.
  axes.push_back(kOutputAxis.With(
      is_float ? std::vector<std::string>{"1x16x16x4", "2x9x10x6"}
               : std::vector<std::string>{"1x4x5x3", "2x3x1x4", "1x7x6x1"},
      is_float ? std::vector<std::string>{"1x32x32x1", "251x1x1x4", "4x1x3x89"}
               : std::vector<std::string>{"7x1x1x5", "2x9x8x16", "1x17x33x2", kSmall}));
  axes.push_back(ImageKernelAxis(setting));
  AddImageWindowAxes(axes);
  AddConvolutionAxes(setting, axes);
  return axes;
}

bool Allowed(const Setting&, const Labels& labels) {
  return MakesCase(ConvolutionGeometryOf(labels));
}

CaseDraft Build(const Choice& choice) {
  const WindowGeometry g = ConvolutionGeometryOf(choice.labels);
  const Shape weight = {g.output[3], g.kernel[0], g.kernel[1], g.kernel[2]};
  return BuildConvolution(choice, g, {.weight = weight}, Conv2dInput, Conv2dWeight);
}

// The case at a limit: this geometry, the rest as it comes.
CaseDraft At(const CaseDraft& draft, Labels labels) {
  return BuildAt(draft, Axes, Build, std::move(labels));
}

constexpr ConvolutionLimitLabels kLimits = {.axes = 2,
                                            .pad = {"x2", "x2"},
                                            .kernel = {"x2", "x2"},
                                            .stride = {"x2", "x2"},
                                            .positions = 3,
                                            .beside_stride = 2};

// See PoolLayerGeometries. A sum has at most 200 products: in fp16 the bound of longer ones accepts
// nearly anything.
const std::vector<RelationGeometry>& Layers() {
  static const auto& geometries = *new std::vector<RelationGeometry>{
      {"layer_1x1", "2x5x9", "1x1", "1x1", "0-0-0-0", "1x1", 37, 35},
      {"layer_1x1_stride_2", "2x4x6", "1x1", "2x2", "0-0-0-0", "1x1", 19, 21},
      {"layer_3x3", "2x10x13", "3x3", "1x1", "1-1-1-1", "1x1", 19, 21},
      {"layer_3x3_one", "2x6x9", "3x3", "1x1", "1-1-1-1", "1x1", 9, 1},
      {"layer_3x3_wide", "2x3x37", "3x3", "1x1", "1-1-1-1", "1x1", 9, 10},
      {"layer_3x3_stride_2", "2x5x7", "3x3", "2x2", "1-1-1-1", "1x1", 19, 21},
      // The padding of an even size whose result is half of it.
      {"layer_3x3_stride_2_same", "2x5x10", "3x3", "2x2", "0-1-0-1", "1x1", 19, 21},
      {"layer_3x3_dilation_2", "2x9x12", "3x3", "1x1", "2-2-2-2", "2x2", 19, 21},
      {"layer_3x3_both_2", "2x4x5", "3x3", "2x2", "2-2-2-2", "2x2", 9, 10, 1, nullptr, "1"},
      {"layer_5x5_stride_2", "2x4x6", "5x5", "2x2", "1-2-1-2", "1x1", 6, 21},
      {"layer_7x7_stride_2", "2x5x6", "7x7", "2x2", "3-3-3-3", "1x1", 3, 21},
      {"layer_2x2_stride_2", "2x5x11", "2x2", "2x2", "0-0-0-0", "1x1", 19, 21, 1, nullptr, "1"},
      {"layer_4x4_stride_4", "2x2x3", "4x4", "4x4", "0-0-0-0", "1x1", 3, 35},
      // A causal convolution over time.
      {"layer_1x3_causal", "2x1x11", "1x3", "1x1", "0-0-4-0", "1x2", 19, 21},
      {"layer_whole_input", "2x1x1", "3x3", "1x1", "0-0-0-0", "1x1", 9, 21}};
  return geometries;
}

CaseDraft AtLayer(const CaseDraft& draft, const NetworkLayer& layer) {
  Labels labels =
      ConvolutionLayerLabels(draft.built_from->setting, layer, StrCat("x", layer.input[3]));
  labels.Set("output", SizesLabel(layer.output));
  labels.Set("pad", NumbersLabel(layer.pad));
  labels.Set("dilation", SizesLabel(layer.dilation));
  return At(draft, std::move(labels));
}

std::vector<DataCase> NonFinite() {
  Labels padded = WindowLabels("2x5x5x16", "3x3x1", "1x1", "1-1-1-1", "1x1");
  padded.Set("weight", "const");
  return NonFiniteCases(
      At,
      {{.what = "plain",
        .labels = WindowLabels("1x5x6x24", "2x2x2", "1x1", "0-0-0-0", "1x1"),
        .products = 8},
       {.what = "padded", .labels = padded, .products = 9, .multiplies_padding = true},
       // No window beyond the edge has the edge itself in it: who takes the nearest element for
       // padding, and multiplies it by zero, is found out.
       {.what = "edge",
        .labels = WindowLabels("2x5x5x12", "2x2x1", "1x1", "1-1-1-1", "2x2"),
        .products = 4,
        .multiplies_padding = true,
        .weight_is_finite = true}},
      false);
}

}  // namespace

Domain Conv2dDomain() {
  const Labels strided = {{"kernel", "1x1x5"}, {"stride", "2x3"}};
  const Labels pointwise = {{"kernel", "1x1x5"}, {"bias", "oc"}};
  return {
      .axes = Axes,
      .constraints = ConvolutionConstraints(
          {{"output", "kernel", "stride", "pad", "dilation"}, kInputDimension, Allowed},
          kOutputAxis, 3, {.kernel = kFullImageKernel, .small = kSmall},
          {.kernel = kSummedImageKernel, .axis = kStrideAxis, .value = "1x1"}),
      .build = Build,
      .breakers = ConvolutionBreakers(
          {.op = "conv2d",
           .labels = pointwise,
           .strides = {SetStride(0, 0), SetStrideOfOnePosition(1, -1), SetStride(1, 0)},
           // With a kernel of 1 the dilation has no part in the output's size.
           .dilations = {SetDilation(1, 0), SetDilation(0, 0)},
           .pads = {0, 3, 1, 2},
           .rests = {{strided}, {strided}},
           .own = {More({"graph.shape", pointwise, nullptr, TwiceTheChannels})}}),
      .limits = ConvolutionLimits(kLimits, At),
      .data_cases = NonFinite(),
      .relations = RelationCases(ImageRelations(), Layers(), ConvolutionLabels, At, DataOfNumbers),
      .at_layer = AtLayer};
}

}  // namespace cts::conv2d_domain
