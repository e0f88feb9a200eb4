// Findings of broken conditions, at least one of each kind and group of operators.
#include "reference/ops/finding.h"

#include <gmock/gmock.h>

#include "reference/ops/convolution_testing.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

// "id: message" of everything that is wrong, a line each.
std::string Findings(const OneOperator& op, const std::map<std::string, int64_t>& maxima = {}) {
  Level level = *op.edition().FindLevel("8K");
  for (const auto& [name, value] : maxima) level.maxima[name] = value;
  const StatusOr<Evaluation> evaluation = Evaluate(op.graph(), op.inputs(), op.edition(), level);
  if (!evaluation.ok()) return Message(evaluation.status());
  std::string text;
  for (const Violation& v : evaluation->violations) {
    text += StrCat(text.empty() ? "" : "\n", v.condition, ": ", v.message);
  }
  return text;
}

ConvolutionCase Convolution() {
  return {.op = "CONV2D",
          .input = {1, 5, 5, 1},
          .weight = {1, 2, 2, 1},
          .output = {1, 4, 4, 1},
          .lists = {{"pad", {0, 0, 0, 0}}, {"stride", {1, 1}}, {"dilation", {1, 1}}}};
}

TEST(ExplainBroken, NamesTheElementOfAList) {
  ConvolutionCase c = Convolution();
  c.lists["pad"] = {0, 0, -1, 0};
  c.output = {1, 4, 3, 1};
  EXPECT_EQ(Findings(c.Make()), "conv2d.pad_negative: pad_left is -1, expected at least 0");
  c = Convolution();
  c.lists["dilation"] = {1, 0};
  c.output = {1, 4, 5, 1};
  EXPECT_EQ(Findings(c.Make()), "conv2d.dilation_below_one: dilation_x is 0, expected at least 1");
}

TEST(ExplainBroken, HasBothSidesOfAnEquation) {
  ConvolutionCase c = Convolution();
  c.output = {1, 7, 4, 1};
  EXPECT_EQ(Findings(c.Make()),
            "conv2d.output_height: OH is 7, (IH - 1 + pads - (KH - 1) * dilation_y) / stride_y + 1 "
            "is 4");
  // 5 - 1 - 1 = 3 does not divide by 2.
  c.output = {1, 2, 4, 1};
  c.lists["stride"] = {2, 1};
  EXPECT_EQ(Findings(c.Make()),
            "conv2d.output_height: OH is 2, (IH - 1 + pads - (KH - 1) * dilation_y) / stride_y + 1 "
            "is 3 / 2 + 1");
}

TEST(ExplainBroken, HasTypesShapesAndValues) {
  ConvolutionCase c = Convolution();
  c.bias_channels = 2;
  EXPECT_EQ(Findings(c.Make()),
            "conv2d.bias_channels: bias has 2 elements, expected 1 or the output's 1 channels");
  c = Convolution();
  c.in_t = DType::kI16, c.acc_t = c.out_t = DType::kI48;
  c.input_zp = 3;
  EXPECT_EQ(Findings(c.Make()),
            "conv2d.input_zp: input_zp is not zero although the input is not i8: found input of "
            "type i16, input_zp 3");
}

TEST(ExplainBroken, HasTheValueOfALevelCheck) {
  EXPECT_EQ(Findings(Convolution().Make(), {{"MAX_KERNEL", 1}}),
            "conv2d.level_kernel_y: dilation_y * KH is 2 (dilation_y 1, KH 2), MAX_KERNEL is 1\n"
            "conv2d.level_kernel_x: dilation_x * KW is 2 (dilation_x 1, KW 2), MAX_KERNEL is 1");
  EXPECT_EQ(Findings(Convolution().Make(), {{"MAX_STRIDE", 0}}),
            "conv2d.level_stride_y: stride_y is 1, MAX_STRIDE is 0\n"
            "conv2d.level_stride_x: stride_x is 1, MAX_STRIDE is 0");
  OneOperator resize("RESIZE");
  resize.Integers(DType::kI8, {1, 1, 1, 1}, {1}).ShapeIn({513, 2, 1, 1}).ShapeIn({0, 0});
  resize.ShapeIn({0, 0}).Set("mode", std::string("NEAREST_NEIGHBOR"));
  resize.Out(DType::kI8, {1, 1, 1, 1});
  EXPECT_EQ(Findings(resize),
            "resize.level_scale_y: scale_y_n / scale_y_d is 513 / 2 (scale_y_n 513, scale_y_d 2), "
            "MAX_SCALE is 256");
  OneOperator concat("CONCAT");
  for (int i = 0; i < 3; ++i) concat.Integers(DType::kI8, {1}, {i});
  concat.Set("axis", int64_t{0}).Out(DType::kI8, {3});
  EXPECT_EQ(Findings(concat, {{"MAX_TENSOR_LIST_SIZE", 2}}),
            "concat.level_list_size: length(input1) is 3, MAX_TENSOR_LIST_SIZE is 2");
}

TEST(ExplainBroken, OfAPoolHasKernelAndPad) {
  OneOperator pool("MAX_POOL2D");
  pool.Integers(DType::kI8, {1, 4, 4, 1}, Numbers(16, -9, 9));
  pool.Set("kernel", std::vector<int64_t>{2, 2}).Set("stride", std::vector<int64_t>{1, 1});
  pool.Set("pad", std::vector<int64_t>{2, 0, 0, 0}).Set("nan_mode", std::string("PROPAGATE"));
  pool.Out(DType::kI8, {1, 5, 3, 1});
  EXPECT_EQ(Findings(pool),
            "max_pool2d.pad_y: pad_top or pad_bottom is at least kernel_y: found kernel_y 2, "
            "pad_top 2");
}

TEST(ExplainBroken, OfAnActivationHasItsBounds) {
  OneOperator clamp("CLAMP");
  clamp.Integers(DType::kI8, {2}, {1, 2}).Set("min_val", int64_t{5}).Set("max_val", int64_t{-1});
  clamp.Set("nan_mode", std::string("PROPAGATE")).Out(DType::kI8, {2});
  EXPECT_EQ(Findings(clamp), "clamp.bounds_order: max_val -1 is below min_val 5");
}

TEST(ExplainBroken, OfElementwiseOperatorsHasTheShapes) {
  OneOperator add("ADD");
  add.Integers(DType::kI32, {2, 3}, Numbers(6, 0, 9))
      .Integers(DType::kI32, {3, 3}, Numbers(9, 0, 9));
  add.Out(DType::kI32, {2, 3});
  EXPECT_EQ(Findings(add),
            "add.broadcast: the output's shape is not the broadcast of the inputs' shapes: found "
            "input1 of shape [2,3], input2 of shape [3,3], output of shape [2,3]");
}

TEST(ExplainBroken, OfARequireHasTheValueOrTheElementThatBrokeIt) {
  OneOperator mul("MUL");
  mul.Integers(DType::kI32, {1}, {1}).Integers(DType::kI32, {1}, {1});
  mul.Integers(DType::kI8, {1}, {64}).Out(DType::kI32, {1});
  EXPECT_EQ(Findings(mul), "mul.shift_range: shift is outside 0 to 63: found shift 64");

  OneOperator shift("ARITHMETIC_RIGHT_SHIFT");
  shift.Integers(DType::kI8, {2}, {1, 2}).Integers(DType::kI8, {2}, {0, 9}).Set("round", false);
  shift.Out(DType::kI8, {2});
  EXPECT_EQ(Findings(shift),
            "arithmetic_right_shift.shift_range: a shift is outside 0 to the type's width - 1: "
            "found out[1] of in0[1] = 2, in1[1] = 9");

  OneOperator gather("GATHER");
  gather.Integers(DType::kI8, {1, 3, 1}, {1, 2, 3}).Integers(DType::kI32, {1, 2}, {0, 7});
  gather.Out(DType::kI8, {1, 2, 1});
  EXPECT_EQ(
      Findings(gather),
      "gather.index_range: an index is outside 0 to K - 1 (K 3): found out[0,1,0] of in1[0,1] = "
      "7");

  const auto scatter = [](const std::vector<int64_t>& indices) {
    OneOperator op("SCATTER");
    op.Integers(DType::kI8, {2, 3, 1}, {1, 2, 3, 4, 5, 6}).Integers(DType::kI32, {2, 2}, indices);
    op.Integers(DType::kI8, {2, 2, 1}, {7, 8, 9, 10}).Out(DType::kI8, {2, 3, 1});
    return Findings(op);
  };
  EXPECT_EQ(
      scatter({0, 2, 1, 3}),
      "scatter.index_range: an index is outside 0 to K - 1 (K 3): found out[1,0,0] of in1[1,1] = "
      "3");
  EXPECT_EQ(scatter({0, 1, 2, 2}),
            "scatter.index_repeated: an index stands twice in a batch: found out[1,0,0] of "
            "in1[1,0] = 2, in1[1,1] = 2");

  OneOperator pow("POW");
  pow.Floats(DType::kFp32, {2}, {1, -2}).Floats(DType::kFp32, {2}, {1, 0.5});
  pow.Out(DType::kFp32, {2});
  EXPECT_EQ(Findings(pow).substr(0, Findings(pow).find('\n')),
            "pow.base_negative: the base is negative or a NaN: found base -2 and exponent 0.5 for "
            "output[1]");
}

TEST(ExplainBroken, OfReductionsAndDataLayoutHasTheAxis) {
  OneOperator sum("REDUCE_SUM");
  sum.Integers(DType::kI32, {2, 3}, Numbers(6, 0, 9)).Set("axis", int64_t{2});
  sum.Out(DType::kI32, {2, 1});
  EXPECT_EQ(Findings(sum),
            "reduce_sum.axis_range: axis is outside 0 to rank(shape1) - 1: found input of shape "
            "[2,3], axis 2");

  OneOperator slice("SLICE");
  slice.Integers(DType::kI8, {4}, {1, 2, 3, 4}).ShapeIn({2}).ShapeIn({3}).Out(DType::kI8, {3});
  EXPECT_EQ(
      Findings(slice),
      "slice.end_range: the slice ends outside of input1: found start 2, size 3, input1 4 and "
      "output 3 along axis 0");

  OneOperator transpose("TRANSPOSE");
  transpose.Integers(DType::kI8, {2, 2}, {1, 2, 3, 4}).Set("perms", std::vector<int64_t>{0, 0});
  transpose.Out(DType::kI8, {2, 2});
  EXPECT_EQ(Findings(transpose),
            "transpose.perm_repeated: an axis stands in perms twice: found input1 of shape [2,2], "
            "perms [0,0]");

  OneOperator concat("CONCAT");
  concat.Integers(DType::kI8, {1, 2}, {1, 2}).Integers(DType::kI8, {1, 3}, {1, 2, 3});
  concat.Set("axis", int64_t{0}).Out(DType::kI8, {3, 2});
  EXPECT_EQ(
      Findings(concat),
      "concat.dimension_mismatch: the inputs differ in a dimension other than axis: found "
      "input1[1] of shape [1,3], input1[0] of shape [1,2]\n"
      "concat.axis_sum: the output's size along axis is 3, the sum of the inputs' sizes is 2");
}

TEST(ExplainBroken, OfRescaleHasItsFlags) {
  OneOperator rescale("RESCALE");
  rescale.Integers(DType::kI8, {1}, {1}).Integers(DType::kI32, {1}, {1 << 30});
  rescale.Integers(DType::kI8, {1}, {30}).Integers(DType::kI8, {1}, {0});
  rescale.Integers(DType::kI8, {1}, {0}).Set("scale32", true).Set("per_channel", false);
  rescale.Set("rounding_mode", std::string("SINGLE_ROUND")).Set("input_unsigned", true);
  rescale.Set("output_unsigned", true).Out(DType::kI8, {1});
  EXPECT_EQ(Findings(rescale),
            "rescale.both_unsigned: input and output are both unsigned: found input_unsigned true, "
            "output_unsigned true");
}

TEST(ExplainBroken, SpeaksTheWordsAndLayoutsOfTheEdition) {
  OneOperator op("TRANSPOSE_CONV2D", "rvtensor");
  op.Integers(DType::kI8, {1, 1, 2, 2}, {1, 2, 3, 4})
      .Integers(DType::kI8, {1, 1, 2, 3}, Numbers(6, 0, 3));
  op.Integers(DType::kI32, {1}, {0}).Set("pad", std::vector<int64_t>{-2, 0, 0, 0});
  op.Set("stride", std::vector<int64_t>{2, 1})
      .Set("in_qpoint", int64_t{0})
      .Set("w_qpoint", int64_t{0});
  op.Out(DType::kI32, {1, 1, 2, 4});  // (2 - 1) * 2 - 2 + 2, (2 - 1) * 1 + 3
  EXPECT_EQ(Findings(op),
            "transpose_conv2d.out_pad_y: pad_top or pad_bottom is at most -KH: found weight of "
            "shape [1,1,2,3], pad_top -2");
  EXPECT_EQ(Findings(op, {{"MAX_KERNEL", 2}}),
            "transpose_conv2d.out_pad_y: pad_top or pad_bottom is at most -KH: found weight of "
            "shape [1,1,2,3], pad_top -2\n"
            "transpose_conv2d.level_kernel_x: KW is 3, MAX_KERNEL is 2");
}

TEST(ExplainBroken, OfTheArgumentTablesHasWhatWasFoundAndExpected) {
  const auto clamp = [](const AttributeValue& nan_mode) {
    OneOperator op("CLAMP");
    op.Integers(DType::kI8, {2}, {1, 2}).Set("min_val", int64_t{0}).Set("max_val", int64_t{1});
    return op.Set("nan_mode", nan_mode).Out(DType::kI8, {2});
  };
  EXPECT_EQ(Findings(clamp(std::string("wrong"))),
            "graph.attribute: attribute nan_mode: found `wrong`, expected PROPAGATE or IGNORE");
  EXPECT_EQ(Findings(clamp(int64_t{7})),
            "graph.attribute: attribute nan_mode: found 7, expected PROPAGATE or IGNORE");
  OneOperator sum("REDUCE_SUM");
  sum.Integers(DType::kI32, {2}, {1, 2}).Out(DType::kI32, {1});
  EXPECT_EQ(Findings(sum), "graph.attribute: attribute axis is missing, expected a value of i32");
  ConvolutionCase c = Convolution();
  c.lists["pad"] = {0, 0, 0};
  EXPECT_EQ(Findings(c.Make()),
            "graph.attribute: attribute pad: found [0,0,0], expected a list of 4 elements of i32");
  OneOperator negate("NEGATE");
  negate.Integers(DType::kI8, {1}, {1}).Integers(DType::kI8, {2}, {0, 0});
  negate.Integers(DType::kI8, {1}, {0}).Out(DType::kI8, {1});
  EXPECT_EQ(Findings(negate), "graph.shape: input1_zp: found shape [2], expected [1]");
}

TEST(ExplainBroken, OfUnknownAttributesHasThoseThatThereAre) {
  OneOperator sum("REDUCE_SUM");
  sum.Integers(DType::kI32, {2}, {1, 2}).Set("axis", int64_t{0}).Set("axes", int64_t{0});
  sum.Out(DType::kI32, {1});
  EXPECT_EQ(Findings(sum),
            "graph.attribute: attribute axes is unknown to REDUCE_SUM, expected axis");
  OneOperator abs("ABS");
  abs.Integers(DType::kI32, {1}, {1}).Set("axis", int64_t{0}).Out(DType::kI32, {1});
  EXPECT_EQ(Findings(abs), "graph.attribute: attribute axis is unknown to ABS, expected none");
}

TEST(ExplainBroken, OfTypesHasTheRowsThatDifferLeast) {
  OneOperator bits("BITWISE_AND");
  bits.Floats(DType::kFp32, {1}, {1}).Floats(DType::kFp32, {1}, {1}).Out(DType::kFp32, {1});
  EXPECT_EQ(Findings(bits),
            "graph.type_row: no row of the table of supported types has in_out_t=fp32, expected "
            "in_out_t=i8 or in_out_t=i16 or in_out_t=i32");
  // The row of int4 weights differs more than the others with i8.
  ConvolutionCase c = Convolution();
  c.in_t = DType::kI8, c.acc_t = DType::kI32, c.out_t = DType::kI16;
  EXPECT_THAT(Findings(c.Make()), testing::EndsWith("expected acc_t=i32, in_t=i8, out_t=i32, "
                                                    "weight_t=i8"));
}

TEST(ExplainBroken, OfTransformsHasTheSize) {
  OneOperator fft("RFFT2D");
  fft.Floats(DType::kFp32, {1, 4, 6}, std::vector<double>(24, 0));
  fft.Set("local_bound", false).Out(DType::kFp32, {1, 4, 4}).AndOut(DType::kFp32, {1, 4, 4});
  EXPECT_EQ(Findings(fft), "rfft2d.width: W is not a power of two: found W 6");
}

TEST(ExplainBroken, OfResizeHasTheRange) {
  OneOperator resize("RESIZE");
  resize.Integers(DType::kI8, {1, 1, 1, 1}, {1}).ShapeIn({3, 1, 3, 1}).ShapeIn({0, -4});
  resize.ShapeIn({-49, 0}).Set("mode", std::string("NEAREST_NEIGHBOR"));
  resize.Out(DType::kI8, {1, 1, 1, 1});
  EXPECT_EQ(Findings(resize).substr(0, Findings(resize).find("\nresize.output")),
            "resize.offset_x: offset_x is outside -scale_x_n to 16 * scale_x_n - 1: found -4, "
            "expected -3 to 47\n"
            "resize.border_y: border_y is outside -16 * scale_y_n to scale_y_n - 1: found -49, "
            "expected -48 to 2");
}

}  // namespace
}  // namespace cts
