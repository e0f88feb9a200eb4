#include <array>
#include <cmath>

#include "reference/evaluate/trace_testing.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

OneOperator Binary(const std::string& name, Tensor x, Tensor y, Shape out, DType out_t,
                   std::string_view edition = kDefaultEdition, int64_t shift = 0,
                   const std::string& nan_mode = "PROPAGATE") {
  OneOperator op(name, edition);
  op.In(std::move(x)).In(std::move(y));
  if (name == "MUL") op.Integers(DType::kI8, edition == "tosa-0.100" ? Shape{} : Shape{1}, {shift});
  if ((name == "MAXIMUM" || name == "MINIMUM") && edition != "tosa-0.100") {
    op.Set("nan_mode", nan_mode);
  }
  if (name == "ARITHMETIC_RIGHT_SHIFT") op.Set("round", false);
  return op.Out(out_t, std::move(out));
}

// One pair.
OneOperator Pair(const std::string& name, int64_t x, int64_t y, int64_t shift = 0) {
  return Binary(name, Tensor::OfIntegers(DType::kI32, {1}, {x}),
                Tensor::OfIntegers(DType::kI32, {1}, {y}), {1}, DType::kI32, kDefaultEdition,
                shift);
}

// Every operator with a range of second inputs, and what it is without overflow.
struct Example {
  std::string name, id;
  DType type;
  int64_t low, high;
  int64_t (*result)(int64_t, int64_t);
};

const std::vector<Example>& Examples() {
  using I = int64_t;
  constexpr DType kI32 = DType::kI32, kBool = DType::kBool;
  static const std::vector<Example> examples = {
      {"ADD", "add", kI32, -1000, 1000, [](I x, I y) { return x + y; }},
      {"ARITHMETIC_RIGHT_SHIFT", "arithmetic_right_shift", kI32, 0, 31,
       [](I x, I y) { return static_cast<I>(std::floor(std::ldexp(x, static_cast<int>(-y)))); }},
      {"BITWISE_AND", "bitwise_and", kI32, -1000, 1000, [](I x, I y) { return x & y; }},
      {"BITWISE_OR", "bitwise_or", kI32, -1000, 1000, [](I x, I y) { return x | y; }},
      {"BITWISE_XOR", "bitwise_xor", kI32, -1000, 1000, [](I x, I y) { return x ^ y; }},
      {"INTDIV", "intdiv", kI32, 1, 1000, [](I x, I y) { return (x - x % y) / y; }},
      {"LOGICAL_AND", "logical_and", kBool, 0, 1, [](I x, I y) { return x * y; }},
      {"LOGICAL_LEFT_SHIFT", "logical_left_shift", kI32, 0, 20,
       [](I x, I y) { return x * (I{1} << y); }},
      {"LOGICAL_RIGHT_SHIFT", "logical_right_shift", kI32, 1, 31,
       [](I x, I y) { return (x < 0 ? x + (I{1} << 32) : x) / (I{1} << y); }},
      {"LOGICAL_OR", "logical_or", kBool, 0, 1, [](I x, I y) { return x + y - x * y; }},
      {"LOGICAL_XOR", "logical_xor", kBool, 0, 1, [](I x, I y) { return (x + y) % 2; }},
      {"MAXIMUM", "maximum", kI32, -1000, 1000, [](I x, I y) { return x + y - std::min(x, y); }},
      {"MINIMUM", "minimum", kI32, -1000, 1000, [](I x, I y) { return x + y - std::max(x, y); }},
      {"MUL", "mul", kI32, -1000, 1000, [](I x, I y) { return x * y; }},
      {"SUB", "sub", kI32, -1000, 1000, [](I x, I y) { return x - y; }},
  };
  return examples;
}

TEST(ElementwiseBinary, BroadcastsEveryAxisOfEitherInput) {
  const Shape out = {2, 3, 4};
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const Example& example : Examples()) {
      // Bit i of a mask: axis i of that input has size 1.
      for (int masks = 0; masks < 64; ++masks) {
        Shape shape1 = out, shape2 = out, expected_shape = out;
        for (int axis = 0; axis < 3; ++axis) {
          if (masks >> axis & 1) shape1[axis] = 1;
          if (masks >> (3 + axis) & 1) shape2[axis] = 1;
          expected_shape[axis] = std::max(shape1[axis], shape2[axis]);
        }
        const bool boolean = example.type == DType::kBool;
        const std::vector<int64_t> x =
            Numbers(ElementCount(shape1), boolean ? 0 : -1000, boolean ? 1 : 1000, 1);
        const std::vector<int64_t> y = Numbers(ElementCount(shape2), example.low, example.high, 2);
        const Tensor result = Binary(example.name, Tensor::OfIntegers(example.type, shape1, x),
                                     Tensor::OfIntegers(example.type, shape2, y), expected_shape,
                                     example.type, edition)
                                  .Run();
        for (int64_t i = 0; i < result.size(); ++i) {
          Shape index1 = Index(expected_shape, i), index2 = index1;
          for (int axis = 0; axis < 3; ++axis) {
            if (shape1[axis] == 1) index1[axis] = 0;
            if (shape2[axis] == 1) index2[axis] = 0;
          }
          const int64_t a = x[Offset(shape1, index1)], b = y[Offset(shape2, index2)];
          ASSERT_EQ(result.Integer(i), example.result(a, b))
              << example.name << " " << a << " " << b;
        }
      }
    }
  }
}

TEST(ElementwiseBinary, RejectsShapesThatDoNotBroadcastToTheOutput) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const Example& example : Examples()) {
      const auto ones = [type = example.type](const Shape& shape) {
        return Tensor::OfIntegers(type, shape, std::vector<int64_t>(ElementCount(shape), 1));
      };
      const Tensor a = ones({2, 3}), row = ones({1, 3}), other = ones({2, 4}), flat = ones({3});
      const auto verdict = [&](const Tensor& x, const Tensor& y, const Shape& out) {
        return Binary(example.name, x, y, out, example.type, edition).Verdict();
      };
      const std::string error = "error: " + example.id + ".broadcast";
      EXPECT_EQ(verdict(a, row, {2, 3}), "valid");
      EXPECT_EQ(verdict(a, other, {2, 3}), error);
      EXPECT_EQ(verdict(a, flat, {2, 3}), error);
      EXPECT_EQ(verdict(a, row, {1, 3}), error);
      EXPECT_EQ(verdict(row, row, {2, 3}), error);
      const OneOperator op = Binary(example.name, a, a, {2, 3}, example.type, edition);
      EXPECT_TRUE(op.Breaks(example.id + ".level_rank", {{"MAX_RANK", 1}}));
      EXPECT_FALSE(op.Breaks(example.id + ".level_rank", {{"MAX_RANK", 2}}));
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
  EXPECT_EQ(op.Run().Element(0), 2049);
  EXPECT_TRUE(std::isnan(op.Run().Element(1)));
  EXPECT_EQ(op.Run().Element(2), 131008);
  EXPECT_EQ(op.RunNative().Element(0), 2048);
  EXPECT_EQ(op.RunNative().Element(2), INFINITY);
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

TEST(Mul, RoundsTheShiftedProductOrKeepsItsLow32Bits) {
  using Wide = __int128;
  const std::vector<int64_t> numbers = {
      0, 1, -1, 3, -5, 12345, -9876, 1 << 20, -(1 << 30), 1987654321, INT32_MAX, INT32_MIN};
  int64_t valid = 0, beyond = 0;
  for (int64_t x : numbers) {
    for (int64_t y : numbers) {
      for (int64_t shift = 0; shift < 64; ++shift) {
        // 2 * floor(x y / 2^shift + 1/2) = the even number below 2 x y / 2^shift + 1.
        const Wide twice = 2 * Wide{x} * y + (shift > 0 ? Wide{1} << shift : 0);
        const Wide divisor = Wide{2} << shift;
        const Wide expected = (twice - ((twice % divisor + divisor) % divisor)) / divisor;
        const std::string verdict = Pair("MUL", x, y, shift).Verdict();
        if (shift == 0) {
          // "low 32-bits of result for i32_t".
          const auto low =
              static_cast<int32_t>(static_cast<uint32_t>(x) * static_cast<uint32_t>(y));
          ASSERT_EQ(Pair("MUL", x, y, shift).Run().Integer(0), low) << x << " * " << y;
          beyond += low != x * y;
        } else if (shift == 63 && x == INT32_MIN && y == INT32_MIN) {
          // The text's own int64_t overflows: 2^62 + 2^62.
          ASSERT_EQ(verdict, "unpredictable: integer.overflow");
        } else if (expected < INT32_MIN || expected > INT32_MAX) {
          ASSERT_EQ(verdict, "unpredictable: mul.product_range");
        } else {
          ASSERT_EQ(Pair("MUL", x, y, shift).Run().Integer(0), static_cast<int64_t>(expected))
              << x << " * " << y << " >> " << shift;
          ++valid;
        }
      }
    }
  }
  EXPECT_GT(valid, 5000);
  EXPECT_GT(beyond, 20);
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
  EXPECT_TRUE(std::isnan(result.Element(0)));
  EXPECT_EQ(result.Element(1), -INFINITY);
  EXPECT_EQ(result.Element(2), -4.5);
}

TEST(MaximumAndMinimum, AreRightForEveryPairOfFp8ValuesAndTreatNanByMode) {
  // fp16 holds every fp8e5m2: 256 values, infinities and NaN among them.
  const Tensor fp8 = EveryPattern(DType::kFp8E5M2);
  const Tensor x = Tensor::OfFloats(DType::kFp16, {256, 1}, fp8.Elements());
  const Tensor y = Tensor::OfFloats(DType::kFp16, {1, 256}, fp8.Elements());
  const auto check = [&](const std::string& name, std::string_view edition,
                         const std::string& mode) {
    const OneOperator op = Binary(name, x, y, {256, 256}, DType::kFp16, edition, 0, mode);
    const Tensor result = op.Run(), native = op.RunNative();
    for (int64_t i = 0; i < 65536; ++i) {
      const double a = fp8.Element(i / 256), b = fp8.Element(i % 256);
      const double expected = name == "MAXIMUM" ? std::fmax(a, b) : std::fmin(a, b);
      const bool nan =
          mode == "IGNORE" ? std::isnan(a) && std::isnan(b) : std::isnan(a) || std::isnan(b);
      if (nan) {
        ASSERT_TRUE(std::isnan(result.Element(i)) && std::isnan(native.Element(i)));
      } else {
        ASSERT_EQ(result.Element(i), expected);
        ASSERT_EQ(native.Element(i), expected);
      }
    }
  };
  for (const char* name : {"MAXIMUM", "MINIMUM"}) {
    check(name, "tosa-1.0", "PROPAGATE");
    check(name, "tosa-1.0", "IGNORE");
    check(name, "tosa-0.100", "PROPAGATE");
  }
}

TEST(Sub, IsUnpredictableWhenItOverflows) {
  EXPECT_EQ(Pair("SUB", INT32_MIN, 0).Verdict(), "valid");
  EXPECT_EQ(Pair("SUB", INT32_MIN, 1).Verdict(), "unpredictable: integer.overflow");
  EXPECT_EQ(Pair("SUB", -1, INT32_MIN).Verdict(), "valid");
  EXPECT_EQ(Pair("SUB", 0, INT32_MIN).Verdict(), "unpredictable: integer.overflow");
}

TEST(Sub, SubtractsFloatsAndRoundsNatively) {
  const OneOperator op =
      Binary("SUB", Tensor::OfFloats(DType::kFp16, {4}, {2048, INFINITY, 65504, 1}),
             Tensor::OfFloats(DType::kFp16, {4}, {-1, INFINITY, -65504, NAN}), {4}, DType::kFp16);
  EXPECT_EQ(op.Run().Element(0), 2049);
  EXPECT_TRUE(std::isnan(op.Run().Element(1)));
  EXPECT_EQ(op.Run().Element(2), 131008);
  EXPECT_TRUE(std::isnan(op.Run().Element(3)));
  EXPECT_EQ(op.RunNative().Element(0), 2048);
  EXPECT_EQ(op.RunNative().Element(2), INFINITY);
}

// --- Bits ----------------------------------------------------------------------------------------

// Every i8 with each of these second operands, by rows.
OneOperator Int8Rows(const std::string& name, const std::vector<int64_t>& seconds,
                     std::string_view edition) {
  const int64_t columns = static_cast<int64_t>(seconds.size());
  return Binary(name, Tensor::OfIntegers(DType::kI8, {256, 1}, EveryValue(DType::kI8)),
                Tensor::OfIntegers(DType::kI8, {1, columns}, seconds), {256, columns}, DType::kI8,
                edition);
}

// x of a value of 8 bits without its sign: its pattern.
int64_t Pattern(int64_t x) { return (x + 256) % 256; }

TEST(Bitwise, FollowsTheTruthTableInEveryBitOfEveryPairOfInt8) {
  // The result for the bits 00, 01, 10 and 11 of both inputs.
  const std::map<std::string, std::array<int, 4>> tables = {
      {"BITWISE_AND", {0, 0, 0, 1}}, {"BITWISE_OR", {0, 1, 1, 1}}, {"BITWISE_XOR", {0, 1, 1, 0}}};
  const std::vector<int64_t> values = EveryValue(DType::kI8);
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const auto& [name, table] : tables) {
      const Tensor result = Int8Rows(name, values, edition).Run();
      for (int64_t i = 0; i < 65536; ++i) {
        const int64_t x = Pattern(values[i / 256]), y = Pattern(values[i % 256]);
        int64_t expected = 0;
        for (int64_t bit = 1; bit < 256; bit *= 2) {
          expected += bit * table[x / bit % 2 * 2 + y / bit % 2];
        }
        ASSERT_EQ(Pattern(result.Integer(i)), expected) << name << " " << x << " " << y;
        ASSERT_EQ(result.Integer(i), expected > 127 ? expected - 256 : expected);
      }
    }
  }
}

TEST(Logical, FollowsTheTruthTable) {
  const std::map<std::string, std::vector<int64_t>> tables = {
      {"LOGICAL_AND", {0, 0, 0, 1}}, {"LOGICAL_OR", {0, 1, 1, 1}}, {"LOGICAL_XOR", {0, 1, 1, 0}}};
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const auto& [name, table] : tables) {
      const OneOperator op =
          Binary(name, Tensor::OfIntegers(DType::kBool, {2, 1}, {0, 1}),
                 Tensor::OfIntegers(DType::kBool, {1, 2}, {0, 1}), {2, 2}, DType::kBool, edition);
      EXPECT_EQ(op.Run().Integers(), table) << name;
    }
  }
}

// --- Shifts --------------------------------------------------------------------------------------

const std::vector<int64_t> kInt8Shifts = {0, 1, 2, 3, 4, 5, 6, 7};

TEST(ArithmeticRightShift, IsTheQuotientByThePowerOfTwoForEveryInt8) {
  const std::vector<int64_t> values = EveryValue(DType::kI8);
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (bool round : {false, true}) {
      OneOperator op = Int8Rows("ARITHMETIC_RIGHT_SHIFT", kInt8Shifts, edition);
      const Tensor result = op.Set("round", round).Run();
      for (int64_t i = 0; i < 256 * 8; ++i) {
        const double quotient = std::ldexp(values[i / 8], static_cast<int>(-(i % 8)));
        // Rounding takes halves up, also those of negative numbers.
        ASSERT_EQ(result.Integer(i), std::floor(round ? quotient + 0.5 : quotient))
            << values[i / 8] << " by " << i % 8;
      }
    }
  }
}

TEST(ArithmeticRightShift, RoundsByTheLastBitThatIsShiftedOut) {
  const auto shifted = [](int64_t x, int64_t by, bool round) {
    return Pair("ARITHMETIC_RIGHT_SHIFT", x, by).Set("round", round).Run().Integer(0);
  };
  EXPECT_EQ(shifted(5, 1, true), 3);    // 2.5
  EXPECT_EQ(shifted(-5, 1, true), -2);  // -2.5
  EXPECT_EQ(shifted(-5, 1, false), -3);
  EXPECT_EQ(shifted(5, 0, true), 5);
  EXPECT_EQ(shifted(INT32_MAX, 31, true), 1);
  EXPECT_EQ(shifted(INT32_MIN, 31, true), -1);
  EXPECT_EQ(shifted(INT32_MAX, 1, true), 1 << 30);
}

TEST(LogicalShifts, MoveThePatternOfEveryInt8) {
  const std::vector<int64_t> values = EveryValue(DType::kI8);
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    const Tensor left = Int8Rows("LOGICAL_LEFT_SHIFT", kInt8Shifts, edition).Run();
    const Tensor right = Int8Rows("LOGICAL_RIGHT_SHIFT", kInt8Shifts, edition).Run();
    for (int64_t i = 0; i < 256 * 8; ++i) {
      const int64_t pattern = Pattern(values[i / 8]), power = int64_t{1} << (i % 8);
      // Bits that leave the type are lost; none is an overflow.
      ASSERT_EQ(Pattern(left.Integer(i)), pattern * power % 256);
      ASSERT_EQ(Pattern(right.Integer(i)), pattern / power);
      ASSERT_LE(std::abs(left.Integer(i)), 128);
    }
  }
}

TEST(LogicalShifts, ReachTheSignOfInt32) {
  EXPECT_EQ(Pair("LOGICAL_LEFT_SHIFT", 1, 31).Run().Integer(0), INT32_MIN);
  EXPECT_EQ(Pair("LOGICAL_LEFT_SHIFT", 3, 31).Run().Integer(0), INT32_MIN);
  EXPECT_EQ(Pair("LOGICAL_RIGHT_SHIFT", -1, 1).Run().Integer(0), INT32_MAX);
  EXPECT_EQ(Pair("LOGICAL_RIGHT_SHIFT", INT32_MIN, 31).Run().Integer(0), 1);
}

TEST(Shifts, RequireAmountsWithinTheirRange) {
  const auto verdict = [](const std::string& name, DType type, int64_t by,
                          std::string_view edition) {
    return Binary(name, Tensor::OfIntegers(type, {1}, {-1}), Tensor::OfIntegers(type, {1}, {by}),
                  {1}, type, edition)
        .Verdict();
  };
  for (const auto& [name, id] :
       std::map<std::string, std::string>{{"ARITHMETIC_RIGHT_SHIFT", "arithmetic_right_shift"},
                                          {"LOGICAL_LEFT_SHIFT", "logical_left_shift"},
                                          {"LOGICAL_RIGHT_SHIFT", "logical_right_shift"}}) {
    const std::string unpredictable = "unpredictable: " + id + ".shift_range";
    for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
      for (DType type : {DType::kI8, DType::kI16, DType::kI32}) {
        // 0.100 has one range for every type, but for the arithmetic shift.
        const bool wide = edition == "tosa-0.100" && name != "ARITHMETIC_RIGHT_SHIFT";
        const int64_t greatest = wide ? 31 : Info(type).bits - 1;
        EXPECT_EQ(verdict(name, type, 0, edition), "valid");
        EXPECT_EQ(verdict(name, type, greatest, edition), "valid") << name << Name(type);
        EXPECT_EQ(verdict(name, type, greatest + 1, edition), unpredictable) << name << Name(type);
        EXPECT_EQ(verdict(name, type, -1, edition), unpredictable);
      }
    }
  }
}

TEST(LogicalShifts, MoveEveryBitOutOfInt8In0100) {
  for (const char* name : {"LOGICAL_LEFT_SHIFT", "LOGICAL_RIGHT_SHIFT"}) {
    EXPECT_EQ(Int8Rows(name, {8, 31}, "tosa-0.100").Run().Integers(), std::vector<int64_t>(512, 0));
  }
}

// --- Division ------------------------------------------------------------------------------------

TEST(Intdiv, TruncatesTowardZero) {
  const std::vector<int64_t> numbers = {1,  -1,   2,          -2,        3,         -3,        7,
                                        -7, 1000, 1987654321, INT32_MAX, INT32_MIN, -123456789};
  for (int64_t x : numbers) {
    for (int64_t y : numbers) {
      if (x == INT32_MIN && y == -1) continue;
      // A quotient of two i32 differs from an integer by 2^-31 of itself or not at all.
      const double expected = std::trunc(static_cast<double>(x) / static_cast<double>(y));
      ASSERT_EQ(Pair("INTDIV", x, y).Run().Integer(0), expected) << x << " / " << y;
    }
  }
}

TEST(Intdiv, RequiresADivisorAndAQuotientInRange) {
  const auto verdict = [](int64_t x, int64_t y, std::string_view edition) {
    return Binary("INTDIV", Tensor::OfIntegers(DType::kI32, {1}, {x}),
                  Tensor::OfIntegers(DType::kI32, {1}, {y}), {1}, DType::kI32, edition)
        .Verdict();
  };
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_EQ(verdict(0, 0, edition), "unpredictable: intdiv.zero_divisor");
    EXPECT_EQ(verdict(5, 0, edition), "unpredictable: intdiv.zero_divisor");
    EXPECT_EQ(verdict(INT32_MIN, 1, edition), "valid");
    EXPECT_EQ(verdict(INT32_MIN + 1, -1, edition), "valid");
  }
  // 0.100 has a row for it, 1.0 the REQUIRE of its helper function.
  EXPECT_EQ(verdict(INT32_MIN, -1, "tosa-0.100"), "unpredictable: intdiv.quotient_range");
  EXPECT_EQ(verdict(INT32_MIN, -1, "tosa-1.0"), "unpredictable: integer.overflow");
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

// Both operands of i64.
std::string Outcome64(const std::string& op, int64_t x, int64_t y) {
  OneOperator pair(op, "tosa-1.1-draft");
  pair.Integers(DType::kI64, {1}, {x}).Integers(DType::kI64, {1}, {y});
  if (op == "MUL") pair.Integers(DType::kI8, {1}, {0});
  pair.Out(DType::kI64, {1});
  const std::string verdict = pair.Verdict();
  return verdict == "valid" ? StrCat(pair.Run().Integer(0)) : verdict;
}

TEST(Elementwise, IntegersOf64BitsAreExactOrUnpredictable) {
  const std::string overflow = "unpredictable: integer.overflow";
  EXPECT_EQ(Outcome64("ADD", INT64_MAX, 0), StrCat(INT64_MAX));
  EXPECT_EQ(Outcome64("ADD", INT64_MAX, 1), overflow);
  EXPECT_EQ(Outcome64("SUB", INT64_MIN, 0), StrCat(INT64_MIN));
  EXPECT_EQ(Outcome64("SUB", 0, INT64_MIN), overflow);
  EXPECT_EQ(Outcome64("MUL", INT64_MAX, -1), StrCat(-INT64_MAX));
  EXPECT_EQ(Outcome64("MUL", INT64_MIN, -1), overflow);
  EXPECT_EQ(Outcome64("INTDIV", INT64_MIN, 1), StrCat(INT64_MIN));
  EXPECT_EQ(Outcome64("INTDIV", INT64_MIN, -1), overflow);
}

}  // namespace
}  // namespace cts
