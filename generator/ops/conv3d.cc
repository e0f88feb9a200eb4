// CONV3D.
#include "generator/ops/convolution.h"

namespace cts::conv3d_domain {
namespace {

struct Geometry {
  Shape output;                           // N, OD, OH, OW, OC
  std::vector<int64_t> kernel;            // KD, KH, KW, IC
  std::vector<int64_t> stride, dilation;  // d, y, x
  std::vector<int64_t> pad;               // d0, d1, top, bottom, left, right
  Shape input;                            // of the sizes that make the output's come out exactly
};

Geometry GeometryOf(const Labels& labels) {
  Geometry g{ParseShape(labels["output"]), ParseShape(labels["kernel"]),
             ParseShape(labels["stride"]), ParseShape(labels["dilation"]),
             ParseNumbers(labels["pad"]),  {}};
  g.input = {g.output[0]};
  for (size_t axis = 0; axis < 3; ++axis) {
    g.input.push_back((g.output[1 + axis] - 1) * g.stride[axis] + 1 +
                      (g.kernel[axis] - 1) * g.dilation[axis] - g.pad[2 * axis] -
                      g.pad[2 * axis + 1]);
  }
  g.input.push_back(g.kernel[3]);
  return g;
}

constexpr char kFull[] = "1x1x1x33025", kSmall[] = "1x1x1x2x3";  // see FullSum
// See WholeSums.
constexpr char kSummed[] = "1x1x1x21", kSummedAxis[] = "stride", kSummedBy[] = "1x1x1";

std::vector<Axis> Axes(const Setting& setting) {
  const bool is_float = IsFloat(setting.Type("in_t"));
  std::vector<Axis> axes;
  // MIN_DOT_PRODUCTS of appendix A: at least 1000 results.
  axes.push_back(
      {"output", "o",
       is_float ? std::vector<std::string>{"1x5x8x9x3", "2x7x4x5x4"}
                : std::vector<std::string>{"1x3x4x5x3", "2x2x3x1x4", "1x4x2x3x1"},
       is_float ? std::vector<std::string>{"1x8x8x16x1", "251x1x1x1x4", "2x1x3x2x89", "1x2x17x33x1"}
                : std::vector<std::string>{"7x1x1x1x5", "2x3x4x5x16", "1x2x17x33x1", kSmall}});
  axes.push_back(
      {"kernel", "k", {"3x2x3x2", "1x1x1x5", "2x3x1x1"}, {"1x1x1x1", "1x1x7x2", "4x1x2x3"}});
  if (!IsNarrowFloat(setting)) axes.back().more.push_back("4x4x4x8");
  // More than one vector of channels, and a rest.
  if (is_float) axes.back().more.push_back("1x1x1x21");
  if (!is_float) axes.back().more.push_back(kFull);
  axes.push_back({"stride", "s", {"1x1x1", "1x2x1", "2x1x3"}, {"3x1x2", "2x5x4"}});
  // Some reach beyond the kernel.
  axes.push_back({"pad",
                  "p",
                  {"0-0-0-0-0-0", "1-0-0-1-1-1", "0-1-1-0-0-2"},
                  {"1-1-1-1-1-1", "4-0-0-0-0-0", "0-2-5-3-0-3"}});
  axes.push_back({"dilation", "d", {"1x1x1", "2x1x3"}, {"1x2x1", "4x1x1"}});
  AddConvolutionAxes(setting, axes);
  return axes;
}

bool Allowed(const Setting&, const Labels& labels) {
  const Geometry g = GeometryOf(labels);
  if (g.input[1] < 1 || g.input[2] < 1 || g.input[3] < 1) return false;
  double share = 1;
  for (size_t axis = 0; axis < 3; ++axis) {
    share *= ShareThatSees(g.output[1 + axis], g.stride[axis], g.pad[2 * axis], g.kernel[axis],
                           g.dilation[axis], g.input[1 + axis]);
  }
  if (share < kLeastShare) return false;
  const int64_t kernel_size = ElementCount(g.kernel);
  return IsSmall(kernel_size, ElementCount(g.input), g.output[4] * kernel_size);
}

CaseDraft Build(const Choice& choice) {
  const Geometry g = GeometryOf(choice.labels);
  const int64_t oc = g.output[4];
  ConvolutionShapes shapes;
  shapes.input = g.input;
  shapes.weight = {oc, g.kernel[0], g.kernel[1], g.kernel[2], g.kernel[3]};
  shapes.bias = {choice["bias"] == "1" ? 1 : oc};
  shapes.kernel_size = ElementCount(g.kernel);

  CaseDraft draft;
  SetConvolutionOperands(choice, shapes, Conv3dInput, Conv2dWeight, draft);
  draft.Set("pad", g.pad);
  draft.Set("stride", g.stride);
  draft.Set("dilation", g.dilation);
  draft.output_shape = g.output;
  return draft;
}

// The case at a limit: this geometry, the rest as it comes.
CaseDraft At(const CaseDraft& draft, Labels labels) {
  return BuildAt(draft, Axes, Build, std::move(labels));
}

// "1x1x7" of 7 along the third axis.
template <int kAxis>
std::string Along(int64_t size) {
  std::string label;
  for (int axis = 0; axis < 3; ++axis) {
    label += StrCat(axis == 0 ? "" : "x", axis == kAxis ? size : 1);
  }
  return label;
}

template <int kPad>
void PadAtLimit(const Setting& setting, CaseDraft& draft) {
  // The stride passes over most of the padding.
  const int64_t limit = Limit(setting, "MAX_KERNEL");
  std::string pad;
  for (int side = 0; side < 6; ++side) {
    pad += StrCat(side == 0 ? "" : "-", side == kPad ? limit : 0);
  }
  draft = At(draft, {{"output", StrCat("1x", Along<kPad / 2>(limit / 1024 + 4), "x2")},
                     {"kernel", "1x1x1x2"},
                     {"stride", Along<kPad / 2>(1024)},
                     {"pad", pad}});
}

template <int kAxis>
void KernelAtLimit(const Setting& setting, CaseDraft& draft) {
  draft = At(draft, {{"output", "1x2x2x2x2"},
                     {"kernel", StrCat(Along<kAxis>(Limit(setting, "MAX_KERNEL")), "x1")}});
}

// A dilation times a kernel of two.
template <int kAxis>
void DilationAtLimit(const Setting& setting, CaseDraft& draft) {
  draft = At(draft, {{"output", "1x2x2x2x2"},
                     {"kernel", StrCat(Along<kAxis>(2), "x1")},
                     {"dilation", Along<kAxis>(Limit(setting, "MAX_KERNEL") / 2)}});
}

template <int kAxis>
void StrideAtLimit(const Setting& setting, CaseDraft& draft) {
  draft = At(draft, {{"output", StrCat("1x", Along<kAxis>(3), "x4")},
                     {"kernel", "2x1x1x1"},
                     {"stride", Along<kAxis>(Limit(setting, "MAX_STRIDE"))}});
}

}  // namespace

Domain Conv3dDomain() {
  const Labels pointwise = {{"kernel", "1x1x1x5"}, {"bias", "oc"}};
  const Labels strided = {{"kernel", "1x1x1x5"}, {"stride", "2x1x3"}};
  return {Axes,
          {{{"output", "kernel", "stride", "pad", "dilation"}, kInputDimension, Allowed},
           RandomKernel(),
           OneBiasForAll(),
           WeightsForSpecials<kOutputAxis, 4>(),
           WholeSums<kSummed, kSummedAxis, kSummedBy, kPadAxis>(),
           FullSum<kFull, kSmall>()},
          Build,
          {{"conv3d.input_zp", pointwise, InputIsNotI8, SetInputZeroPoint},
           {"conv3d.weight_zp", pointwise, WeightIsNotI8, SetWeightZeroPoint},
           {"conv3d.pad_negative", pointwise, nullptr, NegativePad<0>},
           {"conv3d.pad_negative", pointwise, nullptr, NegativePad<5>},
           {"conv3d.pad_negative", pointwise, nullptr, NegativePad<1>},
           {"conv3d.pad_negative", pointwise, nullptr, NegativePad<2>},
           {"conv3d.pad_negative", pointwise, nullptr, NegativePad<3>},
           {"conv3d.pad_negative", pointwise, nullptr, NegativePad<4>},
           {"conv3d.stride_below_one", pointwise, nullptr, SetStride<0, 0>},
           {"conv3d.stride_below_one", pointwise, nullptr, SetStrideOfOnePosition<2, -1>},
           {"conv3d.stride_below_one", pointwise, nullptr, SetStride<1, 0>},
           {"conv3d.stride_below_one", pointwise, nullptr, SetStride<2, 0>},
           // With a kernel of 1 the dilation has no part in the output's size.
           {"conv3d.dilation_below_one", pointwise, nullptr, SetDilation<0, 0>},
           {"conv3d.dilation_below_one", pointwise, nullptr, SetDilation<1, -1>},
           {"conv3d.dilation_below_one", pointwise, nullptr, SetDilation<1, 0>},
           {"conv3d.dilation_below_one", pointwise, nullptr, SetDilation<2, 0>},
           {"conv3d.output_depth", pointwise, nullptr, EnlargeOutput<1>},
           {"conv3d.output_depth", pointwise, nullptr, EnlargeOutput<1, -1>},
           {"conv3d.output_depth", strided, nullptr, EnlargeInput<1>},  // does not divide
           {"conv3d.output_height", pointwise, nullptr, EnlargeOutput<2>},
           {"conv3d.output_height", pointwise, nullptr, EnlargeOutput<2, -1>},
           {"conv3d.output_width", pointwise, nullptr, EnlargeOutput<3>},
           {"conv3d.output_width", pointwise, nullptr, EnlargeOutput<3, -1>},
           {"conv3d.output_width", strided, nullptr, EnlargeInput<3>},
           {"conv3d.bias_channels", pointwise, nullptr, OtherBiasChannels},
           {"conv3d.bias_channels", pointwise, nullptr, FewerBiasChannels}},
          {{"MAX_KERNEL", "kernel_d", {}, IsI8OrFp32, KernelAtLimit<0>},
           {"MAX_KERNEL", "kernel_y", {}, IsI8OrFp32, KernelAtLimit<1>},
           {"MAX_KERNEL", "kernel_x", {}, IsI8OrFp32, KernelAtLimit<2>},
           {"MAX_KERNEL", "dilation_d", {}, IsI8OrFp32, DilationAtLimit<0>},
           {"MAX_KERNEL", "dilation_y", {}, IsI8OrFp32, DilationAtLimit<1>},
           {"MAX_KERNEL", "dilation_x", {}, IsI8OrFp32, DilationAtLimit<2>},
           {"MAX_KERNEL", "pad_d0", {}, IsI8OrFp32, PadAtLimit<0>},
           {"MAX_KERNEL", "pad_d1", {}, IsI8OrFp32, PadAtLimit<1>},
           {"MAX_KERNEL", "pad_top", {}, IsI8OrFp32, PadAtLimit<2>},
           {"MAX_KERNEL", "pad_bottom", {}, IsI8OrFp32, PadAtLimit<3>},
           {"MAX_KERNEL", "pad_left", {}, IsI8OrFp32, PadAtLimit<4>},
           {"MAX_KERNEL", "pad_right", {}, IsI8OrFp32, PadAtLimit<5>},
           {"MAX_STRIDE", "stride_d", {}, IsI8OrFp32, StrideAtLimit<0>},
           {"MAX_STRIDE", "stride_y", {}, IsI8OrFp32, StrideAtLimit<1>},
           {"MAX_STRIDE", "stride_x", {}, IsI8OrFp32, StrideAtLimit<2>}}};
}

}  // namespace cts::conv3d_domain
