#include "reference/ops/testing.h"

namespace cts {
namespace {

OneOperator ReduceSum(Tensor input, int64_t axis, Shape out,
                      std::string_view edition = kDefaultEdition) {
  OneOperator op("REDUCE_SUM", edition);
  const DType type = input.dtype();
  return op.In(std::move(input)).Set("axis", axis).Out(type, std::move(out));
}

TEST(ReduceSum, EqualsPlainLoopsAlongEveryAxis) {
  const Shape shape = {2, 3, 4, 5};
  const std::vector<int64_t> values = Numbers(120, -1000000, 1000000);
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (int64_t axis = 0; axis < 4; ++axis) {
      Shape out = shape;
      out[axis] = 1;
      std::vector<int64_t> expected(ElementCount(out));
      for (int64_t i = 0; i < 120; ++i) {
        Shape index = Index(shape, i);
        index[axis] = 0;
        expected[Offset(out, index)] += values[i];
      }
      EXPECT_EQ(ReduceSum(Tensor::OfIntegers(DType::kI32, shape, values), axis, out, edition)
                    .Run()
                    .Integers(),
                expected);
    }
  }
}

TEST(ReduceSum, AddsFromTheFirstToTheLast) {
  // In fp64: (2^53 + 1) + 1 stays 2^53.
  const Tensor falling = Tensor::OfFloats(DType::kFp32, {3}, {9007199254740992, 1, 1});
  const Tensor rising = Tensor::OfFloats(DType::kFp32, {3}, {1, 1, 9007199254740992});
  EXPECT_EQ(ReduceSum(falling, 0, {1}).Run().Float(0), 9007199254740992);
  EXPECT_EQ(ReduceSum(rising, 0, {1}).Run().Float(0), 9007199254740994);
}

TEST(ReduceSum, AccumulatesNativelyInItsAccumulatorType) {
  // bf16 accumulates in fp32, where 256 + 1 + 1 is exact; fp16 in fp16, which has no 2049.
  EXPECT_EQ(
      ReduceSum(Tensor::OfFloats(DType::kBf16, {3}, {256, 1, 1}), 0, {1}).RunNative().Float(0),
      258);
  EXPECT_EQ(
      ReduceSum(Tensor::OfFloats(DType::kFp16, {3}, {2048, 1, 1}), 0, {1}).RunNative().Float(0),
      2048);
}

TEST(ReduceSum, IsUnpredictableWhenAPartialSumOverflows) {
  const auto verdict = [](const std::vector<int64_t>& values) {
    return ReduceSum(Tensor::OfIntegers(DType::kI32, {3}, values), 0, {1}).Verdict();
  };
  EXPECT_EQ(verdict({2147483647, -1, 1}), "valid");
  EXPECT_EQ(verdict({2147483647, 1, -1}), "unpredictable: integer.overflow");
}

TEST(ReduceSum, RejectsAxisOutOfRange) {
  const Tensor input(DType::kI32, {2, 3});
  EXPECT_EQ(ReduceSum(input, 1, {2, 1}).Verdict(), "valid");
  EXPECT_EQ(ReduceSum(input, 2, {2, 1}).Verdict(), "error: reduce_sum.axis_range");
  EXPECT_EQ(ReduceSum(input, -1, {2, 1}).Verdict(), "error: reduce_sum.axis_range");
}

TEST(ReduceSum, RejectsOutputThatKeepsTheAxis) {
  EXPECT_EQ(ReduceSum(Tensor(DType::kI32, {2, 3}), 1, {2, 3}).Verdict(),
            "error: reduce_sum.output_axis");
  EXPECT_EQ(ReduceSum(Tensor(DType::kI32, {2, 3}), 1, {2}, "tosa-0.100").Verdict(),
            "error: reduce_sum.output_axis");
}

TEST(ReduceSum, RejectsOutputThatDiffersBesideTheAxis) {
  EXPECT_NE(ReduceSum(Tensor(DType::kI32, {2, 3}), 1, {4, 1}).Verdict(), "valid");
  EXPECT_NE(ReduceSum(Tensor(DType::kI32, {2, 3}), 1, {1, 1}).Verdict(), "valid");
  EXPECT_NE(ReduceSum(Tensor(DType::kI32, {2, 3}), 0, {1}).Verdict(), "valid");
}

}  // namespace
}  // namespace cts
