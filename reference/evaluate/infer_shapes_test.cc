#include "reference/evaluate/infer_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kHuge = int64_t{1} << 62;

// An operator and its inputs; its outputs are nowhere declared.
class Inference {
 public:
  explicit Inference(std::string op, std::string_view edition = kDefaultEdition)
      : edition_(**FindEdition(edition)) {
    op_.op = std::move(op);
    op_.outputs = {"out0"};
  }
  Inference& In(DType dtype, Shape shape) {
    op_.inputs.push_back(StrCat("in", op_.inputs.size()));
    block_.tensors.push_back({op_.inputs.back(), dtype, std::move(shape)});
    return *this;
  }
  Inference& Sizes(const std::vector<int64_t>& values) {
    In(DType::kShape, {static_cast<int64_t>(values.size())});
    values_[op_.inputs.back()] = std::make_shared<const Tensor>(
        Tensor::OfIntegers(DType::kShape, {static_cast<int64_t>(values.size())}, values));
    return *this;
  }
  Inference& Set(const std::string& attribute, AttributeValue value) {
    op_.attributes[attribute] = std::move(value);
    return *this;
  }
  Inference& AnotherOutput() {
    op_.outputs.push_back("out1");
    return *this;
  }
  // "[1,2]", "[1,2] [1,2]", or the message.
  std::string Text() const {
    const auto shapes = InferShapes(op_, block_, values_, edition_, *edition_.FindLevel("8K"));
    if (!shapes.ok()) return Message(shapes.status());
    std::string text;
    for (const auto& [name, shape] : *shapes) text += (text.empty() ? "" : " ") + ToString(shape);
    return text;
  }

 private:
  const Edition& edition_;
  Block block_;
  GraphOperator op_;
  std::map<std::string, std::shared_ptr<const Tensor>> values_;
};

Inference Conv2d(const Shape& input, const Shape& weight, const std::vector<int64_t>& pad,
                 const std::vector<int64_t>& stride, const std::vector<int64_t>& dilation) {
  Inference op("CONV2D");
  op.In(DType::kI8, input).In(DType::kI8, weight).In(DType::kI32, {1});
  op.In(DType::kI8, {1}).In(DType::kI8, {1});
  op.Set("pad", pad).Set("stride", stride).Set("dilation", dilation).Set("acc_type", "INT32");
  return op;
}

TEST(InferShapes, OfEveryOperatorHasAFunction) {
  for (const Operator& op : Operators()) EXPECT_NE(op.facts().infer, nullptr) << op.name;
}

// (5 - 1 + 1 + 1 - 2 * 1) / 2 + 1 = 3; (7 - 1 + 0 + 1 - 1 * 2) / 1 + 1 = 6.
TEST(InferShapes, OfConvolutionsFollowTheKernel) {
  EXPECT_EQ(Conv2d({2, 5, 7, 3}, {4, 3, 2, 3}, {1, 1, 0, 1}, {2, 1}, {1, 2}).Text(), "[2,3,6,4]");
  // (6 - 1 + 1 + 1 - 2) / 2 does not divide.
  EXPECT_THAT(Conv2d({2, 6, 7, 3}, {4, 3, 2, 3}, {1, 1, 0, 1}, {2, 1}, {1, 2}).Text(),
              HasSubstr("dimension 1 of the output does not divide"));
  EXPECT_THAT(Conv2d({1, 5, 5, 1}, {1, 3, 3, 1}, {0, 0, 0, 0}, {0, 1}, {1, 1}).Text(),
              HasSubstr("CONV2D: no shape follows"));

  Inference conv3d("CONV3D");
  conv3d.In(DType::kI8, {1, 4, 5, 6, 2}).In(DType::kI8, {3, 2, 3, 4, 2}).In(DType::kI32, {3});
  conv3d.In(DType::kI8, {1}).In(DType::kI8, {1}).Set("acc_type", "INT32");
  conv3d.Set("pad", std::vector<int64_t>{0, 0, 0, 0, 0, 0});
  conv3d.Set("stride", std::vector<int64_t>{1, 1, 1});
  conv3d.Set("dilation", std::vector<int64_t>{1, 1, 1});
  EXPECT_EQ(conv3d.Text(), "[1,3,3,3,3]");

  Inference depthwise("DEPTHWISE_CONV2D");
  depthwise.In(DType::kI8, {1, 4, 4, 3}).In(DType::kI8, {2, 1, 3, 5}).In(DType::kI32, {1});
  depthwise.In(DType::kI8, {1}).In(DType::kI8, {1}).Set("acc_type", "INT32");
  depthwise.Set("pad", std::vector<int64_t>{0, 0, 0, 0});
  depthwise.Set("stride", std::vector<int64_t>{2, 3});
  depthwise.Set("dilation", std::vector<int64_t>{1, 1});
  EXPECT_EQ(depthwise.Text(), "[1,2,2,15]");

  // (3 - 1) * 2 + 1 - 1 + 4 = 8; (5 - 1) * 3 + 0 + 2 + 2 = 16.
  Inference transposed("TRANSPOSE_CONV2D");
  transposed.In(DType::kI8, {1, 3, 5, 2}).In(DType::kI8, {7, 4, 2, 2}).In(DType::kI32, {1});
  transposed.In(DType::kI8, {1}).In(DType::kI8, {1}).Set("acc_type", "INT32");
  transposed.Set("out_pad", std::vector<int64_t>{1, -1, 0, 2});
  transposed.Set("stride", std::vector<int64_t>{2, 3});
  EXPECT_EQ(transposed.Text(), "[1,8,16,7]");
}

TEST(InferShapes, OfProductsTakeTheOuterDimensions) {
  Inference matmul("MATMUL");
  matmul.In(DType::kI8, {2, 3, 4}).In(DType::kI8, {2, 4, 5});
  matmul.In(DType::kI8, {1}).In(DType::kI8, {1});
  EXPECT_EQ(matmul.Text(), "[2,3,5]");
  Inference connected("FULLY_CONNECTED", "tosa-0.100");
  connected.In(DType::kI8, {2, 4}).In(DType::kI8, {3, 4}).In(DType::kI32, {3});
  connected.Set("input_zp", int64_t{0}).Set("weight_zp", int64_t{0});
  EXPECT_EQ(connected.Text(), "[2,3]");
}

// (8 + 1 + 0 - 3) / 2 + 1 = 4; (9 + 0 + 0 - 2) / 7 + 1 = 2.
TEST(InferShapes, OfPoolingFollowTheWindow) {
  Inference pool("MAX_POOL2D");
  pool.In(DType::kI8, {1, 8, 9, 3}).Set("nan_mode", "PROPAGATE");
  pool.Set("kernel", std::vector<int64_t>{3, 2}).Set("stride", std::vector<int64_t>{2, 7});
  pool.Set("pad", std::vector<int64_t>{1, 0, 0, 0});
  EXPECT_EQ(pool.Text(), "[1,4,2,3]");
}

TEST(InferShapes, OfTransformsHaveTwoOutputs) {
  Inference fft("FFT2D");
  fft.In(DType::kFp32, {3, 8, 4}).In(DType::kFp32, {3, 8, 4}).Set("inverse", false);
  EXPECT_EQ(fft.AnotherOutput().Text(), "[3,8,4] [3,8,4]");
  Inference rfft("RFFT2D");
  EXPECT_EQ(rfft.In(DType::kFp32, {3, 8, 4}).AnotherOutput().Text(), "[3,8,3] [3,8,3]");
  Inference narrow("RFFT2D");
  EXPECT_EQ(narrow.In(DType::kFp32, {1, 2, 1}).AnotherOutput().Text(), "[1,2,1] [1,2,1]");
}

TEST(InferShapes, OfElementwiseOperatorsAreTheBroadcast) {
  EXPECT_EQ(Inference("ADD").In(DType::kI32, {2, 1, 3}).In(DType::kI32, {1, 5, 3}).Text(),
            "[2,5,3]");
  EXPECT_THAT(Inference("ADD").In(DType::kI32, {2}).In(DType::kI32, {3}).Text(),
              HasSubstr("input2 of shape [3] does not broadcast with [2]"));
  EXPECT_THAT(Inference("ADD").In(DType::kI32, {2}).In(DType::kI32, {}).Text(),
              HasSubstr("does not broadcast"));
  Inference select("SELECT");
  select.In(DType::kBool, {1, 1}).In(DType::kI8, {2, 1}).In(DType::kI8, {1, 3});
  EXPECT_EQ(select.Text(), "[2,3]");
  EXPECT_EQ(Inference("EXP").In(DType::kFp32, {}).Text(), "[]");
}

TEST(InferShapes, AlongAnAxisNeedTheAxis) {
  const auto argmax = [](int64_t axis) {
    return Inference("ARGMAX")
        .In(DType::kI8, {2, 3, 4})
        .Set("axis", axis)
        .Set("nan_mode", "PROPAGATE")
        .Text();
  };
  EXPECT_EQ(argmax(1), "[2,4]");
  EXPECT_THAT(argmax(3), HasSubstr("axis 3 is none of input of shape [2,3,4]"));
  EXPECT_THAT(argmax(-1), HasSubstr("axis -1"));
  EXPECT_EQ(Inference("REDUCE_SUM").In(DType::kI32, {2, 3}).Set("axis", int64_t{0}).Text(),
            "[1,3]");
  EXPECT_EQ(
      Inference("REVERSE", "tosa-0.100").In(DType::kI8, {2, 3}).Set("axis", int64_t{0}).Text(),
      "[2,3]");
  EXPECT_EQ(Inference("DIM", "tosa-0.100").In(DType::kI8, {2, 3}).Set("axis", int64_t{0}).Text(),
            "[1]");
}

TEST(InferShapes, OfConcatAreTheSum) {
  Inference concat("CONCAT");
  concat.In(DType::kI8, {2, 3}).In(DType::kI8, {2, 5}).In(DType::kI8, {2, 1});
  EXPECT_EQ(concat.Set("axis", int64_t{1}).Text(), "[2,9]");
  EXPECT_THAT(Inference("CONCAT").Set("axis", int64_t{0}).Text(),
              HasSubstr("list of inputs is empty"));
  Inference scalars("CONCAT", "tosa-0.100");
  EXPECT_EQ(scalars.In(DType::kI8, {}).In(DType::kI8, {}).Set("axis", int64_t{0}).Text(), "[2]");
}

TEST(InferShapes, FollowShapeOperands) {
  const auto pad = [](const std::vector<int64_t>& padding) {
    return Inference("PAD").In(DType::kI8, {2, 3}).Sizes(padding).In(DType::kI8, {1}).Text();
  };
  EXPECT_EQ(pad({1, 0, 2, 3}), "[3,8]");
  EXPECT_THAT(pad({1, 0, 2}), HasSubstr("padding"));
  EXPECT_EQ(Inference("RESHAPE").In(DType::kI8, {2, 3}).Sizes({3, 1, 2}).Text(), "[3,1,2]");
  EXPECT_EQ(Inference("SLICE").In(DType::kI8, {4, 5}).Sizes({1, 0}).Sizes({2, 5}).Text(), "[2,5]");
  EXPECT_EQ(Inference("TILE").In(DType::kI8, {4, 5}).Sizes({3, 2}).Text(), "[12,10]");
  EXPECT_THAT(Inference("TILE").In(DType::kI8, {4, 5}).Sizes({3, 0}).Text(),
              HasSubstr("found a dimension of 0"));
  EXPECT_THAT(Inference("TILE").In(DType::kI8, {4}).In(DType::kShape, {1}).Text(),
              HasSubstr("the values of multiples are not known"));
  EXPECT_EQ(Inference("TRANSPOSE")
                .In(DType::kI8, {4, 5, 6})
                .Set("perms", std::vector<int64_t>{2, 0, 1})
                .Text(),
            "[6,4,5]");
  EXPECT_THAT(
      Inference("TRANSPOSE").In(DType::kI8, {4, 5}).Set("perms", std::vector<int64_t>{2, 0}).Text(),
      HasSubstr("perms names axis 2"));
  // ((3 - 1) * 4 - -1 + 1) / 2 + 1 = 6; ((5 - 1) * 1 - 0 + 0) / 1 + 1 = 5.
  Inference resize("RESIZE");
  resize.In(DType::kI8, {1, 3, 5, 2}).Sizes({4, 2, 1, 1}).Sizes({-1, 0}).Sizes({1, 0});
  EXPECT_EQ(resize.Set("mode", "BILINEAR").Text(), "[1,6,5,2]");
}

TEST(InferShapes, OfGatherAndScatterTakeIndicesOrValues) {
  EXPECT_EQ(Inference("GATHER").In(DType::kI8, {2, 7, 3}).In(DType::kI32, {2, 5}).Text(),
            "[2,5,3]");
  Inference scatter("SCATTER");
  scatter.In(DType::kI8, {2, 7, 3}).In(DType::kI32, {2, 5}).In(DType::kI8, {2, 5, 3});
  EXPECT_EQ(scatter.Text(), "[2,7,3]");
}

TEST(InferShapes, OfShapesAreLengths) {
  EXPECT_EQ(Inference("ADD_SHAPE", "tosa-0.100").Sizes({1, 2, 3}).Sizes({4, 5, 6}).Text(), "[3]");
  EXPECT_EQ(Inference("CONCAT_SHAPE", "tosa-0.100").Sizes({1, 2}).Sizes({}).Sizes({3}).Text(),
            "[3]");
  EXPECT_EQ(Inference("CONCAT_SHAPE", "tosa-0.100").Sizes({}).Text(), "[0]");
}

TEST(InferShapes, BeyondSixtyFourBitsAreRefused) {
  EXPECT_THAT(Inference("TILE").In(DType::kI8, {3}).Sizes({kHuge}).Text(),
              HasSubstr("exceeds 64 bits"));
  EXPECT_THAT(Inference("TILE").In(DType::kI8, {4, 4}).Sizes({kHuge / 8, 8}).Text(),
              HasSubstr("more than 2^62 elements"));
  EXPECT_THAT(
      Inference("PAD").In(DType::kI8, {1}).Sizes({INT64_MAX, INT64_MAX}).In(DType::kI8, {1}).Text(),
      HasSubstr("exceeds 64 bits"));
  // The kernel reaches 2^62 - 1 times the greatest dilation: a negative size, not one wrapped
  // around.
  EXPECT_THAT(Conv2d({1, 9, 9, 1}, {1, kHuge, 1, 1}, {0, 0, 0, 0}, {1, 1}, {INT32_MAX, 1}).Text(),
              HasSubstr("dimension 1"));
  Inference transposed("TRANSPOSE_CONV2D");
  transposed.In(DType::kI8, {1, 1, kHuge, 1}).In(DType::kI8, {1, 1, 1, 1}).In(DType::kI32, {1});
  transposed.In(DType::kI8, {1}).In(DType::kI8, {1}).Set("acc_type", "INT32");
  transposed.Set("out_pad", std::vector<int64_t>{0, 0, 0, 0});
  transposed.Set("stride", std::vector<int64_t>{1, INT32_MAX});
  EXPECT_THAT(transposed.Text(), HasSubstr("dimension 2"));
  Inference concat("CONCAT");
  concat.In(DType::kI8, {kHuge}).In(DType::kI8, {kHuge}).Set("axis", int64_t{0});
  EXPECT_THAT(concat.Text(), HasSubstr("exceeds 64 bits"));
  Inference resize("RESIZE");
  resize.In(DType::kI8, {1, kHuge, 1, 1}).Sizes({INT64_MAX, 1, 1, 1}).Sizes({0, 0}).Sizes({0, 0});
  EXPECT_THAT(resize.Set("mode", "BILINEAR").Text(), HasSubstr("exceeds 64 bits"));
}

TEST(InferShapes, WantInputsThatTheArgumentTablesAllow) {
  EXPECT_THAT(Inference("MATMUL").In(DType::kI8, {2, 3}).Text(), HasSubstr("graph.operand_count"));
  EXPECT_THAT(Inference("EXP").In(DType::kI8, {2}).Text(), HasSubstr("graph.type_row"));
  EXPECT_THAT(Inference("EXPO").In(DType::kI8, {2}).Text(), HasSubstr("EXPO: tosa-1.0 has no"));
  Inference matmul("MATMUL");
  matmul.In(DType::kI8, {2, 3, 4}).In(DType::kI8, {2, 5, 5});
  matmul.In(DType::kI8, {1}).In(DType::kI8, {1});
  EXPECT_THAT(matmul.Text(), HasSubstr("graph.shape"));
}

}  // namespace
}  // namespace cts
