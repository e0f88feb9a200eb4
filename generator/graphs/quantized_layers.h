// Quantized layers as frameworks lower them: the parts of chains and blocks of networks.
#pragma once

#include <string_view>
#include <vector>

#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"

namespace cts::quantized {

// A quantized tensor: its real values are scale * (stored - zero_point).
struct Quantized {
  GraphBuilder::Name name;
  double scale;
  int64_t zero_point;
};

// Accumulators: the real values are factor * stored, with one factor or one for every channel.
struct Accumulators {
  GraphBuilder::Name name;
  std::vector<double> factors;
};

enum class Activation { kNone, kRelu, kRelu6 };
inline constexpr ListedAxis<Activation> kActivationAxis{
    "activation",
    "",
    {{"none", Activation::kNone}, {"relu", Activation::kRelu}, {"relu6", Activation::kRelu6}}};
// Whether each channel has a scale of its own.
inline constexpr ListedAxis<bool> kPerChannelAxis{
    "channels", "", {{"per-channel", true}, {"per-tensor", false}}};
// Whether the zero points of i8 are drawn; otherwise they are 0.
inline constexpr ListedAxis<bool> kAnyZeroPointAxis{
    "zero_point", "z", {{"any", true}, {"0", false}}};
enum class Rounding { kSingle, kScale16, kDouble };
inline constexpr ListedAxis<Rounding> kRoundingAxis{"rounding",
                                                    "",
                                                    {{"single", Rounding::kSingle},
                                                     {"scale16", Rounding::kScale16},
                                                     {"double", Rounding::kDouble}}};

// Rounds to the nearest integer, halves upwards.
int64_t Nearest(double x);

// Scales are numbers of fp32, as in frameworks.
double AnyScale(Random& random, double low, double high);

// Adds kRoundingAxis, of RESCALE. Double rounding differs from single rounding only for shifts
// above 31: factors below 1/2.
void AddRoundingAxis(const Setting& setting, bool may_double, std::vector<Axis>& axes);

// RESCALE between zero points, with the rounding of the choice. "double" needs factors below 1/2.
GraphBuilder::Name Rescale(GraphBuilder& builder, const Choice& choice,
                           const GraphBuilder::Name& input, const std::vector<double>& factors,
                           int64_t input_zp, int64_t output_zp, DType type,
                           GraphBuilder::Parameters parameters = {});

// RESCALE of an accumulator to `type`. Scale and zero point come from the accumulator's values, as
// in calibration.
Quantized Requantize(GraphBuilder& builder, const Choice& choice,
                     const GraphBuilder::Name& accumulator, const std::vector<double>& factors,
                     DType type);

// A fused activation: bounds are the stored values for 0 and for 6.
GraphBuilder::Name Activate(GraphBuilder& builder, Activation activation, const Quantized& value);

// Real scales for which the accumulators mean numbers up to 4 to 12 of either sign: the range of
// activations.
std::vector<double> ProductScales(const Choice& choice, const Tensor& accumulator,
                                  int64_t channels);
// The largest magnitude, at least 1.
double Largest(const Tensor& tensor);

// A convolution with constant weights and bias. The input's name and `name` name it; `shape` is the
// weight's. The choice has kPerChannelAxis.
Accumulators Convolve(GraphBuilder& builder, const Choice& choice, std::string_view op,
                      const Quantized& input, const Shape& shape,
                      GraphBuilder::Parameters parameters = {}, std::string_view name = "");
// A convolution, its rescale to i8 and its activation.
Quantized Layer(GraphBuilder& builder, const Choice& choice, std::string_view op,
                const Quantized& input, const Shape& shape, Activation activation,
                GraphBuilder::Parameters parameters = {});

// The sum of two i8 tensors on a common scale, calibrated: a residual connection.
Quantized Sum(GraphBuilder& builder, const Choice& choice, const Quantized& a, const Quantized& b);

// A function of numbers from -8 to 8 with results from -1 to 1, as a table over all of the input's
// range, i8 or i16. Real numbers are fp64 and the functions are correctly rounded: the digits are
// the same everywhere.
Tensor TableOf(DType type, double (*function)(double));
double Sigmoid(double x);

}  // namespace cts::quantized
