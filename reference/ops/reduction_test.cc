#include <cmath>

#include "reference/ops/testing.h"

namespace cts {
namespace {

OneOperator Reduce(const std::string& name, Tensor input, int64_t axis, Shape out,
                   std::string_view edition = kDefaultEdition,
                   const std::string& nan_mode = "PROPAGATE") {
  OneOperator op(name, edition);
  const DType type = input.dtype();
  op.In(std::move(input)).Set("axis", axis);
  if ((name == "REDUCE_MAX" || name == "REDUCE_MIN") && edition != "tosa-0.100") {
    op.Set("nan_mode", nan_mode);
  }
  return op.Out(type, std::move(out));
}

OneOperator ReduceSum(Tensor input, int64_t axis, Shape out,
                      std::string_view edition = kDefaultEdition) {
  return Reduce("REDUCE_SUM", std::move(input), axis, std::move(out), edition);
}

// Every operator with a type that it has, numbers that do not overflow, and one step of it.
struct Example {
  std::string name, id;
  DType type;
  int64_t low, high;
  int64_t (*step)(int64_t, int64_t);
};

const std::vector<Example>& Examples() {
  using I = int64_t;
  static const std::vector<Example> examples = {
      {"REDUCE_ALL", "reduce_all", DType::kBool, 0, 1, [](I x, I y) { return x * y; }},
      {"REDUCE_ANY", "reduce_any", DType::kBool, 0, 1, [](I x, I y) { return x + y - x * y; }},
      {"REDUCE_MAX", "reduce_max", DType::kI8, -128, 127,
       [](I x, I y) { return x + y - std::min(x, y); }},
      {"REDUCE_MIN", "reduce_min", DType::kI16, -32768, 32767,
       [](I x, I y) { return x + y - std::max(x, y); }},
      {"REDUCE_PRODUCT", "reduce_product", DType::kFp32, -9, 9, [](I x, I y) { return x * y; }},
      {"REDUCE_SUM", "reduce_sum", DType::kI32, -1000000, 1000000, [](I x, I y) { return x + y; }}};
  return examples;
}

Tensor TensorOf(DType type, const Shape& shape, const std::vector<int64_t>& values) {
  if (!IsFloat(type)) return Tensor::OfIntegers(type, shape, values);
  return Tensor::OfFloats(type, shape, std::vector<double>(values.begin(), values.end()));
}

TEST(Reduction, EqualsPlainLoopsAlongEveryAxis) {
  const Shape shape = {2, 3, 4, 5};
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const Example& example : Examples()) {
      const std::vector<int64_t> values = Numbers(120, example.low, example.high);
      for (int64_t axis = 0; axis < 4; ++axis) {
        Shape out = shape;
        out[axis] = 1;
        std::vector<int64_t> expected(ElementCount(out));
        for (int64_t i = 0; i < 120; ++i) {
          Shape index = Index(shape, i);
          const bool first = index[axis] == 0;
          index[axis] = 0;
          int64_t& result = expected[Offset(out, index)];
          result = first ? values[i] : example.step(result, values[i]);
        }
        const Tensor result =
            Reduce(example.name, TensorOf(example.type, shape, values), axis, out, edition).Run();
        for (size_t i = 0; i < expected.size(); ++i) {
          const int64_t k = static_cast<int64_t>(i);
          ASSERT_EQ(IsFloat(example.type) ? result.Element(k) : result.Integer(k), expected[i])
              << example.name << " along " << axis;
        }
      }
    }
  }
}

TEST(Reduction, RejectsAxisOutOfRange) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const Example& example : Examples()) {
      const Tensor input(example.type, {2, 3});
      const auto verdict = [&](int64_t axis) {
        return Reduce(example.name, input, axis, {2, 1}, edition).Verdict();
      };
      EXPECT_EQ(verdict(1), "valid");
      EXPECT_EQ(verdict(2), "error: " + example.id + ".axis_range");
      EXPECT_EQ(verdict(-1), "error: " + example.id + ".axis_range");
    }
  }
}

TEST(Reduction, RejectsOutputThatKeepsTheAxis) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const Example& example : Examples()) {
      const Tensor input(example.type, {2, 3});
      const std::string error = "error: " + example.id + ".output_axis";
      EXPECT_EQ(Reduce(example.name, input, 1, {2, 3}, edition).Verdict(), error);
      EXPECT_EQ(Reduce(example.name, input, 1, {2}, edition).Verdict(), error);
    }
  }
}

TEST(Reduction, RejectsOutputThatDiffersBesideTheAxis) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const Example& example : Examples()) {
      const Tensor input(example.type, {2, 3});
      const std::string error = "error: graph.output_shape";
      EXPECT_EQ(Reduce(example.name, input, 1, {4, 1}, edition).Verdict(), error);
      EXPECT_EQ(Reduce(example.name, input, 1, {1, 1}, edition).Verdict(), error);
      EXPECT_EQ(Reduce(example.name, input, 0, {1}, edition).Verdict(), error);
    }
  }
}

// --- REDUCE_ALL and REDUCE_ANY -------------------------------------------------------------------

TEST(ReduceAllAndAny, AreRightForEveryLineOfEightBooleans) {
  std::vector<int64_t> bits;
  for (int64_t line = 0; line < 256; ++line) {
    for (int bit = 0; bit < 8; ++bit) bits.push_back(line >> bit & 1);
  }
  const Tensor input = Tensor::OfIntegers(DType::kBool, {256, 8}, bits);
  const Tensor all = Reduce("REDUCE_ALL", input, 1, {256, 1}).Run();
  const Tensor any = Reduce("REDUCE_ANY", input, 1, {256, 1}).Run();
  for (int64_t line = 0; line < 256; ++line) {
    EXPECT_EQ(all.Integer(line), line == 255);
    EXPECT_EQ(any.Integer(line), line != 0);
  }
}

// --- REDUCE_MAX and REDUCE_MIN -------------------------------------------------------------------

TEST(ReduceMaxAndMin, AreRightForEveryPairOfFp8ValuesAndTreatNanByMode) {
  // fp16 holds every fp8e5m2: infinities and NaN among them.
  const Tensor fp8 = EveryPattern(DType::kFp8E5M2);
  std::vector<double> pairs;
  for (int64_t i = 0; i < 65536; ++i) {
    pairs.push_back(fp8.Element(i / 256));
    pairs.push_back(fp8.Element(i % 256));
  }
  const Tensor input = Tensor::OfFloats(DType::kFp16, {65536, 2}, pairs);
  const auto check = [&](const std::string& name, std::string_view edition,
                         const std::string& mode) {
    const OneOperator op = Reduce(name, input, 1, {65536, 1}, edition, mode);
    const Tensor result = op.Run(), native = op.RunNative();
    for (int64_t i = 0; i < 65536; ++i) {
      const double a = pairs[2 * i], b = pairs[2 * i + 1];
      const bool nan =
          mode == "IGNORE" ? std::isnan(a) && std::isnan(b) : std::isnan(a) || std::isnan(b);
      if (nan) {
        ASSERT_TRUE(std::isnan(result.Element(i)) && std::isnan(native.Element(i)));
      } else {
        const double expected = name == "REDUCE_MAX" ? std::fmax(a, b) : std::fmin(a, b);
        ASSERT_EQ(result.Element(i), expected);
        ASSERT_EQ(native.Element(i), expected);
      }
    }
  };
  for (const char* name : {"REDUCE_MAX", "REDUCE_MIN"}) {
    check(name, "tosa-1.0", "PROPAGATE");
    check(name, "tosa-1.0", "IGNORE");
    check(name, "tosa-0.100", "PROPAGATE");
  }
}

TEST(ReduceMaxAndMin, KeepTheEndsOfTheType) {
  // A reduction that starts from a finite number would have that instead.
  const Tensor low = Tensor::OfFloats(DType::kFp32, {2}, {-INFINITY, -INFINITY});
  const Tensor high = Tensor::OfFloats(DType::kFp32, {2}, {INFINITY, INFINITY});
  const Tensor nan = Tensor::OfFloats(DType::kFp32, {2}, {NAN, NAN});
  for (const char* mode : {"PROPAGATE", "IGNORE"}) {
    EXPECT_EQ(Reduce("REDUCE_MAX", low, 0, {1}, "tosa-1.0", mode).Run().Element(0), -INFINITY);
    EXPECT_EQ(Reduce("REDUCE_MIN", high, 0, {1}, "tosa-1.0", mode).Run().Element(0), INFINITY);
    EXPECT_TRUE(std::isnan(Reduce("REDUCE_MAX", nan, 0, {1}, "tosa-1.0", mode).Run().Element(0)));
    EXPECT_TRUE(std::isnan(Reduce("REDUCE_MIN", nan, 0, {1}, "tosa-1.0", mode).Run().Element(0)));
  }
  const Tensor least = Tensor::OfIntegers(DType::kI8, {1}, {-128});
  EXPECT_EQ(Reduce("REDUCE_MAX", least, 0, {1}).Run().Integer(0), -128);
}

// --- REDUCE_PRODUCT ------------------------------------------------------------------------------

TEST(ReduceProduct, MultipliesInFp64AndNativelyInTheType) {
  // 2049 * 3 = 6147: fp16 has no 2049 (inputs 683 * 3), and steps of 4 there.
  const Tensor input = Tensor::OfFloats(DType::kFp16, {3}, {683, 3, 3});
  EXPECT_EQ(Reduce("REDUCE_PRODUCT", input, 0, {1}).Run().Element(0), 6147);
  // 2049 rounds to 2048, 6144 is exact.
  EXPECT_EQ(Reduce("REDUCE_PRODUCT", input, 0, {1}).RunNative().Element(0), 6144);
}

TEST(ReduceProduct, FollowsIeee754AtInfinityNanAndZero) {
  const Tensor input =
      Tensor::OfFloats(DType::kBf16, {6, 2},
                       {INFINITY, 0, INFINITY, -2, NAN, 0, -0.0, 5, -INFINITY, -INFINITY, 1, NAN});
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    const OneOperator op = Reduce("REDUCE_PRODUCT", input, 1, {6, 1}, edition);
    for (const Tensor& result : {op.Run(), op.RunNative()}) {
      EXPECT_TRUE(std::isnan(result.Element(0)));
      EXPECT_EQ(result.Element(1), -INFINITY);
      EXPECT_TRUE(std::isnan(result.Element(2)));
      EXPECT_EQ(result.Element(3), 0);
      EXPECT_EQ(result.Element(4), INFINITY);
      EXPECT_TRUE(std::isnan(result.Element(5)));
    }
  }
}

// --- REDUCE_SUM ----------------------------------------------------------------------------------

TEST(ReduceSum, AddsFromTheFirstToTheLast) {
  // In fp64: (2^53 + 1) + 1 stays 2^53.
  const Tensor falling = Tensor::OfFloats(DType::kFp32, {3}, {9007199254740992, 1, 1});
  const Tensor rising = Tensor::OfFloats(DType::kFp32, {3}, {1, 1, 9007199254740992});
  EXPECT_EQ(ReduceSum(falling, 0, {1}).Run().Element(0), 9007199254740992);
  EXPECT_EQ(ReduceSum(rising, 0, {1}).Run().Element(0), 9007199254740994);
}

TEST(ReduceSum, AccumulatesNativelyInItsAccumulatorType) {
  // bf16 accumulates in fp32, where 256 + 1 + 1 is exact; fp16 in fp16, which has no 2049.
  EXPECT_EQ(
      ReduceSum(Tensor::OfFloats(DType::kBf16, {3}, {256, 1, 1}), 0, {1}).RunNative().Element(0),
      258);
  EXPECT_EQ(
      ReduceSum(Tensor::OfFloats(DType::kFp16, {3}, {2048, 1, 1}), 0, {1}).RunNative().Element(0),
      2048);
}

TEST(ReduceSum, IsUnpredictableWhenAPartialSumOverflows) {
  const auto verdict = [](const std::vector<int64_t>& values) {
    return ReduceSum(Tensor::OfIntegers(DType::kI32, {3}, values), 0, {1}).Verdict();
  };
  EXPECT_EQ(verdict({2147483647, -1, 1}), "valid");
  EXPECT_EQ(verdict({2147483647, 1, -1}), "unpredictable: integer.overflow");
}

}  // namespace
}  // namespace cts
