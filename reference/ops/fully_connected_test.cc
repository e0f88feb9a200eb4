#include "reference/ops/convolution_testing.h"

namespace cts {
namespace {

// Only tosa-0.100 has it.
ConvolutionCase FullyConnected(Shape input, int64_t oc, int64_t bc = 1) {
  ConvolutionCase c{.op = "FULLY_CONNECTED", .input = input, .weight = {oc, input[1]}};
  c.output = {input[0], oc};
  c.bias_channels = bc;
  c.edition = "tosa-0.100";
  return c;
}

// The same numbers as a convolution of images of one point.
TEST(FullyConnected, IsConv2dOfPoints) {
  using enum DType;
  for (const ConvolutionTypes& types : {ConvolutionTypes{kI8, kI8, kI32, kI32},
                                        {kI8, kI4, kI32, kI32},
                                        {kI16, kI8, kI48, kI48},
                                        {kFp16, kFp16, kFp16, kFp16},
                                        {kFp32, kFp32, kFp32, kFp32}}) {
    for (int64_t bc : {1, 4}) {
      ConvolutionCase c = FullyConnected({3, 7}, 4, bc);
      c.in_t = types.in_t, c.weight_t = types.weight_t;
      c.acc_t = types.acc_t, c.out_t = types.out_t;
      c.input_zp = types.in_t == kI8 ? 5 : 0;
      c.weight_zp = types.weight_t == kI8 ? -128 : 0;
      const Tensor result = c.Make().Run();
      c.op = "CONV2D";
      for (Shape* shape : {&c.input, &c.weight, &c.output}) shape->insert(shape->begin() + 1, 2, 1);
      c.lists = {{"pad", {0, 0, 0, 0}}, {"stride", {1, 1}}, {"dilation", {1, 1}}};
      Tensor points = c.Make().Run();
      for (int64_t i = 0; i < result.size(); ++i) EXPECT_EQ(result.Bits(i), points.Bits(i));
    }
  }
}

// (2, 3) and (-1, 4) by the rows (1, 10), (0, -1), (5, 5), and a bias of 1000, 2000, 3000.
TEST(FullyConnected, MultipliesByRowsOfTheWeights) {
  ConvolutionCase c = FullyConnected({2, 2}, 3, 3);
  c.x = {2, 3, -1, 4}, c.w = {1, 10, 0, -1, 5, 5}, c.b = {1000, 2000, 3000};
  EXPECT_EQ(c.Make().Run().Integers(), (std::vector<int64_t>{1032, 1997, 3025, 1039, 1996, 3015}));
  for (DType in_t : {DType::kFp16, DType::kBf16}) {
    c.in_t = c.weight_t = in_t, c.out_t = DType::kFp32;
    EXPECT_EQ(c.Make().Run().Elements(), (std::vector<double>{1032, 1997, 3025, 1039, 1996, 3015}));
    EXPECT_EQ(c.Make().RunNative().Elements(), c.Make().Run().Elements());
  }
}

TEST(FullyConnected, IsUnpredictableWhenTheSumOverflows) {
  ConvolutionCase c = FullyConnected({1, 1}, 1);
  c.x = {1}, c.w = {1}, c.b = {2147483646};
  EXPECT_EQ(c.Verdict(), "valid");
  c.b = {2147483647};
  EXPECT_EQ(c.Verdict(), "unpredictable: integer.overflow");
}

TEST(FullyConnected, RejectsZeroPointsUnlessInt8AndOtherBiases) {
  ConvolutionCase c = FullyConnected({2, 3}, 4);
  c.input_zp = c.weight_zp = 1;
  EXPECT_EQ(c.Verdict(), "valid");
  c.weight_t = DType::kI4;
  EXPECT_EQ(c.Verdict(), "error: fully_connected.weight_zp");
  c.weight_t = DType::kI8, c.in_t = DType::kI16, c.out_t = DType::kI48;
  EXPECT_EQ(c.Verdict(), "error: fully_connected.input_zp");
  EXPECT_EQ(FullyConnected({2, 3}, 4, 4).Verdict(), "valid");
  EXPECT_EQ(FullyConnected({2, 3}, 4, 2).Verdict(), "error: fully_connected.bias_channels");
}

}  // namespace
}  // namespace cts
