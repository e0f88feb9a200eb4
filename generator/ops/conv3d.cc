// CONV3D.
#include "generator/ops/convolution.h"
#include "generator/ops/non_finite.h"

namespace cts::conv3d_domain {
namespace {

constexpr char kFull[] = "1x1x1x33025", kSmall[] = "1x1x1x2x3";  // see FullSum
constexpr char kSummed[] = "1x1x1x21";                           // see WholeSum

std::vector<Axis> Axes(const Setting& setting) {
  const bool is_float = IsFloat(setting.Type("in_t"));
  std::vector<Axis> axes;
  // MIN_DOT_PRODUCTS of appendix A: at least 1000 results.
  axes.push_back(kOutputAxis.With(
      is_float ? std::vector<std::string>{"1x5x8x9x3", "2x7x4x5x4"}
               : std::vector<std::string>{"1x3x4x5x3", "2x2x3x1x4", "1x4x2x3x1"},
      is_float ? std::vector<std::string>{"1x8x8x16x1", "251x1x1x1x4", "2x1x3x2x89", "1x2x17x33x1"}
               : std::vector<std::string>{"7x1x1x1x5", "2x3x4x5x16", "1x2x17x33x1", kSmall}));
  axes.push_back(
      kKernelAxis.With({"3x2x3x2", "1x1x1x5", "2x3x1x1"}, {"1x1x1x1", "1x1x7x2", "4x1x2x3"}));
  if (!IsNarrowFloat(setting)) axes.back().more.push_back("4x4x4x8");
  // More than one vector of channels, and a rest.
  if (is_float) axes.back().more.push_back(kSummed);
  if (!is_float) axes.back().more.push_back(kFull);
  axes.push_back(kStrideAxis.With({"1x1x1", "1x2x1", "2x1x3"}, {"3x1x2", "2x5x4"}));
  // Some reach beyond the kernel.
  axes.push_back(kPadAxis.With({"0-0-0-0-0-0", "1-0-0-1-1-1", "0-1-1-0-0-2"},
                               {"1-1-1-1-1-1", "4-0-0-0-0-0", "0-2-5-3-0-3"}));
  axes.push_back(kDilationAxis.With({"1x1x1", "2x1x3"}, {"1x2x1", "4x1x1"}));
  AddConvolutionAxes(setting, axes);
  return axes;
}

bool Allowed(const Setting&, const Labels& labels) {
  return MakesCase(ConvolutionGeometryOf(labels));
}

CaseDraft Build(const Choice& choice) {
  const WindowGeometry g = ConvolutionGeometryOf(choice.labels);
  const Shape weight = {g.output[4], g.kernel[0], g.kernel[1], g.kernel[2], g.kernel[3]};
  return BuildConvolution(choice, g, {.weight = weight}, Conv3dInput, Conv2dWeight);
}

// The case at a limit: this geometry, the rest as it comes.
CaseDraft At(const CaseDraft& draft, Labels labels) {
  return BuildAt(draft, Axes, Build, std::move(labels));
}

constexpr ConvolutionLimitLabels kLimits = {.axes = 3,
                                            .pad = {"x2", "x2"},
                                            .kernel = {"x2", "x1"},
                                            .stride = {"x4", "x1"},
                                            .positions = 2,
                                            .beside_stride = 1};

const std::vector<RelationGeometry>& Relations() {
  static const auto& geometries = *new std::vector<RelationGeometry>{
      {"stride_2x2x2", "1x2x2x3", "3x3x3", "2x2x2", "1-1-1-1-1-1", "1x1x1", 2, 5},
      {"dilation_2x2x2", "2x2x3x3", "2x2x2", "1x1x1", "1-0-0-0-0-0", "2x2x2", 4, 8},
      {"patch_4x4x4", "1x1x2x2", "4x4x4", "4x4x4", "0-1-0-0-0-0", "1x1x1", 1, 4},
      {"stride_and_dilation_2x2x2", "1x2x2x2", "2x2x2", "2x2x2", "0-1-0-1-0-1", "2x2x2", 3, 4},
      {"same_3x3x3", "1x3x4x5", "3x3x3", "1x1x1", "1-1-1-1-1-1", "1x1x1", 3, 5},
      {"kernel_5x5x5", "1x2x2x3", "5x5x5", "1x1x1", "0-0-1-0-0-0", "1x1x1", 1, 4},
      {"stride_1x2x3", "1x2x4x3", "2x3x2", "1x2x3", "0-0-0-1-0-0", "1x1x1", 3, 7},
      {"pad_left", "1x2x3x4", "1x2x3", "1x1x1", "0-0-0-0-1-0", "1x1x1", 5, 2},
      {"row", "1x1x1x7", "1x1x3", "1x1x1", "0-0-0-0-0-1", "1x1x2", 4, 6},
      {"column", "1x1x7x1", "1x3x1", "1x2x1", "0-0-0-0-0-0", "1x1x1", 8, 3},
      {"depth", "1x7x1x1", "3x1x1", "1x1x1", "0-0-0-0-0-0", "1x1x1", 3, 4},
      {"stride_3x3x3", "1x2x3x2", "1x1x1", "3x3x3", "0-0-0-0-0-0", "1x1x1", 32, 32},
      {"whole_input", "1x1x1x1", "2x3x4", "1x1x1", "0-0-0-0-0-0", "1x1x1", 2, 16},
      {"one_element", "1x1x1x1", "2x2x2", "1x1x1", "0-0-0-0-0-0", "1x1x1", 1, 1},
      {"batch", "5x1x1x1", "1x1x1", "1x1x1", "0-0-0-0-0-0", "1x1x1", 1, 1},
      {"channels_16", "1x2x2x2", "2x2x2", "1x1x1", "1-0-0-1-1-0", "1x1x1", 16, 32}};
  return geometries;
}

// See PoolLayerGeometries: what networks of videos and scans have.
const std::vector<RelationGeometry>& Layers() {
  static const auto& geometries = *new std::vector<RelationGeometry>{
      {"layer_3x3x3", "2x4x5x7", "3x3x3", "1x1x1", "1-1-1-1-1-1", "1x1x1", 5, 19},
      {"layer_3x3x3_stride_2", "2x2x3x4", "3x3x3", "2x2x2", "0-1-1-1-0-1", "1x1x1", 4, 10, 1,
       nullptr, "1"},
      {"layer_1x3x3_stride_2", "2x3x4x5", "1x3x3", "1x2x2", "0-0-1-1-1-1", "1x1x1", 19, 9},
      {"layer_3x1x1", "2x5x4x3", "3x1x1", "1x1x1", "1-1-0-0-0-0", "1x1x1", 19, 21},
      {"layer_1x3x3_dilation_2", "2x2x5x6", "1x3x3", "1x1x1", "0-0-2-2-2-2", "1x2x2", 9, 10}};
  return geometries;
}

std::vector<DataCase> NonFinite() {
  Labels padded = WindowLabels("1x3x4x5x16", "2x2x2x1", "1x1x1", "1-0-1-0-0-1", "1x1x1");
  padded.Set("weight", "const");
  return NonFiniteCases(
      At,
      {{.what = "plain",
        .labels = WindowLabels("1x3x3x4x24", "2x2x2x1", "1x1x1", "0-0-0-0-0-0", "1x1x1"),
        .products = 8},
       {.what = "padded", .labels = padded, .products = 8, .multiplies_padding = true},
       // As for CONV2D.
       {.what = "edge",
        .labels = WindowLabels("1x4x4x4x12", "2x2x2x1", "1x1x1", "1-1-1-1-1-1", "2x2x2"),
        .products = 8,
        .multiplies_padding = true,
        .weight_is_finite = true}},
      false);
}

}  // namespace

Domain Conv3dDomain() {
  const Labels strided = {{"kernel", "1x1x1x5"}, {"stride", "2x1x3"}};
  const Labels high = {{"kernel", "1x1x1x5"}, {"stride", "1x2x1"}};
  const Labels pointwise = {{"kernel", "1x1x1x5"}, {"bias", "oc"}};
  return {.axes = Axes,
          .constraints = ConvolutionConstraints(
              {{"output", "kernel", "stride", "pad", "dilation"}, kInputDimension, Allowed},
              kOutputAxis, 4, {.kernel = kFull, .small = kSmall},
              {.kernel = kSummed, .axis = kStrideAxis, .value = "1x1x1"}),
          .build = Build,
          .breakers = ConvolutionBreakers(
              {.op = "conv3d",
               .labels = pointwise,
               .strides = {SetStride(0, 0), SetStrideOfOnePosition(2, -1), SetStride(1, 0),
                           SetStride(2, 0)},
               // With a kernel of 1 the dilation has no part in the output's size.
               .dilations = {SetDilation(0, 0), SetDilation(1, -1), SetDilation(1, 0),
                             SetDilation(2, 0)},
               .pads = {0, 5, 1, 2, 3, 4},
               .axes = 3,
               .rests = {{strided}, {.labels = high, .more = true}, {strided}},
               .own = {More({"graph.shape", pointwise, nullptr, TwiceTheChannels})}}),
          .limits = ConvolutionLimits(kLimits, At),
          .data_cases = NonFinite(),
          .relations = RelationCases(Relations(), Layers(), ConvolutionLabels, At, DataOfNumbers)};
}

}  // namespace cts::conv3d_domain
