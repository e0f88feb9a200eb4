#include "generator/graphs/quantized_layers.h"

#include <algorithm>
#include <cmath>

#include "reference/numeric/elementary.h"

namespace cts::quantized {

int64_t Nearest(double x) { return static_cast<int64_t>(std::floor(x + 0.5)); }

double AnyScale(Random& random, double low, double high) {
  return static_cast<float>(low + (high - low) * random.Unit());
}

GraphBuilder::Name Rescale(GraphBuilder& builder, const Choice& choice,
                           const GraphBuilder::Name& input, const std::vector<double>& factors,
                           int64_t input_zp, int64_t output_zp, DType type,
                           GraphBuilder::Parameters parameters) {
  parameters.emplace("input_zp", input_zp);
  parameters.emplace("output_zp", output_zp);
  if (choice[kRoundingAxis] == Rounding::kScale16) parameters.emplace("scale32", false);
  const bool doubled = choice[kRoundingAxis] == Rounding::kDouble &&
                       *std::max_element(factors.begin(), factors.end()) < 0.5;
  parameters.emplace("rounding_mode", std::string(doubled ? "DOUBLE_ROUND" : "SINGLE_ROUND"));
  parameters.emplace("double_round", doubled);
  return builder.Rescale(input, factors, type, std::move(parameters));
}

void AddRoundingAxis(const Setting& setting, bool may_double, std::vector<Axis>& axes) {
  Axis axis = kRoundingAxis.With({"single", "scale16"});
  if (may_double) axis.values.push_back("double");
  const EnumSpec* const modes = setting.edition->FindEnum("rounding_mode_t");
  if (may_double && modes != nullptr) {
    for (const EnumValue& mode : modes->values) {
      if (mode.name == "DOUBLE_ROUND") axis.needs["double"] = mode.extension;
    }
  }
  AddAxis(axes, std::move(axis));
}

namespace {

// The output's scale and zero point for accumulators of the real factors. As in calibration, they
// come from the values of the accumulators. An eighth of the range at either end saturates. i16 has
// no zero point.
Quantized Calibrate(const Tensor& accumulator, const std::vector<double>& factors, DType type,
                    bool symmetric) {
  constexpr double kKept = 0.75;
  double low = 0, high = 0;
  for (int64_t i = 0; i < accumulator.size(); ++i) {
    const double value = static_cast<double>(accumulator.Integer(i)) *
                         factors[static_cast<size_t>(i) % factors.size()];
    low = std::min(low, value);
    high = std::max(high, value);
  }
  Quantized output{"", 1, 0};
  const auto steps = static_cast<double>(IntegerMax(type) - IntegerMin(type));
  if (symmetric || type != DType::kI8) {
    output.scale = static_cast<float>(2 * kKept * std::max(-low, high) / steps);
  } else {
    output.scale = static_cast<float>(kKept * (high - low) / steps);
    const double middle = (low + high) / 2 / output.scale;
    output.zero_point = std::clamp<int64_t>(Nearest(-0.5 - middle), -128, 127);
  }
  return output;
}

}  // namespace

Quantized Requantize(GraphBuilder& builder, const Choice& choice,
                     const GraphBuilder::Name& accumulator, const std::vector<double>& factors,
                     DType type) {
  const bool symmetric =
      choice.labels.Has("zero_point") && choice.labels.Is(kAnyZeroPointAxis, "0");
  Quantized output = Calibrate(builder.Values(accumulator), factors, type, symmetric);
  if (!(output.scale > 0)) output.scale = factors.front();  // all accumulators are zero
  std::vector<double> ratios = factors;
  for (double& ratio : ratios) ratio /= output.scale;
  output.name = Rescale(builder, choice, accumulator, ratios, 0, output.zero_point, type);
  return output;
}

GraphBuilder::Name Activate(GraphBuilder& builder, Activation activation, const Quantized& value) {
  if (activation == Activation::kNone) return value.name;
  const DType type = builder.TypeOf(value.name);
  int64_t most = IntegerMax(type);
  if (activation == Activation::kRelu6)
    most = std::min(most, value.zero_point + Nearest(6 / value.scale));
  return builder.Apply("CLAMP", {value.name},
                       {{"min_val", std::max(IntegerMin(type), value.zero_point)},
                        {"max_val", std::max(most, value.zero_point)}});
}

double Largest(const Tensor& tensor) {
  double largest = 1;
  for (const int64_t value : tensor.Integers()) {
    largest = std::max(largest, std::fabs(static_cast<double>(value)));
  }
  return largest;
}

std::vector<double> ProductScales(const Choice& choice, const Tensor& accumulator,
                                  int64_t channels) {
  const double largest = Largest(accumulator);
  Random random = choice.Stream("scales");
  const double input = AnyScale(random, 0.005, 0.05);
  std::vector<double> factors;
  for (int64_t c = 0; c < channels; ++c) {
    const double weight = AnyScale(random, 4 / (input * largest), 12 / (input * largest));
    factors.push_back(input * weight);  // exact: what ScaleOfProduct divides by the output's scale
  }
  return factors;
}

Accumulators Convolve(GraphBuilder& builder, const Choice& choice, std::string_view op,
                      const Quantized& input, const Shape& shape,
                      GraphBuilder::Parameters parameters, std::string_view name) {
  const std::string label = StrCat(input.name, name, "_weight");
  const GraphBuilder::Name weight =
      builder.Constant(label, IntegersBetween(choice.Stream(label), DType::kI8, shape, -127, 127));
  const int64_t channels = op == "CONV2D" ? shape[0] : shape[2] * shape[3];
  const GraphBuilder::Name bias = builder.Constant(
      StrCat(input.name, name, "_bias"),
      IntegersBetween(choice.Stream(label + "_bias"), DType::kI32, {channels}, -9999, 9999));
  parameters.emplace("input_zp", input.zero_point);
  const GraphBuilder::Name sum = builder.Apply(op, {input.name, weight, bias}, parameters);
  return {sum, ProductScales(choice, builder.Values(sum), choice[kPerChannelAxis] ? channels : 1)};
}

Quantized Layer(GraphBuilder& builder, const Choice& choice, std::string_view op,
                const Quantized& input, const Shape& shape, Activation activation,
                GraphBuilder::Parameters parameters) {
  const Accumulators sums = Convolve(builder, choice, op, input, shape, std::move(parameters));
  Quantized output = Requantize(builder, choice, sums.name, sums.factors, DType::kI8);
  output.name = Activate(builder, activation, output);
  return output;
}

Quantized Sum(GraphBuilder& builder, const Choice& choice, const Quantized& a, const Quantized& b) {
  const double refined = 2 * std::max(a.scale, b.scale) /
                         (choice[kRoundingAxis] == Rounding::kScale16 ? 0x1p10 : 0x1p20);
  const GraphBuilder::Name left =
      Rescale(builder, choice, a.name, {a.scale / refined}, a.zero_point, 0, DType::kI32);
  const GraphBuilder::Name right =
      Rescale(builder, choice, b.name, {b.scale / refined}, b.zero_point, 0, DType::kI32);
  const GraphBuilder::Name sum = builder.Apply("ADD", {left, right});
  return Requantize(builder, choice, sum, {refined}, DType::kI8);
}

Tensor TableOf(DType type, double (*function)(double)) {
  const bool interpolated = type == DType::kI16;
  Tensor table(type, {interpolated ? 513 : 256});
  const int64_t middle = table.size() / 2;
  for (int64_t i = 0; i < table.size(); ++i) {
    const double x = static_cast<double>(i - middle) * 16 / static_cast<double>(table.size() - 1);
    const int64_t value = Nearest(function(x) * (interpolated ? 32768 : 128));
    table.SetInteger(i, std::clamp(value, IntegerMin(type), IntegerMax(type)));
  }
  return table;
}

double Sigmoid(double x) { return 1 / (1 + Exp(-x)); }

}  // namespace cts::quantized
