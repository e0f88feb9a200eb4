// CONV3D.
#include "generator/ops/convolution.h"

namespace cts {
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

std::vector<Axis> Axes(const Setting& setting) {
  const bool is_float = IsFloat(setting.Type("in_t"));
  std::vector<Axis> axes;
  // MIN_DOT_PRODUCTS of appendix A: at least 1000 results.
  axes.push_back({"output", "o",
                  is_float ? std::vector<std::string>{"1x5x8x9x3", "2x7x4x5x4"}
                           : std::vector<std::string>{"1x3x4x5x3", "2x2x3x1x4", "1x4x2x3x1"}});
  axes.push_back({"kernel", "k", {"3x2x3x2", "1x1x1x5", "2x3x1x1"}});
  axes.push_back({"stride", "s", {"1x1x1", "1x2x1", "2x1x3"}});
  axes.push_back({"pad", "p", {"0-0-0-0-0-0", "1-0-0-1-1-1", "0-1-1-0-0-2"}});
  axes.push_back({"dilation", "d", {"1x1x1", "2x1x3"}});
  AddConvolutionAxes(setting, axes);
  return axes;
}

bool Allowed(const Setting&, const Labels& labels) {
  const Geometry g = GeometryOf(labels);
  return g.input[1] >= 1 && g.input[2] >= 1 && g.input[3] >= 1;
}

Draft Build(const Choice& choice) {
  const Geometry g = GeometryOf(choice.labels);
  const int64_t oc = g.output[4];
  ConvolutionShapes shapes;
  shapes.input = g.input;
  shapes.weight = {oc, g.kernel[0], g.kernel[1], g.kernel[2], g.kernel[3]};
  shapes.bias = {choice["bias"] == "1" ? 1 : oc};
  shapes.kernel_size = ElementCount(g.kernel);

  Draft draft;
  SetConvolutionOperands(choice, shapes, Conv3dInput, Conv2dWeight, draft);
  draft.Set("pad", g.pad);
  draft.Set("stride", g.stride);
  draft.Set("dilation", g.dilation);
  draft.output_shape = g.output;
  return draft;
}

}  // namespace

Domain Conv3dDomain() {
  const Labels pointwise = {{"kernel", "1x1x1x5"}, {"bias", "oc"}};
  return {Axes,
          {{{"output", "kernel", "stride", "pad", "dilation"}, kInputDimension, Allowed}},
          Build,
          {{"conv3d.input_zp", pointwise, InputIsNotI8, SetInputZeroPoint},
           {"conv3d.weight_zp", pointwise, WeightIsNotI8, SetWeightZeroPoint},
           {"conv3d.pad_negative", pointwise, nullptr, NegativePad<0>},
           {"conv3d.pad_negative", pointwise, nullptr, NegativePad<5>},
           {"conv3d.stride_below_one", pointwise, nullptr, SetStride<0, 0>},
           {"conv3d.stride_below_one", pointwise, nullptr, SetStride<2, -1>},
           // With a kernel of 1 the dilation has no part in the output's size.
           {"conv3d.dilation_below_one", pointwise, nullptr, SetDilation<0, 0>},
           {"conv3d.dilation_below_one", pointwise, nullptr, SetDilation<1, -1>},
           {"conv3d.output_depth", pointwise, nullptr, EnlargeOutput<1>},
           {"conv3d.output_height", pointwise, nullptr, EnlargeOutput<2>},
           {"conv3d.output_width", pointwise, nullptr, EnlargeOutput<3>},
           {"conv3d.bias_channels", pointwise, nullptr, OtherBiasChannels}}};
}

}  // namespace cts
