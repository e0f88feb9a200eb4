// CONV2D.
#include "generator/ops/convolution.h"

namespace cts::conv2d_domain {
namespace {

struct Geometry {
  Shape output;                           // N, OH, OW, OC
  std::vector<int64_t> kernel;            // KH, KW, IC
  std::vector<int64_t> stride, dilation;  // y, x
  std::vector<int64_t> pad;               // top, bottom, left, right
  int64_t height, width;                  // IH, IW: what makes the output's sizes come out exactly
};

Geometry GeometryOf(const Labels& labels) {
  Geometry g{ParseShape(labels["output"]),
             ParseShape(labels["kernel"]),
             ParseShape(labels["stride"]),
             ParseShape(labels["dilation"]),
             ParseNumbers(labels["pad"]),
             0,
             0};
  g.height =
      (g.output[1] - 1) * g.stride[0] + 1 + (g.kernel[0] - 1) * g.dilation[0] - g.pad[0] - g.pad[1];
  g.width =
      (g.output[2] - 1) * g.stride[1] + 1 + (g.kernel[1] - 1) * g.dilation[1] - g.pad[2] - g.pad[3];
  return g;
}

constexpr char kFull[] = "1x1x33025", kSmall[] = "1x1x2x3";  // see FullSum
// See WholeSums.
constexpr char kSummed[] = "1x1x21", kSummedAxis[] = "stride", kSummedBy[] = "1x1";

std::vector<Axis> Axes(const Setting& setting) {
  const bool is_float = IsFloat(setting.Type("in_t"));
  std::vector<Axis> axes;
  // MIN_DOT_PRODUCTS of appendix A: at least 1000 results.
  axes.push_back({"output", "o",
                  is_float ? std::vector<std::string>{"1x16x16x4", "2x9x10x6"}
                           : std::vector<std::string>{"1x4x5x3", "2x3x1x4", "1x7x6x1"},
                  is_float ? std::vector<std::string>{"1x32x32x1", "251x1x1x4", "4x1x3x89"}
                           : std::vector<std::string>{"7x1x1x5", "2x9x8x16", "1x17x33x2", kSmall}});
  axes.push_back({"kernel", "k", {"3x3x3", "1x1x5", "2x5x1"}, {"1x1x1", "1x7x2", "5x1x4"}});
  if (!IsNarrowFloat(setting)) axes.back().more.push_back("8x8x16");
  // More than one vector of channels, and a rest.
  if (is_float) axes.back().more.push_back("1x1x21");
  if (!is_float) axes.back().more.push_back(kFull);
  axes.push_back({"stride", "s", {"1x1", "2x1", "2x3"}, {"1x4", "5x4"}});
  // Some reach beyond the kernel.
  axes.push_back(
      {"pad", "p", {"0-0-0-0", "1-0-1-1", "0-1-2-0"}, {"1-1-1-1", "0-0-0-5", "6-4-0-3"}});
  axes.push_back({"dilation", "d", {"1x1", "2x3"}, {"1x2", "4x1"}});
  AddConvolutionAxes(setting, axes);
  return axes;
}

bool Allowed(const Setting&, const Labels& labels) {
  const Geometry g = GeometryOf(labels);
  if (g.height < 1 || g.width < 1) return false;
  const double share =
      ShareThatSees(g.output[1], g.stride[0], g.pad[0], g.kernel[0], g.dilation[0], g.height) *
      ShareThatSees(g.output[2], g.stride[1], g.pad[2], g.kernel[1], g.dilation[1], g.width);
  if (share < kLeastShare) return false;
  const int64_t kernel_size = ElementCount(g.kernel);
  return IsSmall(kernel_size, g.output[0] * g.height * g.width * g.kernel[2],
                 g.output[3] * kernel_size);
}

CaseDraft Build(const Choice& choice) {
  const Geometry g = GeometryOf(choice.labels);
  const int64_t oc = g.output[3];
  ConvolutionShapes shapes;
  shapes.input = {g.output[0], g.height, g.width, g.kernel[2]};
  shapes.weight = {oc, g.kernel[0], g.kernel[1], g.kernel[2]};
  shapes.bias = {choice["bias"] == "1" ? 1 : oc};
  shapes.kernel_size = g.kernel[0] * g.kernel[1] * g.kernel[2];

  CaseDraft draft;
  SetConvolutionOperands(choice, shapes, Conv2dInput, Conv2dWeight, draft);
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

template <int kPad>
void PadAtLimit(const Setting& setting, CaseDraft& draft) {
  // The stride passes over most of the padding.
  const int64_t limit = Limit(setting, "MAX_KERNEL"), size = limit / 1024 + 4;
  std::vector<std::string> pad(4, "0");
  pad[kPad] = StrCat(limit);
  const bool is_y = kPad < 2;
  draft = At(draft, {{"output", is_y ? StrCat("1x", size, "x1x2") : StrCat("1x1x", size, "x2")},
                     {"kernel", "1x1x2"},
                     {"stride", is_y ? "1024x1" : "1x1024"},
                     {"pad", StrCat(pad[0], "-", pad[1], "-", pad[2], "-", pad[3])}});
}

template <bool kIsY>
void KernelAtLimit(const Setting& setting, CaseDraft& draft) {
  const int64_t limit = Limit(setting, "MAX_KERNEL");
  draft = At(draft, {{"output", "1x3x3x2"},
                     {"kernel", kIsY ? StrCat(limit, "x1x2") : StrCat("1x", limit, "x2")}});
}

// A dilation times a kernel of two.
template <bool kIsY>
void DilationAtLimit(const Setting& setting, CaseDraft& draft) {
  const int64_t half = Limit(setting, "MAX_KERNEL") / 2;
  draft = At(draft, {{"output", "1x3x3x2"},
                     {"kernel", kIsY ? "2x1x2" : "1x2x2"},
                     {"dilation", kIsY ? StrCat(half, "x1") : StrCat("1x", half)}});
}

template <bool kIsY>
void StrideAtLimit(const Setting& setting, CaseDraft& draft) {
  const int64_t limit = Limit(setting, "MAX_STRIDE");
  draft = At(draft, {{"output", kIsY ? "1x3x2x2" : "1x2x3x2"},
                     {"kernel", "2x1x2"},
                     {"stride", kIsY ? StrCat(limit, "x1") : StrCat("1x", limit)}});
}

}  // namespace

Domain Conv2dDomain() {
  const Labels pointwise = {{"kernel", "1x1x5"}, {"bias", "oc"}};
  const Labels strided = {{"kernel", "1x1x5"}, {"stride", "2x3"}};
  return {Axes,
          {{{"output", "kernel", "stride", "pad", "dilation"}, kInputDimension, Allowed},
           RandomKernel(),
           OneBiasForAll(),
           WeightsForSpecials<kOutputAxis, 3>(),
           WholeSums<kSummed, kSummedAxis, kSummedBy, kPadAxis>(),
           FullSum<kFull, kSmall>()},
          Build,
          {{"conv2d.input_zp", pointwise, InputIsNotI8, SetInputZeroPoint},
           {"conv2d.weight_zp", pointwise, WeightIsNotI8, SetWeightZeroPoint},
           {"conv2d.pad_negative", pointwise, nullptr, NegativePad<0>},
           {"conv2d.pad_negative", pointwise, nullptr, NegativePad<3>},
           {"conv2d.pad_negative", pointwise, nullptr, NegativePad<1>},
           {"conv2d.pad_negative", pointwise, nullptr, NegativePad<2>},
           {"conv2d.stride_below_one", pointwise, nullptr, SetStride<0, 0>},
           {"conv2d.stride_below_one", pointwise, nullptr, SetStrideOfOnePosition<1, -1>},
           {"conv2d.stride_below_one", pointwise, nullptr, SetStride<1, 0>},
           // With a kernel of 1 the dilation has no part in the output's size.
           {"conv2d.dilation_below_one", pointwise, nullptr, SetDilation<1, 0>},
           {"conv2d.dilation_below_one", pointwise, nullptr, SetDilation<0, 0>},
           {"conv2d.output_height", pointwise, nullptr, EnlargeOutput<1>},
           {"conv2d.output_height", pointwise, nullptr, EnlargeOutput<1, -1>},
           {"conv2d.output_height", strided, nullptr, EnlargeInput<1>},  // does not divide
           {"conv2d.output_width", pointwise, nullptr, EnlargeOutput<2>},
           {"conv2d.output_width", pointwise, nullptr, EnlargeOutput<2, -1>},
           {"conv2d.output_width", strided, nullptr, EnlargeInput<2>},
           {"conv2d.bias_channels", pointwise, nullptr, OtherBiasChannels},
           {"conv2d.bias_channels", pointwise, nullptr, FewerBiasChannels}},
          {{"MAX_KERNEL", "kernel_y", {}, IsI8OrFp32, KernelAtLimit<true>},
           {"MAX_KERNEL", "kernel_x", {}, IsI8OrFp32, KernelAtLimit<false>},
           {"MAX_KERNEL", "dilation_y", {}, IsI8OrFp32, DilationAtLimit<true>},
           {"MAX_KERNEL", "dilation_x", {}, IsI8OrFp32, DilationAtLimit<false>},
           {"MAX_KERNEL", "pad_top", {}, IsI8OrFp32, PadAtLimit<0>},
           {"MAX_KERNEL", "pad_bottom", {}, IsI8OrFp32, PadAtLimit<1>},
           {"MAX_KERNEL", "pad_left", {}, IsI8OrFp32, PadAtLimit<2>},
           {"MAX_KERNEL", "pad_right", {}, IsI8OrFp32, PadAtLimit<3>},
           {"MAX_STRIDE", "stride_y", {}, IsI8OrFp32, StrideAtLimit<true>},
           {"MAX_STRIDE", "stride_x", {}, IsI8OrFp32, StrideAtLimit<false>}}};
}

}  // namespace cts::conv2d_domain
