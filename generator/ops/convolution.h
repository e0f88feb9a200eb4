// Shared by the domains of the convolutions and of pooling.
#pragma once

#include <string>
#include <vector>

#include "generator/ops/domain.h"
#include "generator/ops/limits.h"

namespace cts {

// The value of acc_type that stands for a type.
std::string AccumulatorName(DType acc_t);

// The axis "data" of a dot product: appendix A's sets for floating point; for integers our own
// sets, which FillIntegers makes.
Axis DotProductData(DType in_t);

// The axis "zero_point" of two operands, at least one of which is i8: the ends of i8, equal or
// different for the two operands, and a value between; and the zero point of one operand alone.
void AddZeroPointAxis(DType first, DType second, std::vector<Axis>& axes);
int64_t ZeroPoint(const Choice& choice, DType type, bool first);

// An integer operand of a sum of products, by the data set. "extremes" has both ends of the type.
// "accumulator" has almost only the end that is farther from the zero point, so that the sum is as
// large as possible in one place: in the first half, or, if the sums are those of `channels`, which
// change fastest, in the first channel. Other data sets are as Filled makes them.
Tensor FillIntegers(const Choice& choice, const std::string& operand, DType type,
                    const Shape& shape, int64_t zero_point, int64_t channels = 0);
// The end of the type that is farther from the zero point.
int64_t FarEnd(DType type, int64_t zero_point);

// Sets pad kPad to `value` and changes the input's axis by the difference, so that the output's
// size stays.
template <int kPad>
void ReplacePad(CaseDraft& draft, int64_t value) {
  int64_t& pad = List(draft, "pad")[kPad];
  Shape shape = draft.tensor("input").shape();
  shape[1 + kPad / 2] += pad - value;
  pad = value;
  Reshape(draft.tensor("input"), shape);
}
template <int kPad>
void NegativePad(const Setting&, CaseDraft& draft) {
  ReplacePad<kPad>(draft, -1);
}

// Changes of a draft that several breakers make.
inline bool InputIsNotI8(const Setting& s) { return s.Type("in_t") != DType::kI8; }
inline bool WeightIsNotI8(const Setting& s) { return s.Type("weight_t") != DType::kI8; }
inline void SetInputZeroPoint(const Setting&, CaseDraft& d) { d.Set("input_zp", int64_t{1}); }
inline void SetWeightZeroPoint(const Setting&, CaseDraft& d) { d.Set("weight_zp", int64_t{1}); }
template <int kIndex, int kValue>
void SetStride(const Setting&, CaseDraft& d) {
  List(d, "stride")[kIndex] = kValue;
}
// The same with one position along the axis. The number of positions does not depend on the stride
// then; the kernel must be 1 and the pads 0.
template <int kIndex, int kValue>
void SetStrideOfOnePosition(const Setting&, CaseDraft& d) {
  List(d, "stride")[kIndex] = kValue;
  d.output_shape[1 + kIndex] = 1;
  Shape input = d.tensor("input").shape();
  input[1 + kIndex] = 1;
  Reshape(d.tensor("input"), input);
}
template <int kIndex, int kValue>
void SetDilation(const Setting&, CaseDraft& d) {
  List(d, "dilation")[kIndex] = kValue;
}
template <int kAxis, int kMore = 1>
void EnlargeOutput(const Setting&, CaseDraft& d) {
  d.output_shape[kAxis] += kMore;
}
template <int kAxis>
void EnlargeInput(const Setting&, CaseDraft& d) {
  Shape shape = d.tensor("input").shape();
  shape[kAxis] += 1;
  Reshape(d.tensor("input"), shape);
}
inline void OtherBiasChannels(const Setting&, CaseDraft& d) {
  Reshape(d.tensor("bias"), {d.output_shape.back() + 1});
}
inline void FewerBiasChannels(const Setting&, CaseDraft& d) {
  Reshape(d.tensor("bias"), {d.output_shape.back() - 1});
}

// Reasons why a choice of output, kernel, stride, pad and dilation makes no case.
inline constexpr std::string_view kInputDimension =
    "an input of no elements or of more than a case should have, or one that few windows see";

// In narrow types, with kernels of some hundred products, the bound of the dot-product rule or the
// large value of S2 and S3 detects nothing any more.
inline bool IsNarrowFloat(const Setting& setting) {
  const DType in_t = setting.Type("in_t");
  return IsFloat(in_t) && in_t != DType::kFp32;
}

// The share of the positions along an axis at which a kernel sees an element of the input.
double ShareThatSees(int64_t outputs, int64_t stride, int64_t pad, int64_t kernel, int64_t dilation,
                     int64_t inputs);
// At least this share of the results must be more than a bias: with fewer, any answer would do.
inline constexpr double kLeastShare = 0.25;

// A kernel of at most 33025 products, each of them 255 * 255, fits an accumulator of 32 bits; one
// product more does not. Few cases have so large a kernel; the others are small.
inline bool IsSmall(int64_t kernel_size, int64_t input, int64_t weight) {
  return input + weight <= (kernel_size > 33000 ? 200000 : 50000);
}

// The axes of every convolution, after those of its geometry: bias, weight, local_bound,
// zero_point, data.
void AddConvolutionAxes(const Setting& setting, std::vector<Axis>& axes);
// The combinations of the axes kernel and data, which every convolution has, that are excluded.
Constraint RandomKernel();
// The combinations of the axes bias and data that are excluded.
Constraint OneBiasForAll();
// Names of axes, for templates that take them at compile time.
inline constexpr char kOutputAxis[] = "output", kSizeAxis[] = "size", kPadAxis[] = "pad",
                      kOutPadAxis[] = "out_pad";
// The weights need room for special values. `kChannels` is the position of the channels in a label
// of the axis for the output's size.
template <const char* kAxis, size_t kChannels>
Constraint WeightsForSpecials() {
  return {{kAxis, "kernel", "data"},
          "the first special values are zeros",
          [](const Setting&, const Labels& labels) {
            const int64_t channels = ParseShape(labels[kAxis])[kChannels];
            return labels["data"] != "special" ||
                   ElementCount(ParseShape(labels["kernel"])) * channels >= 10;
          }};
}
// The kernel that fills an accumulator goes only with data set "accumulator" and a small output. No
// other kernel has that output.
template <const char* kKernel, const char* kOutput>
Constraint FullSum() {
  return {{"output", "kernel", "data"},
          "a kernel that fills the accumulator is for its data set, and a small output for it",
          [](const Setting&, const Labels& labels) {
            if (labels["kernel"] != kKernel) return labels["output"] != kOutput;
            return labels["output"] == kOutput && labels["data"] == "accumulator";
          }};
}

// Without local_bound the bound of every result is that of the whole input. Below that bound the
// rounding of sums shows only where all sums have their large value of S3 and some twenty products.
// That is so with this kernel, no padding, and this value of the axis for the windows.
template <const char* kKernel, const char* kAxis, const char* kValue, const char* kPad>
Constraint WholeSums() {
  return {{"kernel", kAxis, kPad, "data"},
          "S3 is to show how sums are rounded, beneath a bound that is of the whole input",
          [](const Setting& setting, const Labels& labels) {
            if (setting.Takes("local_bound") || labels["data"] != "S3") return true;
            if (labels["kernel"] != kKernel) return true;
            const std::string& pad = labels[kPad].text();
            return labels[kAxis] == kValue && pad.find_first_not_of("0-") == std::string::npos;
          }};
}

// Input, weight, bias, zero points, acc_type and local_bound of a convolution; FULLY_CONNECTED has
// neither of the last two. `make_input` and `make_weight` are the operator's formulas of appendix
// A.
struct ConvolutionShapes {
  Shape input, weight, bias;
  int64_t kernel_size;  // KS of appendix A
  // The number of channels for depthwise operators, whose sums are those of channels that change
  // fastest; else 0.
  int64_t input_channels = 0, weight_channels = 0;
};
using MakeInput = Tensor (*)(DotProductSet&, DType, const Shape& input, const Shape& weight);
using MakeWeight = Tensor (*)(DotProductSet&, DType, const Shape& weight);
void SetConvolutionOperands(const Choice& choice, const ConvolutionShapes& shapes,
                            MakeInput make_input, MakeWeight make_weight, CaseDraft& draft);

}  // namespace cts
