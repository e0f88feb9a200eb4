#include "reference/ops/relation.h"

#include <gmock/gmock.h>

#include <set>

#include "reference/ops/relation_tables.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::UnorderedElementsAre;

std::set<std::string> HoldIn(const OneOperator& op) {
  const Graph graph = op.graph();
  const Block& block = graph.main();
  std::map<std::string, std::shared_ptr<const Tensor>> values;
  for (const GraphTensor& tensor : block.tensors) {
    if (tensor.values) values.emplace(tensor.name, tensor.values);
  }
  const GraphOperator& node = block.operators.back();
  const Call call(op.edition(), *op.edition().FindOperator(node.op), *op.edition().FindLevel("8K"),
                  block, node, values);
  EXPECT_TRUE(call.fits());
  std::set<std::string> names;
  for (const Relation& relation : RelationsOf(node.op)) {
    if (relation.holds(call)) names.insert(relation.name);
  }
  return names;
}

struct SlidingCase {
  Shape input, weight;
  std::vector<int64_t> stride = {1, 1}, pad = {0, 0, 0, 0}, dilation = {1, 1};
  Shape output;
};

std::set<std::string> OfConv2d(const SlidingCase& w) {
  OneOperator op("CONV2D");
  const auto zeros = [](const Shape& shape) {
    return std::vector<int64_t>(static_cast<size_t>(ElementCount(shape)), 0);
  };
  op.Integers(DType::kI8, w.input, zeros(w.input)).Integers(DType::kI8, w.weight, zeros(w.weight));
  op.Integers(DType::kI32, {1}, {0}).Integers(DType::kI8, {1}, {0}).Integers(DType::kI8, {1}, {0});
  op.Set("pad", w.pad).Set("stride", w.stride).Set("dilation", w.dilation);
  op.Set("acc_type", std::string("INT32")).Set("local_bound", false).Out(DType::kI32, w.output);
  return HoldIn(op);
}

TEST(Relations, HaveOneNameEachAndSayWhatHolds) {
  for (const char* const op :
       {"CONV2D", "CONV3D", "DEPTHWISE_CONV2D", "TRANSPOSE_CONV2D", "AVG_POOL2D", "MAX_POOL2D",
        "TRANSPOSE", "RESIZE", "SELECT", "ADD"}) {
    std::set<std::string> names;
    EXPECT_FALSE(RelationsOf(op).empty()) << op;
    for (const Relation& relation : RelationsOf(op)) {
      EXPECT_TRUE(names.insert(relation.name).second) << op << " " << relation.name;
      EXPECT_FALSE(relation.meaning.empty()) << relation.name;
      EXPECT_FALSE(relation.reason.empty()) << relation.name;
    }
  }
}

// 4 + 16 + 64 + 256 patterns of two operands; of three 8 + 64, and 7 on each of 3 + 4 axes;
// 2! + 3! + 4! permutations and 5 * 5 + 6 * 6 pairs of axes. One more where both operands are one.
TEST(Relations, AreAsManyAsThereArePatterns) {
  EXPECT_EQ(RelationsOf("ADD").size(), 340u + 1);
  EXPECT_EQ(RelationsOf("SELECT").size(), 8u + 64 + 7 * 7 + 1);
  EXPECT_EQ(RelationsOf("TRANSPOSE").size(), 2u + 6 + 24 + 25 + 36);
  EXPECT_TRUE(RelationsOf("ABS").empty());
}

// The second convolution of a ResNet's stage: 3x3, stride 2, padded on all sides.
TEST(Relations, OfAConvolutionWithStride2) {
  EXPECT_THAT(OfConv2d({.input = {1, 6, 6, 8},
                        .weight = {16, 3, 3, 8},
                        .stride = {2, 2},
                        .pad = {1, 0, 1, 0},
                        .output = {1, 3, 3, 16}}),
              UnorderedElementsAre("stride_equal", "dilation_one", "kernel_3", "pads_asymmetric",
                                   "output_width_odd", "input_channels_4", "input_channels_8",
                                   "output_channels_4", "output_channels_8", "output_channels_16"));
}

TEST(Relations, OfAPatchEmbedding) {
  EXPECT_THAT(OfConv2d({.input = {2, 8, 8, 3},
                        .weight = {6, 4, 4, 3},
                        .stride = {4, 4},
                        .output = {2, 2, 2, 6}}),
              UnorderedElementsAre("stride_equal", "dilation_one", "kernel_4", "stride_is_kernel",
                                   "batch", "input_channels_rest", "output_channels_rest"));
}

TEST(Relations, OfADilatedRow) {
  EXPECT_THAT(
      OfConv2d({.input = {1, 1, 9, 4},
                .weight = {5, 1, 3, 4},
                .stride = {1, 2},
                .pad = {0, 0, 1, 0},
                .dilation = {1, 3},
                .output = {1, 1, 2, 5}}),
      UnorderedElementsAre("stride_different", "dilation_different", "kernel_along_x", "pad_left",
                           "input_along_x", "input_channels_4", "output_channels_rest"));
}

TEST(Relations, OfAMatrixProduct) {
  EXPECT_THAT(OfConv2d({.input = {1, 2, 2, 1}, .weight = {1, 2, 2, 1}, .output = {1, 1, 1, 1}}),
              IsSupersetOf({"kernel_is_input", "kernel_2", "output_one_element", "stride_one"}));
  EXPECT_THAT(OfConv2d({.input = {5, 1, 1, 1}, .weight = {1, 1, 1, 1}, .output = {5, 1, 1, 1}}),
              IsSupersetOf({"batch", "batch_alone"}));
}

TEST(Relations, NameThePatternOfABroadcast) {
  EXPECT_EQ(BroadcastPattern({2, 1, 3, 1}, {2, 4, 1, 1}), "elrb");
  EXPECT_EQ(BroadcastPattern({5}, {5, 1}), "");
  EXPECT_EQ(BroadcastPattern({{1, 4}, {3, 1}, {3, 1}}), "16");
  OneOperator add("ADD");
  add.Integers(DType::kI32, {1, 3}, {1, 2, 3}).Integers(DType::kI32, {2, 1}, {1, 2});
  add.Out(DType::kI32, {2, 3});
  EXPECT_THAT(HoldIn(add), ElementsAre("broadcast_lr"));
}

TEST(Relations, OfATranspose) {
  const auto transposed = [](const Shape& shape, const std::vector<int64_t>& perms) {
    OneOperator op("TRANSPOSE");
    op.Integers(DType::kI8, shape,
                std::vector<int64_t>(static_cast<size_t>(ElementCount(shape)), 1));
    Shape out;
    for (const int64_t axis : perms) out.push_back(shape[static_cast<size_t>(axis)]);
    return HoldIn(op.Set("perms", perms).Out(DType::kI8, out));
  };
  EXPECT_THAT(transposed({2, 3, 4}, {2, 0, 1}), ElementsAre("perms_201"));
  EXPECT_THAT(transposed({2, 1, 3, 1, 2}, {1, 0, 2, 4, 3}),
              UnorderedElementsAre("rank_5_axis_1_to_0", "rank_5_axis_0_to_1", "rank_5_axis_2_to_2",
                                   "rank_5_axis_4_to_3", "rank_5_axis_3_to_4"));
}

std::set<std::string> OfResize(const Shape& in, const Shape& out, const std::vector<int64_t>& scale,
                               const std::vector<int64_t>& offset,
                               const std::vector<int64_t>& border) {
  OneOperator op("RESIZE");
  op.Integers(DType::kI8, in, std::vector<int64_t>(static_cast<size_t>(ElementCount(in)), 1));
  op.ShapeIn(scale).ShapeIn(offset).ShapeIn(border);
  return HoldIn(op.Set("mode", std::string("NEAREST_NEIGHBOR")).Out(DType::kI8, out));
}

TEST(Relations, OfAResize) {
  EXPECT_THAT(OfResize({1, 3, 4, 4}, {1, 6, 8, 4}, {4, 2, 4, 2}, {-1, -1}, {1, 1}),
              UnorderedElementsAre("half_pixel_2_nearest", "equal_scales_nearest", "channels_4"));
  // 3 to 5 and 4 to 10 with the corners in place: (5 - 1) / (3 - 1), (10 - 1) / (4 - 1).
  EXPECT_THAT(OfResize({2, 3, 4, 6}, {2, 5, 10, 6}, {4, 2, 9, 3}, {0, 0}, {0, 0}),
              UnorderedElementsAre("align_corners_nearest", "channels_rest", "batch"));
  EXPECT_THAT(OfResize({1, 3, 3, 1}, {1, 3, 3, 1}, {2, 2, 1, 1}, {0, 0}, {0, 0}),
              ElementsAre("scale_1_nearest"));
}

// Values of an operand at run time are not known before.
TEST(Relations, OfAResizeWhoseScaleComesInHoldOnlyForTheShapes) {
  OneOperator op("RESIZE");
  op.Integers(DType::kI8, {2, 3, 3, 1}, std::vector<int64_t>(18, 1));
  op.ShapeIn({1, 1, 1, 1}).ShapeIn({0, 0}).ShapeIn({0, 0});
  op.Set("mode", std::string("NEAREST_NEIGHBOR")).Out(DType::kI8, {2, 3, 3, 1});
  const Graph graph = op.graph();
  const Call call(op.edition(), *op.edition().FindOperator("RESIZE"), *op.edition().FindLevel("8K"),
                  graph.main(), graph.main().operators.back(), {});
  for (const Relation& relation : RelationsOf("RESIZE")) {
    EXPECT_EQ(relation.holds(call), relation.name == "batch") << relation.name;
  }
}

}  // namespace
}  // namespace cts
