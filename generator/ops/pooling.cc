// AVG_POOL2D and MAX_POOL2D.
#include "generator/ops/convolution.h"

namespace cts {
namespace {

struct Geometry {
  Shape output;                         // N, OH, OW, C
  std::vector<int64_t> kernel, stride;  // y, x
  std::vector<int64_t> pad;             // top, bottom, left, right
  Shape input;                          // of the sizes that make the output's come out exactly
};

Geometry GeometryOf(const Labels& labels) {
  Geometry g{ParseShape(labels["output"]),
             ParseShape(labels["kernel"]),
             ParseShape(labels["stride"]),
             ParseNumbers(labels["pad"]),
             {}};
  g.input = {g.output[0]};
  for (size_t axis = 0; axis < 2; ++axis) {
    g.input.push_back((g.output[1 + axis] - 1) * g.stride[axis] + g.kernel[axis] - g.pad[2 * axis] -
                      g.pad[2 * axis + 1]);
  }
  g.input.push_back(g.output[3]);
  return g;
}

// 7 x 9 elements are more than fp8 and a narrow reciprocal count exactly.
void AddWindowAxes(bool many_outputs, std::vector<Axis>& axes) {
  axes.push_back({"output", "o",
                  many_outputs ? std::vector<std::string>{"1x16x16x4", "2x9x10x6"}
                               : std::vector<std::string>{"1x4x5x3", "2x3x7x4", "1x7x6x1"}});
  axes.push_back({"kernel", "k", {"3x3", "1x1", "2x5", "7x9"}});
  axes.push_back({"stride", "s", {"1x1", "2x1", "2x3"}});
  axes.push_back({"pad", "p", {"0-0-0-0", "1-0-1-1", "0-1-2-0", "6-5-8-7"}});
}

bool PadWithinKernel(const Setting&, const Labels& labels) {
  const std::vector<int64_t> pad = ParseNumbers(labels["pad"]);
  const Shape kernel = ParseShape(labels["kernel"]);
  for (size_t side = 0; side < 4; ++side) {
    if (pad[side] >= kernel[side / 2]) return false;
  }
  return true;
}

bool Allowed(const Setting&, const Labels& labels) {
  const Geometry g = GeometryOf(labels);
  return g.input[1] >= 1 && g.input[2] >= 1;
}

std::vector<Constraint> Constraints(std::string_view pad) {
  return {{{"kernel", "pad"}, pad, PadWithinKernel},
          {{"output", "kernel", "stride", "pad"}, kInputDimension, Allowed}};
}

// What both operators have.
Draft Window(const Geometry& g, DType in_out_t) {
  Draft draft;
  draft.Set("kernel", g.kernel);
  draft.Set("stride", g.stride);
  draft.Set("pad", g.pad);
  draft.output_type = in_out_t;
  draft.output_shape = g.output;
  return draft;
}

std::vector<Axis> AvgAxes(const Setting& setting) {
  const DType in_out_t = setting.Type("in_out_t");
  std::vector<Axis> axes;
  // MIN_DOT_PRODUCTS of appendix A: at least 1000 results.
  AddWindowAxes(IsFloat(in_out_t), axes);
  AddZeroPointAxis(in_out_t, axes);
  axes.push_back({"data", "", DotProductDataSets(in_out_t)});
  return axes;
}

Draft BuildAvg(const Choice& choice) {
  const Geometry g = GeometryOf(choice.labels);
  const DType in_out_t = choice.Type("in_out_t"), acc_t = choice.Type("acc_t");
  Draft draft = Window(g, in_out_t);
  if (const int s = DotProductSetNumber(choice.data_set()); s >= 0) {
    DotProductSet set(choice.setting.edition->id, s, g.kernel[0] * g.kernel[1], in_out_t, in_out_t,
                      acc_t);
    draft.Input("input", AvgPool2dInput(set, in_out_t, g.input, g.kernel));
  } else {
    draft.Input("input", Filled(choice, "input", in_out_t, g.input));
  }
  // Not far from each other, so that few results are clipped.
  const std::string& zp = choice["zero_point"];
  draft.Set("input_zp", int64_t{zp == "lo" ? -128 : zp == "hi" ? 127 : 0});
  draft.Set("output_zp", int64_t{zp == "lo" ? -100 : zp == "hi" ? 90 : 0});
  draft.Set("acc_type", AccumulatorName(acc_t));
  return draft;
}

std::vector<Axis> MaxAxes(const Setting& setting) {
  std::vector<Axis> axes;
  AddWindowAxes(false, axes);
  AddNanModeAxis(setting, setting.Type("in_out_t"), axes);
  axes.push_back({"data", "", {"full-range", "special"}});
  return axes;
}

Draft BuildMax(const Choice& choice) {
  const Geometry g = GeometryOf(choice.labels);
  const DType in_out_t = choice.Type("in_out_t");
  Draft draft = Window(g, in_out_t);
  draft.Input("input", Filled(choice, "input", in_out_t, g.input));
  SetNanMode(choice, draft);
  return draft;
}

// A kernel size that is none, and the input's axis as much smaller. The pads are zero: they would
// reach it.
template <int kAxis, int kSize>
void SetKernel(const Setting&, Draft& draft) {
  int64_t& kernel = List(draft, "kernel")[kAxis];
  Shape shape = draft.tensor("input").shape();
  shape[1 + kAxis] += kSize - kernel;
  kernel = kSize;
  Reshape(draft.tensor("input"), shape);
}

// A pad as large as the kernel, which is 1.
template <int kPad>
void PadWholeKernel(const Setting&, Draft& draft) {
  ReplacePad<kPad>(draft, 1);
}

// The breakers of the conditions that both operators have, under their own ids.
#define CTS_POOLING_BREAKERS(prefix)                                      \
  {prefix ".kernel_below_one", pointwise, nullptr, SetKernel<0, 0>},      \
      {prefix ".kernel_below_one", pointwise, nullptr, SetKernel<1, -1>}, \
      {prefix ".stride_below_one", pointwise, nullptr, SetStride<0, 0>},  \
      {prefix ".stride_below_one", pointwise, nullptr, SetStride<1, -1>}, \
      {prefix ".pad_negative", pointwise, nullptr, NegativePad<0>},       \
      {prefix ".pad_negative", pointwise, nullptr, NegativePad<3>},       \
      {prefix ".pad_x", pointwise, nullptr, PadWholeKernel<2>},           \
      {prefix ".pad_x", pointwise, nullptr, PadWholeKernel<3>},           \
      {prefix ".pad_y", pointwise, nullptr, PadWholeKernel<0>},           \
      {prefix ".pad_y", pointwise, nullptr, PadWholeKernel<1>},           \
      {prefix ".output_height", pointwise, nullptr, EnlargeOutput<1>}, {  \
    prefix ".output_width", pointwise, nullptr, EnlargeOutput<2>          \
  }

bool NotI8(const Setting& s) { return s.Type("in_out_t") != DType::kI8; }

const Labels& Pointwise() {
  static const Labels labels = {{"kernel", "1x1"}, {"stride", "1x1"}, {"pad", "0-0-0-0"}};
  return labels;
}

}  // namespace

Domain AvgPool2dDomain() {
  const Labels& pointwise = Pointwise();
  return {AvgAxes,
          Constraints("avg_pool2d.pad_x or avg_pool2d.pad_y"),
          BuildAvg,
          {{"avg_pool2d.input_zp", pointwise, NotI8, SetInputZeroPoint},
           {"avg_pool2d.output_zp", pointwise, NotI8,
            [](const Setting&, Draft& d) { d.Set("output_zp", int64_t{1}); }},
           CTS_POOLING_BREAKERS("avg_pool2d")}};
}

Domain MaxPool2dDomain() {
  const Labels& pointwise = Pointwise();
  return {MaxAxes,
          Constraints("max_pool2d.pad_x or max_pool2d.pad_y"),
          BuildMax,
          {CTS_POOLING_BREAKERS("max_pool2d")}};
}

}  // namespace cts
