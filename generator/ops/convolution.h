// Parts that the domains of the convolutions and of pooling share.
#pragma once

#include <string>
#include <vector>

#include "generator/ops/convolution_geometry.h"
#include "generator/ops/domain.h"
#include "generator/ops/limits.h"

namespace cts {

// The value of acc_type that stands for a type.
std::string AccumulatorName(DType acc_t);

// The axis "data" of a dot product: for floating point the sets of appendix A; for integers other
// sets, which FillIntegers makes.
Axis DotProductData(DType in_t);

// The axis "zero_point" of two operands, at least one of which is i8. The zero points are the ends
// of i8, equal or different for the two operands, or values between. AddZeroPointAxis adds the
// axis; ZeroPoint returns the chosen zero point of one operand.
struct ZeroPoints {
  int64_t first = 0, second = 0;
};
inline constexpr ListedAxis<ZeroPoints> kZeroPointAxis{
    "zero_point",
    "z",
    {{"0", {}}, {"lo", {-128, 127}}, {"hi", {127, -128}}},
    {{"mid", {-17, 42}}, {"lo-lo", {-128, -128}}, {"hi-hi", {127, 127}}}};
void AddZeroPointAxis(DType first, DType second, std::vector<Axis>& axes);
int64_t ZeroPoint(const Choice& choice, DType type, bool first);

// An integer operand of a sum of products, filled as the data set says. Data set "extremes" has
// both ends of the type. Data set "accumulator" has mostly the end that is farther from the zero
// point, so that sums are as large as possible. A part of the operand has only that end. This part
// is the first half of the operand or, if `channels` is not 0, the first of the `channels` channels
// in the last dimension. For all other data sets, Filled fills the operand.
Tensor FillIntegers(const Choice& choice, const std::string& operand, DType type,
                    const Shape& shape, int64_t zero_point, int64_t channels = 0);
// The end of the type that is farther from the zero point.
int64_t FarEnd(DType type, int64_t zero_point);

// Functions from which several operators make their breakers. The first two say when a breaker
// applies. The others change a draft.
inline bool InputIsNotI8(const Setting& s) { return s.Type("in_t") != DType::kI8; }
inline bool WeightIsNotI8(const Setting& s) { return s.Type("weight_t") != DType::kI8; }
inline void SetInputZeroPoint(const Setting&, CaseDraft& d) { d.Set("input_zp", int64_t{1}); }
inline void SetWeightZeroPoint(const Setting&, CaseDraft& d) { d.Set("weight_zp", int64_t{1}); }
inline void OtherBiasChannels(const Setting&, CaseDraft& d) {
  Reshape(d.tensor("bias"), {d.output_shape.back() + 1});
}
inline void FewerBiasChannels(const Setting&, CaseDraft& d) {
  Reshape(d.tensor("bias"), {d.output_shape.back() - 1});
}
// Returns the breakers of WindowBreakers, and those of zero points and the bias.
std::vector<Breaker> ConvolutionBreakers(const WindowWays& ways);

// Whether there is one bias for all channels.
inline constexpr ListedAxis<bool> kBiasAxis{"bias", "b", {{"oc", false}, {"1", true}}};
struct ConstantOperands {
  bool input = false, weight = false, bias = false;
};
inline constexpr ListedAxis<ConstantOperands> kWeightAxis{
    "weight",
    "w",
    {{"run", {}}, {"const", {.weight = true, .bias = true}}},
    {{"weight", {.weight = true}},
     {"bias", {.bias = true}},
     {"input", {.input = true}},
     {"all", {.input = true, .weight = true, .bias = true}}}};
inline constexpr ListedAxis<bool> kLocalBoundAxis{
    "local_bound", "lb", {{"no", false}, {"yes", true}}};

// Adds the axes that every convolution has after the axes of its geometry: bias, weight,
// local_bound, zero_point, parameters, data.
void AddConvolutionAxes(const Setting& setting, std::vector<Axis>& axes);
// The data set for relation cases in the type rows of 0.100 with fp16 as input and output type and
// fp32 as accumulator. In these rows, sums of appendix A's data sets S1, S4 and S5 overflow the
// output. Empty for all other rows, which may have any data set.
std::string_view DataOfNumbers(const Setting& setting);
// Without local_bound, the bound of every result depends on the whole input. A wrong rounding of
// sums is then detected only if every sum has few products, and the large value of data set S3 is
// in one of them. `kernel` makes such sums. With S3 and without local_bound, it occurs only without
// padding, and only with the label `value` of the axis `axis`.
struct WholeSum {
  std::string_view kernel;
  ParsedAxis<Shape> axis;
  std::string_view value;
  ParsedAxis<std::vector<int64_t>> pad = kPadAxis;
};
// `kernel` makes sums that fill an accumulator of i32 (see IsSmall). It occurs only with data set
// "accumulator" and the size `small`. The size `small` occurs with no other kernel.
struct FullSum {
  std::string_view kernel, small;
};
// The constraints of every convolution. `geometry` says which sizes make a case. In a label of the
// axis `size`, the number at position `channels` is the number of output channels, or of input
// channels for DEPTHWISE_CONV2D.
std::vector<Constraint> ConvolutionConstraints(Constraint geometry, const ParsedAxis<Shape>& size,
                                               size_t channels, const FullSum& full,
                                               const WholeSum& whole);

// The shapes of a convolution's operands, for SetConvolutionOperands. That function sets input,
// weight, bias, zero points, acc_type and local_bound; FULLY_CONNECTED lacks the last two.
// `make_input` and `make_weight` are the operator's formulas of appendix A.
struct ConvolutionShapes {
  Shape input, weight, bias;
  int64_t kernel_size;  // KS of appendix A
  // For depthwise operators, which have one sum for each channel: the argument `channels` of
  // FillIntegers. For all other operators 0.
  int64_t input_channels = 0, weight_channels = 0;
};
using MakeInput = Tensor (*)(DotProductSet&, DType, const Shape& input, const Shape& weight);
using MakeWeight = Tensor (*)(DotProductSet&, DType, const Shape& weight);
void SetConvolutionOperands(const Choice& choice, const ConvolutionShapes& shapes,
                            MakeInput make_input, MakeWeight make_weight, CaseDraft& draft);
// Builds a case of a convolution. The geometry determines the shapes of input and bias and the
// number of products; `shapes` has the rest.
CaseDraft BuildConvolution(const Choice& choice, const WindowGeometry& geometry,
                           ConvolutionShapes shapes, MakeInput make_input, MakeWeight make_weight);

}  // namespace cts
