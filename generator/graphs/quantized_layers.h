// Quantized layers as frameworks lower them. The chains and the blocks of networks consist of these
// layers.
#pragma once

#include <string_view>
#include <vector>

#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"

namespace cts::quantized {

// A quantized tensor. The real values of its elements are scale * (stored value - zero_point).
struct Quantized {
  GraphBuilder::Name name;
  double scale;
  int64_t zero_point;
};

// A tensor of accumulators. The real values are factor * stored value, with one factor for all
// channels or one for each channel.
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
// Whether the zero points of i8 are drawn at random; otherwise they are 0.
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

// A random scale from `low` to `high`, rounded to fp32 as in frameworks.
double AnyScale(Random& random, double low, double high);

// Adds kRoundingAxis, the axis of RESCALE's rounding. The axis has the value "double" only if
// `may_double` is true. Double rounding differs from single rounding only for shifts above 31, that
// is, for factors below 1/2.
void AddRoundingAxis(const Setting& setting, bool may_double, std::vector<Axis>& axes);

// Adds RESCALE by `factors`, from the zero point `input_zp` to `output_zp`, with the chosen
// rounding. The rounding "double" is used only if all factors are below 1/2.
GraphBuilder::Name Rescale(GraphBuilder& builder, const Choice& choice,
                           const GraphBuilder::Name& input, const std::vector<double>& factors,
                           int64_t input_zp, int64_t output_zp, DType type,
                           GraphBuilder::Parameters parameters = {});

// Adds RESCALE of an accumulator to `type`. Scale and zero point come from the accumulator's
// values, as in calibration.
Quantized Requantize(GraphBuilder& builder, const Choice& choice,
                     const GraphBuilder::Name& accumulator, const std::vector<double>& factors,
                     DType type);

// Adds an activation as a CLAMP, or nothing for kNone. The lower bound is the stored value that
// stands for the real value 0. The upper bound is the stored value that stands for 6 if the
// activation is kRelu6, and the end of the type if it is kRelu.
GraphBuilder::Name Activate(GraphBuilder& builder, Activation activation, const Quantized& value);

// Random scales, one for each channel. A scale times the largest magnitude of the accumulators is a
// number from 4 to 12, a typical magnitude of activations in networks.
std::vector<double> ProductScales(const Choice& choice, const Tensor& accumulator,
                                  int64_t channels);
// The largest magnitude of an element, but at least 1.
double Largest(const Tensor& tensor);

// Adds a convolution with constant weights and bias. The names of the constants begin with the
// input's name and `name`. `shape` is the shape of the weights. The choice must have
// kPerChannelAxis.
Accumulators Convolve(GraphBuilder& builder, const Choice& choice, std::string_view op,
                      const Quantized& input, const Shape& shape,
                      GraphBuilder::Parameters parameters = {}, std::string_view name = "");
// Adds a convolution, its RESCALE to i8 and its activation.
Quantized Layer(GraphBuilder& builder, const Choice& choice, std::string_view op,
                const Quantized& input, const Shape& shape, Activation activation,
                GraphBuilder::Parameters parameters = {});

// Adds a residual connection: rescales two i8 tensors to a common scale in i32, adds them, and
// requantizes the sum to i8 (Requantize).
Quantized Sum(GraphBuilder& builder, const Choice& choice, const Quantized& a, const Quantized& b);

// A table of a function over the full range of `type`, i8 or i16. As inputs, the values of that
// range stand for numbers from -8 to 8; as results, for numbers from -1 to 1. The table is computed
// in fp64 by correctly rounded functions, so that the table is the same on every machine.
Tensor TableOf(DType type, double (*function)(double));
double Sigmoid(double x);

}  // namespace cts::quantized
