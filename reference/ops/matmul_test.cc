#include "reference/ops/testing.h"

namespace cts {
namespace {

OneOperator Matmul(Tensor a, Tensor b, DType out_t, double a_zp = 0, double b_zp = 0,
                   std::string_view edition = kDefaultEdition) {
  OneOperator op("MATMUL", edition);
  const Shape shape = {a.shape()[0], a.shape()[1], b.shape()[2]};
  const DType in_t = a.dtype();
  op.In(std::move(a)).In(std::move(b)).Out(out_t, shape);
  if (edition == "tosa-0.100") {
    const auto attribute = [in_t](double zp) {
      return IsFloat(in_t) ? AttributeValue(zp) : AttributeValue(static_cast<int64_t>(zp));
    };
    return op.Set("A_zp", attribute(a_zp)).Set("B_zp", attribute(b_zp));
  }
  const auto zero_point = [in_t](double zp) {
    return IsFloat(in_t) ? Tensor::OfFloats(in_t, {1}, {zp})
                         : Tensor::OfIntegers(in_t, {1}, {static_cast<int64_t>(zp)});
  };
  return op.In(zero_point(a_zp)).In(zero_point(b_zp));
}

TEST(Matmul, MultipliesEveryPairOfInt8) {
  const std::vector<int64_t> values = EveryValue(DType::kI8);
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    const Tensor result =
        Matmul(Tensor::OfIntegers(DType::kI8, {1, 256, 1}, values),
               Tensor::OfIntegers(DType::kI8, {1, 1, 256}, values), DType::kI32, -128, 127, edition)
            .Run();
    for (int64_t i = 0; i < 65536; ++i) {
      ASSERT_EQ(result.Integer(i), (values[i / 256] + 128) * (values[i % 256] - 127));
    }
  }
}

TEST(Matmul, EqualsPlainLoopsInInt48) {
  const int64_t n = 2, h = 3, c = 5, w = 4;
  const std::vector<int64_t> a = Numbers(n * h * c, -32768, 32767),
                             b = Numbers(n * c * w, -32768, 32767, 2);
  const Tensor result = Matmul(Tensor::OfIntegers(DType::kI16, {n, h, c}, a),
                               Tensor::OfIntegers(DType::kI16, {n, c, w}, b), DType::kI48)
                            .Run();
  std::vector<int64_t> expected(n * h * w);
  for (int64_t batch = 0; batch < n; ++batch) {
    for (int64_t k = 0; k < c; ++k) {
      for (int64_t y = 0; y < h; ++y) {
        for (int64_t x = 0; x < w; ++x) {
          expected[batch * h * w + y * w + x] +=
              a[batch * h * c + y * c + k] * b[batch * c * w + k * w + x];
        }
      }
    }
  }
  EXPECT_EQ(result.Integers(), expected);
}

TEST(Matmul, ByTheIdentityIsTheMatrix) {
  const std::vector<double> matrix = {1.5, -2, 0, 448, 0.015625, -0.25, 3, 7, 11};
  const std::vector<double> identity = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const struct {
    DType in, out;
  } rows[] = {{DType::kFp8E4M3, DType::kFp16}, {DType::kFp8E5M2, DType::kFp16},
              {DType::kFp16, DType::kFp16},    {DType::kFp16, DType::kFp32},
              {DType::kBf16, DType::kFp32},    {DType::kFp32, DType::kFp32}};
  for (const auto& row : rows) {
    const Tensor m = Tensor::OfFloats(row.in, {1, 3, 3}, matrix);
    const OneOperator op = Matmul(m, Tensor::OfFloats(row.in, {1, 3, 3}, identity), row.out);
    EXPECT_EQ(op.Run().Elements(), m.Elements());
    EXPECT_EQ(op.RunNative().Elements(), m.Elements());
  }
}

TEST(Matmul, AddsInTheOrderOfTheChannels) {
  // In fp64: (2^53 + 1) + 1 stays 2^53, and 1 + (1 + 2^53) would not.
  const Tensor ones = Tensor::OfFloats(DType::kFp32, {1, 3, 1}, {1, 1, 1});
  const auto sum = [&](const std::vector<double>& x) {
    return Matmul(Tensor::OfFloats(DType::kFp32, {1, 1, 3}, x), ones, DType::kFp32)
        .Run()
        .Element(0);
  };
  EXPECT_EQ(sum({9007199254740992, 1, 1}), 9007199254740992);
  EXPECT_EQ(sum({1, 1, 9007199254740992}), 9007199254740994);
}

TEST(Matmul, RoundsNativelyToTheAccumulatorAfterEveryStep) {
  // fp16 has no 2049: 2048 + 1 + 1 stays 2048 natively, and is 2050 in fp64.
  const OneOperator op = Matmul(Tensor::OfFloats(DType::kFp16, {1, 1, 3}, {2048, 1, 1}),
                                Tensor::OfFloats(DType::kFp16, {1, 3, 1}, {1, 1, 1}), DType::kFp16);
  EXPECT_EQ(op.Run().Element(0), 2050);
  EXPECT_EQ(op.RunNative().Element(0), 2048);
}

TEST(Matmul, IsUnpredictableWhenTheSumOverflows) {
  // 255 * 255 * 33025 = 2147450625 fits int32_t, one more product does not.
  const auto verdict = [](int64_t channels) {
    return Matmul(Tensor::OfIntegers(DType::kI8, {1, 1, channels},
                                     std::vector<int64_t>(channels, -128)),
                  Tensor::OfIntegers(DType::kI8, {1, channels, 1},
                                     std::vector<int64_t>(channels, -128)),
                  DType::kI32, 127, 127)
        .Verdict();
  };
  EXPECT_EQ(verdict(33025), "valid");
  EXPECT_EQ(verdict(33026), "unpredictable: integer.overflow");
}

// 1.0 forgot the negation: literally i8 alone would have to be without a zero point.
TEST(Matmul, RejectsZeroPointsUnlessInt8) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    const Tensor i8(DType::kI8, {1, 1, 1}), i16(DType::kI16, {1, 1, 1}),
        fp16(DType::kFp16, {1, 1, 1});
    EXPECT_EQ(Matmul(i8, i8, DType::kI32, 5, -7, edition).Verdict(), "valid");
    EXPECT_EQ(Matmul(i16, i16, DType::kI48, 0, 0, edition).Verdict(), "valid");
    EXPECT_EQ(Matmul(i16, i16, DType::kI48, 1, 0, edition).Verdict(), "error: matmul.zero_point");
    EXPECT_EQ(Matmul(i16, i16, DType::kI48, 0, 1, edition).Verdict(), "error: matmul.zero_point");
    EXPECT_EQ(Matmul(fp16, fp16, DType::kFp32, 0.5, 0, edition).Verdict(),
              "error: matmul.zero_point");
  }
}

}  // namespace
}  // namespace cts
