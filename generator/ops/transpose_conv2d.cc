// TRANSPOSE_CONV2D.
#include <algorithm>

#include "generator/ops/convolution.h"
#include "generator/ops/non_finite.h"

namespace cts::transpose_conv2d_domain {
namespace {

constexpr ParsedAxis<Shape> kSizeAxis{"size", "i", ParseShape};
constexpr ParsedAxis<std::vector<int64_t>> kOutPadAxis{"out_pad", "p", ParseNumbers};

struct Geometry {
  Shape input;                   // N, IH, IW, IC
  Shape weight;                  // OC, KH, KW, IC
  std::vector<int64_t> stride;   // y, x
  std::vector<int64_t> out_pad;  // top, bottom, left, right; negative ones crop
  Shape output;
};

Geometry GeometryOf(const Labels& labels) {
  const Shape size = labels[kSizeAxis], kernel = labels[kKernelAxis];
  Geometry g{{size[0], size[1], size[2], kernel[2]},
             {size[3], kernel[0], kernel[1], kernel[2]},
             labels[kStrideAxis],
             labels[kOutPadAxis],
             {}};
  g.output = {size[0]};
  for (size_t axis = 0; axis < 2; ++axis) {
    g.output.push_back((size[1 + axis] - 1) * g.stride[axis] + g.out_pad[2 * axis] +
                       g.out_pad[2 * axis + 1] + kernel[axis]);
  }
  g.output.push_back(size[3]);
  return g;
}

constexpr char kSmall[] = "1x1x2x3";  // see FullSum

std::vector<Axis> Axes(const Setting& setting) {
  const bool is_float = IsFloat(setting.Type("in_t"));
  std::vector<Axis> axes;
  // N, IH, IW, OC. MIN_DOT_PRODUCTS of appendix A: at least 1000 results, also of what the negative
  // pads leave.
  axes.push_back(kSizeAxis.With(
      is_float ? std::vector<std::string>{"1x18x17x5", "2x12x11x6"}
               : std::vector<std::string>{"1x4x5x3", "2x3x2x4", "1x7x6x1"},
      is_float ? std::vector<std::string>{"1x34x34x1", "101x2x2x4", "4x3x4x89", "1x5x6x4"}
               : std::vector<std::string>{"7x1x1x5", "2x4x3x16", "1x17x33x2", kSmall}));
  axes.push_back(ImageKernelAxis(setting));
  axes.push_back(ImageStrideAxis());
  // Some pads are larger than the kernel, some crop all but the last of it.
  axes.push_back(kOutPadAxis.With({"0-0-0-0", "1-0-2-1", "m1-0-m2-m1", "0-m1-1-m1"},
                                  {"m2-m2-m2-m2", "m1-0-0-0", "6-2-0-9", "m4-2-0-0"}));
  AddConvolutionAxes(setting, axes);
  return axes;
}

bool Allowed(const Setting& setting, const Labels& labels) {
  const Geometry g = GeometryOf(labels);
  for (size_t side = 0; side < 4; ++side) {
    if (g.out_pad[side] <= -g.weight[1 + side / 2]) return false;
  }
  if (g.output[1] < 1 || g.output[2] < 1) return false;
  // Rows and columns that some element of the input reaches.
  double share = 1;
  for (size_t axis = 0; axis < 2; ++axis) {
    int64_t reached = 0;
    for (int64_t o = 0; o < g.output[1 + axis]; ++o) {
      const int64_t y = o - g.out_pad[2 * axis];
      const int64_t last = std::min(y / g.stride[axis], g.input[1 + axis] - 1);
      reached += y >= 0 && y - last * g.stride[axis] < g.weight[1 + axis];
    }
    share *= static_cast<double>(reached) / static_cast<double>(g.output[1 + axis]);
  }
  if (share < kLeastShare) return false;
  const int64_t outputs = ElementCount(g.output);
  // MIN_DOT_PRODUCTS of appendix A also where the pads crop.
  if (IsFloat(setting.Type("in_t")) && outputs < 1000) return false;
  const int64_t kernel_size = g.weight[1] * g.weight[2] * g.weight[3];
  return outputs <= 6000 && outputs * kernel_size <= 2000000 &&
         IsSmall(kernel_size, ElementCount(g.input), ElementCount(g.weight));
}

CaseDraft Build(const Choice& choice) {
  const Geometry g = GeometryOf(choice.labels);
  ConvolutionShapes shapes;
  shapes.input = g.input;
  shapes.weight = g.weight;
  shapes.bias = {choice[kBiasAxis] ? 1 : g.output[3]};
  shapes.kernel_size = g.weight[1] * g.weight[2] * g.weight[3];

  CaseDraft draft;
  SetConvolutionOperands(choice, shapes, Conv2dInput, Conv2dWeight, draft);
  draft.Set("out_pad", g.out_pad);
  draft.Set("stride", g.stride);
  draft.output_shape = g.output;
  return draft;
}

// Crops the whole kernel, which is 1, on one side.
DraftChange CropKernel(size_t side) {
  return [=](const Setting&, CaseDraft& draft) {
    List(draft, "out_pad")[side] -= 1;
    draft.output_shape[1 + side / 2] -= 1;
  };
}

// The case at a limit: this geometry, the rest as it comes.
CaseDraft At(const CaseDraft& draft, Labels labels) {
  return BuildAt(draft, Axes, Build, std::move(labels));
}

DraftChange OutPadAtLimit(size_t side) {
  return [=](const Setting& setting, CaseDraft& draft) {
    // Several channels: padded places have nothing but their biases.
    draft = At(draft, {{"size", StrCat("1x", Along(2, side / 2, 2), "x3")},
                       {"kernel", "1x1x5"},
                       {"out_pad", OnSide(2, side, Limit(setting, "MAX_KERNEL"))}});
  };
}

DraftChange KernelAtLimit(size_t axis) {
  return [=](const Setting& setting, CaseDraft& draft) {
    const int64_t limit = Limit(setting, "MAX_KERNEL");
    // Most of what the kernel yields is cropped, at the top or at the right.
    draft = At(draft, {{"size", "1x2x2x2"},
                       {"kernel", StrCat(Along(2, axis, limit), "x1")},
                       {"out_pad", OnSide(2, 3 * axis, 2 - limit)}});
  };
}

DraftChange StrideAtLimit(size_t axis) {
  return [=](const Setting& setting, CaseDraft& draft) {
    draft = At(draft, {{"size", StrCat("1x", Along(2, axis, 2), "x3")},
                       {"kernel", StrCat(Along(2, axis, 64), "x1")},
                       {"stride", Along(2, axis, Limit(setting, "MAX_STRIDE"))}});
  };
}

std::vector<DataCase> NonFinite() {
  return NonFiniteCases(
      At,
      {{.what = "plain",
        .labels =
            {{"size", "2x3x4x24"}, {"kernel", "2x2x2"}, {"stride", "1x1"}, {"out_pad", "0-0-0-0"}},
        .products = 8,
        .multiplies_padding = true},
       {.what = "padded",
        .labels = {{"size", "1x3x3x16"},
                   {"kernel", "2x3x4"},
                   {"stride", "2x2"},
                   {"out_pad", "1-0-0-1"},
                   {"weight", "const"}},
        .products = 24,
        .multiplies_padding = true}},
      false);
}

const std::vector<RelationGeometry>& Relations() {
  static const auto& geometries = *new std::vector<RelationGeometry>{
      {"stride_2x2", "1x3x3", "3x3", "2x2", "1-1-1-1", "", 3, 5},
      {"patch_2x2", "2x3x4", "2x2", "2x2", "0-0-0-0", "", 4, 8},
      {"patch_2x2_odd", "1x3x4", "2x2", "2x2", "0-0-0-0", "", 3, 5},
      {"kernel_4x4", "1x3x3", "4x4", "1x1", "1-0-0-0", "", 3, 16},
      {"kernel_5x5", "1x3x4", "5x5", "1x1", "0-1-0-0", "", 1, 4},
      {"kernel_6x6", "1x2x3", "6x6", "1x1", "0-0-1-0", "", 2, 3},
      {"kernel_7x7", "1x3x2", "7x7", "1x1", "0-0-0-1", "", 1, 8},
      {"row", "1x1x5", "1x3", "1x2", "0-0-0-0", "", 4, 6},
      {"column", "1x5x1", "3x1", "2x1", "0-0-0-0", "", 8, 3},
      {"stride_3x3", "1x3x3", "1x1", "3x3", "0-0-0-0", "", 32, 32},
      {"whole_input", "1x3x4", "3x4", "1x1", "0-0-0-0", "", 2, 16},
      {"one_element", "1x1x1", "3x3", "1x1", "m1-m1-m1-m1", "", 1, 1},
      {"batch", "5x1x1", "1x1", "1x1", "0-0-0-0", "", 1, 1},
      {"channels_16", "1x2x2", "3x3", "1x1", "1-0-0-2", "", 16, 32},
      {"kernel_11x11", "1x2x2", "11x11", "1x1", "m3-m4-m2-m1", "", 1, 2}};
  return geometries;
}

// See PoolLayerGeometries: what decoders of images have.
const std::vector<RelationGeometry>& Layers() {
  static const auto& geometries = *new std::vector<RelationGeometry>{
      {"layer_2x2_stride_2", "2x5x7", "2x2", "2x2", "0-0-0-0", "", 19, 21, 1, nullptr, "1"},
      {"layer_3x3_stride_2", "2x5x7", "3x3", "2x2", "0-m1-0-m1", "", 19, 21},
      {"layer_4x4_stride_2", "2x5x7", "4x4", "2x2", "m1-m1-m1-m1", "", 9, 10},
      {"layer_4x4_stride_2_one", "2x5x7", "4x4", "2x2", "m1-m1-m1-m1", "", 9, 1},
      {"layer_5x5_stride_2", "2x5x7", "5x5", "2x2", "m1-m2-m1-m2", "", 9, 10, 1, nullptr, "1"}};
  return geometries;
}

Labels LabelsOf(const RelationGeometry& g) {
  return {{"size", StrCat(g.positions, "x", g.outputs)},
          {"kernel", StrCat(g.kernel, "x", g.inputs)},
          {"stride", std::string(g.stride)},
          {"out_pad", std::string(g.pad)}};
}

CaseDraft AtLayer(const CaseDraft& draft, const NetworkLayer& layer) {
  Labels labels =
      ConvolutionLayerLabels(draft.built_from->setting, layer, StrCat("x", layer.input[3]));
  Shape size = layer.input;
  size[3] = layer.output[3];
  labels.Set("size", SizesLabel(size));
  labels.Set("out_pad", NumbersLabel(layer.pad));
  return At(draft, std::move(labels));
}

}  // namespace

Domain TransposeConv2dDomain() {
  const Labels pointwise = {
      {"kernel", "1x1x5"}, {"stride", "1x1"}, {"out_pad", "0-0-0-0"}, {"bias", "oc"}};
  return {
      .axes = Axes,
      .constraints = ConvolutionConstraints(
          {{"size", "kernel", "stride", "out_pad"},
           "transpose_conv2d.out_pad, an output of too few elements or too large a case",
           Allowed},
          kSizeAxis, 3, {.kernel = kFullImageKernel, .small = kSmall},
          {.kernel = kSummedImageKernel, .axis = kStrideAxis, .value = "1x1", .pad = kOutPadAxis}),
      .build = Build,
      .breakers = ConvolutionBreakers(
          {.op = "transpose_conv2d",
           .labels = pointwise,
           .strides = {SetStrideOfOnePosition(0, 0), SetStrideOfOnePosition(1, -1),
                       SetStrideOfOnePosition(1, 0)},
           .own = {{"transpose_conv2d.out_pad_y", pointwise, nullptr, CropKernel(0)},
                   {"transpose_conv2d.out_pad_y", pointwise, nullptr, CropKernel(1)},
                   {"transpose_conv2d.out_pad_x", pointwise, nullptr, CropKernel(2)},
                   {"transpose_conv2d.out_pad_x", pointwise, nullptr, CropKernel(3)},
                   More({"graph.shape", pointwise, nullptr, TwiceTheChannels})}}),
      .limits = {{"MAX_KERNEL", "kernel_y", {}, IsI8OrFp32, KernelAtLimit(0)},
                 {"MAX_KERNEL", "kernel_x", {}, IsI8OrFp32, KernelAtLimit(1)},
                 {"MAX_KERNEL", "out_pad_top", {}, IsI8OrFp32, OutPadAtLimit(0)},
                 {"MAX_KERNEL", "out_pad_bottom", {}, IsI8OrFp32, OutPadAtLimit(1)},
                 {"MAX_KERNEL", "out_pad_left", {}, IsI8OrFp32, OutPadAtLimit(2)},
                 {"MAX_KERNEL", "out_pad_right", {}, IsI8OrFp32, OutPadAtLimit(3)},
                 {"MAX_STRIDE", "stride_y", {}, IsI8OrFp32, StrideAtLimit(0)},
                 {"MAX_STRIDE", "stride_x", {}, IsI8OrFp32, StrideAtLimit(1)}},
      .data_cases = NonFinite(),
      .relations = RelationCases(Relations(), Layers(), LabelsOf, At, DataOfNumbers),
      .at_layer = AtLayer};
}

}  // namespace cts::transpose_conv2d_domain
