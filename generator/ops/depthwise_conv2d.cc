// DEPTHWISE_CONV2D.
#include "generator/ops/convolution.h"

namespace cts::depthwise_conv2d_domain {
namespace {

struct Geometry {
  Shape output;                           // N, OH, OW, C * M
  std::vector<int64_t> kernel;            // KH, KW
  int64_t multiplier;                     // M
  std::vector<int64_t> stride, dilation;  // y, x
  std::vector<int64_t> pad;               // top, bottom, left, right
  Shape input;                            // of the sizes that make the output's come out exactly
};

Geometry GeometryOf(const Labels& labels) {
  const Shape size = ParseShape(labels["output"]);  // N, OH, OW, C, M
  Geometry g{{size[0], size[1], size[2], size[3] * size[4]},
             ParseShape(labels["kernel"]),
             size[4],
             ParseShape(labels["stride"]),
             ParseShape(labels["dilation"]),
             ParseNumbers(labels["pad"]),
             {}};
  g.input = {size[0]};
  for (size_t axis = 0; axis < 2; ++axis) {
    g.input.push_back((g.output[1 + axis] - 1) * g.stride[axis] + 1 +
                      (g.kernel[axis] - 1) * g.dilation[axis] - g.pad[2 * axis] -
                      g.pad[2 * axis + 1]);
  }
  g.input.push_back(size[3]);
  return g;
}

constexpr char kFull[] = "127x260", kSmall[] = "1x1x2x2x1";  // see FullSum
// See WholeSums.
constexpr char kSummed[] = "5x7", kSummedAxis[] = "output", kSummedBy[] = "251x1x1x1x4";

std::vector<Axis> Axes(const Setting& setting) {
  const bool is_float = IsFloat(setting.Type("in_t"));
  std::vector<Axis> axes;
  // N, OH, OW, C, M. MIN_DOT_PRODUCTS of appendix A: at least 1000 results.
  axes.push_back({"output", "o",
                  is_float ? std::vector<std::string>{"1x16x16x4x1", "2x9x10x3x2"}
                           : std::vector<std::string>{"1x4x5x3x2", "2x3x1x4x1", "1x7x6x1x3"},
                  is_float
                      ? std::vector<std::string>{"1x32x32x1x1", "251x1x1x1x4", "4x1x3x13x7"}
                      : std::vector<std::string>{"7x1x1x5x1", "2x9x8x4x4", "1x17x33x2x1", kSmall}});
  axes.push_back({"kernel", "k", {"3x3", "1x1", "2x5"}, {"1x7", "5x1"}});
  axes.back().more.push_back(IsNarrowFloat(setting) ? "5x7" : "16x16");
  if (setting.Type("in_t") == DType::kFp32 && !setting.Takes("local_bound")) {
    axes.back().more.push_back(kSummed);
  }
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
  if (g.input[1] < 1 || g.input[2] < 1) return false;
  double share = 1;
  for (size_t axis = 0; axis < 2; ++axis) {
    share *= ShareThatSees(g.output[1 + axis], g.stride[axis], g.pad[2 * axis], g.kernel[axis],
                           g.dilation[axis], g.input[1 + axis]);
  }
  if (share < kLeastShare) return false;
  const int64_t kernel_size = ElementCount(g.kernel);
  return IsSmall(kernel_size, ElementCount(g.input), kernel_size * g.output[3]);
}

CaseDraft Build(const Choice& choice) {
  const Geometry g = GeometryOf(choice.labels);
  ConvolutionShapes shapes;
  shapes.input = g.input;
  shapes.weight = {g.kernel[0], g.kernel[1], g.input[3], g.multiplier};
  shapes.bias = {choice["bias"] == "1" ? 1 : g.output[3]};
  shapes.kernel_size = g.kernel[0] * g.kernel[1];
  shapes.input_channels = g.input[3];
  shapes.weight_channels = g.output[3];

  CaseDraft draft;
  SetConvolutionOperands(choice, shapes, DepthwiseConv2dInput, DepthwiseConv2dWeight, draft);
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
  draft = At(draft, {{"output", is_y ? StrCat("1x", size, "x1x2x1") : StrCat("1x1x", size, "x2x1")},
                     {"kernel", "1x1"},
                     {"stride", is_y ? "1024x1" : "1x1024"},
                     {"pad", StrCat(pad[0], "-", pad[1], "-", pad[2], "-", pad[3])}});
}

template <bool kIsY>
void KernelAtLimit(const Setting& setting, CaseDraft& draft) {
  const int64_t limit = Limit(setting, "MAX_KERNEL");
  draft = At(draft, {{"output", "1x3x3x2x1"},
                     {"kernel", kIsY ? StrCat(limit, "x1") : StrCat("1x", limit, "")}});
}

// A dilation times a kernel of two.
template <bool kIsY>
void DilationAtLimit(const Setting& setting, CaseDraft& draft) {
  const int64_t half = Limit(setting, "MAX_KERNEL") / 2;
  draft = At(draft, {{"output", "1x3x3x2x1"},
                     {"kernel", kIsY ? "2x1" : "1x2"},
                     {"dilation", kIsY ? StrCat(half, "x1") : StrCat("1x", half)}});
}

template <bool kIsY>
void StrideAtLimit(const Setting& setting, CaseDraft& draft) {
  const int64_t limit = Limit(setting, "MAX_STRIDE");
  draft = At(draft, {{"output", kIsY ? "1x3x2x2x1" : "1x2x3x2x1"},
                     {"kernel", "2x1"},
                     {"stride", kIsY ? StrCat(limit, "x1") : StrCat("1x", limit)}});
}

}  // namespace

Domain DepthwiseConv2dDomain() {
  const Labels pointwise = {{"kernel", "1x1"}, {"bias", "oc"}};
  const Labels strided = {{"kernel", "1x1"}, {"stride", "2x3"}};
  return {Axes,
          {{{"output", "kernel", "stride", "pad", "dilation"}, kInputDimension, Allowed},
           RandomKernel(),
           OneBiasForAll(),
           WeightsForSpecials<kOutputAxis, 3>(),
           WholeSums<kSummed, kSummedAxis, kSummedBy, kPadAxis>(),
           FullSum<kFull, kSmall>()},
          Build,
          {{"depthwise_conv2d.input_zp", pointwise, InputIsNotI8, SetInputZeroPoint},
           {"depthwise_conv2d.weight_zp", pointwise, WeightIsNotI8, SetWeightZeroPoint},
           {"depthwise_conv2d.pad_negative", pointwise, nullptr, NegativePad<1>},
           {"depthwise_conv2d.pad_negative", pointwise, nullptr, NegativePad<2>},
           {"depthwise_conv2d.pad_negative", pointwise, nullptr, NegativePad<0>},
           {"depthwise_conv2d.pad_negative", pointwise, nullptr, NegativePad<3>},
           {"depthwise_conv2d.stride_below_one", pointwise, nullptr, SetStrideOfOnePosition<0, -1>},
           {"depthwise_conv2d.stride_below_one", pointwise, nullptr, SetStride<1, 0>},
           {"depthwise_conv2d.stride_below_one", pointwise, nullptr, SetStride<0, 0>},
           // With a kernel of 1 the dilation has no part in the output's size.
           {"depthwise_conv2d.dilation_below_one", pointwise, nullptr, SetDilation<0, 0>},
           {"depthwise_conv2d.dilation_below_one", pointwise, nullptr, SetDilation<1, 0>},
           {"depthwise_conv2d.output_height", pointwise, nullptr, EnlargeOutput<1>},
           {"depthwise_conv2d.output_height", pointwise, nullptr, EnlargeOutput<1, -1>},
           {"depthwise_conv2d.output_height", strided, nullptr, EnlargeInput<1>},  // not divisible
           {"depthwise_conv2d.output_width", pointwise, nullptr, EnlargeOutput<2>},
           {"depthwise_conv2d.output_width", pointwise, nullptr, EnlargeOutput<2, -1>},
           {"depthwise_conv2d.output_width", strided, nullptr, EnlargeInput<2>},
           {"depthwise_conv2d.bias_channels", pointwise, nullptr, OtherBiasChannels},
           {"depthwise_conv2d.bias_channels", pointwise, nullptr, FewerBiasChannels},
           // The output has C * M channels by its argument's shape.
           {"graph.shape", {{"bias", "1"}}, nullptr, EnlargeOutput<3>}},
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

}  // namespace cts::depthwise_conv2d_domain
