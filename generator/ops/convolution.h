// What the domains of the convolutions and of pooling share.
#pragma once

#include <string>
#include <vector>

#include "generator/ops/domain.h"

namespace cts {

// The value of acc_type that stands for a type.
std::string AccumulatorName(DType acc_t);

// The data sets of a dot product: appendix A's for floating point, our own for integers.
std::vector<std::string> DotProductDataSets(DType in_t);

// The axis "zero_point" for an i8 input; one end of i8 for the first operand that has a zero point,
// the other end for the second.
void AddZeroPointAxis(DType in_t, std::vector<Axis>& axes);
int64_t ZeroPoint(const Choice& choice, DType type, bool first);

// A list attribute of the draft.
std::vector<int64_t>& List(Draft& draft, std::string_view name);

// Makes pad kPad `value` and the input's axis as much smaller, so that the output's size stays.
template <int kPad>
void ReplacePad(Draft& draft, int64_t value) {
  int64_t& pad = List(draft, "pad")[kPad];
  Shape shape = draft.tensor("input").shape();
  shape[1 + kPad / 2] += pad - value;
  pad = value;
  Reshape(draft.tensor("input"), shape);
}
template <int kPad>
void NegativePad(const Setting&, Draft& draft) {
  ReplacePad<kPad>(draft, -1);
}

// Changes of a draft that several breakers are.
inline bool InputIsNotI8(const Setting& s) { return s.Type("in_t") != DType::kI8; }
inline bool WeightIsNotI8(const Setting& s) { return s.Type("weight_t") != DType::kI8; }
inline void SetInputZeroPoint(const Setting&, Draft& d) { d.Set("input_zp", int64_t{1}); }
inline void SetWeightZeroPoint(const Setting&, Draft& d) { d.Set("weight_zp", int64_t{1}); }
template <int kIndex, int kValue>
void SetStride(const Setting&, Draft& d) {
  List(d, "stride")[kIndex] = kValue;
}
template <int kIndex, int kValue>
void SetDilation(const Setting&, Draft& d) {
  List(d, "dilation")[kIndex] = kValue;
}
template <int kAxis>
void EnlargeOutput(const Setting&, Draft& d) {
  d.output_shape[kAxis] += 1;
}
inline void OtherBiasChannels(const Setting&, Draft& d) {
  Reshape(d.tensor("bias"), {d.output_shape.back() + 1});
}

// Why a choice of output, kernel, stride, pad and dilation may be no case.
inline constexpr std::string_view kInputDimension = "an input of no elements";

// The axes of every convolution, after those of its geometry: bias, weight, local_bound,
// zero_point, data.
void AddConvolutionAxes(const Setting& setting, std::vector<Axis>& axes);

// Input, weight, bias, zero points, acc_type and local_bound of a convolution or, without the last
// two, FULLY_CONNECTED; `make_input` and `make_weight` are its formulas of appendix A.
struct ConvolutionShapes {
  Shape input, weight, bias;
  int64_t kernel_size;  // KS of appendix A
};
using MakeInput = Tensor (*)(DotProductSet&, DType, const Shape& input, const Shape& weight);
using MakeWeight = Tensor (*)(DotProductSet&, DType, const Shape& weight);
void SetConvolutionOperands(const Choice& choice, const ConvolutionShapes& shapes,
                            MakeInput make_input, MakeWeight make_weight, Draft& draft);

}  // namespace cts
