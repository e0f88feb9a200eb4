#include <cmath>

#include "reference/ops/testing.h"

namespace cts {
namespace {

OneOperator Gather(DType type, Shape values, const std::vector<int64_t>& elements, Shape indices,
                   const std::vector<int64_t>& numbers,
                   std::string_view edition = kDefaultEdition) {
  OneOperator op("GATHER", edition);
  const Shape out = {values[0], indices[1], values[2]};
  op.Integers(type, std::move(values), elements);
  op.Integers(DType::kI32, std::move(indices), numbers).Out(type, out);
  return op;
}

OneOperator Scatter(Shape values, const std::vector<int64_t>& elements, Shape indices,
                    const std::vector<int64_t>& numbers, const std::vector<int64_t>& input,
                    std::string_view edition = kDefaultEdition) {
  OneOperator op("SCATTER", edition);
  op.Integers(DType::kI16, values, elements).Integers(DType::kI32, indices, numbers);
  op.Integers(DType::kI16, {values[0], indices[1], values[2]}, input).Out(DType::kI16, values);
  return op;
}

TEST(Gather, EqualsPlainLoops) {
  const int64_t N = 3, K = 7, C = 4, W = 10;
  const std::vector<int64_t> values = Numbers(N * K * C, -128, 127);
  const std::vector<int64_t> indices = Numbers(N * W, 0, K - 1, 2);
  std::vector<int64_t> expected;
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t w = 0; w < W; ++w) {
      for (int64_t c = 0; c < C; ++c) {
        const int64_t k = indices[n * W + w];
        expected.push_back(values[n * K * C + k * C + c]);
      }
    }
  }
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    const OneOperator op = Gather(DType::kI8, {N, K, C}, values, {N, W}, indices, edition);
    EXPECT_EQ(op.Run().Integers(), expected);
  }
}

TEST(Gather, MovesFloatingPointUnchangedButForFlushing) {
  const double subnormal = std::ldexp(1, -24);
  OneOperator op("GATHER");
  op.Floats(DType::kFp16, {1, 3, 1}, {subnormal, INFINITY, -0.0});
  op.Integers(DType::kI32, {1, 4}, {2, 0, 1, 0}).Out(DType::kFp16, {1, 4, 1});
  const ExpectedOutput out = op.Output();
  EXPECT_EQ(out.rule.kind, RuleKind::kExact);
  ASSERT_EQ(out.answers.size(), 2u);
  EXPECT_EQ(out.answers[0].expected.Elements(),
            (std::vector<double>{0, subnormal, INFINITY, subnormal}));
  EXPECT_EQ(out.answers[1].expected.Elements(), (std::vector<double>{0, 0, INFINITY, 0}));
}

TEST(Gather, IsUnpredictableWithAnIndexOutOfRange) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    const auto verdict = [&](int64_t index) {
      return Gather(DType::kI8, {1, 3, 1}, {1, 2, 3}, {1, 2}, {0, index}, edition).Verdict();
    };
    EXPECT_EQ(verdict(2), "valid");
    EXPECT_EQ(verdict(3), "unpredictable: gather.index_range");
    EXPECT_EQ(verdict(-1), "unpredictable: gather.index_range");
  }
}

// 0.100 types the indices as a size, which is no type of a tensor.
TEST(Gather, TakesIndicesOfInt32Only) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    OneOperator op("GATHER", edition);
    op.Integers(DType::kI8, {1, 2, 1}, {1, 2}).Integers(DType::kI16, {1, 1}, {0});
    EXPECT_EQ(op.Out(DType::kI8, {1, 1, 1}).Verdict(), "error: graph.type_row");
  }
}

TEST(Gather, RejectsShapesThatDoNotFit) {
  const std::vector<int64_t> values = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(Gather(DType::kI8, {1, 3, 2}, values, {2, 1}, {0, 1}).Verdict(), "error: graph.shape");
  OneOperator op("GATHER");
  op.Integers(DType::kI8, {1, 3, 2}, values).Integers(DType::kI32, {1, 1}, {0});
  EXPECT_EQ(op.Out(DType::kI8, {1, 2, 2}).Verdict(), "error: graph.shape");
}

TEST(Scatter, EqualsPlainLoops) {
  const int64_t N = 2, K = 5, C = 3, W = 3;
  const std::vector<int64_t> values = Numbers(N * K * C, -999, 999);
  const std::vector<int64_t> input = Numbers(N * W * C, 1000, 1999, 2);
  const std::vector<int64_t> indices = {4, 0, 2, 1, 2, 3};
  std::vector<int64_t> expected = values;
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t w = 0; w < W; ++w) {
      for (int64_t c = 0; c < C; ++c) {
        expected[n * K * C + indices[n * W + w] * C + c] = input[n * W * C + w * C + c];
      }
    }
  }
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_EQ(Scatter({N, K, C}, values, {N, W}, indices, input, edition).Run().Integers(),
              expected);
  }
}

// SCATTER by a permutation, then GATHER by the same, is the identity.
TEST(Scatter, IsUndoneByGather) {
  const std::vector<int64_t> order = {3, 0, 4, 1, 2}, input = {10, 11, 12, 13, 14};
  const Tensor scattered = Scatter({1, 5, 1}, {0, 0, 0, 0, 0}, {1, 5}, order, input).Run();
  EXPECT_EQ(scattered.Integers(), (std::vector<int64_t>{11, 13, 14, 10, 12}));
  EXPECT_EQ(Gather(DType::kI16, {1, 5, 1}, scattered.Integers(), {1, 5}, order).Run().Integers(),
            input);
}

TEST(Scatter, FlushesSubnormalsOfBothOperands) {
  const double subnormal = std::ldexp(-1, -130);
  OneOperator op("SCATTER");
  op.Floats(DType::kFp32, {1, 3, 1}, {subnormal, 1, 2}).Integers(DType::kI32, {1, 1}, {1});
  op.Floats(DType::kFp32, {1, 1, 1}, {subnormal}).Out(DType::kFp32, {1, 3, 1});
  const ExpectedOutput out = op.Output();
  ASSERT_EQ(out.answers.size(), 2u);
  EXPECT_EQ(out.answers[0].expected.Elements(), (std::vector<double>{subnormal, subnormal, 2}));
  EXPECT_EQ(out.answers[1].expected.Elements(), (std::vector<double>{0, 0, 2}));
}

TEST(Scatter, IsUnpredictableWithAnIndexOutOfRangeOrRepeated) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    const auto verdict = [&](int64_t a, int64_t b) {
      return Scatter({1, 3, 1}, {1, 2, 3}, {1, 2}, {a, b}, {7, 8}, edition).Verdict();
    };
    EXPECT_EQ(verdict(0, 2), "valid");
    EXPECT_EQ(verdict(0, 3), "unpredictable: scatter.index_range");
    EXPECT_EQ(verdict(-1, 0), "unpredictable: scatter.index_range");
    EXPECT_EQ(verdict(2, 2), "unpredictable: scatter.index_repeated");
    // Another batch is another output position.
    EXPECT_EQ(Scatter({2, 1, 1}, {1, 2}, {2, 1}, {0, 0}, {7, 8}, edition).Verdict(), "valid");
  }
}

}  // namespace
}  // namespace cts
