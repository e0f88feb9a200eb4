// CONV2D.
#include "generator/ops/domain.h"

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
  axes.push_back({"bias", "b", {"oc", "1"}});
  axes.push_back({"weight", "w", {"run", "const"}});
  if (setting.Takes("local_bound")) axes.push_back({"local_bound", "lb", {"no", "yes"}});
  if (setting.Type("in_t") == DType::kI8) axes.push_back({"zero_point", "z", {"0", "lo", "hi"}});
  axes.push_back({"data", "",
                  is_float ? std::vector<std::string>{"S0", "S1", "S2", "S3", "S4", "S5"}
                           : std::vector<std::string>{"full-range", "special"}});
  return axes;
}

bool Allowed(const Setting&, const Labels& labels) {
  for (std::string_view axis : {"output", "kernel", "stride", "pad", "dilation"}) {
    if (labels[axis].empty()) return true;
  }
  const Geometry g = GeometryOf(labels);
  return g.height >= 1 && g.width >= 1;
}

// A zero point at one end of i8, the other operand's at the other end.
int64_t ZeroPoint(const Choice& choice, DType type, bool input) {
  if (type != DType::kI8 || choice["zero_point"].empty() || choice["zero_point"] == "0") return 0;
  return (choice["zero_point"] == "lo") == input ? -128 : 127;
}

std::string AccumulatorName(DType acc_t) {
  switch (acc_t) {
    case DType::kI32:
      return "INT32";
    case DType::kI48:
      return "INT48";
    case DType::kFp16:
      return "FP16";
    default:
      return "FP32";
  }
}

Draft Build(const Choice& choice) {
  const Geometry g = GeometryOf(choice.labels);
  const DType in_t = choice.Type("in_t"), weight_t = choice.Type("weight_t");
  const DType out_t = choice.Type("out_t"), acc_t = choice.Type("acc_t");
  const int64_t oc = g.output[3];
  const Shape input = {g.output[0], g.height, g.width, g.kernel[2]};
  const Shape weight = {oc, g.kernel[0], g.kernel[1], g.kernel[2]};
  const Shape bias = {choice["bias"] == "1" ? 1 : oc};
  const bool constant = choice["weight"] == "const";

  Draft draft;
  if (const int s = DotProductSetNumber(choice.data_set()); s >= 0) {
    DotProductSet set(choice.setting.edition->id, s, weight[1] * weight[2] * weight[3], in_t, out_t,
                      acc_t);
    draft.Input("input", Conv2dInput(set, in_t, input, weight));
    draft.Input("weight", Conv2dWeight(set, weight_t, weight), constant);
    draft.Input("bias", Conv2dBias(set, out_t, bias), constant);
  } else {
    draft.Input("input", Filled(choice, "input", in_t, input));
    draft.Input("weight", Filled(choice, "weight", weight_t, weight), constant);
    // Half of the range leaves the sum of products the other half.
    const int64_t half = IntegerMax(out_t) / 2;
    draft.Input("bias", IntegersBetween(choice.Stream("bias"), out_t, bias, -half, half), constant);
  }
  draft.Set("input_zp", ZeroPoint(choice, in_t, true));
  draft.Set("weight_zp", ZeroPoint(choice, weight_t, false));
  draft.Set("pad", g.pad);
  draft.Set("stride", g.stride);
  draft.Set("dilation", g.dilation);
  draft.Set("acc_type", AccumulatorName(acc_t));
  if (choice["local_bound"] == "yes") draft.Set("local_bound", true);
  draft.output_type = out_t;
  draft.output_shape = g.output;
  return draft;
}

std::vector<int64_t>& List(Draft& draft, std::string_view name) {
  return std::get<std::vector<int64_t>>(
      std::get<AttributeValue>(draft.arguments.find(name)->second));
}

// Makes a pad -1 and the input as much larger.
template <int kPad>
void NegativePad(const Setting&, Draft& draft) {
  int64_t& pad = List(draft, "pad")[kPad];
  Shape shape = draft.tensor("input").shape();
  shape[1 + kPad / 2] += pad + 1;
  pad = -1;
  Reshape(draft.tensor("input"), shape);
}

}  // namespace

Domain Conv2dDomain() {
  const Labels pointwise = {{"kernel", "1x1x5"}, {"bias", "oc"}};
  return {
      Axes,
      Allowed,
      Build,
      {{"conv2d.input_zp", pointwise, [](const Setting& s) { return s.Type("in_t") != DType::kI8; },
        [](const Setting&, Draft& d) { d.Set("input_zp", int64_t{1}); }},
       {"conv2d.weight_zp", pointwise,
        [](const Setting& s) { return s.Type("weight_t") != DType::kI8; },
        [](const Setting&, Draft& d) { d.Set("weight_zp", int64_t{1}); }},
       {"conv2d.pad_negative", pointwise, nullptr, NegativePad<0>},
       {"conv2d.pad_negative", pointwise, nullptr, NegativePad<3>},
       {"conv2d.stride_below_one", pointwise, nullptr,
        [](const Setting&, Draft& d) { List(d, "stride")[0] = 0; }},
       {"conv2d.stride_below_one", pointwise, nullptr,
        [](const Setting&, Draft& d) { List(d, "stride")[1] = -1; }},
       // With a kernel of 1 the dilation has no part in the output's size.
       {"conv2d.dilation_below_one", pointwise, nullptr,
        [](const Setting&, Draft& d) { List(d, "dilation")[1] = 0; }},
       {"conv2d.output_height", pointwise, nullptr,
        [](const Setting&, Draft& d) { d.output_shape[1] += 1; }},
       {"conv2d.output_width", pointwise, nullptr,
        [](const Setting&, Draft& d) { d.output_shape[2] += 1; }},
       {"conv2d.bias_channels", pointwise, nullptr,
        [](const Setting&, Draft& d) { Reshape(d.tensor("bias"), {d.output_shape[3] + 1}); }}}};
}

}  // namespace cts
