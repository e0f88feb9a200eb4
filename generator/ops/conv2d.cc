// CONV2D.
#include "generator/ops/convolution.h"

namespace cts {
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

std::vector<Axis> Axes(const Setting& setting) {
  const bool is_float = IsFloat(setting.Type("in_t"));
  std::vector<Axis> axes;
  // MIN_DOT_PRODUCTS of appendix A: at least 1000 results.
  axes.push_back({"output", "o",
                  is_float ? std::vector<std::string>{"1x16x16x4", "2x9x10x6"}
                           : std::vector<std::string>{"1x4x5x3", "2x3x1x4", "1x7x6x1"}});
  axes.push_back({"kernel", "k", {"3x3x3", "1x1x5", "2x5x1"}});
  axes.push_back({"stride", "s", {"1x1", "2x1", "2x3"}});
  axes.push_back({"pad", "p", {"0-0-0-0", "1-0-1-1", "0-1-2-0"}});
  axes.push_back({"dilation", "d", {"1x1", "2x3"}});
  AddConvolutionAxes(setting, axes);
  return axes;
}

bool Allowed(const Setting&, const Labels& labels) {
  const Geometry g = GeometryOf(labels);
  return g.height >= 1 && g.width >= 1;
}

Draft Build(const Choice& choice) {
  const Geometry g = GeometryOf(choice.labels);
  const int64_t oc = g.output[3];
  ConvolutionShapes shapes;
  shapes.input = {g.output[0], g.height, g.width, g.kernel[2]};
  shapes.weight = {oc, g.kernel[0], g.kernel[1], g.kernel[2]};
  shapes.bias = {choice["bias"] == "1" ? 1 : oc};
  shapes.kernel_size = g.kernel[0] * g.kernel[1] * g.kernel[2];

  Draft draft;
  SetConvolutionOperands(choice, shapes, Conv2dInput, Conv2dWeight, draft);
  draft.Set("pad", g.pad);
  draft.Set("stride", g.stride);
  draft.Set("dilation", g.dilation);
  draft.output_shape = g.output;
  return draft;
}

}  // namespace

Domain Conv2dDomain() {
  const Labels pointwise = {{"kernel", "1x1x5"}, {"bias", "oc"}};
  return {Axes,
          {{{"output", "kernel", "stride", "pad", "dilation"}, kInputDimension, Allowed}},
          Build,
          {{"conv2d.input_zp", pointwise, InputIsNotI8, SetInputZeroPoint},
           {"conv2d.weight_zp", pointwise, WeightIsNotI8, SetWeightZeroPoint},
           {"conv2d.pad_negative", pointwise, nullptr, NegativePad<0>},
           {"conv2d.pad_negative", pointwise, nullptr, NegativePad<3>},
           {"conv2d.stride_below_one", pointwise, nullptr, SetStride<0, 0>},
           {"conv2d.stride_below_one", pointwise, nullptr, SetStride<1, -1>},
           // With a kernel of 1 the dilation has no part in the output's size.
           {"conv2d.dilation_below_one", pointwise, nullptr, SetDilation<1, 0>},
           {"conv2d.output_height", pointwise, nullptr, EnlargeOutput<1>},
           {"conv2d.output_width", pointwise, nullptr, EnlargeOutput<2>},
           {"conv2d.bias_channels", pointwise, nullptr, OtherBiasChannels}}};
}

}  // namespace cts
