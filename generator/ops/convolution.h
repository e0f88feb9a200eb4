// What the domains of the convolutions and of pooling share.
#pragma once

#include <string>
#include <vector>

#include "generator/ops/domain.h"
#include "generator/ops/limits.h"

namespace cts {

// The value of acc_type that stands for a type.
std::string AccumulatorName(DType acc_t);

// The axis "data" of a dot product: appendix A's sets for floating point, our own for integers,
// which FillIntegers knows.
Axis DotProductData(DType in_t);

// The axis "zero_point" of two operands, one of which at least is i8: ends of i8, the same one for
// both or not, and what is between; and the zero point of one of the two.
void AddZeroPointAxis(DType first, DType second, std::vector<Axis>& axes);
int64_t ZeroPoint(const Choice& choice, DType type, bool first);

// An integer operand of a sum of products, by the data set: "extremes" has both ends of the type;
// "accumulator" almost only that end which is farther from the zero point, so that the sum is as
// large as it can be: in the first half, or if the sums are those of `channels`, which change
// fastest, in the first channel. Others as Filled has them.
Tensor FillIntegers(const Choice& choice, const std::string& operand, DType type,
                    const Shape& shape, int64_t zero_point, int64_t channels = 0);
// The end of the type that is farther from the zero point.
int64_t FarEnd(DType type, int64_t zero_point);

// Makes pad kPad `value` and the input's axis as much smaller, so that the output's size stays.
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

// Changes of a draft that several breakers are.
inline bool InputIsNotI8(const Setting& s) { return s.Type("in_t") != DType::kI8; }
inline bool WeightIsNotI8(const Setting& s) { return s.Type("weight_t") != DType::kI8; }
inline void SetInputZeroPoint(const Setting&, CaseDraft& d) { d.Set("input_zp", int64_t{1}); }
inline void SetWeightZeroPoint(const Setting&, CaseDraft& d) { d.Set("weight_zp", int64_t{1}); }
template <int kIndex, int kValue>
void SetStride(const Setting&, CaseDraft& d) {
  List(d, "stride")[kIndex] = kValue;
}
// The same with one position along the axis, whose number does not depend on the stride: the kernel
// must be 1 and the pads 0.
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

// Why a choice of output, kernel, stride, pad and dilation may be no case.
inline constexpr std::string_view kInputDimension =
    "an input of no elements or of more than a case should have, or one that few windows see";

// In narrow types the bound of the dot-product rule, or the large value of S2 and S3, has no teeth
// any more with kernels of some hundred products.
inline bool IsNarrowFloat(const Setting& setting) {
  const DType in_t = setting.Type("in_t");
  return IsFloat(in_t) && in_t != DType::kFp32;
}

// The share of the positions along an axis at which a kernel sees an element of the input.
double ShareThatSees(int64_t outputs, int64_t stride, int64_t pad, int64_t kernel, int64_t dilation,
                     int64_t inputs);
// So few of the results may be more than a bias: any answer would do where they are fewer.
inline constexpr double kLeastShare = 0.25;

// A kernel of 33025 products at most, each of them 255 * 255, fits an accumulator of 32 bits, and
// not one more. So large a kernel is for few cases, others are small.
inline bool IsSmall(int64_t kernel_size, int64_t input, int64_t weight) {
  return input + weight <= (kernel_size > 33000 ? 200000 : 50000);
}

// The axes of every convolution, after those of its geometry: bias, weight, local_bound,
// zero_point, data.
void AddConvolutionAxes(const Setting& setting, std::vector<Axis>& axes);
// What the axes kernel and data, which every convolution has, exclude together.
Constraint RandomKernel();
// What the axes bias and data exclude together.
Constraint OneBiasForAll();
// Names of axes, for what takes them at compile time.
inline constexpr char kOutputAxis[] = "output", kSizeAxis[] = "size", kPadAxis[] = "pad",
                      kOutPadAxis[] = "out_pad";
// The weights need room for special values: `kChannels` is where a label of the axis that says the
// output's size has its channels.
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
// The kernel that fills an accumulator: data set "accumulator" and a small output, both of which
// it has alone.
template <const char* kKernel, const char* kOutput>
Constraint FullSum() {
  return {{"output", "kernel", "data"},
          "a kernel that fills the accumulator is for its data set, and a small output for it",
          [](const Setting&, const Labels& labels) {
            if (labels["kernel"] != kKernel) return labels["output"] != kOutput;
            return labels["output"] == kOutput && labels["data"] == "accumulator";
          }};
}

// Without local_bound the bound of every result is that of the whole input. How sums are rounded is
// seen beneath it where all of them have their large value of S3 and some twenty products: with
// this kernel, no padding, and this value of the axis that says which windows there are.
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

// Input, weight, bias, zero points, acc_type and local_bound of a convolution or, without the last
// two, FULLY_CONNECTED; `make_input` and `make_weight` are its formulas of appendix A.
struct ConvolutionShapes {
  Shape input, weight, bias;
  int64_t kernel_size;  // KS of appendix A
  // Of depthwise ones, whose sums are those of channels that change fastest; else 0.
  int64_t input_channels = 0, weight_channels = 0;
};
using MakeInput = Tensor (*)(DotProductSet&, DType, const Shape& input, const Shape& weight);
using MakeWeight = Tensor (*)(DotProductSet&, DType, const Shape& weight);
void SetConvolutionOperands(const Choice& choice, const ConvolutionShapes& shapes,
                            MakeInput make_input, MakeWeight make_weight, CaseDraft& draft);

}  // namespace cts
