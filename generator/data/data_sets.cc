#include "generator/data/data_sets.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "reference/base/contains.h"
#include "reference/base/float_format.h"
#include "reference/numeric/elementary.h"

namespace cts {

Tensor FullRange(Random random, DType dtype, const Shape& shape) {
  if (!IsFloat(dtype)) {
    return IntegersBetween(random, dtype, shape, IntegerMin(dtype), IntegerMax(dtype));
  }
  Tensor tensor(dtype, shape);
  const int unused = 64 - Info(dtype).bits;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    do {
      tensor.SetBits(i, random.Next64() >> unused);
    } while (!std::isfinite(tensor.Value(i)));
  }
  return tensor;
}

Tensor IntegersBetween(Random random, DType dtype, const Shape& shape, int64_t low, int64_t high) {
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.SetInteger(i, random.Between(low, high));
  return tensor;
}

Tensor FloatsBetween(Random random, DType dtype, const Shape& shape, double low, double high) {
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.SetValue(i, low + (high - low) * random.Unit());
  }
  return tensor;
}

namespace {

// The next greater magnitude of the type, infinity after the greatest; `magnitude` is in the type.
double Above(DType dtype, double magnitude) {
  return DecodeFloat(dtype, EncodeFloat(dtype, magnitude) + 1);
}
double Below(DType dtype, double magnitude) {
  return DecodeFloat(dtype, EncodeFloat(dtype, magnitude) - 1);
}

std::vector<uint64_t> SpecialFloatBits(DType dtype, Specials which) {
  const FloatFormat& format = Format(dtype);
  std::vector<double> magnitudes = {0,
                                    format.subnormal_min(),
                                    format.normal_min() - format.subnormal_min(),
                                    format.normal_min(),
                                    Above(dtype, format.normal_min()),
                                    Below(dtype, format.max),
                                    format.max};
  // From the last one on every number is whole.
  for (double value : {0.5, 1.0, 1.5, 2.0, 2.5, std::ldexp(1, format.fraction_bits)}) {
    magnitudes.insert(magnitudes.end(), {Below(dtype, value), value, Above(dtype, value)});
  }
  std::vector<uint64_t> bits;
  bits.reserve(magnitudes.size());
  for (double magnitude : magnitudes) bits.push_back(EncodeFloat(dtype, magnitude));
  const uint64_t exponent = ((uint64_t{1} << format.exponent_bits) - 1) << format.fraction_bits;
  const uint64_t fraction = (uint64_t{1} << format.fraction_bits) - 1;
  if (which != Specials::kFinite && format.has_infinity) bits.push_back(exponent);
  if (which == Specials::kAll) {
    const uint64_t quiet = (fraction + 1) / 2;
    // The least payload and the greatest, of both kinds.
    if (format.has_infinity) bits.insert(bits.end(), {exponent | quiet, exponent | 1});
    if (format.has_infinity) bits.push_back(exponent | (quiet - 1));
    bits.push_back(exponent | fraction);
  }
  const uint64_t sign = uint64_t{1} << (Info(dtype).bits - 1);
  for (size_t i = 0, count = bits.size(); i < count; ++i) bits.push_back(bits[i] | sign);
  return bits;
}

std::vector<int64_t> SpecialIntegerValues(DType dtype) {
  if (dtype == DType::kBool) return {0, 1};
  const int64_t min = IntegerMin(dtype), max = IntegerMax(dtype);
  std::vector<int64_t> values = {0, 1, -1, 2, -2, min, max, min + 1, max - 1, max / 2, min / 2};
  // Bit patterns 01 and 10, 0011 and 1100, 00001111 and 11110000, up to the type's width.
  for (uint64_t pattern : {0x5555555555555555u, 0x3333333333333333u, 0x0F0F0F0F0F0F0F0Fu}) {
    const auto value = static_cast<int64_t>(pattern & static_cast<uint64_t>(max));
    values.insert(values.end(), {value, ~value});
  }
  for (int bit : {4, 8, 15, 16, 24, 31, 32}) {
    if (bit >= Info(dtype).bits - 1) break;
    const int64_t power = int64_t{1} << bit;
    values.insert(values.end(), {power - 1, power, power + 1, -power - 1, -power, -power + 1});
  }
  std::erase_if(values, [&](int64_t value) { return value < min; });  // i4: ~7
  return values;
}

// Leaves the first of equal values.
template <class T>
std::vector<T> Once(const std::vector<T>& values) {
  std::vector<T> once;
  for (const T& value : values) {
    if (!Contains(once, value)) once.push_back(value);
  }
  return once;
}

}  // namespace

std::vector<uint64_t> SpecialBits(DType dtype, Specials which) {
  if (IsFloat(dtype)) return Once(SpecialFloatBits(dtype, which));
  std::vector<uint64_t> bits;
  for (int64_t value : Once(SpecialIntegerValues(dtype))) {
    bits.push_back(static_cast<uint64_t>(value));
  }
  return bits;
}

std::vector<double> SpecialFloats(DType dtype, Specials which) {
  const FloatFormat& format = Format(dtype);
  const double ulp = std::ldexp(1, -format.fraction_bits);  // of one
  std::vector<double> magnitudes = {0,
                                    1,
                                    0.5,
                                    1 + ulp,
                                    1 - ulp / 2,
                                    format.subnormal_min(),
                                    format.normal_min() - format.subnormal_min(),
                                    format.normal_min(),
                                    format.max,
                                    1.5,
                                    2.5};
  if (which != Specials::kFinite && format.has_infinity) {
    magnitudes.push_back(std::numeric_limits<double>::infinity());
  }
  std::vector<double> values;
  for (double magnitude : magnitudes) {
    values.push_back(magnitude);
    values.push_back(-magnitude);
  }
  if (which == Specials::kAll) values.push_back(std::numeric_limits<double>::quiet_NaN());
  return values;
}

std::vector<int64_t> SpecialIntegers(DType dtype) {
  const int64_t min = IntegerMin(dtype), max = IntegerMax(dtype);
  if (dtype == DType::kBool) return {0, 1};
  std::vector<int64_t> values = {0, 1, -1, min, max, min + 1, max - 1};
  // A power of two at the middle of each byte, and one beside it.
  for (int bit = 2; bit < Info(dtype).bits - 1; bit += 4) {
    values.push_back(int64_t{1} << bit);
    values.push_back(-(int64_t{1} << bit) - 1);
  }
  return values;
}

namespace {

// Returns which of `count` values element `i` has. Each round begins one value later, so that
// elements a fixed distance apart differ whatever the distance.
size_t CycleIndex(int64_t i, size_t count) {
  const size_t position = static_cast<size_t>(i);
  return (position + position / count) % count;
}

}  // namespace

Tensor Cycle(DType dtype, const Shape& shape, const std::vector<int64_t>& integers) {
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.SetInteger(i, integers[CycleIndex(i, integers.size())]);
  }
  return tensor;
}

Tensor Cycle(DType dtype, const Shape& shape, const std::vector<double>& floats) {
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.SetValue(i, floats[CycleIndex(i, floats.size())]);
  }
  return tensor;
}

Tensor Cycle(DType dtype, const Shape& shape, const std::vector<uint64_t>& bits) {
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.SetBits(i, bits[CycleIndex(i, bits.size())]);
  return tensor;
}

Tensor Special(DType dtype, const Shape& shape, Specials which) {
  return Cycle(dtype, shape, SpecialBits(dtype, which));
}

int64_t PatternCount(DType dtype) {
  assert(Info(dtype).bits <= 16);
  return dtype == DType::kI4 ? 15 : int64_t{1} << Info(dtype).bits;
}

Tensor Exhaustive(DType dtype, const Shape& shape, int64_t each) {
  const int64_t count = PatternCount(dtype);
  const int64_t first = dtype == DType::kI4 ? IntegerMin(dtype) : 0;
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.SetBits(i, static_cast<uint64_t>(first + i / each % count));
  }
  return tensor;
}

std::vector<double> WithNeighbours(DType dtype, const std::vector<double>& values) {
  const double max = Format(dtype).max;
  std::vector<double> result;
  for (double value : values) {
    const double rounded = RoundTo(dtype, value), magnitude = std::fabs(rounded);
    if (std::isnan(rounded) || (std::isinf(rounded) && !std::isinf(value))) continue;
    const double sign = std::signbit(rounded) ? -1 : 1;
    const double least = Format(dtype).subnormal_min();
    result.push_back(rounded);
    result.push_back(magnitude == 0 ? -sign * least : sign * Below(dtype, magnitude));
    if (magnitude < max) result.push_back(sign * Above(dtype, magnitude));
  }
  return result;
}

std::vector<int64_t> WithNeighbours(DType dtype, const std::vector<int64_t>& values) {
  std::vector<int64_t> result;
  for (int64_t value : values) {
    for (int64_t offset : {0, -1, 1}) {
      const int64_t near = value + offset;
      if (near >= IntegerMin(dtype) && near <= IntegerMax(dtype)) result.push_back(near);
    }
  }
  return result;
}

double DotProductBound(const Features& features, DType in, DType out, DType accumulator) {
  // There are no rows for fp8 where B depends on the accumulator: those of the output serve.
  const bool fp8 = in == DType::kFp8E4M3 || in == DType::kFp8E5M2;
  const DType sum =
      features.Has(Feature::kDotProductBoundOfAccumulator) && !fp8 ? accumulator : out;
  switch (in) {
    case DType::kFp8E4M3:
      return sum == DType::kFp32 ? 448 : sum == DType::kFp16 ? 240 : 20;
    case DType::kFp8E5M2:
      return sum == DType::kFp32 ? 57344 : 224;
    case DType::kFp16:
      return sum == DType::kFp32 ? 65504 : 255.875;
    case DType::kBf16:
      return 0x1p64 - 0x1p56;
    case DType::kFp32:
      return 0x1p64 - 0x1p40;
    default:
      assert(false && "the table of B has no such type");
      return 0;
  }
}

DotProductSet::DotProductSet(const Features& features, int set, int64_t kernel_size, DType in,
                             DType out, DType accumulator)
    : one_sign_(features.Has(Feature::kDotProductSetsOfOneSign)),
      set_(set),
      // Increases by two except in S1 and S5, so that S1 and S2 share two sequences.
      stride_(one_sign_ && set != 1 && set != 5 ? 2 : 3),
      kernel_size_(kernel_size),
      bound_(DotProductBound(features, in, out, accumulator)) {}

double DotProductSet::SetData(uint32_t set, int64_t index) {
  auto sequence = std::find_if(sequences_.begin(), sequences_.end(),
                               [set](const auto& known) { return known.first == set; });
  const uint32_t multiplier = (8 * set + 1) * 0x705A5E75u;
  if (sequence == sequences_.end()) {
    sequences_.push_back({set, {multiplier + 1}});
    sequence = sequences_.end() - 1;
  }
  std::vector<uint32_t>& words = sequence->second;
  while (static_cast<int64_t>(words.size()) <= index)
    words.push_back(words.back() * multiplier + 1);
  const uint32_t word = words[static_cast<size_t>(index)];
  // Both casts of the appendix are to binary32, where 0x7FFFFFFF is 2^31: the quotient is exact.
  const float magnitude = static_cast<float>(word & 0x7FFFFFFF) / static_cast<float>(0x7FFFFFFF);
  return word >> 31 ? -magnitude : magnitude;
}

double DotProductSet::Value(int p, int64_t k, int64_t i) {
  const double ks = static_cast<double>(kernel_size_);
  const bool data = p == 0;
  if (p == 2 && set_ != 1) return 0;
  switch (set_) {
    case 0: {  // one of each pair of operands is zero
      const bool negative = SetData(Sequence(0), i) < 0;
      return negative == data ? 0 : SetData(Sequence(1), i);
    }
    case 1: {  // large exponents
      const double scale = p == 2 ? bound_ * bound_ / (ks + 1) : bound_ / Sqrt(ks + 1);
      if (one_sign_) return scale * (0.75 + 0.25 * SetData(Sequence(p), i));
      const double base = SetData(Sequence(p), 2 * i) < 0 ? -0.75 : 0.75;
      return scale * (base + 0.25 * SetData(Sequence(p), 2 * i + 1));
    }
    case 2:  // small values onto a large one
      return k == 0 ? 1 : SetData(Sequence(p), i) / Sqrt(ks);
    case 3: {  // the same, with small values of many magnitudes
      const double first = SetData(Sequence(p), 2 * i);
      if (k == 0) return !one_sign_ && first < 0 ? -16 : 16;
      return Exp(2 * first) * SetData(Sequence(p), 2 * i + 1);
    }
    case 4: {  // zero and non-zero products
      const bool negative = SetData(Sequence(0), i) < 0;
      if (k == kernel_size_ / 2) return negative == data ? -0.5 : 0.5;
      return negative == data ? 0 : bound_ / Sqrt(ks) * SetData(Sequence(1), i);
    }
    default:  // both signs, large range
      return bound_ / Sqrt(ks) * SetData(Sequence(p), i);
  }
}

int DotProductSetNumber(std::string_view data_set) {
  const bool named =
      data_set.size() == 2 && data_set[0] == 'S' && data_set[1] >= '0' && data_set[1] <= '5';
  return named ? data_set[1] - '0' : -1;
}

namespace {

// Fills a tensor; its element `i` stands at `k(i)` in the kernel.
template <class KernelIndex>
Tensor FillOperand(DotProductSet& set, int p, DType dtype, const Shape& shape, KernelIndex k) {
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.SetValue(i, set.Value(p, k(i), i));
  return tensor;
}

}  // namespace

Tensor Conv2dInput(DotProductSet& set, DType dtype, const Shape& input, const Shape& weight) {
  const int64_t kh = weight[1], kw = weight[2], ic = input[3];
  return FillOperand(set, 0, dtype, input, [&](int64_t i) {
    const int64_t x = i / ic % input[2], y = i / ic / input[2] % input[1];
    return ((y % kh) * kw + x % kw) * ic + i % ic;
  });
}

Tensor Conv2dWeight(DotProductSet& set, DType dtype, const Shape& weight) {
  const int64_t kernel_size = ElementCount(weight) / weight[0];
  return FillOperand(set, 1, dtype, weight, [&](int64_t i) { return i % kernel_size; });
}

Tensor Conv2dBias(DotProductSet& set, DType dtype, const Shape& bias) {
  return FillOperand(set, 2, dtype, bias, [](int64_t) { return 0; });
}

Tensor Conv3dInput(DotProductSet& set, DType dtype, const Shape& input, const Shape& weight) {
  const int64_t kd = weight[1], kh = weight[2], kw = weight[3], ic = input[4];
  return FillOperand(set, 0, dtype, input, [&](int64_t i) {
    const int64_t x = i / ic % input[3], y = i / ic / input[3] % input[2];
    const int64_t d = i / ic / input[3] / input[2] % input[1];
    return ((d % kd * kh + y % kh) * kw + x % kw) * ic + i % ic;
  });
}

Tensor DepthwiseConv2dInput(DotProductSet& set, DType dtype, const Shape& input,
                            const Shape& weight) {
  const int64_t kh = weight[0], kw = weight[1], c = input[3];
  return FillOperand(set, 0, dtype, input, [&](int64_t i) {
    const int64_t x = i / c % input[2], y = i / c / input[2] % input[1];
    return (y % kh) * kw + x % kw;
  });
}

Tensor DepthwiseConv2dWeight(DotProductSet& set, DType dtype, const Shape& weight) {
  const int64_t inner = weight[2] * weight[3];  // C, M
  return FillOperand(set, 1, dtype, weight, [&](int64_t i) { return i / inner; });
}

Tensor FullyConnectedInput(DotProductSet& set, DType dtype, const Shape& input, const Shape&) {
  return FillOperand(set, 0, dtype, input, [&](int64_t i) { return i % input[1]; });
}

Tensor AvgPool2dInput(DotProductSet& set, DType dtype, const Shape& input,
                      const std::vector<int64_t>& kernel) {
  const int64_t ky = kernel[0], kx = kernel[1], c = input[3];
  // The channel is part of k although KS is kernel_y * kernel_x without it: both editions write so.
  return FillOperand(set, 0, dtype, input, [&](int64_t i) {
    const int64_t x = i / c % input[2], y = i / c / input[2] % input[1];
    return ((y % ky) * kx + x % kx) * c + i % c;
  });
}

Tensor MatmulA(DotProductSet& set, DType dtype, const Shape& a) {
  return FillOperand(set, 0, dtype, a, [&](int64_t i) { return i % a[2]; });
}

Tensor MatmulB(DotProductSet& set, DType dtype, const Shape& b) {
  return FillOperand(set, 1, dtype, b, [&](int64_t i) { return i / b[2] % b[1]; });
}

Tensor FftInput(DotProductSet& set, DType dtype, const Shape& input, int part) {
  // The appendix counts rows of IW elements. It does not define IW; W is meant.
  Tensor tensor(dtype, input);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.SetValue(i, set.Value(0, i % (input[1] * input[2]), part * tensor.size() + i));
  }
  return tensor;
}

Tensor ReduceSumInput(DotProductSet& set, DType dtype, const Shape& input, int64_t axis) {
  int64_t inner = 1;
  for (size_t i = static_cast<size_t>(axis) + 1; i < input.size(); ++i) inner *= input[i];
  return FillOperand(set, 0, dtype, input, [&](int64_t i) { return i / inner % input[axis]; });
}

}  // namespace cts
