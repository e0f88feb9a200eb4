#include "reference/ops/convolution_testing.h"

namespace cts {
namespace {

using List = std::vector<int64_t>;

// weight: OC, KH, KW, IC.
ConvolutionCase Transpose(Shape input, Shape weight, int64_t bc = 1, List out_pad = {0, 0, 0, 0},
                          List stride = {1, 1}) {
  ConvolutionCase c{
      .op = "TRANSPOSE_CONV2D", .input = input, .weight = weight, .bias_channels = bc};
  c.output = {input[0]};
  for (size_t axis = 0; axis < 2; ++axis) {
    c.output.push_back((input[1 + axis] - 1) * stride[axis] + out_pad[2 * axis] +
                       out_pad[2 * axis + 1] + weight[1 + axis]);
  }
  c.output.push_back(weight[0]);
  c.lists = {{"out_pad", out_pad}, {"stride", stride}};
  return c;
}

// Spreads every input element over the outputs, in the opposite direction to the operator.
std::vector<int64_t> Scattered(const ConvolutionCase& c) {
  std::vector<int64_t> result = BiasEverywhere(c);
  const List& out_pad = c.lists.at("out_pad");
  const List& stride = c.lists.at("stride");
  for (size_t i = 0; i < c.x.size(); ++i) {
    const Shape at = Index(c.input, static_cast<int64_t>(i));  // n, y, x, ic
    for (size_t k = 0; k < c.w.size(); ++k) {
      const Shape tap = Index(c.weight, static_cast<int64_t>(k));  // oc, ky, kx, ic
      if (tap[3] != at[3]) continue;
      const Shape to = {at[0], at[1] * stride[0] + tap[1] + out_pad[0],
                        at[2] * stride[1] + tap[2] + out_pad[2], tap[0]};
      if (to[1] < 0 || to[1] >= c.output[1] || to[2] < 0 || to[2] >= c.output[2]) continue;
      result[Offset(c.output, to)] += (c.x[i] - c.input_zp) * (c.w[k] - c.weight_zp);
    }
  }
  return result;
}

TEST(TransposeConv2d, EqualsTheScatteredSumInEveryType) {
  ExpectInEveryType(Transpose({1, 3, 4, 2}, {3, 2, 3, 2}), Scattered);
  ExpectInEveryType(Transpose({2, 3, 4, 2}, {3, 2, 3, 2}, 3, {1, 2, 0, 5}, {2, 3}), Scattered);
  ExpectInEveryType(Transpose({1, 4, 3, 1}, {2, 3, 4, 1}, 1, {-2, -1, -3, 1}, {1, 2}), Scattered);
  ExpectInEveryType(Transpose({1, 2, 2, 3}, {4, 1, 2, 3}, 4, {0, 0, 1, -1}, {4, 5}), Scattered);
}

// <conv(x), y> = <x, transpose(y)> where the kernel's channels change places and what CONV2D pads
// is cropped.
TEST(TransposeConv2d, IsTheAdjointOfConv2d) {
  struct Geometry {
    Shape input, kernel;  // of CONV2D: N, IH, IW, IC; KH, KW
    List pad, stride;
  };
  const int64_t oc = 3;
  for (const Geometry& g : {Geometry{{1, 5, 6, 2}, {2, 3}, {0, 0, 0, 0}, {1, 1}},
                            Geometry{{2, 5, 6, 2}, {3, 4}, {2, 0, 1, 3}, {2, 3}},
                            Geometry{{1, 7, 4, 1}, {3, 2}, {1, 1, 0, 0}, {3, 2}}}) {
    const int64_t ic = g.input[3], kh = g.kernel[0], kw = g.kernel[1];
    ConvolutionCase forward{
        .op = "CONV2D",
        .input = g.input,
        .weight = {oc, kh, kw, ic},
        .output = {g.input[0], (g.input[1] + g.pad[0] + g.pad[1] - kh) / g.stride[0] + 1,
                   (g.input[2] + g.pad[2] + g.pad[3] - kw) / g.stride[1] + 1, oc}};
    forward.lists = {{"pad", g.pad}, {"stride", g.stride}, {"dilation", {1, 1}}};
    forward.b = {0};
    const List image = forward.Make().Run().Integers();

    ConvolutionCase back = Transpose(forward.output, {ic, kh, kw, oc}, 1,
                                     {-g.pad[0], -g.pad[1], -g.pad[2], -g.pad[3]}, g.stride);
    forward.Fill();
    back.b = {0};
    back.x = Numbers(ElementCount(back.input), -128, 127, 9);
    back.w.resize(forward.w.size());
    for (size_t i = 0; i < back.w.size(); ++i) {
      const Shape tap = Index(forward.weight, static_cast<int64_t>(i));
      back.w[Offset(back.weight, {tap[3], tap[1], tap[2], tap[0]})] = forward.w[i];
    }
    ASSERT_EQ(back.output, forward.input);
    const List adjoint = back.Make().Run().Integers();
    int64_t left = 0, right = 0;
    for (size_t i = 0; i < image.size(); ++i) left += image[i] * back.x[i];
    for (size_t i = 0; i < adjoint.size(); ++i) right += forward.x[i] * adjoint[i];
    EXPECT_EQ(left, right);
    EXPECT_NE(left, 0);
  }
}

// 1x1x2x1 by 1x3, stride 2: 5 * (1, 2, 3) at 0 and 7 * (1, 2, 3) at 2, behind an out_pad of 1.
TEST(TransposeConv2d, SpreadsTheKernelOverTheOutput) {
  ConvolutionCase c = Transpose({1, 1, 2, 1}, {1, 1, 3, 1}, 1, {0, 0, 1, 0}, {1, 2});
  c.x = {5, 7}, c.w = {1, 2, 3}, c.b = {100};
  EXPECT_EQ(c.output, (Shape{1, 1, 6, 1}));
  EXPECT_EQ(c.Make().Run().Integers(), (List{100, 105, 110, 122, 114, 121}));
}

TEST(TransposeConv2d, IsUnpredictableWhenTheSumOverflows) {
  ConvolutionCase c = Transpose({1, 1, 1, 1}, {1, 1, 1, 1});
  c.x = {1}, c.w = {1}, c.b = {2147483646};
  EXPECT_EQ(c.Verdict(), "valid");
  c.b = {2147483647};
  EXPECT_EQ(c.Verdict(), "unpredictable: integer.overflow");
}

// The rows of 0.100 leave out the weights' type in fp8e4m3, and the accumulator's.
TEST(TransposeConv2d, WantsFp8WeightsAndAnFp16AccumulatorInTheDraftToo) {
  ConvolutionCase c = Transpose({1, 2, 2, 1}, {1, 1, 1, 1});
  c.edition = "tosa-0.100";
  c.in_t = c.weight_t = DType::kFp8E4M3, c.acc_t = c.out_t = DType::kFp16;
  EXPECT_EQ(c.Verdict(), "valid");
  c.acc_t = DType::kFp32;
  EXPECT_EQ(c.Verdict(), "error: graph.type_row");
  c.acc_t = DType::kFp16, c.weight_t = DType::kFp8E5M2;
  EXPECT_EQ(c.Verdict(), "error: graph.type_row");
}

TEST(TransposeConv2d, RejectsZeroPointsUnlessInt8) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    ConvolutionCase c = Transpose({1, 2, 2, 1}, {1, 1, 1, 1});
    c.edition = edition;
    c.input_zp = c.weight_zp = 1;
    EXPECT_EQ(c.Verdict(), "valid");
    c.weight_t = DType::kI4;
    c.w.clear();
    EXPECT_EQ(c.Verdict(), "error: transpose_conv2d.weight_zp");
    c.weight_t = DType::kI8, c.in_t = DType::kI16, c.acc_t = c.out_t = DType::kI48;
    EXPECT_EQ(c.Verdict(), "error: transpose_conv2d.input_zp");
  }
}

TEST(TransposeConv2d, RejectsOutPadsThatCropTheWholeKernel) {
  for (size_t side = 0; side < 4; ++side) {
    List out_pad(4, 0);
    out_pad[side] = side < 2 ? -1 : -2;
    EXPECT_EQ(Transpose({1, 5, 5, 1}, {1, 2, 3, 1}, 1, out_pad).Verdict(), "valid");
    out_pad[side] -= 1;
    EXPECT_EQ(Transpose({1, 5, 5, 1}, {1, 2, 3, 1}, 1, out_pad).Verdict(),
              side < 2 ? "error: transpose_conv2d.out_pad_y" : "error: transpose_conv2d.out_pad_x");
  }
}

TEST(TransposeConv2d, RejectsStridesBelowOne) {
  for (size_t axis = 0; axis < 2; ++axis) {
    for (int64_t bad : {0, -1}) {
      ConvolutionCase c = Transpose({1, 2, 2, 1}, {1, 1, 1, 1});
      c.lists["stride"][axis] = bad;
      EXPECT_EQ(c.Verdict(), "error: transpose_conv2d.stride_below_one");
    }
  }
}

TEST(TransposeConv2d, RejectsOutputsOfAnotherSizeAndOtherBiases) {
  ConvolutionCase c = Transpose({1, 4, 4, 1}, {3, 2, 2, 1}, 1, {0, 1, 0, 0}, {2, 3});
  EXPECT_EQ(c.output, (Shape{1, 9, 11, 3}));  // 3 * 2 + 1 + 2, 3 * 3 + 2
  EXPECT_EQ(c.Verdict(), "valid");
  c.output[1] += 1;
  EXPECT_EQ(c.Verdict(), "error: transpose_conv2d.output_height");
  c.output = {1, 9, 10, 3};
  EXPECT_EQ(c.Verdict(), "error: transpose_conv2d.output_width");
  EXPECT_EQ(Transpose({1, 4, 4, 1}, {3, 2, 2, 1}, 3).Verdict(), "valid");
  EXPECT_EQ(Transpose({1, 4, 4, 1}, {3, 2, 2, 1}, 2).Verdict(),
            "error: transpose_conv2d.bias_channels");
}

TEST(TransposeConv2d, LimitsKernelPadAndStrideToTheLevel) {
  const char* const sides[] = {"top", "bottom", "left", "right"};
  EXPECT_EQ(Transpose({1, 1, 1, 1}, {1, 4, 1, 1}).Verdict({{"MAX_KERNEL", 4}}), "valid");
  EXPECT_EQ(Transpose({1, 1, 1, 1}, {1, 4, 1, 1}).Verdict({{"MAX_KERNEL", 3}}),
            "unpredictable: transpose_conv2d.level_kernel_y");
  EXPECT_EQ(Transpose({1, 1, 1, 1}, {1, 1, 4, 1}).Verdict({{"MAX_KERNEL", 3}}),
            "unpredictable: transpose_conv2d.level_kernel_x");
  for (size_t side = 0; side < 4; ++side) {
    List out_pad(4, 0);
    out_pad[side] = 4;
    ConvolutionCase c = Transpose({1, 1, 1, 1}, {1, 1, 1, 1}, 1, out_pad);
    EXPECT_EQ(c.Verdict({{"MAX_KERNEL", 4}}), "valid");
    EXPECT_EQ(c.Verdict({{"MAX_KERNEL", 3}}),
              StrCat("unpredictable: transpose_conv2d.level_out_pad_", sides[side]));
  }
  for (size_t axis = 0; axis < 2; ++axis) {
    List stride(2, 1);
    stride[axis] = 2;
    ConvolutionCase c = Transpose({1, 2, 2, 1}, {1, 1, 1, 1}, 1, List(4, 0), stride);
    EXPECT_EQ(c.Verdict({{"MAX_STRIDE", 2}}), "valid");
    EXPECT_EQ(c.Verdict({{"MAX_STRIDE", 1}}),
              StrCat("unpredictable: transpose_conv2d.level_stride_", axis == 0 ? "y" : "x"));
  }
}

}  // namespace
}  // namespace cts
