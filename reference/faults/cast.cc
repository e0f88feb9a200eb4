// Faults of CAST.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reference/faults/functions.h"

namespace cts::cast_faults {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Types = std::vector<DType>;
const Types kIntegers = {DType::kI8, DType::kI16, DType::kI32};
const Types kFloats = {DType::kFp16, DType::kBf16, DType::kFp32};
const Types kFp8 = {DType::kFp8E4M3, DType::kFp8E5M2};
const Types kBool = {DType::kBool};

// Rows from one of these types to one of those.
std::function<bool(const TypeRow&)> FromTo(Types from, Types to) {
  return [in = Rows("in_t", std::move(from)),
          out = Rows("out_t", std::move(to))](const TypeRow& row) { return in(row) && out(row); };
}

// The low bits as a signed number of the type.
int64_t Cut(DType type, int64_t x) {
  const int drop = 64 - Info(type).bits;
  return static_cast<int64_t>(static_cast<uint64_t>(x) << drop) >> drop;
}

// Casts elements of one kind to another. `in` and `out` are the types.
template <class Of>
Wrong ByValue(Of of) {
  return [of](const Operator&, const Call& call) -> std::optional<OperatorOutputs> {
    const Tensor& input = *call.values("input");
    auto out = std::make_shared<Tensor>(call.dtype("output"), call.shape("output"));
    for (int64_t i = 0; i < out->size(); ++i) of(input, *out, i);
    return OperatorOutputs{{"output", std::move(out)}};
  };
}
Wrong FloatToInteger(int64_t (*f)(DType out, double x)) {
  return ByValue([f](const Tensor& input, Tensor& out, int64_t i) {
    out.SetInteger(i, f(out.dtype(), input.Element(i)));
  });
}
Wrong IntegerToFloat(double (*f)(DType in, DType out, int64_t x)) {
  return ByValue([f](const Tensor& input, Tensor& out, int64_t i) {
    out.SetElement(i, f(input.dtype(), out.dtype(), input.Integer(i)));
  });
}
Wrong IntegerToInteger(int64_t (*f)(DType in, DType out, int64_t x)) {
  return ByValue([f](const Tensor& input, Tensor& out, int64_t i) {
    out.SetInteger(i, f(input.dtype(), out.dtype(), input.Integer(i)));
  });
}
// 0.100 saturates numbers beyond fp8; a fault does that right, too.
Wrong FloatToFloat(double (*f)(DType in, DType out, double x)) {
  return [f](const Operator&, const Call& call) -> std::optional<OperatorOutputs> {
    const Tensor& input = *call.values("input");
    auto out = std::make_shared<Tensor>(call.dtype("output"), call.shape("output"));
    const DType type = out->dtype();
    const double most = Format(type).max;
    const bool saturates = call.EditionHas(Feature::kSaturatingFp8Casts) && Info(type).bits == 8;
    for (int64_t i = 0; i < out->size(); ++i) {
      const double x = input.Element(i);
      double y = f(input.dtype(), type, x);
      if (saturates && std::isfinite(x) && !std::isnan(y)) y = std::clamp(y, -most, most);
      out->SetElement(i, y);
    }
    return OperatorOutputs{{"output", std::move(out)}};
  };
}

// Casts as it should, but cuts the fraction of a NaN.
void CutNans(const Call& call, OperatorOutputs& results) {
  const Tensor& input = *call.values("input");
  Tensor& out = *results.at("output");
  const int bits = Format(input.dtype()).fraction_bits;
  const int lost = bits - Format(out.dtype()).fraction_bits;
  for (int64_t i = 0; i < out.size(); ++i) {
    if (!std::isnan(input.Element(i))) continue;
    const uint64_t number = input.Bits(i), fraction = number & ((uint64_t{1} << bits) - 1);
    const bool is_negative = (number >> (Info(input.dtype()).bits - 1) & 1) != 0;
    if (fraction >> lost == 0) out.SetElement(i, is_negative ? -kInfinity : kInfinity);
  }
}

// A whole number, saturated; 0 for NaN, which no case has.
int64_t Saturate(DType type, double x) {
  if (std::isnan(x)) return 0;
  // Powers of two, which fp64 has where it does not have the greatest number.
  const double end = std::ldexp(1, Info(type).bits - 1);
  if (x >= end) return IntegerMax(type);
  return x <= -end ? IntegerMin(type) : std::max(static_cast<int64_t>(x), IntegerMin(type));
}

}  // namespace

Faults CastFaults() {
  const std::string to_integer = "CAST, to an integer: to nearest, ties to even, saturated";
  const std::string& to_float = kPrecisionClause;
  const std::string between = "CAST, of integers: the low bits; of booleans 0 and 1";
  const std::string floats = "CAST, of floats: to nearest or toward zero; its table";
  const auto add = [](const std::string& what, std::string sentence, const std::string& clause,
                      std::function<bool(const TypeRow&)> rows, Wrong wrong) {
    return Hardware("CAST", what, std::move(sentence), clause, std::move(rows), std::move(wrong));
  };
  const auto narrowing =
      FromTo(kFloats, {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp16, DType::kBf16});
  return {
      // --- From floats to integers.
      add("truncates", "rounds toward zero", to_integer, FromTo(kFloats, kIntegers),
          FloatToInteger([](DType out, double x) { return Saturate(out, std::trunc(x)); })),
      add("floors", "rounds toward minus infinity", to_integer, FromTo(kFloats, kIntegers),
          FloatToInteger([](DType out, double x) { return Saturate(out, std::floor(x)); })),
      add("rounds_half_away", "rounds ties away from zero", to_integer, FromTo(kFloats, kIntegers),
          FloatToInteger([](DType out, double x) { return Saturate(out, std::round(x)); })),
      add("rounds_half_up", "adds one half and rounds down", to_integer, FromTo(kFloats, kIntegers),
          FloatToInteger([](DType out, double x) { return Saturate(out, std::floor(x + 0.5)); })),
      add("adds_half_and_truncates", "adds one half and rounds toward zero", to_integer,
          FromTo(kFloats, kIntegers),
          FloatToInteger([](DType out, double x) { return Saturate(out, std::trunc(x + 0.5)); })),
      add("saturates_symmetrically", "saturates at one more than the least number", to_integer,
          FromTo(kFloats, kIntegers), FloatToInteger([](DType out, double x) {
            return std::max(Saturate(out, std::nearbyint(x)), IntegerMin(out) + 1);
          })),
      // No number of fp16 is beyond i32, so only infinities show it there.
      add("wraps", "keeps the low bits of the number as an i32", to_integer,
          FromTo(kFloats, {DType::kI8, DType::kI16}), FloatToInteger([](DType out, double x) {
            return Cut(out, Saturate(DType::kI32, std::nearbyint(x)));
          })),
      Reported("CAST", "overflows_to_least", "makes the least number of what is too large",
               to_integer, FromTo(kFloats, {DType::kI32}), FloatToInteger([](DType out, double x) {
                 return x >= 2147483648.0 ? IntegerMin(out) : Saturate(out, std::nearbyint(x));
               }),
               "llvm/llvm-project#130116"),
      // The greatest number and one, computed in the type, is the least.
      Reported("CAST", "all_are_too_large",
               "makes the greatest number of all that is not below the least", to_integer,
               FromTo(kFloats, {DType::kI32}), FloatToInteger([](DType out, double x) {
                 return x >= static_cast<double>(IntegerMin(out)) ? IntegerMax(out)
                                                                  : IntegerMin(out);
               }),
               "llvm/llvm-project#112455"),
      add("infinity_is_zero", "makes 0 of infinities", to_integer, FromTo(kFloats, kIntegers),
          FloatToInteger([](DType out, double x) {
            return std::isinf(x) ? 0 : Saturate(out, std::nearbyint(x));
          })),
      add("unsigned_saturation", "saturates at 0 and twice the greatest number", to_integer,
          FromTo(kFloats, {DType::kI8, DType::kI16}), FloatToInteger([](DType out, double x) {
            const auto most = static_cast<double>(2 * IntegerMax(out) + 1);
            return static_cast<int64_t>(std::clamp(std::nearbyint(x), 0.0, most));
          })),
      // --- From integers to floats, within 0.5 ulp: ties may be rounded either way. i8 is exact in
      // all, i16 in fp32.
      add(
          "truncates_integer", "rounds toward zero", to_float,
          [](const TypeRow& row) {
            return FromTo({DType::kI16, DType::kI32}, {DType::kFp16, DType::kBf16})(row) ||
                   FromTo({DType::kI32}, {DType::kFp32})(row);
          },
          IntegerToFloat(
              [](DType, DType out, int64_t x) { return TowardZero(out, static_cast<double>(x)); })),
      // In one step, 2^24 + 2^13 + 1, for example, is above the tie.
      Reported("CAST", "integer_through_fp32", "rounds to fp32 first", to_float,
               FromTo({DType::kI32}, {DType::kBf16}), IntegerToFloat([](DType, DType, int64_t x) {
                 return static_cast<double>(static_cast<float>(x));
               }),
               "tools/findings/mlir/deviations.json, cast-rounds-twice"),
      add("integer_through_fp16", "rounds to fp16 first", to_float,
          FromTo({DType::kI16, DType::kI32}, {DType::kBf16, DType::kFp32}),
          IntegerToFloat([](DType, DType, int64_t x) {
            return RoundTo(DType::kFp16, static_cast<double>(x));
          })),
      add("integer_saturates", "makes the greatest number of what is beyond fp16", to_float,
          FromTo({DType::kI32}, {DType::kFp16}), IntegerToFloat([](DType, DType out, int64_t x) {
            return Saturated(out, RoundTo(out, static_cast<double>(x)));
          })),
      add("unsigned_integer", "takes integers as unsigned numbers", to_float,
          FromTo(kIntegers, kFloats), IntegerToFloat([](DType in, DType, int64_t x) {
            return static_cast<double>(x < 0 ? x + (int64_t{1} << Info(in).bits) : x);
          })),
      // --- Between integers and booleans.
      add(
          "zero_extends", "extends with zeros", between,
          [](const TypeRow& row) {
            return FromTo({DType::kI8}, {DType::kI16, DType::kI32})(row) ||
                   FromTo({DType::kI16}, {DType::kI32})(row);
          },
          IntegerToInteger([](DType in, DType, int64_t x) {
            return x < 0 ? x + (int64_t{1} << Info(in).bits) : x;
          })),
      Reported(
          "CAST", "saturates", "saturates", between,
          [](const TypeRow& row) {
            return FromTo({DType::kI32}, {DType::kI8, DType::kI16})(row) ||
                   FromTo({DType::kI16}, {DType::kI8})(row);
          },
          IntegerToInteger([](DType, DType out, int64_t x) {
            return std::clamp(x, IntegerMin(out), IntegerMax(out));
          }),
          "iree-org/iree#11252"),
      add(
          "high_bits", "keeps the high bits", between,
          [](const TypeRow& row) {
            return FromTo({DType::kI32}, {DType::kI8, DType::kI16})(row) ||
                   FromTo({DType::kI16}, {DType::kI8})(row);
          },
          IntegerToInteger([](DType in, DType out, int64_t x) {
            return x >> (Info(in).bits - Info(out).bits);
          })),
      Reported("CAST", "true_is_minus_one", "makes -1 of true", between, FromTo(kBool, kIntegers),
               IntegerToInteger([](DType, DType, int64_t x) { return -x; }),
               "llvm/llvm-project#57951, #129530"),
      add("true_is_all_ones", "makes the greatest number of true", between,
          FromTo(kBool, kIntegers), IntegerToInteger([](DType, DType out, int64_t x) {
            return x != 0 ? IntegerMax(out) : 0;
          })),
      Reported("CAST", "lowest_bit", "makes a boolean of the lowest bit", between,
               FromTo(kIntegers, kBool),
               IntegerToInteger([](DType, DType, int64_t x) { return x & 1; }),
               "llvm/llvm-project#150302"),
      add("low_byte", "makes a boolean of the lowest byte", between,
          FromTo({DType::kI16, DType::kI32}, kBool),
          IntegerToInteger([](DType, DType, int64_t x) { return int64_t{(x & 255) != 0}; })),
      add("positive", "makes true of numbers above zero only", between, FromTo(kIntegers, kBool),
          IntegerToInteger([](DType, DType, int64_t x) { return int64_t{x > 0}; })),
      add("sign_bit", "makes true of numbers below zero only", between, FromTo(kIntegers, kBool),
          IntegerToInteger([](DType, DType, int64_t x) { return int64_t{x < 0}; })),
      // --- Between floats. Rounding toward zero, or ties otherwise, is allowed.
      add("rounds_away", "rounds away from zero", floats, narrowing,
          FloatToFloat([](DType, DType out, double x) {
            const double zero = TowardZero(out, x);
            if (!std::isfinite(x) || zero == x || !std::isfinite(zero)) return zero;
            return DecodeFloat(out, EncodeFloat(out, zero) + 1);
          })),
      add("through_bf16", "rounds to bf16 first", floats, FromTo({DType::kFp32}, {DType::kFp16}),
          FloatToFloat([](DType, DType, double x) { return RoundTo(DType::kBf16, x); })),
      add("through_fp16", "rounds to fp16 first", floats, FromTo({DType::kBf16}, {DType::kFp32}),
          FloatToFloat([](DType, DType, double x) { return RoundTo(DType::kFp16, x); })),
      add("loses_float_nan", "makes zero of a NaN", floats, FromTo(kFloats, kFloats),
          FloatToFloat([](DType, DType, double x) { return std::isnan(x) ? 0 : x; })),
      add(
          "fp8_nan_is_number", "makes the greatest number of a NaN", floats,
          [](const TypeRow& row) {
            return FromTo(kFp8, kFloats)(row) || FromTo(kFloats, kFp8)(row);
          },
          FloatToFloat([](DType in, DType out, double x) {
            const DType type = Info(in).bits == 8 ? in : out;
            return std::isnan(x) ? Format(type).max : x;
          })),
      add(
          "nan_is_infinity", "makes an infinity of a NaN", floats,
          [](const TypeRow& row) {
            return FromTo({DType::kFp8E5M2, DType::kFp16, DType::kBf16, DType::kFp32},
                          {DType::kFp8E5M2, DType::kFp16, DType::kBf16, DType::kFp32})(row);
          },
          FloatToFloat([](DType, DType, double x) { return std::isnan(x) ? kInfinity : x; })),
      // If the high bits of a NaN's fraction are zero, they are those of an infinity.
      add(
          "cuts_nan", "keeps the high bits of a NaN, an infinity where the fraction's are zero",
          floats,
          [](const TypeRow& row) {
            return FromTo({DType::kFp32}, {DType::kFp16, DType::kBf16, DType::kFp8E5M2})(row) ||
                   FromTo({DType::kFp16}, {DType::kFp8E5M2})(row) ||
                   FromTo({DType::kBf16}, {DType::kFp8E5M2})(row);
          },
          ByResult(CutNans)),
      add(
          "infinity_is_nan", "makes a NaN of an infinity", floats,
          [](const TypeRow& row) {
            return FromTo({DType::kFp8E5M2, DType::kFp16, DType::kBf16, DType::kFp32},
                          {DType::kFp8E5M2, DType::kFp16, DType::kBf16, DType::kFp32})(row);
          },
          FloatToFloat([](DType, DType, double x) { return std::isinf(x) ? std::nan("") : x; })),
      add("saturates_floats", "makes the greatest number of what is beyond, and of infinities",
          floats, narrowing, FloatToFloat([](DType, DType out, double x) {
            return DecodeFloat(out, EncodeFloat(out, x, Overflow::kSaturate));
          })),
      // 0.100 only.
      add("overflows_fp8", "makes an infinity of what is beyond, in fp8e4m3 a NaN", floats,
          FromTo(kFloats, kFp8), ByValue([](const Tensor& input, Tensor& out, int64_t i) {
            out.SetElement(i, input.Element(i));
          })),
      // fp8e4m3 has no infinity: NaN stands for it.
      add("infinity_is_greatest", "takes an infinity for the greatest number", floats,
          FromTo({DType::kFp8E5M2, DType::kFp16, DType::kBf16, DType::kFp32},
                 {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp16, DType::kBf16, DType::kFp32}),
          FloatToFloat([](DType in, DType out, double x) {
            const DType type = Format(out).max < Format(in).max ? out : in;
            return std::isinf(x) ? std::copysign(Format(type).max, x) : x;
          })),
      add(
          "loses_sign_of_zero", "makes +0 of -0 and of what rounds to it", floats,
          [](const TypeRow& row) {
            return HasFloat(row) && IsFloat(*row.PlainType("in_t")) &&
                   IsFloat(*row.PlainType("out_t"));
          },
          FloatToFloat([](DType, DType out, double x) {
            return WithoutNegativeZero(out, RoundTo(out, x));
          })),
      // fp8 may not be flushed. Subnormals of fp8e5m2 are those of fp16, which may.
      add(
          "flushes_fp8", "makes zero of a subnormal fp8", floats,
          [](const TypeRow& row) {
            return (FromTo(kFp8, kFloats)(row) || FromTo(kFloats, kFp8)(row)) &&
                   !FromTo({DType::kFp8E5M2}, {DType::kFp16})(row);
          },
          FloatToFloat([](DType in, DType out, double x) {
            const DType type = Info(in).bits == 8 ? in : out;
            const double rounded = RoundTo(type, x);
            return IsSubnormal(type, rounded) ? std::copysign(0.0, x) : x;
          })),
      // As the variant of e4m3 whose exponents are one less, or of e5m2.
      add(
          "fnuz", "reads and writes fp8 with an exponent bias that is one more", floats,
          [](const TypeRow& row) {
            return FromTo(kFp8, kFloats)(row) || FromTo(kFloats, kFp8)(row);
          },
          FloatToFloat(
              [](DType in, DType, double x) { return Info(in).bits == 8 ? x / 2 : x * 2; })),
      add(
          "e4m3_as_ieee", "takes the greatest exponent of fp8e4m3 for infinity and NaN", floats,
          [](const TypeRow& row) { return HasType(row, DType::kFp8E4M3); },
          FloatToFloat([](DType in, DType out, double x) {
            const DType type = Info(in).bits == 8 ? in : out;
            return std::fabs(RoundTo(type, x)) >= 256 ? std::nan("") : x;
          })),
      add(
          "other_fp8", "takes the bits of one fp8 type for those of the other", floats,
          [](const TypeRow& row) {
            return FromTo(kFp8, kFloats)(row) || FromTo(kFloats, kFp8)(row);
          },
          ByValue([](const Tensor& input, Tensor& out, int64_t i) {
            const auto other = [](DType type) {
              return type == DType::kFp8E4M3 ? DType::kFp8E5M2 : DType::kFp8E4M3;
            };
            if (Info(input.dtype()).bits == 8) {
              out.SetElement(i, DecodeFloat(other(input.dtype()), input.Bits(i)));
            } else {
              out.SetBits(i, EncodeFloat(other(out.dtype()), input.Element(i)));
            }
          })),
      add("denormals_of_fp8", "reads subnormals of fp8 as if they had a leading one", floats,
          FromTo(kFp8, kFloats), FloatToFloat([](DType in, DType, double x) {
            const double leading = Format(in).normal_min();
            return IsSubnormal(in, x) ? x + std::copysign(leading, x) : x;
          })),
  };
}

}  // namespace cts::cast_faults
