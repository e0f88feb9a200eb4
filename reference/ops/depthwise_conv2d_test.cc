#include "reference/ops/convolution_testing.h"

namespace cts {
namespace {

using List = std::vector<int64_t>;

// weight: KH, KW, C, M.
ConvolutionCase Depthwise(Shape input, Shape weight, int64_t bc = 1, List pad = {0, 0, 0, 0},
                          List stride = {1, 1}, List dilation = {1, 1}) {
  ConvolutionCase c{
      .op = "DEPTHWISE_CONV2D", .input = input, .weight = weight, .bias_channels = bc};
  c.output = {input[0]};
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t span = input[1 + axis] - 1 + pad[2 * axis] + pad[2 * axis + 1] -
                         (weight[axis] - 1) * dilation[axis];
    c.output.push_back(stride[axis] < 1 ? 1 : span / stride[axis] + 1);
  }
  c.output.push_back(weight[2] * weight[3]);
  c.lists = {{"pad", pad}, {"stride", stride}, {"dilation", dilation}};
  return c;
}

// Adds every input element where its products belong, in the opposite direction to the operator.
std::vector<int64_t> Scattered(const ConvolutionCase& c) {
  std::vector<int64_t> result = BiasEverywhere(c);
  const List& pad = c.lists.at("pad");
  const List& stride = c.lists.at("stride");
  const List& dilation = c.lists.at("dilation");
  for (size_t i = 0; i < c.x.size(); ++i) {
    const Shape at = Index(c.input, static_cast<int64_t>(i));  // n, y, x, c
    for (size_t k = 0; k < c.w.size(); ++k) {
      const Shape tap = Index(c.weight, static_cast<int64_t>(k));  // ky, kx, c, m
      if (tap[2] != at[3]) continue;
      const int64_t y = at[1] + pad[0] - tap[0] * dilation[0];
      const int64_t x = at[2] + pad[2] - tap[1] * dilation[1];
      if (y < 0 || x < 0 || y % stride[0] != 0 || x % stride[1] != 0) continue;
      const Shape to = {at[0], y / stride[0], x / stride[1], at[3] * c.weight[3] + tap[3]};
      if (to[1] >= c.output[1] || to[2] >= c.output[2]) continue;
      result[Offset(c.output, to)] += (c.x[i] - c.input_zp) * (c.w[k] - c.weight_zp);
    }
  }
  return result;
}

TEST(DepthwiseConv2d, EqualsTheScatteredSumInEveryType) {
  ExpectInEveryType(Depthwise({1, 4, 5, 2}, {2, 3, 2, 3}), Scattered);
  ExpectInEveryType(Depthwise({1, 4, 5, 2}, {2, 3, 2, 3}, 6, {1, 2, 3, 0}), Scattered);
  ExpectInEveryType(Depthwise({2, 7, 8, 3}, {2, 3, 3, 1}, 3, {0, 1, 1, 2}, {2, 3}, {3, 2}),
                    Scattered);
  ExpectInEveryType(Depthwise({1, 1, 1, 2}, {2, 3, 2, 2}, 1, {4, 7, 6, 7}, {3, 1}, {2, 5}),
                    Scattered);
}

// A convolution whose kernel is zero between different channels.
TEST(DepthwiseConv2d, IsConv2dWithABlockDiagonalKernel) {
  ConvolutionCase c = Depthwise({2, 6, 5, 3}, {3, 2, 3, 2}, 6, {1, 2, 0, 1}, {2, 1}, {1, 2});
  const Tensor depthwise = c.Make().Run();
  const Shape shape = {6, 3, 2, 3};  // OC, KH, KW, IC
  List w(static_cast<size_t>(ElementCount(shape)));
  for (size_t i = 0; i < c.w.size(); ++i) {
    const Shape tap = Index(c.weight, static_cast<int64_t>(i));  // ky, kx, c, m
    w[Offset(shape, {tap[2] * 2 + tap[3], tap[0], tap[1], tap[2]})] = c.w[i];
  }
  c.op = "CONV2D", c.weight = shape, c.w = w;
  EXPECT_EQ(c.Make().Run().Integers(), depthwise.Integers());
}

TEST(DepthwiseConv2d, IsUnpredictableWhenTheSumOverflows) {
  ConvolutionCase c = Depthwise({1, 1, 1, 1}, {1, 1, 1, 1});
  c.x = {1}, c.w = {1}, c.b = {2147483646};
  EXPECT_EQ(c.Verdict(), "valid");
  c.b = {2147483647};
  EXPECT_EQ(c.Verdict(), "unpredictable: integer.overflow");
}

TEST(DepthwiseConv2d, RejectsZeroPointsUnlessInt8) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    ConvolutionCase c = Depthwise({1, 2, 2, 1}, {1, 1, 1, 1});
    c.edition = edition;
    c.input_zp = c.weight_zp = 1;
    EXPECT_EQ(c.Verdict(), "valid");
    c.weight_t = DType::kI4;
    c.w.clear();
    EXPECT_EQ(c.Verdict(), "error: depthwise_conv2d.weight_zp");
    c.weight_t = DType::kI8, c.in_t = DType::kI16, c.acc_t = c.out_t = DType::kI48;
    EXPECT_EQ(c.Verdict(), "error: depthwise_conv2d.input_zp");
  }
}

TEST(DepthwiseConv2d, RejectsNegativePadsStridesAndDilations) {
  for (size_t i = 0; i < 4; ++i) {
    List pad(4, 0);
    pad[i] = -1;
    EXPECT_EQ(Depthwise({1, 3, 3, 1}, {1, 1, 1, 1}, 1, pad).Verdict(),
              "error: depthwise_conv2d.pad_negative");
  }
  for (size_t i = 0; i < 2; ++i) {
    for (int64_t bad : {0, -1}) {
      List list(2, 1);
      list[i] = bad;
      EXPECT_EQ(Depthwise({1, 1, 1, 1}, {1, 1, 1, 1}, 1, List(4, 0), list).Verdict(),
                "error: depthwise_conv2d.stride_below_one");
      EXPECT_EQ(Depthwise({1, 1, 1, 1}, {1, 1, 1, 1}, 1, List(4, 0), {1, 1}, list).Verdict(),
                "error: depthwise_conv2d.dilation_below_one");
    }
  }
}

TEST(DepthwiseConv2d, RejectsOutputsOfAnotherSizeAndOtherBiases) {
  const char* const ids[] = {"height", "width"};
  for (size_t axis = 0; axis < 2; ++axis) {
    ConvolutionCase c = Depthwise({1, 4, 4, 2}, {2, 2, 2, 3});
    c.output[1 + axis] -= 1;
    EXPECT_EQ(c.Verdict(), StrCat("error: depthwise_conv2d.output_", ids[axis]));
    // (4 - 1 - 1) / 2 + 1 = 2 divides, by 3 it does not.
    List stride(2, 1);
    stride[axis] = 2;
    EXPECT_EQ(Depthwise({1, 4, 4, 2}, {2, 2, 2, 3}, 1, List(4, 0), stride).Verdict(), "valid");
    stride[axis] = 3;
    EXPECT_EQ(Depthwise({1, 4, 4, 2}, {2, 2, 2, 3}, 1, List(4, 0), stride).Verdict(),
              StrCat("error: depthwise_conv2d.output_", ids[axis]));
  }
  EXPECT_EQ(Depthwise({1, 4, 4, 2}, {2, 2, 2, 3}, 6).Verdict(), "valid");
  for (int64_t bc : {2, 3}) {  // C, M
    EXPECT_EQ(Depthwise({1, 4, 4, 2}, {2, 2, 2, 3}, bc).Verdict(),
              "error: depthwise_conv2d.bias_channels");
  }
}

// Its argument has the shape [N,OH,OW,C*M]; no condition repeats that.
TEST(DepthwiseConv2d, RejectsOutputsOfOtherChannels) {
  for (int64_t channels : {2, 3, 5, 7}) {
    ConvolutionCase c = Depthwise({1, 4, 4, 2}, {2, 2, 2, 3});
    c.output[3] = channels;
    EXPECT_EQ(c.Verdict(), "error: graph.shape");
  }
}

TEST(DepthwiseConv2d, LimitsKernelPadAndStrideToTheLevel) {
  const char axes[] = {'y', 'x'};
  const char* const sides[] = {"top", "bottom", "left", "right"};
  for (size_t axis = 0; axis < 2; ++axis) {
    List dilation(2, 1), stride(2, 1);
    dilation[axis] = 3;
    ConvolutionCase dilated =
        Depthwise({1, 7, 7, 1}, {2, 2, 1, 1}, 1, List(4, 0), {1, 1}, dilation);
    EXPECT_EQ(dilated.Verdict({{"MAX_KERNEL", 6}}), "valid");
    EXPECT_EQ(dilated.Verdict({{"MAX_KERNEL", 5}}),
              StrCat("unpredictable: depthwise_conv2d.level_kernel_", std::string(1, axes[axis])));
    stride[axis] = 2;
    ConvolutionCase strided = Depthwise({1, 3, 3, 1}, {1, 1, 1, 1}, 1, List(4, 0), stride);
    EXPECT_EQ(strided.Verdict({{"MAX_STRIDE", 2}}), "valid");
    EXPECT_EQ(strided.Verdict({{"MAX_STRIDE", 1}}),
              StrCat("unpredictable: depthwise_conv2d.level_stride_", std::string(1, axes[axis])));
  }
  for (size_t side = 0; side < 4; ++side) {
    List pad(4, 0);
    pad[side] = 4;
    ConvolutionCase c = Depthwise({1, 1, 1, 1}, {1, 1, 1, 1}, 1, pad);
    EXPECT_EQ(c.Verdict({{"MAX_KERNEL", 4}}), "valid");
    EXPECT_EQ(c.Verdict({{"MAX_KERNEL", 3}}),
              StrCat("unpredictable: depthwise_conv2d.level_pad_", sides[side]));
  }
}

}  // namespace
}  // namespace cts
