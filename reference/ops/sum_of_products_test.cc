// The dot-product operators against plain loops in the order of the pseudocode, bit for bit, on
// every instruction set of this machine.
#include "reference/ops/sum_of_products.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "reference/base/special_values_testing.h"
#include "reference/numeric/vector_targets_testing.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

// Floats of the type whose sums round differently in another order; the last ones are special.
Tensor Rough(DType type, Shape shape, uint64_t seed, const std::vector<double>& special = {}) {
  Tensor tensor(type, std::move(shape));
  const std::vector<int64_t> numbers = Numbers(tensor.size(), -(1 << 30), 1 << 30, seed);
  const std::vector<int64_t> exponents = Numbers(tensor.size(), -38, -24, seed + 1);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.SetElement(i, std::ldexp(static_cast<double>(numbers[static_cast<size_t>(i)]),
                                    static_cast<int>(exponents[static_cast<size_t>(i)])));
  }
  for (size_t i = 0; i < special.size(); ++i) {
    tensor.SetElement(tensor.size() - 1 - static_cast<int64_t>(3 * i), special[i]);
  }
  return tensor;
}

// Returns the magnitude that the bound run of 1.0 takes for an element.
double Magnitude(DType type, double x) {
  return std::isnan(x) ? x : std::max(std::fabs(x), Format(type).normal_min());
}

// The bits of expected sums, with the one NaN that is stored for all NaNs.
std::vector<uint64_t> Bits(const std::vector<double>& values) {
  std::vector<uint64_t> bits;
  for (double x : values) {
    bits.push_back(std::bit_cast<uint64_t>(x == x ? x : std::nan("")));
  }
  return bits;
}

std::vector<uint64_t> StoredBits(const Tensor& tensor) {
  std::vector<uint64_t> bits;
  for (int64_t i = 0; i < tensor.size(); ++i) bits.push_back(tensor.Bits(i));
  return bits;
}

// A convolution of any kind over D, H, W. An axis that it lacks has size 1.
struct Plain {
  std::string op = "CONV2D";
  DType in_t = DType::kFp32, out_t = DType::kFp32;
  std::vector<int64_t> in, out;  // N, D, H, W, C
  std::vector<int64_t> kernel;   // D, H, W
  std::vector<int64_t> pad = {0, 0, 0}, stride = {1, 1, 1}, dilation = {1, 1, 1};
  bool depthwise = false, transposed = false;
  bool one_bias = false;  // for all channels
  std::vector<double> special_x = {}, special_w = {};

  int64_t Dims() const { return op == "CONV3D" ? 3 : 2; }
  Shape Drop(const Shape& shape, size_t axis) const {
    Shape result = shape;
    if (Dims() == 2) result.erase(result.begin() + static_cast<int64_t>(axis));
    return result;
  }
  Tensor Input() const { return Rough(in_t, Drop(in, 1), 1, special_x); }
  Tensor Weight() const {
    const int64_t multiplier = out[4] / in[4];
    if (depthwise) {
      return Rough(in_t, {kernel[1], kernel[2], in[4], multiplier}, 2, special_w);
    }
    return Rough(in_t, Drop({out[4], kernel[0], kernel[1], kernel[2], in[4]}, 1), 2, special_w);
  }
  Tensor Bias() const { return Rough(out_t, {one_bias ? 1 : out[4]}, 3); }

  // The place of the kernel's element in the input along an axis; -1: none.
  int64_t Place(size_t axis, int64_t o, int64_t k) const {
    int64_t place = o * stride[axis] - pad[axis] + k * dilation[axis];
    if (transposed) {
      place = o - pad[axis] - k;
      if (place % stride[axis] != 0) return -1;
      place /= stride[axis];
    }
    return place < in[1 + axis] ? place : -1;
  }

  // The sums; of magnitudes, for the bound.
  std::vector<double> Sums(bool magnitudes) const {
    const auto values = [&](const Tensor& tensor) {
      std::vector<double> result = tensor.Elements();
      for (double& x : result) x = magnitudes ? Magnitude(in_t, x) : x;
      return result;
    };
    const std::vector<double> x = values(Input()), w = values(Weight()), bias = values(Bias());
    std::vector<double> sums;
    for (int64_t i = 0; i < ElementCount(out); ++i) {
      const Shape o = Index(out, i);
      const int64_t multiplier = out[4] / in[4];
      double acc = 0;
      for (int64_t kd = 0; kd < kernel[0]; ++kd) {
        for (int64_t ky = 0; ky < kernel[1]; ++ky) {
          for (int64_t kx = 0; kx < kernel[2]; ++kx) {
            const int64_t d = Place(0, o[1], kd), y = Place(1, o[2], ky), z = Place(2, o[3], kx);
            if (d < 0 || y < 0 || z < 0) continue;
            for (int64_t ic = 0; ic < in[4]; ++ic) {
              if (depthwise && ic != o[4] / multiplier) continue;
              const int64_t weight = depthwise
                                         ? Offset({kernel[1], kernel[2], out[4]}, {ky, kx, o[4]})
                                         : Offset({out[4], kernel[0], kernel[1], kernel[2], in[4]},
                                                  {o[4], kd, ky, kx, ic});
              const volatile double product =
                  x[static_cast<size_t>(Offset(in, {o[0], d, y, z, ic}))] *
                  w[static_cast<size_t>(weight)];
              acc += product;
            }
          }
        }
      }
      sums.push_back(acc + bias[static_cast<size_t>(one_bias ? 0 : o[4])]);
    }
    return sums;
  }

  OneOperator Make() const {
    OneOperator one(op);
    one.In(Input()).In(Weight()).In(Bias()).Floats(in_t, {1}, {0}).Floats(in_t, {1}, {0});
    const size_t first = Dims() == 3 ? 0 : 1;
    std::vector<int64_t> pads, strides, dilations;
    for (size_t axis = first; axis < 3; ++axis) {
      // The padding must remove the rest of the input after the last place of the kernel.
      const int64_t need = (out[1 + axis] - 1) * stride[axis] + 1 +
                           (kernel[axis] - 1) * dilation[axis] - in[1 + axis] - pad[axis];
      const int64_t rest =
          transposed ? out[1 + axis] - (in[1 + axis] - 1) * stride[axis] - kernel[axis] - pad[axis]
                     : need;
      pads.insert(pads.end(), {pad[axis], rest});
      strides.push_back(stride[axis]);
      dilations.push_back(dilation[axis]);
    }
    one.Set(transposed ? "out_pad" : "pad", pads).Set("stride", strides);
    if (!transposed) one.Set("dilation", dilations);
    one.Set("acc_type", out_t == DType::kFp16 ? "FP16" : "FP32").Set("local_bound", true);
    return one.Out(out_t, Drop(out, 1));
  }

  void Expect() const {
    const std::vector<uint64_t> sums = Bits(Sums(false)), bounds = Bits(Sums(true));
    OnEveryTarget([&] {
      const ExpectedOutput output = Make().Output();
      EXPECT_EQ(StoredBits(output.answers[0].expected), sums);
      EXPECT_EQ(StoredBits(*output.answers[0].bound), bounds);
    });
  }
};

Plain Conv2d() {
  return {.in = {2, 1, 7, 9, 5},
          .out = {2, 1, 4, 6, 3},
          .kernel = {1, 3, 2},
          .pad = {0, 2, 1},
          .stride = {1, 2, 2},
          .dilation = {1, 2, 1}};
}

TEST(SumOfProducts, Conv2dIsThePlainLoop) { Conv2d().Expect(); }

TEST(SumOfProducts, Conv2dOfFewPlacesAndManyChannelsIsThePlainLoop) {
  Plain c = Conv2d();
  c.out[4] = 50;  // more than 2 * 4 * 6
  c.Expect();
}

TEST(SumOfProducts, Conv2dOfOneValueIsThePlainLoop) {
  Plain c{.in = {1, 1, 1, 1, 1}, .out = {1, 1, 1, 1, 1}, .kernel = {1, 1, 1}};
  c.Expect();
}

TEST(SumOfProducts, Conv2dOfNarrowTypesIsThePlainLoop) {
  for (DType type : {DType::kFp16, DType::kBf16}) {
    Plain c = Conv2d();
    c.in_t = c.out_t = type;
    c.Expect();
  }
}

TEST(SumOfProducts, SpecialInputsAreThoseOfThePlainLoop) {
  Plain c = Conv2d();
  c.special_x = {kInf, -0.0, std::nan(""), 0x1p-149, -kInf, 0x1.FFFFFEp127};
  c.Expect();
}

// A product with an infinite weight is no zero beyond the end of the input, so it must be left out.
TEST(SumOfProducts, SpecialWeightsDoNotCountOutsideOfTheInput) {
  for (double special : {kInf, -kInf, std::nan("")}) {
    Plain c = Conv2d();
    c.special_w = {special};
    const std::vector<double> sums = c.Sums(false);
    EXPECT_TRUE(std::any_of(sums.begin(), sums.end(), [](double x) { return std::isfinite(x); }));
    OnEveryTarget(
        [&] { EXPECT_EQ(StoredBits(c.Make().Output().answers[0].expected), Bits(sums)); });
  }
}

TEST(SumOfProducts, Conv3dIsThePlainLoop) {
  Plain c{.op = "CONV3D",
          .in = {2, 4, 5, 6, 3},
          .out = {2, 3, 4, 3, 7},
          .kernel = {2, 3, 3},
          .pad = {1, 1, 1},
          .stride = {2, 1, 2},
          .dilation = {1, 1, 1}};
  c.Expect();
}

TEST(SumOfProducts, DepthwiseConv2dIsThePlainLoop) {
  for (int64_t multiplier : {1, 3}) {
    Plain c = Conv2d();
    c.op = "DEPTHWISE_CONV2D";
    c.depthwise = true;
    c.out[4] = c.in[4] * multiplier;
    c.Expect();
  }
}

// Not a whole number of panels. With 12 channels infinities of both signs are neighbours in one,
// and the processor makes a NaN of them.
TEST(SumOfProducts, DepthwiseConv2dOfManyChannelsIsThePlainLoop) {
  for (const auto& [channels, multiplier] : {std::pair(12, 1), {12, 5}, {37, 1}, {37, 2}}) {
    Plain c = Conv2d();
    c.op = "DEPTHWISE_CONV2D";
    c.depthwise = true;
    c.in[4] = channels;
    c.out[4] = c.in[4] * multiplier;
    c.special_x = {kInf, -0.0, std::nan(""), 0x1p-149, -kInf, 0x1.FFFFFEp127};
    c.Expect();
    c.one_bias = true;
    c.Expect();
  }
}

TEST(SumOfProducts, OneBiasForAllChannelsIsThatOfThePlainLoop) {
  for (int64_t channels : {3, 50}) {
    Plain c = Conv2d();
    c.out[4] = channels;
    c.one_bias = true;
    c.Expect();
  }
}

TEST(SumOfProducts, TransposeConv2dIsThePlainLoop) {
  Plain c{.op = "TRANSPOSE_CONV2D",
          .in = {2, 1, 4, 3, 5},
          .out = {2, 1, 11, 7, 6},
          .kernel = {1, 3, 4},
          .pad = {0, 1, -2},
          .stride = {1, 3, 2},
          .transposed = true};
  c.Expect();
}

// [H,C] by [C,W], a batch of them, to either side of a square.
TEST(SumOfProducts, MatmulIsThePlainLoop) {
  for (const auto& [h, w] : std::vector<std::pair<int64_t, int64_t>>{{1, 40}, {40, 1}, {17, 17}}) {
    const int64_t n = 3, c = 29;
    const Tensor a = Rough(DType::kFp32, {n, h, c}, 1, {kInf}),
                 b = Rough(DType::kFp32, {n, c, w}, 2);
    std::vector<double> sums;
    for (int64_t i = 0; i < n * h * w; ++i) {
      double acc = 0;
      for (int64_t k = 0; k < c; ++k) {
        const volatile double product =
            a.Element(i / w * c + k) * b.Element((i / w / h * c + k) * w + i % w);
        acc += product;
      }
      sums.push_back(acc);
    }
    OneOperator op("MATMUL");
    op.In(a).In(b).Floats(DType::kFp32, {1}, {0}).Floats(DType::kFp32, {1}, {0});
    op.Out(DType::kFp32, {n, h, w});
    OnEveryTarget([&] { EXPECT_EQ(StoredBits(op.Run()), Bits(sums)); });
  }
}

// --- Integers: whether the accumulator overflows is a question of the order ----------------------

// [1,1,C] by [1,C,1] of i16, which accumulates in i48, or of i8, in i32.
std::string Dot(DType type, const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  const int64_t c = static_cast<int64_t>(a.size());
  OneOperator op("MATMUL");
  op.Integers(type, {1, 1, c}, a).Integers(type, {1, c, 1}, b);
  op.Integers(type, {1}, {0}).Integers(type, {1}, {0});
  op.Out(type == DType::kI8 ? DType::kI32 : DType::kI48, {1, 1, 1});
  const std::string verdict = op.Verdict();
  return verdict == "valid" ? std::to_string(op.Run().Integer(0)) : verdict;
}

// 2^31 = 2^17 * (-128)^2: one less than that many products fit i32, in either direction.
TEST(SumOfProducts, IntegersOverflowAtTheVeryPlace) {
  const size_t many = size_t{1} << 17;
  std::vector<int64_t> a(many, -128), b(many, -128);
  EXPECT_EQ(Dot(DType::kI8, a, b), "unpredictable: integer.overflow");
  b.back() = -127;
  EXPECT_EQ(Dot(DType::kI8, a, b), "2147483520");
  b.assign(many, 127);
  b.back() = 0;
  EXPECT_EQ(Dot(DType::kI8, a, b), std::to_string(-128 * 127 * (int64_t{1} << 17) + 128 * 127));
}

TEST(SumOfProducts, APartialSumThatOverflowsIsUnpredictableThoughTheSumFits) {
  const size_t many = size_t{1} << 18;
  std::vector<int64_t> a(many, -128), b(many, -128);
  for (size_t i = many / 2; i < many; ++i) b[i] = 127;  // back below the limit
  EXPECT_EQ(Dot(DType::kI8, a, b), "unpredictable: integer.overflow");
  for (size_t i = 0; i < many; ++i) b[i] = i % 2 == 0 ? -128 : 127;  // never far from zero
  EXPECT_EQ(Dot(DType::kI8, a, b), std::to_string(int64_t{128} << 17));
}

// A bias that overflows does so after the sum, which fits.
TEST(SumOfProducts, ABiasMayOverflow) {
  for (int64_t bias : {INT64_C(2147483647) - 1, INT64_C(2147483647)}) {
    OneOperator op("CONV2D");
    op.Integers(DType::kI8, {1, 1, 1, 1}, {1}).Integers(DType::kI8, {1, 1, 1, 1}, {1});
    op.Integers(DType::kI32, {1}, {bias}).Integers(DType::kI8, {1}, {0});
    op.Integers(DType::kI8, {1}, {0}).Out(DType::kI32, {1, 1, 1, 1});
    op.Set("pad", std::vector<int64_t>{0, 0, 0, 0}).Set("stride", std::vector<int64_t>{1, 1});
    op.Set("dilation", std::vector<int64_t>{1, 1}).Set("acc_type", "INT32");
    op.Set("local_bound", false);
    EXPECT_EQ(op.Verdict(), bias == 2147483647 ? "unpredictable: integer.overflow" : "valid");
  }
}

}  // namespace
}  // namespace cts
