// Parts that the domains of the convolutions and of pooling share.
#pragma once

#include <string>
#include <vector>

#include "generator/ops/convolution_geometry.h"
#include "generator/ops/domain.h"
#include "generator/ops/limits.h"

namespace cts {

// The value of the attribute acc_type for accumulators of type `acc_t`: the name of the enumerator.
std::string AccumulatorName(DType acc_t);

// The axis "data" of a dot product: for floating point the data sets of the specification's
// appendix A; for integers other data sets, which FillIntegers makes.
Axis DotProductData(DType in_t);

// The axis "zero_point" of two operands, at least one of which is i8. The zero points are ends of
// i8 (equal or different ends for the two operands), or values between the ends. AddZeroPointAxis
// adds the axis; ZeroPoint returns the chosen zero point of one operand.
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

// Returns an integer operand of a sum of products, filled as the data set says. Data set "extremes"
// has both ends of the type. Data set "accumulator" has mostly the end that is farther from the
// zero point, so that sums are as large as possible. A part of the operand has only this end. This
// part is the first half of the operand or, if `channels` is not 0, the first of the `channels`
// channels in the last dimension. For all other data sets, Filled fills the operand.
Tensor FillIntegers(const Choice& choice, const std::string& operand, DType type,
                    const Shape& shape, int64_t zero_point, int64_t channels = 0);
// The end of the type that is farther from the zero point.
int64_t FarEnd(DType type, int64_t zero_point);

// Functions from which several operators make their breakers (changes that break one condition).
// The first two functions say when a breaker applies. The other functions change a draft.
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
// Returns the breakers of WindowBreakers, the breakers of zero points, and the breakers of the
// bias.
std::vector<Breaker> ConvolutionBreakers(const WindowWays& ways);

// True: one bias for all channels. False: a bias for each output channel.
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

// Adds the axes that come after the axes of the geometry in every convolution: bias, weight,
// local_bound, zero_point, parameters, data.
void AddConvolutionAxes(const Setting& setting, std::vector<Axis>& axes);
// The data set for relation cases in the type rows of 0.100 with fp16 as input and output type and
// fp32 as accumulator. In these rows, sums of appendix A's data sets S1, S4 and S5 overflow the
// output. The result is empty for all other rows, which may have any data set.
std::string_view DataOfNumbers(const Setting& setting);
// Without local_bound, the bound of every result depends on the whole input. A wrong rounding of
// sums is then detected only if every sum has few products, one of which has the large value of
// data set S3. The kernel with the label `kernel` makes such sums. With S3 and without local_bound,
// this kernel occurs only without padding, and only with the label `value` of the axis `axis`.
struct WholeSum {
  std::string_view kernel;
  ParsedAxis<Shape> axis;
  std::string_view value;
  ParsedAxis<std::vector<int64_t>> pad = kPadAxis;
};
// The kernel with the label `kernel` makes sums that fill an accumulator of i32 (see IsSmall). This
// kernel occurs only with data set "accumulator" and the size `small`. The size `small` occurs with
// no other kernel.
struct FullSum {
  std::string_view kernel, small;
};
// The constraints of every convolution. `geometry` excludes the sizes that make no case. In a label
// of the axis `size`, the number at position `channels` is the number of output channels, or of
// input channels for DEPTHWISE_CONV2D.
std::vector<Constraint> ConvolutionConstraints(Constraint geometry, const ParsedAxis<Shape>& size,
                                               size_t channels, const FullSum& full,
                                               const WholeSum& whole);

// The shapes of a convolution's operands, for SetConvolutionOperands. SetConvolutionOperands sets
// input, weight, bias, zero points, acc_type and local_bound. FULLY_CONNECTED has no acc_type and
// no local_bound. `make_input` and `make_weight` are the operator's formulas of appendix A.
struct ConvolutionShapes {
  Shape input, weight, bias;
  int64_t kernel_size;  // KS of appendix A
  // The argument `channels` of FillIntegers for depthwise operators, whose sums belong to one
  // channel each; 0 for all other operators.
  int64_t input_channels = 0, weight_channels = 0;
};
using MakeInput = Tensor (*)(DotProductSet&, DType, const Shape& input, const Shape& weight);
using MakeWeight = Tensor (*)(DotProductSet&, DType, const Shape& weight);
void SetConvolutionOperands(const Choice& choice, const ConvolutionShapes& shapes,
                            MakeInput make_input, MakeWeight make_weight, CaseDraft& draft);
// Builds a case of a convolution. Input, bias and kernel_size of `shapes` follow from `geometry`.
// The caller sets only the other members of `shapes`.
CaseDraft BuildConvolution(const Choice& choice, const WindowGeometry& geometry,
                           ConvolutionShapes shapes, MakeInput make_input, MakeWeight make_weight);

}  // namespace cts
