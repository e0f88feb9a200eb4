#include "generator/data/data_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>

#include "reference/base/status.h"
#include "reference/numeric/float_format.h"

namespace cts {
namespace {

using testing::Contains;

// What the oracle prints for `arguments`.
std::vector<uint64_t> Oracle(const std::string& arguments) {
  const std::string command =
      StrCat(CTS_PYTHON " " CTS_SOURCE_DIR "/generator/data/testdata/appendix_a.py ", arguments);
  std::vector<uint64_t> words;
  FILE* pipe = popen(command.c_str(), "r");
  unsigned long word = 0;
  while (fscanf(pipe, "%lx", &word) == 1) words.push_back(word);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return words;
}

std::vector<uint64_t> Bits(const Tensor& tensor) {
  std::vector<uint64_t> words;
  for (int64_t i = 0; i < tensor.size(); ++i) words.push_back(tensor.Bits(i));
  return words;
}

class AppendixA : public testing::TestWithParam<std::tuple<std::string, int, DType>> {
 protected:
  std::string edition() const { return std::get<0>(GetParam()); }
  int set() const { return std::get<1>(GetParam()); }
  DType dtype() const { return std::get<2>(GetParam()); }
};

TEST_P(AppendixA, AgreesWithThePythonOracle) {
  DotProductSet conv(edition(), set(), 30, dtype(), dtype(), dtype());
  DotProductSet matmul(edition(), set(), 7, dtype(), dtype(), dtype());
  DotProductSet reduce(edition(), set(), 6, dtype(), dtype(), dtype());
  DotProductSet conv3d(edition(), set(), 36, dtype(), dtype(), dtype());
  DotProductSet depthwise(edition(), set(), 10, dtype(), dtype(), dtype());
  DotProductSet fully_connected(edition(), set(), 9, dtype(), dtype(), dtype());
  DotProductSet pool(edition(), set(), 6, dtype(), dtype(), dtype());
  DotProductSet fft(edition(), set(), 32, dtype(), dtype(), dtype());
  std::vector<uint64_t> found;
  for (const Tensor& tensor :
       {Conv2dInput(conv, dtype(), {2, 5, 7, 3}, {4, 2, 5, 3}),
        Conv2dWeight(conv, dtype(), {4, 2, 5, 3}), Conv2dBias(conv, dtype(), {4}),
        MatmulA(matmul, dtype(), {2, 3, 7}), MatmulB(matmul, dtype(), {2, 7, 4}),
        ReduceSumInput(reduce, dtype(), {3, 6, 5}, 1),
        Conv3dInput(conv3d, dtype(), {2, 5, 3, 7, 3}, {4, 3, 2, 2, 3}),
        Conv2dWeight(conv3d, dtype(), {4, 3, 2, 2, 3}),
        DepthwiseConv2dInput(depthwise, dtype(), {2, 5, 7, 3}, {2, 5, 3, 4}),
        DepthwiseConv2dWeight(depthwise, dtype(), {2, 5, 3, 4}),
        FullyConnectedInput(fully_connected, dtype(), {4, 9}, {5, 9}),
        Conv2dWeight(fully_connected, dtype(), {5, 9}),
        AvgPool2dInput(pool, dtype(), {2, 5, 7, 3}, {2, 3}), FftInput(fft, dtype(), {3, 4, 4}, 0),
        FftInput(fft, dtype(), {3, 4, 4}, 1)}) {
    for (uint64_t bits : Bits(tensor)) found.push_back(bits);
  }
  const std::string bound = dtype() == DType::kFp16 ? "255.875" : "18446742974197923840";
  EXPECT_EQ(found, Oracle(StrCat(edition(), " ", set(), " ", bound, " ", Name(dtype()),
                                 " conv_input:30:2,5,2,5,7,3 conv_weight:30:4,2,5,3 conv_bias:30:4",
                                 " matmul_a:7:2,3,7 matmul_b:7:2,7,4 reduce:6:1,3,6,5",
                                 " conv3d_input:36:3,2,2,2,5,3,7,3 conv3d_weight:36:4,3,2,2,3",
                                 " depthwise_input:10:2,5,2,5,7,3 depthwise_weight:10:2,5,3,4",
                                 " fc_input:9:4,9 fc_weight:9:5,9 pool:6:2,3,2,5,7,3"
                                 " fft_real:32:3,4,4 fft_imag:32:3,4,4")));
}

INSTANTIATE_TEST_SUITE_P(EverySet, AppendixA,
                         testing::Combine(testing::Values("tosa-1.0", "tosa-0.100"),
                                          testing::Range(0, 6),
                                          testing::Values(DType::kFp16, DType::kFp32)));

// The bound squared must not overflow the type that it is summed in; the next value would.
TEST(DotProductBound, IsTheLargestWhoseSquareFits) {
  struct Row {
    DType in, out;
  };
  for (const Row& row : {Row{DType::kFp8E4M3, DType::kFp16}, Row{DType::kFp8E5M2, DType::kFp16},
                         Row{DType::kFp16, DType::kFp16}, Row{DType::kBf16, DType::kFp32},
                         Row{DType::kBf16, DType::kBf16}, Row{DType::kFp32, DType::kFp32}}) {
    const double bound = DotProductBound("tosa-1.0", row.in, row.out, DType::kFp32);
    const uint64_t bits = EncodeFloat(row.in, bound);
    EXPECT_EQ(DecodeFloat(row.in, bits), bound);
    const double next = DecodeFloat(row.in, bits + 1);
    EXPECT_LE(bound * bound, Format(row.out).max) << Name(row.in) << Name(row.out);
    EXPECT_GT(next * next, Format(row.out).max) << Name(row.in) << Name(row.out);
  }
}

TEST(DotProductBound, LooksAtTheAccumulatorInTheDraft) {
  EXPECT_EQ(DotProductBound("tosa-1.0", DType::kFp16, DType::kFp16, DType::kFp32), 255.875);
  EXPECT_EQ(DotProductBound("tosa-0.100", DType::kFp16, DType::kFp16, DType::kFp32), 65504);
  EXPECT_EQ(DotProductBound("tosa-0.100", DType::kFp16, DType::kFp16, DType::kFp16), 255.875);
  EXPECT_EQ(DotProductBound("tosa-0.100", DType::kFp8E5M2, DType::kFp16, DType::kFp16), 224);
}

TEST(DotProductSetNumber, KnowsSixSets) {
  EXPECT_EQ(DotProductSetNumber("S0"), 0);
  EXPECT_EQ(DotProductSetNumber("S5"), 5);
  EXPECT_EQ(DotProductSetNumber("S6"), -1);
  EXPECT_EQ(DotProductSetNumber("special"), -1);
}

TEST(FullRange, ReachesEveryExponentAndIsFinite) {
  const Tensor tensor = FullRange(Random(1, "c", "t"), DType::kFp16, {4000});
  std::set<uint64_t> exponents, signs;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    exponents.insert(tensor.Bits(i) >> 10 & 31);
    signs.insert(tensor.Bits(i) >> 15);
    EXPECT_TRUE(std::isfinite(tensor.Float(i)));
  }
  EXPECT_EQ(exponents.size(), 31u);
  EXPECT_EQ(signs.size(), 2u);
}

TEST(FullRange, KeepsToTheSymmetricRangeOfI4) {
  const std::vector<int64_t> values = FullRange(Random(1, "c", "t"), DType::kI4, {500}).Integers();
  EXPECT_EQ(*std::min_element(values.begin(), values.end()), -7);
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 7);
}

TEST(SpecialFloats, HoldsTheEdgesOfFp16) {
  const std::vector<double> values = SpecialFloats(DType::kFp16);
  // By the format: 5 exponent bits with bias 15, 10 fraction bits.
  for (double edge : {0x1p-24, 0x1p-14 - 0x1p-24, 0x1p-14, 65504.0, 1 + 0x1p-10, 1 - 0x1p-11, 0.5,
                      std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(values, Contains(edge));
    EXPECT_THAT(values, Contains(-edge));
  }
  EXPECT_TRUE(std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); }));
  EXPECT_TRUE(std::any_of(values.begin(), values.end(),
                          [](double x) { return x == 0 && std::signbit(x); }));
}

TEST(SpecialFloats, AreExactInEveryType) {
  for (DType type : {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp16, DType::kBf16, DType::kFp32}) {
    for (double value : SpecialFloats(type, Specials::kNoNan)) {
      EXPECT_EQ(RoundTo(type, value), value) << Name(type);
    }
    for (double value : SpecialFloats(type, Specials::kFinite)) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(SpecialIntegers, HoldsBothEnds) {
  EXPECT_THAT(SpecialIntegers(DType::kI8), testing::IsSupersetOf({-128, -127, -1, 0, 1, 126, 127}));
  EXPECT_THAT(SpecialIntegers(DType::kI48), Contains(-(int64_t{1} << 47)));
  EXPECT_THAT(SpecialIntegers(DType::kI4),
              testing::Each(testing::AllOf(testing::Ge(-7), testing::Le(7))));
}

}  // namespace
}  // namespace cts
