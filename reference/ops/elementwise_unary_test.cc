#include <mpfr.h>

#include <algorithm>
#include <cmath>

#include "reference/base/special_values_testing.h"
#include "reference/numeric/mpfr_float.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

OneOperator Unary(const std::string& name, Tensor input, std::string_view edition = kDefaultEdition,
                  int64_t input_zp = 0, int64_t output_zp = 0) {
  OneOperator op(name, edition);
  const DType type = input.dtype();
  const Shape shape = input.shape();
  op.In(std::move(input));
  if (name == "NEGATE" && edition == "tosa-0.100") {
    op.Set("input1_zp", input_zp).Set("output_zp", output_zp);
  } else if (name == "NEGATE" && IsFloat(type)) {
    op.Floats(type, {1}, {static_cast<double>(input_zp)});
    op.Floats(type, {1}, {static_cast<double>(output_zp)});
  } else if (name == "NEGATE") {
    op.Integers(type, {1}, {input_zp}).Integers(type, {1}, {output_zp});
  }
  return op.Out(type, shape);
}

OneOperator ExpOf(Tensor input, std::string_view edition = kDefaultEdition) {
  return Unary("EXP", std::move(input), edition);
}

// --- Every 16-bit pattern against MPFR, by another way than the reference's.

constexpr mpfr_prec_t kBits = 192;

MpfrFloat Constant(int64_t value) { return MpfrFloat::FromInteger(value, kBits); }

// e^x as cosh + sinh, or as 1 / e^-x where these cancel.
MpfrFloat ExpOfMpfr(const MpfrFloat& x) {
  MpfrFloat sinh(kBits), cosh(kBits), magnitude(kBits);
  mpfr_abs(magnitude.raw(), x.raw(), MPFR_RNDN);
  mpfr_sinh_cosh(sinh.raw(), cosh.raw(), magnitude.raw(), MPFR_RNDN);
  const MpfrFloat exp = Add(sinh, cosh);
  return x.ToDouble() < 0 ? Div(Constant(1), exp) : exp;
}

MpfrFloat SinOfMpfr(const MpfrFloat& x) {
  MpfrFloat sin(kBits), cos(kBits);
  mpfr_sin_cos(sin.raw(), cos.raw(), x.raw(), MPFR_RNDN);
  return sin;
}

MpfrFloat CosOfMpfr(const MpfrFloat& x) {
  MpfrFloat sin(kBits), cos(kBits);
  mpfr_sin_cos(sin.raw(), cos.raw(), x.raw(), MPFR_RNDN);
  return cos;
}

// log2(x) * log(2)
MpfrFloat LogOfMpfr(const MpfrFloat& x) {
  MpfrFloat log2(kBits), ln2(kBits);
  mpfr_log2(log2.raw(), x.raw(), MPFR_RNDN);
  mpfr_const_log2(ln2.raw(), MPFR_RNDN);
  return Mul(log2, ln2);
}

MpfrFloat ReciprocalOfMpfr(const MpfrFloat& x) { return Div(Constant(1), x); }

MpfrFloat RsqrtOfMpfr(const MpfrFloat& x) {
  MpfrFloat result(kBits);
  mpfr_rec_sqrt(result.raw(), x.raw(), MPFR_RNDN);
  return result;
}

MpfrFloat CeilOfMpfr(const MpfrFloat& x) {
  MpfrFloat result(kBits);
  mpfr_rint_ceil(result.raw(), x.raw(), MPFR_RNDN);
  return result;
}

MpfrFloat FloorOfMpfr(const MpfrFloat& x) {
  MpfrFloat result(kBits);
  mpfr_rint_floor(result.raw(), x.raw(), MPFR_RNDN);
  return result;
}

struct Oracle {
  std::string name;
  MpfrFloat (*function)(const MpfrFloat&);
  double steps;  // of fp64 that the reference may be off: 0 where it is rounded once
};

TEST(ElementwiseUnary, IsTheMpfrFunctionForEveryPattern) {
  FreeMpfrCachesAtThreadExit();
  for (const Oracle& oracle :
       {Oracle{"CEIL", CeilOfMpfr, 0}, Oracle{"COS", CosOfMpfr, 0}, Oracle{"EXP", ExpOfMpfr, 0},
        Oracle{"FLOOR", FloorOfMpfr, 0}, Oracle{"LOG", LogOfMpfr, 0}, Oracle{"SIN", SinOfMpfr, 0},
        Oracle{"RECIPROCAL", ReciprocalOfMpfr, 0}, Oracle{"RSQRT", RsqrtOfMpfr, 1}}) {
    for (DType type : {DType::kFp16, DType::kBf16}) {
      const Tensor input = EveryPattern(type);
      const Tensor result = Unary(oracle.name, input).Run();
      for (int64_t i = 0; i < input.size(); ++i) {
        const double x = input.Element(i), y = result.Element(i);
        if (!std::isfinite(x) || x == 0) continue;  // the table's
        const double expected = oracle.function(MpfrFloat::FromDouble(x, kBits)).ToDouble();
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(y)) << oracle.name << " " << x;
        } else if (y != expected) {  // infinities apart
          ASSERT_LE(std::fabs(y - expected), oracle.steps * std::fabs(expected) * 0x1p-52)
              << oracle.name << " " << x;
        }
      }
    }
  }
}

TEST(Abs, TurnsTheSignOfEveryPattern) {
  for (DType type : {DType::kFp16, DType::kBf16}) {
    const Tensor input = EveryPattern(type);
    for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
      const OneOperator abs = Unary("ABS", input, edition), neg = Unary("NEGATE", input, edition);
      const Tensor absolute = abs.Run(), negative = neg.Run();
      const Tensor native_abs = abs.RunNative(), native_negative = neg.RunNative();
      for (int64_t i = 0; i < input.size(); ++i) {
        const uint64_t bits = input.Bits(i);
        if (std::isnan(input.Element(i))) {
          ASSERT_TRUE(std::isnan(absolute.Element(i)) && std::isnan(negative.Element(i)));
          continue;
        }
        // By the sign bit alone, zeros and infinities included.
        ASSERT_EQ(EncodeFloat(type, absolute.Element(i)), bits & 0x7FFF);
        ASSERT_EQ(EncodeFloat(type, negative.Element(i)), bits ^ 0x8000);
        ASSERT_EQ(native_abs.Bits(i), bits & 0x7FFF);
        ASSERT_EQ(native_negative.Bits(i), bits ^ 0x8000);
      }
    }
  }
}

// NEGATE: the table gives -0 for +0, the pseudocode 0 - 0. ABS: only the cast, a slip, gives -0.
TEST(ElementwiseUnary, NamesTheSignsOfZeroThatTheTextGivesTwice) {
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    const Tensor input = Tensor::OfFloats(DType::kFp32, {1}, {0.0});
    EXPECT_EQ(Unary("NEGATE", input, edition).Output().rule.zero_choice, "negate_of_zero");
    EXPECT_EQ(Unary("ABS", input, edition).Output().rule.zero_choice, "");
    const NamedChoice* const choice = (*FindEdition(edition))->FindChoice("negate_of_zero");
    ASSERT_NE(choice, nullptr);
    EXPECT_EQ(choice->options[0].name, "-0");
    EXPECT_EQ(choice->options[1].means, "its pseudocode");
  }
  OneOperator integers("NEGATE");
  integers.Integers(DType::kI32, {1}, {0}).Integers(DType::kI32, {1}, {0});
  integers.Integers(DType::kI32, {1}, {0}).Out(DType::kI32, {1});
  EXPECT_EQ(integers.Output().rule.zero_choice, "");
}

// --- Tables of special values.

struct TableRow {
  std::string name;
  // For -infinity, +infinity, -0, +0.
  std::vector<double> values;
};

TEST(ElementwiseUnary, HasTheSpecialValuesOfItsTables) {
  const std::vector<double> x = {-kInf, kInf, -0.0, 0.0, kNan};
  for (const TableRow& row :
       {TableRow{"ABS", {kInf, kInf, 0.0, 0.0}}, TableRow{"CEIL", {-kInf, kInf, -0.0, 0.0}},
        TableRow{"COS", {kNan, kNan, 1, 1}}, TableRow{"EXP", {0.0, kInf, 1, 1}},
        TableRow{"FLOOR", {-kInf, kInf, -0.0, 0.0}}, TableRow{"LOG", {kNan, kInf, -kInf, -kInf}},
        TableRow{"NEGATE", {kInf, -kInf, 0.0, -0.0}},
        TableRow{"RECIPROCAL", {-0.0, 0.0, -kInf, kInf}},
        TableRow{"RSQRT", {kNan, 0.0, -kInf, kInf}}, TableRow{"SIN", {kNan, kNan, -0.0, 0.0}}}) {
    for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
      for (DType type : {DType::kFp16, DType::kBf16, DType::kFp32}) {
        const OneOperator op = Unary(row.name, Tensor::OfFloats(type, {5}, x), edition);
        for (const Tensor& result : {op.Run(), op.RunNative()}) {
          EXPECT_TRUE(std::isnan(result.Element(4))) << row.name;
          for (int64_t i = 0; i < 4; ++i) {
            const double y = result.Element(i), expected = row.values[i];
            if (std::isnan(expected)) {
              EXPECT_TRUE(std::isnan(y)) << row.name << " " << x[i];
            } else {
              EXPECT_EQ(y, expected) << row.name << " " << x[i];
              EXPECT_EQ(std::signbit(y), std::signbit(expected)) << row.name << " " << x[i];
            }
          }
        }
      }
    }
  }
}

TEST(Abs, IsExactAboutFractionsBelowOne) {
  // The cast to int32_t in the pseudocode would make them zero, which is not negative.
  const Tensor result = Unary("ABS", Tensor::OfFloats(DType::kFp32, {2}, {-0.5, -1.5})).Run();
  EXPECT_EQ(result.Element(0), 0.5);
  EXPECT_EQ(result.Element(1), 1.5);
}

// --- Flushing.

// The flushed answer of the one element of an output, and whether there is one.
std::pair<bool, double> Flushed(const OneOperator& op) {
  const ExpectedOutput output = op.Output();
  if (output.answers.size() < 2) return {false, 0};
  EXPECT_TRUE(output.answers[1].flushed);
  return {true, output.answers[1].expected.Element(0)};
}

TEST(ElementwiseUnary, FlushesSubnormalInputsIntoTheTable) {
  const auto flushed = [](const std::string& name, double x) {
    const auto [differs, value] = Flushed(Unary(name, Tensor::OfFloats(DType::kFp32, {1}, {x})));
    EXPECT_TRUE(differs) << name;
    return value;
  };
  EXPECT_EQ(flushed("RECIPROCAL", 0x1p-140), kInf);
  EXPECT_EQ(flushed("RECIPROCAL", -0x1p-140), -kInf);
  // Below zero a NaN, but not once it is a zero.
  EXPECT_EQ(flushed("LOG", -0x1p-140), -kInf);
  EXPECT_EQ(flushed("RSQRT", -0x1p-140), -kInf);
  EXPECT_TRUE(
      std::isnan(Unary("LOG", Tensor::OfFloats(DType::kFp32, {1}, {-0x1p-140})).Run().Element(0)));
  EXPECT_TRUE(std::isnan(
      Unary("RSQRT", Tensor::OfFloats(DType::kFp32, {1}, {-0x1p-140})).Run().Element(0)));
  EXPECT_EQ(flushed("CEIL", 0x1p-140), 0);
  EXPECT_TRUE(std::signbit(flushed("SIN", -0x1p-140)));
  EXPECT_TRUE(std::signbit(flushed("NEGATE", 0x1p-140)));
}

// Flushed before, a negative number is -0, of which table and pseudocode make +0; flushed after,
// its absolute value is +0. To hand -0 on takes the cast, which IsExactAboutFractionsBelowOne
// excludes.
TEST(Abs, OfAFlushedNumberIsPlusZero) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (DType type : {DType::kFp16, DType::kBf16, DType::kFp32}) {
      for (const double sign : {-1.0, 1.0}) {
        const double least = sign * Format(type).normal_min() / 2;
        const OneOperator abs = Unary("ABS", Tensor::OfFloats(type, {1}, {least}), edition);
        const auto [differs, value] = Flushed(abs);
        EXPECT_TRUE(differs);
        EXPECT_EQ(value, 0);
        EXPECT_FALSE(std::signbit(value)) << edition << " " << Name(type) << " " << least;
        EXPECT_TRUE(abs.Output().rule.zero_sign);
      }
    }
  }
}

// --- Integers.

TEST(BitwiseNot, InvertsEveryBit) {
  for (DType type : {DType::kI8, DType::kI16}) {
    const std::vector<int64_t> values = EveryValue(type);
    const int64_t count = static_cast<int64_t>(values.size());
    for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
      const Tensor result =
          Unary("BITWISE_NOT", Tensor::OfIntegers(type, {count}, values), edition).Run();
      // Two's complement: the complement of x is -1 - x.
      for (int64_t i = 0; i < count; ++i) ASSERT_EQ(result.Integer(i), -1 - values[i]);
    }
  }
}

TEST(LogicalNot, InvertsBooleans) {
  const Tensor result = Unary("LOGICAL_NOT", Tensor::OfIntegers(DType::kBool, {2}, {0, 1})).Run();
  EXPECT_EQ(result.Integer(0), 1);
  EXPECT_EQ(result.Integer(1), 0);
}

TEST(Clz, CountsBitsFromTheTop) {
  std::vector<int64_t> values = {0, -1, INT32_MIN, INT32_MAX}, expected = {32, 0, 0, 1};
  for (int bit = 0; bit < 31; ++bit) {
    // A number from 2^bit to 2^(bit+1) - 1 has 31 - bit zeros before its first one.
    for (int64_t low :
         {int64_t{0}, (int64_t{1} << bit) - 1, (int64_t{0x55555555} >> (31 - bit)) / 2}) {
      values.push_back((int64_t{1} << bit) + low);
      expected.push_back(31 - bit);
    }
  }
  const int64_t count = static_cast<int64_t>(values.size());
  EXPECT_EQ(Unary("CLZ", Tensor::OfIntegers(DType::kI32, {count}, values)).Run().Integers(),
            expected);
}

TEST(Negate, SubtractsZeroPointsAndSaturatesEveryInt8) {
  const std::vector<int64_t> values = EveryValue(DType::kI8);
  const Tensor input = Tensor::OfIntegers(DType::kI8, {256}, values);
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (int64_t input_zp : {-128, -1, 0, 5, 127}) {
      for (int64_t output_zp : {-128, -1, 0, 5, 127}) {
        const Tensor result = Unary("NEGATE", input, edition, input_zp, output_zp).Run();
        for (int64_t i = 0; i < 256; ++i) {
          const int64_t exact = input_zp - values[i] + output_zp;
          ASSERT_EQ(result.Integer(i), std::clamp<int64_t>(exact, -128, 127));
        }
      }
    }
  }
}

TEST(Negate, SaturatesInt16AndOverflowsInt32) {
  EXPECT_EQ(Unary("NEGATE", Tensor::OfIntegers(DType::kI16, {1}, {-32768})).Run().Integer(0),
            32767);
  const auto of = [](const std::string& name, int64_t x) {
    return Unary(name, Tensor::OfIntegers(DType::kI32, {1}, {x}));
  };
  EXPECT_EQ(of("NEGATE", INT32_MIN + 1).Run().Integer(0), INT32_MAX);
  EXPECT_EQ(of("ABS", INT32_MIN + 1).Run().Integer(0), INT32_MAX);
  EXPECT_EQ(of("ABS", -7).Run().Integer(0), 7);
  EXPECT_EQ(of("ABS", 7).Run().Integer(0), 7);
  for (const char* name : {"NEGATE", "ABS"}) {
    EXPECT_EQ(of(name, INT32_MIN).Verdict(), "unpredictable: integer.overflow");
  }
}

TEST(Negate, RejectsZeroPointsUnlessInt8) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (DType type : {DType::kI16, DType::kI32, DType::kFp16, DType::kBf16, DType::kFp32}) {
      const Tensor input(type, {2});
      EXPECT_EQ(Unary("NEGATE", input, edition, 1, 0).Verdict(), "error: negate.input1_zp");
      EXPECT_EQ(Unary("NEGATE", input, edition, 0, 1).Verdict(), "error: negate.output_zp");
      EXPECT_EQ(Unary("NEGATE", input, edition, 0, 0).Verdict(), "valid");
    }
    EXPECT_EQ(Unary("NEGATE", Tensor(DType::kI8, {2}), edition, 1, 1).Verdict(), "valid");
  }
}

TEST(ElementwiseUnary, LimitsTheRankToTheLevel) {
  for (const auto& [name, type] :
       std::vector<std::pair<std::string, DType>>{{"ABS", DType::kFp32},
                                                  {"BITWISE_NOT", DType::kI8},
                                                  {"CEIL", DType::kFp32},
                                                  {"CLZ", DType::kI32},
                                                  {"COS", DType::kFp32},
                                                  {"EXP", DType::kFp32},
                                                  {"FLOOR", DType::kFp32},
                                                  {"LOG", DType::kFp32},
                                                  {"LOGICAL_NOT", DType::kBool},
                                                  {"NEGATE", DType::kI8},
                                                  {"RECIPROCAL", DType::kFp32},
                                                  {"RSQRT", DType::kFp32},
                                                  {"SIN", DType::kFp32}}) {
    std::string id = name + ".level_rank";
    std::transform(id.begin(), id.end(), id.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
      const OneOperator op = Unary(name, Tensor(type, {1, 1}), edition);
      EXPECT_TRUE(op.Breaks(id, {{"MAX_RANK", 1}})) << name;
      EXPECT_FALSE(op.Breaks(id, {{"MAX_RANK", 2}})) << name;
    }
  }
}

TEST(Exp, RoundsNativelyToItsType) {
  // e = 2.71828...; fp16 has steps of 2^-9 there: 1392 / 512.
  EXPECT_EQ(ExpOf(Tensor::OfFloats(DType::kFp16, {1}, {1})).RunNative().Element(0), 1392.0 / 512);
}

// 2^53 + 1, which fp64 does not have.
TEST(Call, KeepsEveryDigitOfANumber) {
  constexpr int64_t kBeyond = (int64_t{1} << 53) + 1;
  const Edition& edition = **FindEdition("tosa-1.1-draft");
  const Level& level = *edition.FindLevel("8K");
  Block block;
  for (const char* name : {"x", "in_zp", "out_zp", "y"}) {
    block.tensors.push_back({name, DType::kI64, {1}, nullptr});
  }
  const GraphOperator op = {"NEGATE", {"x", "in_zp", "out_zp"}, {"y"}, {}};
  std::map<std::string, std::shared_ptr<const Tensor>> values;
  values["in_zp"] = std::make_shared<const Tensor>(Tensor::OfIntegers(DType::kI64, {1}, {kBeyond}));
  values["out_zp"] = std::make_shared<const Tensor>(DType::kI64, Shape{1});
  const Call call(edition, *edition.FindOperator("NEGATE"), level, block, op, values);
  ASSERT_TRUE(call.fits());
  EXPECT_EQ(call.Number("input1_zp"), kBeyond);
  EXPECT_NE(call.Number("input1_zp"), kBeyond - 1);
  EXPECT_EQ(call.Number("input1_zp").Text(), "9007199254740993");
  EXPECT_EQ(call.Number("output_zp"), 0);
}

}  // namespace
}  // namespace cts
