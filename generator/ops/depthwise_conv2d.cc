// DEPTHWISE_CONV2D.
#include "generator/ops/convolution.h"

namespace cts {
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

std::vector<Axis> Axes(const Setting& setting) {
  const bool is_float = IsFloat(setting.Type("in_t"));
  std::vector<Axis> axes;
  // N, OH, OW, C, M. MIN_DOT_PRODUCTS of appendix A: at least 1000 results.
  axes.push_back({"output", "o",
                  is_float ? std::vector<std::string>{"1x16x16x4x1", "2x9x10x3x2"}
                           : std::vector<std::string>{"1x4x5x3x2", "2x3x1x4x1", "1x7x6x1x3"}});
  axes.push_back({"kernel", "k", {"3x3", "1x1", "2x5"}});
  axes.push_back({"stride", "s", {"1x1", "2x1", "2x3"}});
  axes.push_back({"pad", "p", {"0-0-0-0", "1-0-1-1", "0-1-2-0"}});
  axes.push_back({"dilation", "d", {"1x1", "2x3"}});
  AddConvolutionAxes(setting, axes);
  return axes;
}

bool Allowed(const Setting&, const Labels& labels) {
  const Geometry g = GeometryOf(labels);
  return g.input[1] >= 1 && g.input[2] >= 1;
}

Draft Build(const Choice& choice) {
  const Geometry g = GeometryOf(choice.labels);
  ConvolutionShapes shapes;
  shapes.input = g.input;
  shapes.weight = {g.kernel[0], g.kernel[1], g.input[3], g.multiplier};
  shapes.bias = {choice["bias"] == "1" ? 1 : g.output[3]};
  shapes.kernel_size = g.kernel[0] * g.kernel[1];

  Draft draft;
  SetConvolutionOperands(choice, shapes, DepthwiseConv2dInput, DepthwiseConv2dWeight, draft);
  draft.Set("pad", g.pad);
  draft.Set("stride", g.stride);
  draft.Set("dilation", g.dilation);
  draft.output_shape = g.output;
  return draft;
}

}  // namespace

Domain DepthwiseConv2dDomain() {
  const Labels pointwise = {{"kernel", "1x1"}, {"bias", "oc"}};
  return {Axes,
          {{{"output", "kernel", "stride", "pad", "dilation"}, kInputDimension, Allowed},
           {{"kernel", "data"},
            "S2 and S3 have nothing random in a kernel of one",
            [](const Setting&, const Labels& labels) {
              return labels["kernel"] != "1x1" ||
                     (labels["data"] != "S2" && labels["data"] != "S3");
            }}},
          Build,
          {{"depthwise_conv2d.input_zp", pointwise, InputIsNotI8, SetInputZeroPoint},
           {"depthwise_conv2d.weight_zp", pointwise, WeightIsNotI8, SetWeightZeroPoint},
           {"depthwise_conv2d.pad_negative", pointwise, nullptr, NegativePad<1>},
           {"depthwise_conv2d.pad_negative", pointwise, nullptr, NegativePad<2>},
           {"depthwise_conv2d.stride_below_one", pointwise, nullptr, SetStride<0, -1>},
           {"depthwise_conv2d.stride_below_one", pointwise, nullptr, SetStride<1, 0>},
           // With a kernel of 1 the dilation has no part in the output's size.
           {"depthwise_conv2d.dilation_below_one", pointwise, nullptr, SetDilation<0, 0>},
           {"depthwise_conv2d.output_height", pointwise, nullptr, EnlargeOutput<1>},
           {"depthwise_conv2d.output_width", pointwise, nullptr, EnlargeOutput<2>},
           {"depthwise_conv2d.bias_channels", pointwise, nullptr, OtherBiasChannels},
           // The output has C * M channels by its argument's shape.
           {"graph.shape", {{"bias", "1"}}, nullptr, EnlargeOutput<3>}}};
}

}  // namespace cts
