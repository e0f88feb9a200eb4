// TRANSPOSE_CONV2D.
#include "generator/ops/convolution.h"

namespace cts {
namespace {

struct Geometry {
  Shape input;                   // N, IH, IW, IC
  Shape weight;                  // OC, KH, KW, IC
  std::vector<int64_t> stride;   // y, x
  std::vector<int64_t> out_pad;  // top, bottom, left, right; negative ones crop
  Shape output;
};

Geometry GeometryOf(const Labels& labels) {
  const Shape size = ParseShape(labels["size"]), kernel = ParseShape(labels["kernel"]);
  Geometry g{{size[0], size[1], size[2], kernel[2]},
             {size[3], kernel[0], kernel[1], kernel[2]},
             ParseShape(labels["stride"]),
             ParseNumbers(labels["out_pad"]),
             {}};
  g.output = {size[0]};
  for (size_t axis = 0; axis < 2; ++axis) {
    g.output.push_back((size[1 + axis] - 1) * g.stride[axis] + g.out_pad[2 * axis] +
                       g.out_pad[2 * axis + 1] + kernel[axis]);
  }
  g.output.push_back(size[3]);
  return g;
}

std::vector<Axis> Axes(const Setting& setting) {
  const bool is_float = IsFloat(setting.Type("in_t"));
  std::vector<Axis> axes;
  // N, IH, IW, OC. MIN_DOT_PRODUCTS of appendix A: at least 1000 results, also of what the negative
  // pads leave.
  axes.push_back({"size", "i",
                  is_float ? std::vector<std::string>{"1x18x17x5", "2x12x11x6"}
                           : std::vector<std::string>{"1x4x5x3", "2x3x2x4", "1x7x6x1"}});
  axes.push_back({"kernel", "k", {"3x3x3", "1x1x5", "2x5x1"}});
  axes.push_back({"stride", "s", {"1x1", "2x1", "2x3"}});
  axes.push_back({"out_pad", "p", {"0-0-0-0", "1-0-2-1", "m1-0-m2-m1", "0-m1-1-m1"}});
  AddConvolutionAxes(setting, axes);
  return axes;
}

bool Allowed(const Setting&, const Labels& labels) {
  const Geometry g = GeometryOf(labels);
  for (size_t side = 0; side < 4; ++side) {
    if (g.out_pad[side] <= -g.weight[1 + side / 2]) return false;
  }
  return g.output[1] >= 1 && g.output[2] >= 1;
}

Draft Build(const Choice& choice) {
  const Geometry g = GeometryOf(choice.labels);
  ConvolutionShapes shapes;
  shapes.input = g.input;
  shapes.weight = g.weight;
  shapes.bias = {choice["bias"] == "1" ? 1 : g.output[3]};
  shapes.kernel_size = g.weight[1] * g.weight[2] * g.weight[3];

  Draft draft;
  SetConvolutionOperands(choice, shapes, Conv2dInput, Conv2dWeight, draft);
  draft.Set("out_pad", g.out_pad);
  draft.Set("stride", g.stride);
  draft.output_shape = g.output;
  return draft;
}

// Crops the whole kernel, which is 1, on one side.
template <int kPad>
void CropKernel(const Setting&, Draft& draft) {
  List(draft, "out_pad")[kPad] -= 1;
  draft.output_shape[1 + kPad / 2] -= 1;
}

}  // namespace

Domain TransposeConv2dDomain() {
  const Labels pointwise = {
      {"kernel", "1x1x5"}, {"stride", "1x1"}, {"out_pad", "0-0-0-0"}, {"bias", "oc"}};
  return {Axes,
          {{{"size", "kernel", "stride", "out_pad"},
            "transpose_conv2d.out_pad or an output of no elements",
            Allowed}},
          Build,
          {{"transpose_conv2d.input_zp", pointwise, InputIsNotI8, SetInputZeroPoint},
           {"transpose_conv2d.weight_zp", pointwise, WeightIsNotI8, SetWeightZeroPoint},
           {"transpose_conv2d.out_pad_y", pointwise, nullptr, CropKernel<0>},
           {"transpose_conv2d.out_pad_y", pointwise, nullptr, CropKernel<1>},
           {"transpose_conv2d.out_pad_x", pointwise, nullptr, CropKernel<2>},
           {"transpose_conv2d.out_pad_x", pointwise, nullptr, CropKernel<3>},
           {"transpose_conv2d.stride_below_one", pointwise, nullptr, SetStride<0, 0>},
           {"transpose_conv2d.stride_below_one", pointwise, nullptr, SetStride<1, -1>},
           {"transpose_conv2d.output_height", pointwise, nullptr, EnlargeOutput<1>},
           {"transpose_conv2d.output_width", pointwise, nullptr, EnlargeOutput<2>},
           {"transpose_conv2d.bias_channels", pointwise, nullptr, OtherBiasChannels}}};
}

}  // namespace cts
