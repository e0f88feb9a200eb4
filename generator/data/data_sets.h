// The values that tensors are filled with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "generator/data/random.h"
#include "reference/base/tensor.h"
#include "reference/spec/features.h"

namespace cts {

// The data sets that domains distinguish. kDataAxis (case_draft.h) has their names.
enum class DataSet {
  kNone,
  kNanLast,
  kTargetRange,
  kMagnitudes,
  kNegative,
  kNan,
  kFullRange,
  kSpecial,
  kCrossed,
  kLimits,
  kExhaustive8,
  kExhaustive16,
  kUnit,
  kFinite,
  kBounded,
  kNear,
  kWindows,
  kLines,
  kLate,
  kNanFirst,
  kEnds,
  kSignalling,
  kNonFinite,
  kAccumulator,
  kExtremes,
  kPlateau,
  kLarge,
  kEveryIndex,
  kOverflow,
  kUnderflow,
  kTies,
  kBias,
  kChannels,
  kMultiples,
  kS0,
  kS1,
  kS2,
  kS3,
  kS4,
  kS5,
};

// `full-range`: integers uniform over the type; floats uniform over the finite bit patterns, so
// that all signs and exponents occur.
Tensor FullRange(Random random, DType dtype, const Shape& shape);

// Tensors with random elements, uniform over [low, high]. Floats are `low` plus multiples of
// 2^-53 * (high - low), computed in fp64 and rounded once to the type.
Tensor IntegersBetween(Random random, DType dtype, const Shape& shape, int64_t low, int64_t high);
Tensor FloatsBetween(Random random, DType dtype, const Shape& shape, double low, double high);

// `special`: values at which implementations often fail.
enum class Specials {
  kAll,
  kNoNan,   // for operators whose result is unpredictable if an operand is NaN
  kFinite,  // for operators whose result is unpredictable if an operand is NaN or infinite
};
// Returns at most 61 bit patterns, each once. Floats, with both signs: zero, the least and greatest
// subnormal and normal numbers, and 0.5, 1, 1.5, 2, 2.5 and 2^(fraction bits) with their
// neighbours. There are also infinities, and quiet and signalling NaNs with several payloads.
// fp8e4m3 has no infinities, and only one NaN of each sign. Integers and booleans: both ends and
// their neighbours, zero and its neighbours, alternating bits, powers of two and their neighbours.
std::vector<uint64_t> SpecialBits(DType dtype, Specials which = Specials::kAll);
// A smaller selection of special values, for pairs of values: at most 25 floats, one of them NaN.
// There are 39 integers of i64, 31 of i48, and at most 23 of any other type.
std::vector<double> SpecialFloats(DType dtype, Specials which = Specials::kAll);
std::vector<int64_t> SpecialIntegers(DType dtype);

// Tensors filled with the bit patterns of SpecialBits, or with the given values. The values are
// repeated until the tensor is full. Each repetition begins one value later than the previous
// repetition.
Tensor Special(DType dtype, const Shape& shape, Specials which = Specials::kAll);
Tensor Cycle(DType dtype, const Shape& shape, const std::vector<int64_t>& integers);
Tensor Cycle(DType dtype, const Shape& shape, const std::vector<double>& floats);
Tensor Cycle(DType dtype, const Shape& shape, const std::vector<uint64_t>& bits);

// `exhaustive8`, `exhaustive16`: every bit pattern of a type of at most 16 bits, in ascending order
// from 0. The type i4 has 15 patterns, those of -7 to 7. Each pattern occurs `each` times in a row;
// after the last pattern, the first pattern follows again. Two tensors of shape {256, 256}, one
// with `each` 1 and one with `each` 256, hold every pair of values of an 8-bit type.
Tensor Exhaustive(DType dtype, const Shape& shape, int64_t each = 1);
// The number of bit patterns that Exhaustive uses for the type.
int64_t PatternCount(DType dtype);

// Returns values just inside and just outside of thresholds: each value, rounded to the type, and
// its neighbours in the type. Leaves out values outside of the type, and infinities unless `values`
// has them. The neighbours of an integer n are n - 1 and n + 1.
std::vector<double> WithNeighbours(DType dtype, const std::vector<double>& values);
std::vector<int64_t> WithNeighbours(DType dtype, const std::vector<int64_t>& values);

// Test sets S0 to S5 of the dot-product rule (appendix A of each edition). Their random numbers are
// binary32. The specification does not say in which precision the formulas with these numbers are
// evaluated. This class evaluates them in fp64. Each value is rounded only once: when it is written
// to a tensor.
class DotProductSet {
 public:
  // `set` is S of the appendix, and `kernel_size` is KS. The bound B of the appendix depends on the
  // type of the inputs, on the type of the output or the accumulator, and on the edition's
  // features.
  DotProductSet(const Features& features, int set, int64_t kernel_size, DType in, DType out,
                DType accumulator);

  // Returns element `i` of operand `p` (0: data, 1: weights, 2: bias). `k` is the position of the
  // element in the kernel.
  double Value(int p, int64_t k, int64_t i);

  double bound() const { return bound_; }

 private:
  // The function set_data of the appendix: a recurrence modulo 2^32, scaled by a binary32 division
  // to numbers from -1 to 1.
  double SetData(uint32_t set, int64_t index);
  // The number of the random sequence for operand `p`.
  uint32_t Sequence(int p) const { return static_cast<uint32_t>(stride_ * set_ + p); }

  bool one_sign_;
  int set_;
  int stride_;
  int64_t kernel_size_;
  double bound_;
  std::vector<std::pair<uint32_t, std::vector<uint32_t>>> sequences_;
};

// The bound B of appendix A.
double DotProductBound(const Features& features, DType in, DType out, DType accumulator);

// Returns the number after the S if `data_set` is one of "S0" to "S5"; otherwise -1.
int DotProductSetNumber(std::string_view data_set);
inline int DotProductSetNumber(DataSet data_set) {
  return data_set < DataSet::kS0 ? -1 : static_cast<int>(data_set) - static_cast<int>(DataSet::kS0);
}
inline bool IsExhaustive(DataSet data_set) {
  return data_set == DataSet::kExhaustive8 || data_set == DataSet::kExhaustive16;
}

// The operands of operators, by the formulas in their sections of appendix A. TRANSPOSE_CONV2D uses
// CONV2D's formulas. CONV3D and FULLY_CONNECTED use CONV2D's formulas for weight and bias,
// DEPTHWISE_CONV2D uses CONV2D's formula for the bias.
Tensor Conv2dInput(DotProductSet& set, DType dtype, const Shape& input, const Shape& weight);
Tensor Conv2dWeight(DotProductSet& set, DType dtype, const Shape& weight);
Tensor Conv2dBias(DotProductSet& set, DType dtype, const Shape& bias);
Tensor Conv3dInput(DotProductSet& set, DType dtype, const Shape& input, const Shape& weight);
Tensor DepthwiseConv2dInput(DotProductSet& set, DType dtype, const Shape& input,
                            const Shape& weight);
Tensor DepthwiseConv2dWeight(DotProductSet& set, DType dtype, const Shape& weight);
Tensor FullyConnectedInput(DotProductSet& set, DType dtype, const Shape& input,
                           const Shape& weight);
Tensor AvgPool2dInput(DotProductSet& set, DType dtype, const Shape& input,
                      const std::vector<int64_t>& kernel);
Tensor MatmulA(DotProductSet& set, DType dtype, const Shape& a);
Tensor MatmulB(DotProductSet& set, DType dtype, const Shape& b);
// FFT2D and RFFT2D: part 0 is the real part, part 1 the imaginary part. KS is 2 * H * W for FFT2D
// and H * W for RFFT2D.
Tensor FftInput(DotProductSet& set, DType dtype, const Shape& input, int part);
Tensor ReduceSumInput(DotProductSet& set, DType dtype, const Shape& input, int64_t axis);

}  // namespace cts
