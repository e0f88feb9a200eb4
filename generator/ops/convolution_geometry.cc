#include "generator/ops/convolution_geometry.h"

#include <cstdlib>
#include <functional>
#include <utility>

#include "generator/ops/limits.h"

namespace cts {

WindowGeometry WindowGeometryOf(const Labels& labels, Shape output, int64_t input_channels) {
  const size_t axes = output.size() - 2;
  WindowGeometry g{
      std::move(output),   labels[kKernelAxis],
      labels[kStrideAxis], labels.Has("dilation") ? labels[kDilationAxis] : Shape(axes, 1),
      labels[kPadAxis],    {}};
  g.input = {g.output[0]};
  for (size_t axis = 0; axis < axes; ++axis) {
    g.input.push_back((g.output[1 + axis] - 1) * g.stride[axis] + 1 +
                      (g.kernel[axis] - 1) * g.dilation[axis] - g.pad[2 * axis] -
                      g.pad[2 * axis + 1]);
  }
  g.input.push_back(input_channels);
  return g;
}

WindowGeometry ConvolutionGeometryOf(const Labels& labels) {
  return WindowGeometryOf(labels, labels[kOutputAxis], labels[kKernelAxis].back());
}

double ShareThatSees(int64_t outputs, int64_t stride, int64_t pad, int64_t kernel, int64_t dilation,
                     int64_t inputs) {
  int64_t seeing = 0;
  for (int64_t o = 0; o < outputs; ++o) {
    bool sees = false;
    for (int64_t k = 0; k < kernel && !sees; ++k) {
      const int64_t i = o * stride - pad + k * dilation;
      sees = 0 <= i && i < inputs;
    }
    seeing += sees;
  }
  return static_cast<double>(seeing) / static_cast<double>(outputs);
}

bool MakesCase(const WindowGeometry& g) {
  double share = 1;
  for (size_t axis = 0; axis < g.stride.size(); ++axis) {
    if (g.input[1 + axis] < 1) return false;
    share *= ShareThatSees(g.output[1 + axis], g.stride[axis], g.pad[2 * axis], g.kernel[axis],
                           g.dilation[axis], g.input[1 + axis]);
  }
  if (share < kLeastShare) return false;
  const int64_t kernel_size = ElementCount(g.kernel);
  return IsSmall(kernel_size, ElementCount(g.input), g.output.back() * kernel_size);
}

Axis ImageKernelAxis(const Setting& setting) {
  Axis axis = kKernelAxis.With({"3x3x3", "1x1x5", "2x5x1"}, {"1x1x1", "1x7x2", "5x1x4"});
  if (!IsNarrowFloat(setting)) axis.more.push_back("8x8x16");
  // kSummedImageKernel has more than one vector of channels, and a rest.
  const bool is_float = IsFloat(setting.Type("in_t"));
  axis.more.push_back(is_float ? kSummedImageKernel : kFullImageKernel);
  return axis;
}

Axis ImageStrideAxis() { return kStrideAxis.With({"1x1", "2x1", "2x3"}, {"1x4", "5x4"}); }

void AddImageWindowAxes(std::vector<Axis>& axes) {
  axes.push_back(ImageStrideAxis());
  // Some reach beyond the kernel.
  axes.push_back(
      kPadAxis.With({"0-0-0-0", "1-0-1-1", "0-1-2-0"}, {"1-1-1-1", "0-0-0-5", "6-4-0-3"}));
  axes.push_back(kDilationAxis.With({"1x1", "2x3"}, {"1x2", "4x1"}));
}

DraftChange ReplacePad(size_t side, int64_t value) {
  return [=](const Setting&, CaseDraft& draft) {
    int64_t& pad = List(draft, "pad")[side];
    Shape shape = draft.tensor("input").shape();
    shape[1 + side / 2] += pad - value;
    pad = value;
    Reshape(draft.tensor("input"), shape);
  };
}

DraftChange SetStride(size_t index, int64_t value) {
  return [=](const Setting&, CaseDraft& draft) { List(draft, "stride")[index] = value; };
}

DraftChange SetStrideOfOnePosition(size_t index, int64_t value) {
  return [=](const Setting&, CaseDraft& draft) {
    List(draft, "stride")[index] = value;
    draft.output_shape[1 + index] = 1;
    Shape input = draft.tensor("input").shape();
    input[1 + index] = 1;
    Reshape(draft.tensor("input"), input);
  };
}

DraftChange SetDilation(size_t index, int64_t value) {
  return [=](const Setting&, CaseDraft& draft) { List(draft, "dilation")[index] = value; };
}

DraftChange EnlargeOutput(size_t axis, int64_t more) {
  return [=](const Setting&, CaseDraft& draft) { draft.output_shape[axis] += more; };
}

DraftChange EnlargeInput(size_t axis) {
  return [=](const Setting&, CaseDraft& draft) {
    Shape shape = draft.tensor("input").shape();
    shape[axis] += 1;
    Reshape(draft.tensor("input"), shape);
  };
}

DraftChange EnlargeBoth(size_t axis) {
  return [=](const Setting& setting, CaseDraft& draft) {
    EnlargeInput(axis)(setting, draft);
    EnlargeOutput(axis)(setting, draft);
  };
}

std::string Along(size_t axes, size_t axis, int64_t size, int64_t others) {
  std::string label;
  for (size_t k = 0; k < axes; ++k) label += StrCat(k == 0 ? "" : "x", k == axis ? size : others);
  return label;
}

std::string OnSide(size_t axes, size_t side, int64_t pad) {
  const std::string label = StrCat(pad < 0 ? "m" : "", std::abs(pad));
  std::string pads;
  for (size_t k = 0; k < 2 * axes; ++k) pads += StrCat(k == 0 ? "" : "-", k == side ? label : "0");
  return pads;
}

namespace {

std::string_view AxisName(size_t axes, size_t axis) {
  constexpr std::string_view kNames[] = {"d", "y", "x"};
  return kNames[3 - axes + axis];
}

std::string_view SideName(size_t axes, size_t side) {
  constexpr std::string_view kNames[] = {"d0", "d1", "top", "bottom", "left", "right"};
  return kNames[6 - 2 * axes + side];
}

}  // namespace

std::vector<Breaker> WindowBreakers(const WindowWays& ways) {
  std::vector<Breaker> breakers = ways.own;
  const auto add = [&](std::string_view condition, const Labels& labels, const DraftChange& change,
                       bool more = false) {
    Breaker breaker{StrCat(ways.op, ".", condition), labels, nullptr, change};
    breakers.push_back(more ? More(std::move(breaker)) : std::move(breaker));
  };
  for (const DraftChange& change : ways.kernels) add("kernel_below_one", ways.labels, change);
  for (const DraftChange& change : ways.strides) add("stride_below_one", ways.labels, change);
  for (const DraftChange& change : ways.dilations) add("dilation_below_one", ways.labels, change);
  for (const size_t side : ways.pads) add("pad_negative", ways.labels, NegativePad(side));
  const Labels& of_sizes = ways.of_sizes.all().empty() ? ways.labels : ways.of_sizes;
  constexpr std::string_view kSizes[] = {"output_depth", "output_height", "output_width"};
  for (size_t axis = 0; axis < ways.axes; ++axis) {
    const std::string_view condition = kSizes[3 - ways.axes + axis];
    add(condition, of_sizes, EnlargeOutput(1 + axis));
    add(condition, of_sizes, EnlargeOutput(1 + axis, -1));
    if (ways.rests.empty()) continue;
    const WindowWays::Rest& rest = ways.rests[axis];
    add(condition, rest.labels, EnlargeInput(1 + axis), rest.more);
    add(condition, rest.labels, EnlargeBoth(1 + axis), true);
  }
  return breakers;
}

std::vector<LimitCase> ConvolutionLimits(const ConvolutionLimitLabels& labels,
                                         CaseDraft (*at)(const CaseDraft& draft, Labels labels)) {
  using LabelsAt = std::function<Labels(int64_t limit)>;
  std::vector<LimitCase> cases;
  const auto add = [&](std::string_view limit, std::string what, const LabelsAt& labels_at) {
    cases.push_back(
        {limit, std::move(what), {}, IsI8OrFp32, [=](const Setting& setting, CaseDraft& draft) {
           draft = at(draft, labels_at(Limit(setting, limit)));
         }});
  };
  const size_t axes = labels.axes;
  const auto output = [=](std::string_view channels, size_t axis, int64_t size, int64_t others) {
    return StrCat("1x", Along(axes, axis, size, others), channels);
  };
  const auto kernel = [=](std::string_view channels, size_t axis, int64_t size) {
    return StrCat(Along(axes, axis, size), channels);
  };
  const std::string positions = output(labels.kernel.output, 0, labels.positions, labels.positions);
  for (size_t axis = 0; axis < axes; ++axis) {
    add("MAX_KERNEL", StrCat("kernel_", AxisName(axes, axis)), [=](int64_t limit) -> Labels {
      return {{"output", positions}, {"kernel", kernel(labels.kernel.kernel, axis, limit)}};
    });
  }
  // A dilation times a kernel of two.
  for (size_t axis = 0; axis < axes; ++axis) {
    add("MAX_KERNEL", StrCat("dilation_", AxisName(axes, axis)), [=](int64_t limit) -> Labels {
      return {{"output", positions},
              {"kernel", kernel(labels.kernel.kernel, axis, 2)},
              {"dilation", Along(axes, axis, limit / 2)}};
    });
  }
  // The stride passes over most of the padding.
  for (size_t side = 0; side < 2 * axes; ++side) {
    add("MAX_KERNEL", StrCat("pad_", SideName(axes, side)), [=](int64_t limit) -> Labels {
      return {{"output", output(labels.pad.output, side / 2, limit / 1024 + 4, 1)},
              {"kernel", kernel(labels.pad.kernel, 0, 1)},
              {"stride", Along(axes, side / 2, 1024)},
              {"pad", OnSide(axes, side, limit)}};
    });
  }
  for (size_t axis = 0; axis < axes; ++axis) {
    add("MAX_STRIDE", StrCat("stride_", AxisName(axes, axis)), [=](int64_t limit) -> Labels {
      return {{"output", output(labels.stride.output, axis, 3, labels.beside_stride)},
              {"kernel", kernel(labels.stride.kernel, 0, 2)},
              {"stride", Along(axes, axis, limit)}};
    });
  }
  return cases;
}

std::string SizesLabel(const std::vector<int64_t>& sizes) {
  std::string label;
  for (const int64_t size : sizes) label += StrCat(label.empty() ? "" : "x", size);
  return label;
}

std::string NumbersLabel(const std::vector<int64_t>& numbers) {
  std::string label;
  for (const int64_t number : numbers) {
    label += StrCat(label.empty() ? "" : "-", number < 0 ? "m" : "", std::abs(number));
  }
  return label;
}

Labels LayerLabels(const Setting& setting, const NetworkLayer& layer, std::string_view channels) {
  Labels labels = {{"kernel", StrCat(SizesLabel(layer.kernel), channels)},
                   {"stride", SizesLabel(layer.stride)}};
  const DType type = setting.FirstBound({"in_t", "in_out_t"});
  if (type == DType::kI8 && setting.Takes("input_zp")) labels.Set("zero_point", "mid");
  return labels;
}

Labels ConvolutionLayerLabels(const Setting& setting, const NetworkLayer& layer,
                              std::string_view channels) {
  Labels labels = LayerLabels(setting, layer, channels);
  labels.Set("weight", "const");
  if (setting.Takes("local_bound") && IsFloat(setting.Type("in_t"))) {
    labels.Set("local_bound", "yes");
  }
  return labels;
}

namespace {

template <bool kHave>
bool HaveOneSign(const Setting& setting) {
  return setting.EditionHas(Feature::kDotProductSetsOfOneSign) == kHave;
}

}  // namespace

Labels WindowLabels(std::string_view output, std::string_view kernel, std::string_view stride,
                    std::string_view pad, std::string_view dilation) {
  return {{"output", std::string(output)},
          {"kernel", std::string(kernel)},
          {"stride", std::string(stride)},
          {"pad", std::string(pad)},
          {"dilation", std::string(dilation)}};
}

Labels ConvolutionLabels(const RelationGeometry& g) {
  return WindowLabels(StrCat(g.positions, "x", g.outputs), StrCat(g.kernel, "x", g.inputs),
                      g.stride, g.pad, g.dilation);
}

const std::vector<RelationGeometry>& ImageRelations() {
  static const auto& geometries = *new std::vector<RelationGeometry>{
      {"stride_2x2", "1x3x3", "3x3", "2x2", "1-1-1-1", "1x1", 3, 5},
      {"dilation_2x2", "2x4x4", "2x2", "1x1", "1-0-0-0", "2x2", 4, 8, 2},
      {"patch_4x4", "1x2x3", "4x4", "4x4", "0-1-0-0", "1x1", 3, 16},
      {"stride_1x2", "1x4x5", "2x3", "1x2", "0-0-1-0", "1x1", 5, 7, 2},
      {"row", "1x1x7", "1x3", "1x1", "0-0-0-1", "1x2", 4, 6},
      {"column", "1x7x1", "3x1", "2x1", "0-0-0-0", "1x1", 8, 3},
      {"stride_3x3", "1x3x4", "1x1", "3x3", "0-0-0-0", "1x1", 32, 32},
      {"whole_input", "1x1x1", "3x4", "1x1", "0-0-0-0", "1x1", 2, 16},
      {"one_element", "1x1x1", "2x2", "1x1", "0-0-0-0", "1x1", 1, 1},
      {"batch", "5x1x1", "1x1", "1x1", "0-0-0-0", "1x1", 1, 1},
      {"channels_16", "1x2x2", "3x3", "1x1", "1-0-0-2", "1x1", 16, 32, 3},
      {"kernel_5x5", "1x4x4", "5x5", "1x1", "0-0-0-0", "1x1", 1, 4},
      {"kernel_6x6", "1x3x5", "6x6", "1x1", "0-0-0-0", "1x1", 2, 3},
      {"kernel_7x7", "1x4x3", "7x7", "1x1", "3-3-3-3", "1x1", 1, 8},
      {"kernel_11x11", "1x3x3", "11x11", "1x1", "0-0-0-0", "1x1", 1, 2, 1, HaveOneSign<false>},
      // Sums of one sign differ little: so few results that no answer passes for all.
      {"kernel_11x11_few", "1x1x3", "11x11", "1x1", "0-0-0-0", "1x1", 1, 2, 1, HaveOneSign<true>}};
  return geometries;
}

const std::vector<RelationGeometry>& PoolLayerGeometries() {
  static const auto& geometries = *new std::vector<RelationGeometry>{
      {"layer_2x2_stride_2", "2x5x11", "2x2", "2x2", "0-0-0-0", "", 19, 19},
      {"layer_3x3", "2x10x13", "3x3", "1x1", "1-1-1-1", "", 19, 19},
      {"layer_3x3_stride_2", "2x5x7", "3x3", "2x2", "1-1-1-1", "", 19, 19},
      {"layer_3x3_stride_2_same", "2x7x10", "3x3", "2x2", "0-1-0-1", "", 19, 19},
      {"layer_5x5", "2x6x10", "5x5", "1x1", "2-2-2-2", "", 19, 19}};
  return geometries;
}

namespace {

// `labels` and, besides, zero points where the operator has them, and the bias if there is one.
Labels WithLayerChoices(const Setting& setting, std::string_view bias, Labels labels) {
  const DType type = setting.FirstBound({"in_t", "in_out_t"});
  if (type == DType::kI8 && setting.Takes("input_zp")) labels.Set("zero_point", "mid");
  // Where a bias is added in a narrower type, see OneBiasForAll.
  if (!bias.empty() && !setting.EditionHas(Feature::kBiasOfOutputType)) {
    labels.Set("bias", std::string(bias));
  }
  return labels;
}

}  // namespace

std::vector<RelationCase> RelationCases(const std::vector<RelationGeometry>& relations,
                                        const std::vector<RelationGeometry>& layers,
                                        Labels (*labels_of)(const RelationGeometry& geometry),
                                        CaseDraft (*at)(const CaseDraft& draft, Labels labels),
                                        std::string_view (*data_set)(const Setting&)) {
  std::vector<RelationCase> cases;
  const auto add = [&](const RelationGeometry& geometry, bool is_layer) {
    const auto change = [=, &geometry](const Setting& setting, CaseDraft& draft) {
      Labels labels = labels_of(geometry);
      if (is_layer) labels = WithLayerChoices(setting, geometry.bias, std::move(labels));
      const std::string_view data = data_set == nullptr ? "" : data_set(setting);
      if (!data.empty()) labels.Set("data", std::string(data));
      draft = at(draft, std::move(labels));
    };
    cases.push_back({.what = std::string(geometry.what),
                     .applies = geometry.applies,
                     .change = change,
                     .data_set = data_set,
                     .more = is_layer});
  };
  for (const RelationGeometry& geometry : relations) add(geometry, false);
  for (const RelationGeometry& geometry : layers) add(geometry, true);
  return cases;
}

}  // namespace cts
