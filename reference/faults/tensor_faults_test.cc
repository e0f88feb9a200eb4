// Results of faults of sums, windows and transforms, on examples that can be worked out by hand.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "reference/faults/accumulation.h"
#include "reference/faults/catalogue.h"
#include "reference/faults/testing.h"
#include "reference/ops/convolution_testing.h"

namespace cts {
namespace {

using testing::ElementsAre;
constexpr DType kI8 = DType::kI8, kI32 = DType::kI32, kFp16 = DType::kFp16, kFp32 = DType::kFp32;

OneOperator DotProduct(const std::vector<int64_t>& a, const std::vector<int64_t>& b,
                       int64_t a_zp = 0) {
  const int64_t c = static_cast<int64_t>(a.size());
  return OneOperator("MATMUL")
      .Integers(kI8, {1, 1, c}, a)
      .Integers(kI8, {1, c, 1}, b)
      .Integers(kI8, {1}, {a_zp})
      .Integers(kI8, {1}, {0})
      .Out(kI32, {1, 1, 1});
}

OneOperator DotProduct(DType in_t, const std::vector<double>& a) {
  const int64_t c = static_cast<int64_t>(a.size());
  return OneOperator("MATMUL")
      .Floats(in_t, {1, 1, c}, a)
      .Floats(in_t, {1, c, 1}, std::vector<double>(a.size(), 1))
      .Floats(in_t, {1}, {0})
      .Floats(in_t, {1}, {0})
      .Out(kFp32, {1, 1, 1});
}

int64_t Sum(std::string_view fault, const OneOperator& op) {
  return RunFault(fault, op).Integer(0);
}
double FloatSum(std::string_view fault, const OneOperator& op) {
  return RunFault(fault, op).Element(0);
}

TEST(SumFaults, OfIntegers) {
  // 16384 + 16384 is one more than 16 bits hold; the third product is of the next pair.
  const OneOperator pairs = DotProduct({-128, -128, 1}, {-128, -128, 5});
  EXPECT_EQ(Sum("matmul.saturates_pairs_of_products", pairs), 32767 + 5);
  EXPECT_EQ(Sum("matmul.saturates_sums_at_int16", pairs), 32767);
  EXPECT_EQ(Sum("matmul.accumulates_in_int16", pairs), -32768 + 5);
  EXPECT_EQ(Sum("matmul.accumulates_in_int24", pairs), 32768 + 5);
  // (127 + 128) * 2: less its zero point, the operand has 9 bits.
  const OneOperator zero_point = DotProduct({127}, {2}, -128);
  EXPECT_EQ(Sum("matmul.subtracts_zero_points_in_int8", zero_point), -2);
  EXPECT_EQ(Sum("matmul.saturates_less_zero_points", zero_point), 254);
  EXPECT_EQ(Sum("matmul.adds_the_zero_points", zero_point), -2);
  EXPECT_EQ(Sum("matmul.zero_points_unsigned", zero_point), -2);
  EXPECT_EQ(Sum("matmul.reads_i8_unsigned", DotProduct({-1}, {1})), 255);
  // 32385 each.
  EXPECT_EQ(Sum("matmul.multiplies_in_int16", DotProduct({127, 127}, {127, 127}, -128)),
            2 * 255 * 127);
}

TEST(SumFaults, OfFloats) {
  EXPECT_EQ(FloatSum("matmul.accumulates_in_fp16", DotProduct(kFp16, {2048, 1, 2})), 2050);
  EXPECT_EQ(FloatSum("matmul.accumulates_in_bf16", DotProduct(kFp16, {256, 1, 2})), 258);
  // The neighbours of 2^17 are 128 apart, in fp16 there are none.
  EXPECT_EQ(FloatSum("matmul.accumulates_in_tf32", DotProduct(kFp32, {131072, 65})), 131200);
  // 1 + 2^-7 and what is left of it, -2^-8 + 2^-17, of which bf16 keeps the first.
  EXPECT_EQ(FloatSum("matmul.splits_operands_in_two", DotProduct(kFp32, {1 + 0x1p-8 + 0x1p-17})),
            1 + 0x1p-8);
  const double big = 0x1p24;  // its neighbours are 2 apart
  EXPECT_EQ(FloatSum("matmul.truncates_every_sum", DotProduct(kFp32, {big, 3})), big + 2);
  EXPECT_EQ(FloatSum("matmul.rounds_every_sum_up", DotProduct(kFp32, {big, 1})), big + 2);
  EXPECT_EQ(FloatSum("matmul.rounds_every_sum_up", DotProduct(kFp32, {-big, -3})), -big - 2);
  EXPECT_EQ(FloatSum("matmul.rounds_operands_to_tf32", DotProduct(kFp32, {2049})), 2048);
  EXPECT_EQ(FloatSum("matmul.truncates_operands_to_bf16", DotProduct(kFp32, {511})), 510);
}

TEST(SumFaults, OfNanAndInfinity) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  EXPECT_EQ(FloatSum("matmul.takes_nan_for_zero", DotProduct(kFp32, {1, nan, 2})), 3);
  EXPECT_EQ(FloatSum("matmul.takes_infinity_for_zero", DotProduct(kFp32, {infinity, -infinity, 2})),
            2);
  EXPECT_TRUE(std::isnan(FloatSum("matmul.takes_infinity_for_zero", DotProduct(kFp32, {nan, 2}))));
  const OneOperator zero_weight = OneOperator("MATMUL")
                                      .Floats(kFp32, {1, 1, 3}, {infinity, nan, 4})
                                      .Floats(kFp32, {1, 3, 1}, {0, 0, 2})
                                      .Floats(kFp32, {1}, {0})
                                      .Floats(kFp32, {1}, {0})
                                      .Out(kFp32, {1, 1, 1});
  EXPECT_EQ(FloatSum("matmul.skips_products_with_zero", zero_weight), 8);
  EXPECT_TRUE(std::isnan(FloatSum("matmul.takes_infinity_for_zero", zero_weight)));
}

// 0.100 does not settle this, so it is no fault there, nor in types without infinity.
TEST(SumFaults, OfInfinityWhereItShows) {
  EXPECT_FALSE(FindFault(**FindEdition("tosa-0.100"), "matmul.takes_infinity_for_zero").ok());
  const Edition& edition = **FindEdition("tosa-1.0");
  const StatusOr<const Fault*> fault = FindFault(edition, "matmul.takes_infinity_for_zero");
  ASSERT_TRUE(fault.ok()) << fault.status();
  for (const TypeRow& row : edition.FindOperator("MATMUL")->type_rows) {
    const DType in_t = *row.PlainType("in_t");
    EXPECT_EQ((*fault)->Touches(row), IsFloat(in_t) && in_t != DType::kFp8E4M3) << row.mode;
  }
}

TEST(SumFaults, RoundTowardZeroAndUp) {
  for (const double x : {1.0, 0x1p-24 * 1.5, -0x1p-24 * 1.5, 0.1, -0.1, 65519.0, 0.0}) {
    EXPECT_LE(std::fabs(RoundTowardZero(kFp16, x)), std::fabs(x));
    EXPECT_GE(RoundUp(kFp16, x), x);
  }
  EXPECT_EQ(RoundUp(kFp16, 0x1p-26), 0x1p-24);
  EXPECT_EQ(RoundUp(kFp16, -0x1p-24 * 1.5), -0x1p-24);
  EXPECT_EQ(RoundToBits(1.5, 1), 2);
  EXPECT_EQ(RoundToBits(-5, 2), -4);
}

// An image of one row and one channel.
Tensor Convolve(std::string_view fault, const std::string& op, const std::vector<int64_t>& row,
                const std::vector<int64_t>& kernel, int64_t outputs,
                std::map<std::string, std::vector<int64_t>> lists, int64_t bias = 0,
                int64_t input_zp = 0) {
  return RunFault(fault, ConvolutionCase{.op = op,
                                         .input = {1, 1, static_cast<int64_t>(row.size()), 1},
                                         .weight = {1, 1, static_cast<int64_t>(kernel.size()), 1},
                                         .output = {1, 1, outputs, 1},
                                         .input_zp = input_zp,
                                         .lists = std::move(lists),
                                         .x = row,
                                         .w = kernel,
                                         .b = {bias}}
                             .Make());
}

TEST(WindowFaults, OfARowAndAKernel) {
  const std::map<std::string, std::vector<int64_t>> plain = {
      {"pad", {0, 0, 0, 0}}, {"stride", {1, 1}}, {"dilation", {1, 1}}};
  EXPECT_THAT(
      Convolve("conv2d.turns_the_kernel", "CONV2D", {1, 2, 3}, {10, 1}, 2, plain).Integers(),
      ElementsAre(21, 32));
  EXPECT_THAT(Convolve("conv2d.forgets_the_first_column_of_the_kernel", "CONV2D", {1, 2, 3},
                       {10, 1}, 2, plain)
                  .Integers(),
              ElementsAre(2, 3));
  EXPECT_THAT(Convolve("conv2d.loses_the_bias", "CONV2D", {1}, {10}, 1, plain, 7).Integers(),
              ElementsAre(10));
  EXPECT_THAT(Convolve("conv2d.adds_the_bias_twice", "CONV2D", {1}, {10}, 1, plain, 7).Integers(),
              ElementsAre(24));
  // (0 - 3) * 100 beside (5 - 3) * 10.
  std::map<std::string, std::vector<int64_t>> padded = plain;
  padded["pad"] = {0, 0, 1, 0};
  EXPECT_THAT(
      Convolve("conv2d.pads_with_zero", "CONV2D", {5}, {100, 10}, 1, padded, 0, 3).Integers(),
      ElementsAre(-280));
}

TEST(WindowFaults, OfRealImplementations) {
  const std::map<std::string, std::vector<int64_t>> plain = {
      {"pad", {0, 0, 0, 0}}, {"stride", {1, 1}}, {"dilation", {1, 1}}};
  // 3 / 2 is nearer to 2 than to 1 by the tie to even, -5 / 2 to -2.
  EXPECT_THAT(Convolve("conv2d.halves_the_weight", "CONV2D", {1, 10}, {3, -5}, 1, plain).Integers(),
              ElementsAre(4 - 40));
  // Padding, 1 and 2: the first window begins in the padding.
  ConvolutionCase padded = {
      .op = "CONV3D",
      .input = {1, 1, 1, 2, 1},
      .weight = {1, 1, 1, 2, 1},
      .output = {1, 1, 1, 2, 1},
      .lists = {{"pad", {0, 0, 0, 0, 1, 0}}, {"stride", {1, 1, 1}}, {"dilation", {1, 1, 1}}},
      .x = {1, 2},
      .w = {10, 1},
      .b = {100}};
  EXPECT_THAT(padded.Make().Run().Integers(), ElementsAre(101, 112));
  EXPECT_THAT(RunFault("conv3d.loses_windows_that_begin_in_the_padding", padded.Make()).Integers(),
              ElementsAre(100, 112));
}

TEST(WindowFaults, OfOverlappingKernels) {
  const auto lists = [](int64_t stride) {
    return std::map<std::string, std::vector<int64_t>>{{"out_pad", {0, 0, 0, 0}},
                                                       {"stride", {1, stride}}};
  };
  EXPECT_THAT(Convolve("transpose_conv2d.replaces_what_overlaps", "TRANSPOSE_CONV2D", {1, 2},
                       {3, 5}, 3, lists(1))
                  .Integers(),
              ElementsAre(3, 5, 10));
  EXPECT_THAT(Convolve("transpose_conv2d.adds_the_bias_only_to_sums", "TRANSPOSE_CONV2D", {1, 2},
                       {3}, 4, lists(3), 7)
                  .Integers(),
              ElementsAre(10, 0, 0, 13));
  // 2 and 3 with -3 between them.
  EXPECT_THAT(Convolve("transpose_conv2d.subtracts_the_zero_point_between_elements",
                       "TRANSPOSE_CONV2D", {5, 6}, {1, 10}, 4, lists(2), 0, 3)
                  .Integers(),
              ElementsAre(2, 17, -27, 30));
}

TEST(WindowFaults, OfChannelsAndMultipliers) {
  const auto run = [](std::string_view fault) {
    return RunFault(fault,
                    ConvolutionCase{
                        .op = "DEPTHWISE_CONV2D",
                        .input = {1, 1, 1, 2},
                        .weight = {1, 1, 2, 2},
                        .output = {1, 1, 1, 4},
                        .lists = {{"pad", {0, 0, 0, 0}}, {"stride", {1, 1}}, {"dilation", {1, 1}}},
                        .x = {1, 10},
                        .w = {1, 2, 3, 4},
                        .b = {0}}
                        .Make())
        .Integers();
  };
  EXPECT_THAT(run("depthwise_conv2d.takes_multipliers_first"), ElementsAre(1, 20, 3, 40));
  EXPECT_THAT(run("depthwise_conv2d.stores_multipliers_first"), ElementsAre(1, 30, 2, 40));
  EXPECT_THAT(run("depthwise_conv2d.reads_weight_multiplier_first"), ElementsAre(1, 3, 20, 40));
  EXPECT_THAT(run("depthwise_conv2d.takes_the_first_multiplier"), ElementsAre(1, 1, 30, 30));
}

OneOperator Pool(const std::string& name, const std::vector<int64_t>& column, int64_t kernel,
                 std::vector<int64_t> pad, int64_t outputs) {
  OneOperator op(name);
  op.Integers(kI8, {1, static_cast<int64_t>(column.size()), 1, 1}, column);
  if (name == "AVG_POOL2D") {
    op.Integers(kI8, {1}, {0}).Integers(kI8, {1}, {0}).Set("acc_type", std::string("INT32"));
  } else {
    op.Set("nan_mode", std::string("PROPAGATE"));
  }
  return op.Set("kernel", std::vector<int64_t>{kernel, 1})
      .Set("stride", std::vector<int64_t>{1, 1})
      .Set("pad", std::move(pad))
      .Out(kI8, {1, outputs, 1, 1});
}

TEST(PoolingFaults, OfAColumn) {
  // The seventh window ends in the next tile.
  EXPECT_THAT(RunFault("max_pool2d.loses_the_halo",
                       Pool("MAX_POOL2D", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 2, {0, 0, 0, 0}, 9))
                  .Integers(),
              ElementsAre(2, 3, 4, 5, 6, 7, 8, 8, 10));
  EXPECT_THAT(
      RunFault("max_pool2d.pads_with_zero", Pool("MAX_POOL2D", {-5, -7}, 2, {1, 0, 0, 0}, 2))
          .Integers(),
      ElementsAre(0, -5));
  const OneOperator padded = Pool("AVG_POOL2D", {8, 4}, 2, {1, 1, 0, 0}, 3);
  EXPECT_THAT(RunFault("avg_pool2d.counts_the_padding", padded).Integers(), ElementsAre(4, 6, 2));
  EXPECT_THAT(RunFault("avg_pool2d.counts_the_padding_after", padded).Integers(),
              ElementsAre(8, 6, 2));
  // -1.5 and 2.5; right are -2 and 3.
  const OneOperator halves = Pool("AVG_POOL2D", {-1, -2, 7}, 2, {0, 0, 0, 0}, 2);
  EXPECT_THAT(halves.RunNative().Integers(), ElementsAre(-2, 3));
  EXPECT_THAT(RunFault("avg_pool2d.rounds_half_up", halves).Integers(), ElementsAre(-1, 3));
  EXPECT_THAT(RunFault("avg_pool2d.rounds_half_to_even", halves).Integers(), ElementsAre(-2, 2));
  EXPECT_THAT(RunFault("avg_pool2d.truncates_the_mean", halves).Integers(), ElementsAre(-1, 2));
  EXPECT_THAT(RunFault("avg_pool2d.floors_the_mean", halves).Integers(), ElementsAre(-2, 2));
}

TEST(TransformFaults, OfTwoRows) {
  const auto run = [](std::string_view fault) {
    return RunFault(fault, OneOperator("FFT2D")
                               .Floats(kFp32, {1, 2, 2}, {1, 2, 3, 5})
                               .Floats(kFp32, {1, 2, 2}, {0, 0, 0, 0})
                               .Set("inverse", true)
                               .Set("local_bound", false)
                               .Out(kFp32, {1, 2, 2})
                               .AndOut(kFp32, {1, 2, 2}))
        .Elements();
  };
  EXPECT_THAT(run("fft2d.transforms_rows_only"), ElementsAre(3, -1, 8, -2));
  EXPECT_THAT(run("fft2d.transforms_columns_only"), ElementsAre(4, 7, -2, -3));
  EXPECT_THAT(run("fft2d.normalizes_the_inverse"), ElementsAre(2.75, -0.75, -1.25, 0.25));
  EXPECT_THAT(run("fft2d.centers_the_spectrum"), ElementsAre(1, -5, -3, 11));
}

TEST(ArgmaxFaults, OfALine) {
  const auto run = [](std::string_view fault, const std::vector<double>& line, const char* mode) {
    return RunFault(fault, OneOperator("ARGMAX")
                               .Floats(kFp32, {static_cast<int64_t>(line.size())}, line)
                               .Set("axis", int64_t{0})
                               .Set("nan_mode", std::string(mode))
                               .Out(kI32, {}))
        .Integer(0);
  };
  const double nan = std::nan("");
  EXPECT_EQ(run("argmax.takes_the_last_of_equals", {1, 3, 3, 2}, "PROPAGATE"), 2);
  EXPECT_EQ(run("argmax.takes_the_last_nan", {1, nan, 3, nan}, "PROPAGATE"), 3);
  EXPECT_EQ(run("argmax.takes_nan_for_a_number", {1, nan, 3, 2}, "PROPAGATE"), 2);
  EXPECT_EQ(run("argmax.begins_with_the_least_finite", {nan, -INFINITY}, "IGNORE"), 0);
  EXPECT_EQ(run("argmax.compares_bits", {-1, -2}, "PROPAGATE"), 1);
}

}  // namespace
}  // namespace cts
