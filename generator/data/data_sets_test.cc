#include "generator/data/data_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>

#include "reference/base/float_format.h"
#include "reference/base/status.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

using testing::Contains;

// Returns the words that the oracle prints for `arguments`.
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

const Features& FeaturesOf(std::string_view edition) { return (*FindEdition(edition))->features; }

class AppendixA : public testing::TestWithParam<std::tuple<std::string, int, DType>> {
 protected:
  const std::string& edition() const { return std::get<0>(GetParam()); }
  const Features& features() const { return FeaturesOf(edition()); }
  int set() const { return std::get<1>(GetParam()); }
  DType dtype() const { return std::get<2>(GetParam()); }
};

TEST_P(AppendixA, AgreesWithThePythonOracle) {
  DotProductSet conv(features(), set(), 30, dtype(), dtype(), dtype());
  DotProductSet matmul(features(), set(), 7, dtype(), dtype(), dtype());
  DotProductSet reduce(features(), set(), 6, dtype(), dtype(), dtype());
  DotProductSet conv3d(features(), set(), 36, dtype(), dtype(), dtype());
  DotProductSet depthwise(features(), set(), 10, dtype(), dtype(), dtype());
  DotProductSet fully_connected(features(), set(), 9, dtype(), dtype(), dtype());
  DotProductSet pool(features(), set(), 6, dtype(), dtype(), dtype());
  DotProductSet fft(features(), set(), 32, dtype(), dtype(), dtype());
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

// S0 holds set_data itself. The second sequence starts with (9 * 0x705A5E75 + 1) mod 2^32, which is
// 0xF32D521E: negative, with a magnitude of 0x732D521E / 0x7FFFFFFF. Binary32 has 24 bits. It makes
// 0x732D5200 of the one and 2^31 of the other.
TEST(DataSets, DivideInBinary32AsAppendixADoes) {
  for (const char* const edition : {"tosa-1.0", "tosa-0.100"}) {
    DotProductSet set(FeaturesOf(edition), 0, 1, DType::kFp32, DType::kFp32, DType::kFp32);
    EXPECT_EQ(set.Value(0, 0, 0), -0x1.ccb548p-1) << edition;
  }
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
    const double bound = DotProductBound(FeaturesOf("tosa-1.0"), row.in, row.out, DType::kFp32);
    const uint64_t bits = EncodeFloat(row.in, bound);
    EXPECT_EQ(DecodeFloat(row.in, bits), bound);
    const double next = DecodeFloat(row.in, bits + 1);
    EXPECT_LE(bound * bound, Format(row.out).max) << Name(row.in) << Name(row.out);
    EXPECT_GT(next * next, Format(row.out).max) << Name(row.in) << Name(row.out);
  }
}

TEST(DotProductBound, LooksAtTheAccumulatorInTheDraft) {
  EXPECT_EQ(DotProductBound(FeaturesOf("tosa-1.0"), DType::kFp16, DType::kFp16, DType::kFp32),
            255.875);
  EXPECT_EQ(DotProductBound(FeaturesOf("tosa-0.100"), DType::kFp16, DType::kFp16, DType::kFp32),
            65504);
  EXPECT_EQ(DotProductBound(FeaturesOf("tosa-0.100"), DType::kFp16, DType::kFp16, DType::kFp16),
            255.875);
  EXPECT_EQ(DotProductBound(FeaturesOf("tosa-0.100"), DType::kFp8E5M2, DType::kFp16, DType::kFp16),
            224);
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
    EXPECT_TRUE(std::isfinite(tensor.Value(i)));
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

const DType kFloats[] = {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp16, DType::kBf16,
                         DType::kFp32};

TEST(SpecialBits, HoldsTheEdgesOfFp32) {
  const std::vector<uint64_t> bits = SpecialBits(DType::kFp32);
  // By IEEE 754 binary32: 8 exponent bits, 23 fraction bits, the first of which is set in quiet
  // NaNs.
  for (uint64_t magnitude :
       {0x00000000u, 0x00000001u, 0x007FFFFFu, 0x00800000u, 0x00800001u, 0x7F7FFFFEu,
        0x7F7FFFFFu, 0x7F800000u, 0x3EFFFFFFu, 0x3F000000u, 0x3F000001u, 0x3F7FFFFFu,
        0x3F800000u, 0x3F800001u, 0x3FBFFFFFu, 0x3FC00000u, 0x3FC00001u, 0x3FFFFFFFu,
        0x40000000u, 0x40000001u, 0x401FFFFFu, 0x40200000u, 0x40200001u, 0x4AFFFFFFu,
        0x4B000000u, 0x4B000001u, 0x7FC00000u, 0x7F800001u, 0x7FBFFFFFu, 0x7FFFFFFFu}) {
    EXPECT_THAT(bits, Contains(magnitude));
    EXPECT_THAT(bits, Contains(magnitude | 0x80000000u));
  }
  EXPECT_EQ(bits.size(), 60u);
}

TEST(SpecialBits, HoldsTheOnlyNanOfEachSignOfFp8E4M3) {
  EXPECT_THAT(SpecialBits(DType::kFp8E4M3), testing::IsSupersetOf({0x7Fu, 0xFFu, 0x7Eu, 0xFEu}));
  EXPECT_THAT(SpecialBits(DType::kFp8E4M3, Specials::kNoNan),
              testing::Not(testing::AnyOf(Contains(0x7Fu), Contains(0xFFu))));
}

TEST(SpecialBits, AreWhatWasAskedForAndFewEnough) {
  for (DType type : kFloats) {
    for (Specials which : {Specials::kAll, Specials::kNoNan, Specials::kFinite}) {
      const std::vector<uint64_t> bits = SpecialBits(type, which);
      EXPECT_EQ(std::set<uint64_t>(bits.begin(), bits.end()).size(), bits.size());
      EXPECT_LE(bits.size(), 61u) << Name(type);
      for (uint64_t each : bits) {
        const double value = DecodeFloat(type, each);
        EXPECT_TRUE(which == Specials::kAll || !std::isnan(value));
        EXPECT_TRUE(which != Specials::kFinite || std::isfinite(value));
      }
    }
  }
  for (DType type : {DType::kBool, DType::kI4, DType::kI8, DType::kI16, DType::kI32, DType::kI48}) {
    EXPECT_LE(SpecialBits(type).size(), 61u) << Name(type);
    const Tensor tensor = Special(type, {61});
    for (int64_t i = 0; i < 61; ++i) {
      EXPECT_LE(tensor.Integer(i), IntegerMax(type)) << Name(type);
      EXPECT_GE(tensor.Integer(i), IntegerMin(type)) << Name(type);
    }
  }
}

TEST(SpecialBits, HoldsTheEdgesOfI16) {
  EXPECT_THAT(Special(DType::kI16, {61}).Integers(),
              testing::IsSupersetOf({-32768, -32767, 32766, 32767, -1, 0, 1, 0x5555, -0x5556,
                                     0x0F0F, 255, 256, 257, -255, -256, -257}));
}

TEST(Special, KeepsTheBitsOfNans) {
  const std::vector<uint64_t> bits = Bits(Special(DType::kFp16, {8, 8}));
  EXPECT_THAT(bits, testing::IsSupersetOf({0x7E00u, 0x7C01u, 0x7DFFu, 0x7FFFu, 0xFE00u, 0xFC01u}));
}

TEST(Exhaustive, HoldsEveryPatternOnceInOrder) {
  for (DType type : {DType::kI8, DType::kFp8E5M2, DType::kI16, DType::kFp16, DType::kBf16}) {
    const int64_t count = int64_t{1} << Info(type).bits;
    ASSERT_EQ(PatternCount(type), count);
    const Tensor tensor = Exhaustive(type, {count / 16, 16});
    for (int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(tensor.Bits(i), static_cast<uint64_t>(i)) << Name(type);
    }
  }
  EXPECT_THAT(Exhaustive(DType::kI4, {15}).Integers(),
              testing::ElementsAre(-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(Exhaustive, HoldsEveryPairWithItselfSlower) {
  const Tensor fast = Exhaustive(DType::kI8, {256, 256});
  const Tensor slow = Exhaustive(DType::kI8, {256, 256}, 256);
  std::set<std::pair<uint64_t, uint64_t>> pairs;
  for (int64_t i = 0; i < fast.size(); ++i) pairs.insert({fast.Bits(i), slow.Bits(i)});
  EXPECT_EQ(pairs.size(), 65536u);
}

TEST(WithNeighbours, StandsOnBothSidesOfAThreshold) {
  // Half precision has a last place of 2^-10 from 1 on and of 2^-11 below.
  EXPECT_THAT(WithNeighbours(DType::kFp16, std::vector<double>{1}),
              testing::UnorderedElementsAre(1, 1 + 0x1p-10, 1 - 0x1p-11));
  EXPECT_THAT(WithNeighbours(DType::kFp16, std::vector<double>{-0.0}),
              testing::UnorderedElementsAre(0, 0x1p-24, -0x1p-24));
  EXPECT_THAT(WithNeighbours(DType::kFp16, std::vector<double>{-65504, 1e6, std::nan("")}),
              testing::UnorderedElementsAre(-65504, -65472));
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THAT(WithNeighbours(DType::kFp16, std::vector<double>{inf}),
              testing::UnorderedElementsAre(inf, 65504));
  // A number that the type does not have lies between its neighbours.
  for (double value : {0.1, -3.3, 12345.6, 1e-6}) {
    const std::vector<double> near = WithNeighbours(DType::kBf16, std::vector<double>{value});
    EXPECT_LT(*std::min_element(near.begin(), near.end()), value);
    EXPECT_GT(*std::max_element(near.begin(), near.end()), value);
  }
  EXPECT_THAT(WithNeighbours(DType::kI8, std::vector<int64_t>{-128, 5, 127, 128, -129}),
              testing::UnorderedElementsAre(-128, -127, 4, 5, 6, 126, 127, 127, -128));
}

}  // namespace
}  // namespace cts
