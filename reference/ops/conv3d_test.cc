#include "reference/ops/convolution_testing.h"

namespace cts {
namespace {

using Numbers3 = std::vector<int64_t>;  // depth, y, x

ConvolutionCase Conv3d(Shape input, Shape weight, int64_t bc = 1, Numbers3 pad = {0, 0, 0, 0, 0, 0},
                       Numbers3 stride = {1, 1, 1}, Numbers3 dilation = {1, 1, 1}) {
  ConvolutionCase c{.op = "CONV3D", .input = input, .weight = weight, .bias_channels = bc};
  c.output = {input[0]};
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t span = input[1 + axis] - 1 + pad[2 * axis] + pad[2 * axis + 1] -
                         (weight[1 + axis] - 1) * dilation[axis];
    c.output.push_back(stride[axis] < 1 ? 1 : span / stride[axis] + 1);
  }
  c.output.push_back(weight[0]);
  c.lists = {{"pad", pad}, {"stride", stride}, {"dilation", dilation}};
  return c;
}

// Adds every input element where its products belong, in the opposite direction to the operator.
std::vector<int64_t> Scattered(const ConvolutionCase& c) {
  std::vector<int64_t> result = BiasEverywhere(c);
  const auto& pad = c.lists.at("pad");
  const auto& stride = c.lists.at("stride");
  const auto& dilation = c.lists.at("dilation");
  for (size_t i = 0; i < c.x.size(); ++i) {
    const Shape at = Index(c.input, static_cast<int64_t>(i));  // n, d, y, x, ic
    for (size_t k = 0; k < c.w.size(); ++k) {
      const Shape tap = Index(c.weight, static_cast<int64_t>(k));  // oc, kd, ky, kx, ic
      if (tap[4] != at[4]) continue;
      Shape to = {at[0]};
      for (size_t axis = 0; axis < 3; ++axis) {
        const int64_t place = at[1 + axis] + pad[2 * axis] - tap[1 + axis] * dilation[axis];
        if (place < 0 || place % stride[axis] != 0) break;
        if (place / stride[axis] >= c.output[1 + axis]) break;
        to.push_back(place / stride[axis]);
      }
      if (to.size() < 4) continue;
      to.push_back(tap[0]);
      result[Offset(c.output, to)] += (c.x[i] - c.input_zp) * (c.w[k] - c.weight_zp);
    }
  }
  return result;
}

TEST(Conv3d, EqualsTheScatteredSumInEveryType) {
  ExpectInEveryType(Conv3d({1, 3, 4, 5, 2}, {3, 2, 2, 3, 2}), Scattered);
  ExpectInEveryType(Conv3d({1, 3, 4, 5, 2}, {3, 2, 2, 3, 2}, 3, {2, 1, 0, 2, 3, 0}), Scattered);
  ExpectInEveryType(
      Conv3d({2, 5, 7, 8, 1}, {2, 2, 2, 3, 1}, 1, {0, 0, 0, 1, 1, 2}, {3, 2, 3}, {1, 3, 2}),
      Scattered);
  ExpectInEveryType(
      Conv3d({1, 1, 1, 1, 3}, {2, 2, 2, 2, 3}, 2, {2, 1, 4, 7, 5, 2}, {1, 3, 1}, {3, 2, 5}),
      Scattered);
}

TEST(Conv3d, OfOneLayerIsConv2d) {
  ConvolutionCase c =
      Conv3d({2, 1, 6, 5, 3}, {4, 1, 3, 2, 3}, 4, {0, 0, 1, 2, 0, 1}, {1, 2, 1}, {1, 1, 2});
  const Tensor three = c.Make().Run();
  c.op = "CONV2D";
  for (Shape* shape : {&c.input, &c.weight, &c.output}) shape->erase(shape->begin() + 1);
  c.lists = {{"pad", {1, 2, 0, 1}}, {"stride", {2, 1}}, {"dilation", {1, 2}}};
  EXPECT_EQ(c.Make().Run().Integers(), three.Integers());
}

TEST(Conv3d, IsUnpredictableWhenTheSumOverflows) {
  ConvolutionCase c = Conv3d({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1});
  c.x = {1}, c.w = {1}, c.b = {2147483646};
  EXPECT_EQ(c.Verdict(), "valid");
  c.b = {2147483647};
  EXPECT_EQ(c.Verdict(), "unpredictable: integer.overflow");
}

TEST(Conv3d, RejectsZeroPointsUnlessInt8) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    ConvolutionCase c = Conv3d({1, 2, 2, 2, 1}, {1, 1, 1, 1, 1});
    c.edition = edition;
    c.input_zp = c.weight_zp = 1;
    EXPECT_EQ(c.Verdict(), "valid");
    c.weight_t = DType::kI4;
    c.w.clear();
    EXPECT_EQ(c.Verdict(), "error: conv3d.weight_zp");
    c.weight_t = DType::kI8, c.in_t = DType::kI16, c.acc_t = c.out_t = DType::kI48;
    EXPECT_EQ(c.Verdict(), "error: conv3d.input_zp");
    c.input_zp = 0;
    EXPECT_EQ(c.Verdict(), "valid");
  }
}

TEST(Conv3d, RejectsNegativePads) {
  for (size_t i = 0; i < 6; ++i) {
    Numbers3 pad(6, 0);
    pad[i] = -1;
    EXPECT_EQ(Conv3d({1, 3, 3, 3, 1}, {1, 1, 1, 1, 1}, 1, pad).Verdict(),
              "error: conv3d.pad_negative");
  }
}

TEST(Conv3d, RejectsStridesAndDilationsBelowOne) {
  for (size_t i = 0; i < 3; ++i) {
    for (int64_t bad : {0, -1}) {
      Numbers3 list(3, 1);
      list[i] = bad;
      EXPECT_EQ(Conv3d({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, 1, {0, 0, 0, 0, 0, 0}, list).Verdict(),
                "error: conv3d.stride_below_one");
      EXPECT_EQ(Conv3d({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, 1, {0, 0, 0, 0, 0, 0}, {1, 1, 1}, list)
                    .Verdict(),
                "error: conv3d.dilation_below_one");
    }
  }
}

TEST(Conv3d, RejectsOutputsOfAnotherSizeAndOtherBiases) {
  const char* const ids[] = {"depth", "height", "width"};
  for (size_t axis = 0; axis < 3; ++axis) {
    ConvolutionCase c = Conv3d({1, 4, 4, 4, 1}, {2, 2, 2, 2, 1});
    c.output[1 + axis] -= 1;
    EXPECT_EQ(c.Verdict(), StrCat("error: conv3d.output_", ids[axis]));
    // (4 - 1 - 1) / 2 + 1 = 2 divides, by 3 it does not.
    Numbers3 stride(3, 1);
    stride[axis] = 2;
    EXPECT_EQ(Conv3d({1, 4, 4, 4, 1}, {2, 2, 2, 2, 1}, 1, Numbers3(6, 0), stride).Verdict(),
              "valid");
    stride[axis] = 3;
    EXPECT_EQ(Conv3d({1, 4, 4, 4, 1}, {2, 2, 2, 2, 1}, 1, Numbers3(6, 0), stride).Verdict(),
              StrCat("error: conv3d.output_", ids[axis]));
  }
  EXPECT_EQ(Conv3d({1, 4, 4, 4, 1}, {3, 2, 2, 2, 1}, 3).Verdict(), "valid");
  EXPECT_EQ(Conv3d({1, 4, 4, 4, 1}, {3, 2, 2, 2, 1}, 2).Verdict(), "error: conv3d.bias_channels");
}

TEST(Conv3d, LimitsKernelPadAndStrideToTheLevel) {
  const char axes[] = {'d', 'y', 'x'};
  const char* const sides[] = {"d0", "d1", "top", "bottom", "left", "right"};
  for (size_t axis = 0; axis < 3; ++axis) {
    Numbers3 dilation(3, 1), stride(3, 1);
    dilation[axis] = 3;
    ConvolutionCase dilated =
        Conv3d({1, 7, 7, 7, 1}, {1, 2, 2, 2, 1}, 1, Numbers3(6, 0), {1, 1, 1}, dilation);
    EXPECT_EQ(dilated.Verdict({{"MAX_KERNEL", 6}}), "valid");
    EXPECT_EQ(dilated.Verdict({{"MAX_KERNEL", 5}}),
              StrCat("unpredictable: conv3d.level_kernel_", std::string(1, axes[axis])));
    stride[axis] = 2;
    ConvolutionCase strided = Conv3d({1, 3, 3, 3, 1}, {1, 1, 1, 1, 1}, 1, Numbers3(6, 0), stride);
    EXPECT_EQ(strided.Verdict({{"MAX_STRIDE", 2}}), "valid");
    EXPECT_EQ(strided.Verdict({{"MAX_STRIDE", 1}}),
              StrCat("unpredictable: conv3d.level_stride_", std::string(1, axes[axis])));
  }
  for (size_t side = 0; side < 6; ++side) {
    Numbers3 pad(6, 0);
    pad[side] = 4;
    ConvolutionCase c = Conv3d({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, 1, pad);
    EXPECT_EQ(c.Verdict({{"MAX_KERNEL", 4}}), "valid");
    EXPECT_EQ(c.Verdict({{"MAX_KERNEL", 3}}),
              StrCat("unpredictable: conv3d.level_pad_", sides[side]));
  }
}

}  // namespace
}  // namespace cts
