#include <cmath>

#include "reference/ops/testing.h"

namespace cts {
namespace {

OneOperator Binary(const std::string& name, Tensor x, Tensor y, Shape out, DType out_t,
                   std::string_view edition = kDefaultEdition, int64_t shift = 0,
                   const std::string& nan_mode = "PROPAGATE") {
  OneOperator op(name, edition);
  op.In(std::move(x)).In(std::move(y));
  if (name == "MUL") op.Integers(DType::kI8, edition == "tosa-0.100" ? Shape{} : Shape{1}, {shift});
  if (name == "MAXIMUM" && edition != "tosa-0.100") op.Set("nan_mode", nan_mode);
  return op.Out(out_t, std::move(out));
}

// One pair.
OneOperator Pair(const std::string& name, int64_t x, int64_t y, int64_t shift = 0) {
  return Binary(name, Tensor::OfIntegers(DType::kI32, {1}, {x}),
                Tensor::OfIntegers(DType::kI32, {1}, {y}), {1}, DType::kI32, kDefaultEdition,
                shift);
}

const std::vector<std::string>& Names() {
  static const std::vector<std::string> names = {"ADD", "MAXIMUM", "MUL"};
  return names;
}

TEST(ElementwiseBinary, BroadcastsEveryAxisOfEitherInput) {
  const Shape out = {2, 3, 4};
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const std::string& name : Names()) {
      // Bit i of a mask: axis i of that input has size 1.
      for (int masks = 0; masks < 64; ++masks) {
        Shape shape1 = out, shape2 = out, expected_shape = out;
        for (int axis = 0; axis < 3; ++axis) {
          if (masks >> axis & 1) shape1[axis] = 1;
          if (masks >> (3 + axis) & 1) shape2[axis] = 1;
          expected_shape[axis] = std::max(shape1[axis], shape2[axis]);
        }
        const std::vector<int64_t> x = Numbers(ElementCount(shape1), -1000, 1000, 1);
        const std::vector<int64_t> y = Numbers(ElementCount(shape2), -1000, 1000, 2);
        const Tensor result =
            Binary(name, Tensor::OfIntegers(DType::kI32, shape1, x),
                   Tensor::OfIntegers(DType::kI32, shape2, y), expected_shape, DType::kI32, edition)
                .Run();
        for (int64_t i = 0; i < result.size(); ++i) {
          Shape index1 = Index(expected_shape, i), index2 = index1;
          for (int axis = 0; axis < 3; ++axis) {
            if (shape1[axis] == 1) index1[axis] = 0;
            if (shape2[axis] == 1) index2[axis] = 0;
          }
          const int64_t a = x[Offset(shape1, index1)], b = y[Offset(shape2, index2)];
          ASSERT_EQ(result.Integer(i), name == "ADD"   ? a + b
                                       : name == "MUL" ? a * b
                                                       : std::max(a, b));
        }
      }
    }
  }
}

TEST(ElementwiseBinary, RejectsShapesThatDoNotBroadcastToTheOutput) {
  const Tensor a(DType::kI32, {2, 3}), row(DType::kI32, {1, 3}), other(DType::kI32, {2, 4});
  const Tensor flat(DType::kI32, {3});
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const auto& [name, id] : std::map<std::string, std::string>{
             {"ADD", "add"}, {"MAXIMUM", "maximum"}, {"MUL", "mul"}}) {
      const auto verdict = [&, n = name](const Tensor& x, const Tensor& y, const Shape& out) {
        return Binary(n, x, y, out, DType::kI32, edition).Verdict();
      };
      const std::string error = "error: " + id + ".broadcast";
      EXPECT_EQ(verdict(a, row, {2, 3}), "valid");
      EXPECT_EQ(verdict(a, other, {2, 3}), error);
      EXPECT_EQ(verdict(a, flat, {2, 3}), error);
      EXPECT_EQ(verdict(a, row, {1, 3}), error);
      EXPECT_EQ(verdict(row, row, {2, 3}), error);
      const OneOperator op = Binary(name, a, a, {2, 3}, DType::kI32, edition);
      EXPECT_TRUE(op.Breaks(id + ".level_rank", {{"MAX_RANK", 1}}));
      EXPECT_FALSE(op.Breaks(id + ".level_rank", {{"MAX_RANK", 2}}));
    }
  }
}

TEST(Add, IsUnpredictableWhenItOverflows) {
  EXPECT_EQ(Pair("ADD", INT32_MAX, 0).Verdict(), "valid");
  EXPECT_EQ(Pair("ADD", INT32_MAX, 1).Verdict(), "unpredictable: integer.overflow");
  EXPECT_EQ(Pair("ADD", INT32_MIN, 0).Verdict(), "valid");
  EXPECT_EQ(Pair("ADD", INT32_MIN, -1).Verdict(), "unpredictable: integer.overflow");
}

TEST(Add, AddsFloatsAndRoundsNatively) {
  const OneOperator op =
      Binary("ADD", Tensor::OfFloats(DType::kFp16, {3}, {2048, INFINITY, 65504}),
             Tensor::OfFloats(DType::kFp16, {3}, {1, -INFINITY, 65504}), {3}, DType::kFp16);
  EXPECT_EQ(op.Run().Float(0), 2049);
  EXPECT_TRUE(std::isnan(op.Run().Float(1)));
  EXPECT_EQ(op.Run().Float(2), 131008);
  EXPECT_EQ(op.RunNative().Float(0), 2048);
  EXPECT_EQ(op.RunNative().Float(2), INFINITY);
}

TEST(Mul, MultipliesEveryPairOfInt8) {
  const std::vector<int64_t> values = EveryValue(DType::kI8);
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    const Tensor result =
        Binary("MUL", Tensor::OfIntegers(DType::kI8, {256, 1}, values),
               Tensor::OfIntegers(DType::kI8, {1, 256}, values), {256, 256}, DType::kI32, edition)
            .Run();
    for (int64_t i = 0; i < 65536; ++i) {
      ASSERT_EQ(result.Integer(i), values[i / 256] * values[i % 256]);
    }
  }
}

TEST(Mul, RoundsTheShiftedProductToTheNearest) {
  using Wide = __int128;
  const std::vector<int64_t> numbers = {
      0, 1, -1, 3, -5, 12345, -9876, 1 << 20, -(1 << 30), 1987654321, INT32_MAX, INT32_MIN};
  int64_t valid = 0;
  for (int64_t x : numbers) {
    for (int64_t y : numbers) {
      for (int64_t shift = 0; shift < 64; ++shift) {
        // 2 * floor(x y / 2^shift + 1/2) = the even number below 2 x y / 2^shift + 1.
        const Wide twice = 2 * Wide{x} * y + (shift > 0 ? Wide{1} << shift : 0);
        const Wide divisor = Wide{2} << shift;
        const Wide expected = (twice - ((twice % divisor + divisor) % divisor)) / divisor;
        const std::string verdict = Pair("MUL", x, y, shift).Verdict();
        if (shift == 63 && x == INT32_MIN && y == INT32_MIN) {
          // The text's own int64_t overflows: 2^62 + 2^62.
          ASSERT_EQ(verdict, "unpredictable: integer.overflow");
        } else if (expected < INT32_MIN || expected > INT32_MAX) {
          ASSERT_EQ(verdict, shift == 0 ? "unpredictable: integer.overflow"
                                        : "unpredictable: mul.product_range");
        } else {
          ASSERT_EQ(Pair("MUL", x, y, shift).Run().Integer(0), static_cast<int64_t>(expected))
              << x << " * " << y << " >> " << shift;
          ++valid;
        }
      }
    }
  }
  EXPECT_GT(valid, 5000);
}

TEST(Mul, RequiresShiftInRange) {
  EXPECT_EQ(Pair("MUL", 1, 1, 63).Verdict(), "valid");
  EXPECT_EQ(Pair("MUL", 1, 1, 64).Verdict(), "unpredictable: mul.shift_range");
  EXPECT_EQ(Pair("MUL", 1, 1, -1).Verdict(), "unpredictable: mul.shift_range");
}

TEST(Mul, RequiresNoShiftUnlessInt32) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    const Tensor i16(DType::kI16, {1}), fp16(DType::kFp16, {1});
    EXPECT_EQ(Binary("MUL", i16, i16, {1}, DType::kI32, edition, 0).Verdict(), "valid");
    EXPECT_EQ(Binary("MUL", i16, i16, {1}, DType::kI32, edition, 1).Verdict(),
              "unpredictable: mul.shift_type");
    EXPECT_EQ(Binary("MUL", fp16, fp16, {1}, DType::kFp16, edition, 1).Verdict(),
              "unpredictable: mul.shift_type");
  }
}

TEST(Mul, MakesNanOfInfinityTimesZero) {
  const Tensor x = Tensor::OfFloats(DType::kBf16, {3}, {INFINITY, INFINITY, -1.5});
  const Tensor y = Tensor::OfFloats(DType::kBf16, {3}, {0, -INFINITY, 3});
  const Tensor result = Binary("MUL", x, y, {3}, DType::kBf16).Run();
  EXPECT_TRUE(std::isnan(result.Float(0)));
  EXPECT_EQ(result.Float(1), -INFINITY);
  EXPECT_EQ(result.Float(2), -4.5);
}

TEST(Maximum, IsTheGreaterOfEveryPairOfFp8ValuesAndTreatsNanByMode) {
  // fp16 holds every fp8e5m2: 256 values, infinities and NaN among them.
  const Tensor fp8 = EveryPattern(DType::kFp8E5M2);
  const Tensor x = Tensor::OfFloats(DType::kFp16, {256, 1}, fp8.Floats());
  const Tensor y = Tensor::OfFloats(DType::kFp16, {1, 256}, fp8.Floats());
  const auto check = [&](std::string_view edition, const std::string& mode) {
    const OneOperator op = Binary("MAXIMUM", x, y, {256, 256}, DType::kFp16, edition, 0, mode);
    const Tensor result = op.Run(), native = op.RunNative();
    for (int64_t i = 0; i < 65536; ++i) {
      const double a = fp8.Float(i / 256), b = fp8.Float(i % 256);
      const bool nan =
          mode == "IGNORE" ? std::isnan(a) && std::isnan(b) : std::isnan(a) || std::isnan(b);
      if (nan) {
        ASSERT_TRUE(std::isnan(result.Float(i)) && std::isnan(native.Float(i)));
      } else {
        ASSERT_EQ(result.Float(i), std::fmax(a, b));
        ASSERT_EQ(native.Float(i), std::fmax(a, b));
      }
    }
  };
  check("tosa-1.0", "PROPAGATE");
  check("tosa-1.0", "IGNORE");
  check("tosa-0.100", "PROPAGATE");
}

TEST(ElementwiseBinary, ReadsTheFirstInputBeforeTheSecond) {
  const Edition& edition = **FindEdition(kDefaultEdition);
  Graph graph = EmptyGraph();
  graph.main().inputs = {"x", "y"};
  graph.main().outputs = {"z"};
  for (const char* name : {"x", "y", "z"}) graph.main().tensors.push_back({name, DType::kI32, {2}});
  graph.main().operators = {{.op = "ADD", .inputs = {"x", "y"}, .outputs = {"z"}}};
  const Tensor values = Tensor::OfIntegers(DType::kI32, {2}, {5, 6});
  const auto read = TraceElement(graph, {{"x", values}, {"y", values}}, edition,
                                 *edition.FindLevel("8K"), "z", 1);
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].tensor, "x");
  EXPECT_EQ((*read)[1].tensor, "y");
  EXPECT_EQ((*read)[1].index, Shape{1});
}

}  // namespace
}  // namespace cts
