// DEPTHWISE_CONV2D.
#include "generator/ops/convolution.h"
#include "generator/ops/non_finite.h"

namespace cts::depthwise_conv2d_domain {
namespace {

WindowGeometry GeometryOf(const Labels& labels) {
  const Shape size = labels[kOutputAxis];  // N, OH, OW, C, M
  return WindowGeometryOf(labels, {size[0], size[1], size[2], size[3] * size[4]}, size[3]);
}

constexpr char kFull[] = "127x260", kSmall[] = "1x1x2x2x1";     // see FullSum
constexpr char kSummed[] = "5x7", kSummedBy[] = "251x1x1x1x4";  // see WholeSum

std::vector<Axis> Axes(const Setting& setting) {
  const bool is_float = IsFloat(setting.Type("in_t"));
  std::vector<Axis> axes;
  // N, OH, OW, C, M. MIN_DOT_PRODUCTS of appendix A: at least 1000 results.
  axes.push_back(kOutputAxis.With(
      is_float ? std::vector<std::string>{"1x16x16x4x1", "2x9x10x3x2"}
               : std::vector<std::string>{"1x4x5x3x2", "2x3x1x4x1", "1x7x6x1x3"},
      is_float ? std::vector<std::string>{"1x32x32x1x1", kSummedBy, "4x1x3x13x7"}
               : std::vector<std::string>{"7x1x1x5x1", "2x9x8x4x4", "1x17x33x2x1", kSmall}));
  axes.push_back(kKernelAxis.With({"3x3", "1x1", "2x5"}, {"1x7", "5x1"}));
  axes.back().more.push_back(IsNarrowFloat(setting) ? "5x7" : "16x16");
  if (setting.Type("in_t") == DType::kFp32 && !setting.Takes("local_bound")) {
    axes.back().more.push_back(kSummed);
  }
  if (!is_float) axes.back().more.push_back(kFull);
  AddImageWindowAxes(axes);
  AddConvolutionAxes(setting, axes);
  return axes;
}

bool Allowed(const Setting&, const Labels& labels) { return MakesCase(GeometryOf(labels)); }

CaseDraft Build(const Choice& choice) {
  const WindowGeometry g = GeometryOf(choice.labels);
  const int64_t channels = g.input[3], outputs = g.output[3];
  return BuildConvolution(choice, g,
                          {.weight = {g.kernel[0], g.kernel[1], channels, outputs / channels},
                           .input_channels = channels,
                           .weight_channels = outputs},
                          DepthwiseConv2dInput, DepthwiseConv2dWeight);
}

// The case at a limit: this geometry, the rest as it comes.
CaseDraft At(const CaseDraft& draft, Labels labels) {
  return BuildAt(draft, Axes, Build, std::move(labels));
}

constexpr ConvolutionLimitLabels kLimits = {.axes = 2,
                                            .pad = {"x2x1", ""},
                                            .kernel = {"x2x1", ""},
                                            .stride = {"x2x1", ""},
                                            .positions = 3,
                                            .beside_stride = 2};

// See PoolLayerGeometries.
const std::vector<RelationGeometry>& Layers() {
  static const auto& geometries = *new std::vector<RelationGeometry>{
      {"layer_3x3", "2x10x13", "3x3", "1x1", "1-1-1-1", "1x1", 19, 0},
      {"layer_3x3_two", "2x10x13", "3x3", "1x1", "1-1-1-1", "1x1", 11, 0, 2},
      {"layer_3x3_wide", "2x3x37", "3x3", "1x1", "1-1-1-1", "1x1", 9, 0},
      {"layer_3x3_stride_2", "2x5x7", "3x3", "2x2", "1-1-1-1", "1x1", 19, 0},
      {"layer_3x3_stride_2_two", "2x5x7", "3x3", "2x2", "1-1-1-1", "1x1", 11, 0, 2, nullptr, "1"},
      {"layer_3x3_stride_2_same", "2x5x10", "3x3", "2x2", "0-1-0-1", "1x1", 19, 0},
      {"layer_3x3_dilation_2", "2x9x12", "3x3", "1x1", "2-2-2-2", "2x2", 19, 0},
      {"layer_3x3_both_2", "2x4x5", "3x3", "2x2", "2-2-2-2", "2x2", 19, 0, 1, nullptr, "1"},
      {"layer_5x5_stride_2", "2x4x6", "5x5", "2x2", "1-2-1-2", "1x1", 19, 0},
      {"layer_7x7", "2x7x9", "7x7", "1x1", "3-3-3-3", "1x1", 19, 0},
      {"layer_1x3_causal", "2x1x11", "1x3", "1x1", "0-0-4-0", "1x2", 19, 0}};
  return geometries;
}

Labels LabelsOf(const RelationGeometry& g) {
  return WindowLabels(StrCat(g.positions, "x", g.inputs, "x", g.multiplier), g.kernel, g.stride,
                      g.pad, g.dilation);
}

CaseDraft AtLayer(const CaseDraft& draft, const NetworkLayer& layer) {
  Labels labels = ConvolutionLayerLabels(draft.built_from->setting, layer);
  labels.Set("output", StrCat(SizesLabel(layer.output), "x1"));
  labels.Set("pad", NumbersLabel(layer.pad));
  labels.Set("dilation", SizesLabel(layer.dilation));
  return At(draft, std::move(labels));
}

std::vector<DataCase> NonFinite() {
  Labels padded = WindowLabels("1x6x6x6x4", "3x3", "1x1", "1-1-1-1", "1x1");
  padded.Set("weight", "const");
  return NonFiniteCases(
      At,
      {{.what = "plain",
        .labels = WindowLabels("1x5x6x6x4", "2x4", "1x1", "0-0-0-0", "1x1"),
        .products = 8},
       {.what = "padded", .labels = padded, .products = 9, .multiplies_padding = true},
       // As for CONV2D.
       {.what = "edge",
        .labels = WindowLabels("1x6x6x4x4", "2x2", "1x1", "1-1-1-1", "2x2"),
        .products = 4,
        .multiplies_padding = true,
        .weight_is_finite = true}},
      false);
}

}  // namespace

Domain DepthwiseConv2dDomain() {
  const Labels strided = {{"kernel", "1x1"}, {"stride", "2x3"}};
  return {.axes = Axes,
          .constraints = ConvolutionConstraints(
              {{"output", "kernel", "stride", "pad", "dilation"}, kInputDimension, Allowed},
              kOutputAxis, 3, {.kernel = kFull, .small = kSmall},
              {.kernel = kSummed, .axis = kOutputAxis, .value = kSummedBy}),
          .build = Build,
          .breakers = ConvolutionBreakers(
              {.op = "depthwise_conv2d",
               .labels = {{"kernel", "1x1"}, {"bias", "oc"}},
               .strides = {SetStrideOfOnePosition(0, -1), SetStride(1, 0), SetStride(0, 0)},
               // With a kernel of 1 the dilation has no part in the output's size.
               .dilations = {SetDilation(0, 0), SetDilation(1, 0)},
               .pads = {1, 2, 0, 3},
               .rests = {{strided}, {strided}},
               // The output has C * M channels by its argument's shape.
               .own = {{"graph.shape", {{"bias", "1"}}, nullptr, EnlargeOutput(3)}}}),
          .limits = ConvolutionLimits(kLimits, At),
          .data_cases = NonFinite(),
          .relations = RelationCases(ImageRelations(), Layers(), LabelsOf, At, DataOfNumbers),
          .at_layer = AtLayer};
}

}  // namespace cts::depthwise_conv2d_domain
