// Faults of ABS, BITWISE_NOT, CEIL, CLZ, COS, EXP, FLOOR, LOG, LOGICAL_NOT, NEGATE, RECIPROCAL,
// RSQRT, SIN.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "reference/faults/functions.h"
#include "reference/numeric/elementary.h"

namespace cts::elementwise_unary_faults {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = 3.141592653589793;

bool Everywhere(double) { return true; }
bool BelowZero(double x) { return x < 0; }
bool NearZero(double x) { return std::fabs(x) < 0.25; }
bool NearOne(double x) { return 0.75 < x && x < 1.25; }
bool FarFromZero(double x) { return std::fabs(x) > 4; }

double Reciprocal(double x) { return 1 / x; }
double Rsqrt(double x) { return 1 / Sqrt(x); }

// Keeps the right function's results for NaN and infinities, for faults of finite numbers only.
Wrong OfFinite(double (*right)(double), std::function<double(DType, double)> f) {
  return ByFunction([right, f = std::move(f)](DType type, double x) {
    return std::isfinite(x) ? f(type, x) : right(x);
  });
}

double Ceil(double x) { return std::ceil(x); }
double Floor(double x) { return std::floor(x); }

// CEIL and FLOOR.
Faults WholeFaults(const std::string& op, double (*right)(double)) {
  const std::string& clause = kPrecisionClause;
  const double direction = op == "CEIL" ? 1 : -1;
  return {
      LosesNan(op),
      NanIsInfinity(op),
      SaturatesInfinity(op),
      LosesSignOfZero(op),
      Hardware(op, "truncates", "rounds toward zero", clause, FloatRows(),
               OfFinite(right, [](DType, double x) { return std::trunc(x); })),
      Hardware(op, "rounds_to_nearest", "rounds to the nearest whole number", clause, FloatRows(),
               OfFinite(right, [](DType, double x) { return std::nearbyint(x); })),
      Hardware(op, "truncates_and_adds",
               "adds one to the truncated number, or subtracts it, from whole numbers as well",
               clause, FloatRows(),
               OfFinite(right,
                        [direction](DType, double x) {
                          // The sum of a large number would be the number again, so it leaves
                          // these.
                          const bool toward = direction > 0 ? x > 0 : x < 0;
                          return toward ? std::trunc(x) + direction : std::trunc(x);
                        })),
      Hardware(
          op, "away_from_zero", "rounds away from zero", clause, FloatRows(),
          OfFinite(right, [](DType, double x) { return x < 0 ? std::floor(x) : std::ceil(x); })),
      // Every number beyond that is whole; fp16 reaches 65504.
      Hardware(
          op, "through_i16", "converts to i16 and back, saturated", clause, FloatRows(),
          OfFinite(right,
                   [right](DType, double x) { return std::clamp(right(x), -32768.0, 32767.0); })),
      Hardware(op, "through_i32", "converts to i32 and back, saturated", clause,
               Rows("in_out_t", {DType::kBf16, DType::kFp32}),
               OfFinite(right,
                        [right](DType, double x) {
                          return std::clamp(right(x), -2147483648.0, 2147483647.0);
                        })),
      Hardware(op, "forgives", "takes a number within 2^-6 of a whole one for that", clause,
               FloatRows(),
               OfFinite(right,
                        [right](DType, double x) {
                          const double near = std::nearbyint(x);
                          return std::fabs(x - near) <= 0x1p-6 ? near : right(x);
                        })),
      Hardware(op, "half_of_adding", "adds one half in the type, then rounds to nearest", clause,
               FloatRows(),
               OfFinite(right,
                        [direction](DType type, double x) {
                          return std::nearbyint(RoundTo(type, x + direction / 2));
                        })),
  };
}

// SIN and COS. Their bounds are wide (in fp32 some 10^-3 of |x|). They accept every range reduction
// by a rounded pi, and anything from -1 to 1 once |x| exceeds 2^(frac / 2), so such faults are not
// here.
Faults AngleFaults(const std::string& op, double (*right)(double)) {
  const bool sine = op == "SIN";
  const std::string& clause = kPrecisionClause;
  const auto units = [](DType type, double x) {
    const int frac = Format(type).fraction_bits;
    return 3 * (1 + std::fabs(x)) * std::ldexp(1, frac - frac / 2);
  };
  return Together(
      {Approximations(
           op, right, clause,
           {{"approximates", "is off by 3 * (1 + |x|) * 2^(-frac/2)", Everywhere, units, true},
            {"fails_below_zero", "is off by 3 * (1 + |x|) * 2^(-frac/2) below zero", BelowZero,
             units, true},
            {"fails_near_zero", "is off by 3 * (1 + |x|) * 2^(-frac/2) near zero", NearZero, units,
             true}}),
       {
           LosesNan(op),
           NanIsInfinity(op),
           Hardware(op, "infinity_is_zero", "is 0 for infinities", op + ", its table", FloatRows(),
                    ByFunction([right](DType, double x) { return std::isinf(x) ? 0 : right(x); })),
           Hardware(
               op, "of_turns", "takes its argument for a number of turns", clause, FloatRows(),
               OfFinite(right,
                        [right](DType, double x) { return right(2 * kPi * (x - std::floor(x))); })),
           Hardware(op, "of_degrees", "takes its argument for degrees", clause, FloatRows(),
                    OfFinite(right, [right](DType, double x) { return right(x * (kPi / 180)); })),
           Hardware(op, "without_reduction",
                    "sums its Taylor series up to the power of 9 without reducing the argument",
                    clause, FloatRows(),
                    OfFinite(right,
                             [sine](DType, double x) {
                               const double y = x * x;
                               if (sine) {
                                 return x *
                                        (1 - y / 6 * (1 - y / 20 * (1 - y / 42 * (1 - y / 72))));
                               }
                               return 1 - y / 2 * (1 - y / 12 * (1 - y / 30 * (1 - y / 56)));
                             })),
           Hardware(op, "loses_quadrant", "stores the magnitude of the result", clause, FloatRows(),
                    ByFunction([right](DType, double x) { return std::fabs(right(x)); })),
           Hardware(op, "other_function", "computes the other of sine and cosine", clause,
                    FloatRows(),
                    ByFunction([sine](DType, double x) { return sine ? Cos(x) : Sin(x); })),
       }});
}

// The reciprocal of x or of its root by a table of `bits` bits and one Newton step.
double NewtonReciprocal(double x, int bits) {
  const double y = 1 / x;
  const double estimate =
      std::ldexp(std::trunc(std::ldexp(y, bits - std::ilogb(y))), std::ilogb(y) - bits);
  return estimate * (2 - x * estimate);
}
double NewtonRsqrt(double x, int bits) {
  const double y = Rsqrt(x);
  const double estimate =
      std::ldexp(std::trunc(std::ldexp(y, bits - std::ilogb(y))), std::ilogb(y) - bits);
  return estimate * (1.5 - x / 2 * estimate * estimate);
}

}  // namespace

Faults AbsFaults() {
  const std::string clause = "ABS, exact";
  return {
      LosesNan("ABS"),
      NanIsInfinity("ABS"),
      SaturatesInfinity("ABS"),
      FlushesSome("ABS"),
      Hardware("ABS", "keeps_negative_zero", "leaves -0 as it is", "ABS, its table for zeros",
               FloatRows(), ByFunction([](DType, double x) { return x < 0 ? -x : x; })),
      // Does what the specification's own text says by its letter.
      Hardware("ABS", "compares_whole_part", "compares the truncated number with zero", clause,
               FloatRows(),
               ByFunction([](DType, double x) { return std::trunc(x) < 0 ? -x : x + 0.0; })),
      // So does flushing what that comparison hands on; flushed before, -0 becomes +0.
      Hardware("ABS", "flushes_after_comparing", "flushes its result with the sign of its input",
               "ABS, its table for zeros; Number Formats, flushing", FloatRows(),
               ByFunction([](DType type, double x) {
                 return IsSubnormal(type, x) ? std::copysign(0.0, x) : std::fabs(x);
               })),
      Hardware(
          "ABS", "identity", "leaves numbers below zero as they are", clause, nullptr,
          [](const Operator&, const Call& call) -> std::optional<OperatorOutputs> {
            return OperatorOutputs{{"output", std::make_shared<Tensor>(*call.values("input1"))}};
          }),
      Hardware("ABS", "ones_complement", "flips all bits of a number below zero", clause,
               IntegerRows(), ByInteger([](DType, int64_t x) { return x < 0 ? ~x : x; })),
      Hardware("ABS", "clears_sign_bit", "clears the highest bit of an integer", clause,
               IntegerRows(), ByInteger([](DType, int64_t x) { return x & INT32_MAX; })),
      Hardware("ABS", "in_fp32", "computes integers in fp32", clause, IntegerRows(),
               ByInteger([](DType, int64_t x) {
                 return static_cast<int64_t>(static_cast<float>(std::abs(x)));
               })),
  };
}

Faults BitwiseNotFaults() {
  const std::string clause = "BITWISE_NOT, ~x";
  return {
      Hardware("BITWISE_NOT", "negates", "computes -x", clause, nullptr,
               ByInteger([](DType, int64_t x) { return -x; })),
      Hardware("BITWISE_NOT", "logical", "computes 1 of 0 and 0 of all others", clause, nullptr,
               ByInteger([](DType, int64_t x) { return int64_t{x == 0}; })),
      Hardware("BITWISE_NOT", "low_half", "flips the lower half of the bits only", clause, nullptr,
               ByInteger([](DType type, int64_t x) {
                 return x ^ ((int64_t{1} << (Info(type).bits / 2)) - 1);
               })),
      Hardware("BITWISE_NOT", "keeps_sign", "leaves the sign bit as it is", clause, nullptr,
               ByInteger([](DType type, int64_t x) { return x ^ IntegerMax(type); })),
  };
}

Faults CeilFaults() { return WholeFaults("CEIL", Ceil); }

Faults ClzFaults() {
  const std::string clause = "CLZ, the number of leading zeros";
  const auto count = [](int64_t x) { return int64_t{std::countl_zero(static_cast<uint32_t>(x))}; };
  return {
      Hardware("CLZ", "of_zero_is_31", "is 31 for 0", clause, nullptr,
               ByInteger([count](DType, int64_t x) { return x == 0 ? 31 : count(x); })),
      Hardware("CLZ", "of_zero_is_0", "is 0 for 0", clause, nullptr,
               ByInteger([count](DType, int64_t x) { return x == 0 ? 0 : count(x); })),
      Hardware("CLZ", "of_zero_is_minus_1", "is -1 for 0", clause, nullptr,
               ByInteger([count](DType, int64_t x) { return x == 0 ? -1 : count(x); })),
      Hardware("CLZ", "counts_sign_bits", "counts the leading bits that equal the sign", clause,
               nullptr, ByInteger([count](DType, int64_t x) { return count(x < 0 ? ~x : x); })),
      Hardware("CLZ", "of_magnitude", "counts those of the magnitude", clause, nullptr,
               ByInteger([count](DType, int64_t x) { return count(std::abs(x)); })),
      Hardware("CLZ", "trailing", "counts the trailing zeros", clause, nullptr,
               ByInteger([](DType, int64_t x) {
                 return int64_t{std::countr_zero(static_cast<uint32_t>(x))};
               })),
      Hardware("CLZ", "by_exponent",
               "takes the exponent of the number in fp32, which is rounded up", clause, nullptr,
               ByInteger([count](DType, int64_t x) {
                 return x <= 0 ? count(x) : int64_t{31 - std::ilogb(static_cast<float>(x))};
               })),
      Hardware("CLZ", "of_16_bits", "counts in the low 16 bits", clause, nullptr,
               ByInteger([](DType, int64_t x) {
                 return int64_t{std::countl_zero(static_cast<uint16_t>(x))};
               })),
      Hardware("CLZ", "bit_position", "is the position of the highest bit", clause, nullptr,
               ByInteger([count](DType, int64_t x) { return 31 - count(x); })),
  };
}

Faults CosFaults() { return AngleFaults("COS", Cos); }

Faults ExpFaults() {
  const std::string& clause = kPrecisionClause;
  const auto units = [](DType, double x) { return 6 + 4 * std::fabs(x); };
  return Together(
      {Approximations(
           "EXP", Exp, clause,
           {{"approximates", "is off by 6 + 4|x| units in the last place", Everywhere, units},
            {"fails_below_zero", "is off by 6 + 4|x| units in the last place below zero", BelowZero,
             units},
            {"fails_near_zero", "is off by 6 + 4|x| units in the last place near zero", NearZero,
             units},
            {"fails_far_from_zero", "is off by 6 + 4|x| units in the last place beyond 4",
             FarFromZero, units}}),
       {
           LosesNan("EXP"),
           NanIsInfinity("EXP"),
           SaturatesInfinity("EXP"),
           // Nearer to the greatest argument the bound of bf16 reaches infinity.
           Hardware("EXP", "overflows_early",
                    "is infinite from one below the greatest argument of a finite result", clause,
                    FloatRows(), ByFunction([](DType type, double x) {
                      return x >= std::floor(Log(Format(type).max)) - 1 ? kInfinity : Exp(x);
                    })),
           Hardware("EXP", "underflows_early",
                    "is 0 where the square of the result is less than the least normal number",
                    clause, FloatRows(), ByFunction([](DType type, double x) {
                      return 2 * x < Log(Format(type).normal_min()) ? 0 : Exp(x);
                    })),
           // In bf16 the bound is more than such a result.
           Reported("EXP", "flushes_normal_results",
                    "is 0 where the result is less than twice the least normal number", clause,
                    Rows("in_out_t", {DType::kFp16, DType::kFp32}),
                    ByFunction([](DType type, double x) {
                      const double y = Exp(x);
                      return y < 2 * Format(type).normal_min() ? 0 : y;
                    }),
                    "tools/adapters/onednn/README.md"),
           Reported("EXP", "of_nan_is_infinite", "is infinite for a NaN", "EXP, its table",
                    FloatRows(),
                    ByFunction([](DType, double x) { return std::isnan(x) ? kInfinity : Exp(x); }),
                    "tools/adapters/onednn/README.md"),
           Hardware("EXP", "of_base_two", "computes 2^x", clause, FloatRows(),
                    ByFunction([](DType, double x) { return Pow(2, x); })),
           Hardware("EXP", "minus_one", "computes e^x - 1", clause, FloatRows(),
                    ByFunction([](DType, double x) { return Expm1(x); })),
           // Multiplies the argument by log2(e), adds the whole part to the bits of the exponent
           // and interpolates the fraction. It is off by up to 6 %.
           Hardware("EXP", "by_exponent_bits", "interpolates between powers of two", clause,
                    FloatRows(), ByFunction([](DType type, double x) {
                      const double y = x * 1.4426950408889634;
                      if (!(std::fabs(y) < Format(type).max)) return Exp(x);
                      const double whole = std::clamp(std::floor(y), -2000.0, 2000.0);
                      return std::ldexp(1 + (y - std::floor(y)), static_cast<int>(whole));
                    })),
           Hardware("EXP", "negative_infinity", "is infinite for both infinities", "EXP, its table",
                    FloatRows(),
                    ByFunction([](DType, double x) { return std::isinf(x) ? kInfinity : Exp(x); })),
       }});
}

Faults FloorFaults() { return WholeFaults("FLOOR", Floor); }

Faults LogFaults() {
  const std::string& clause = kPrecisionClause;
  const auto relative = [](DType, double) { return 12.0; };
  Faults faults = Together(
      {Approximations(
           "LOG", Log, clause,
           {{"approximates", "is off by 12 units in the last place", Everywhere, relative},
            {"fails_for_large", "is off by 12 units in the last place beyond 4", FarFromZero,
             relative},
            {"fails_near_zero", "is off by 12 units in the last place near the pole", NearZero,
             relative},
            {"fails_near_one", "is off by 4 * 2^-frac near 1", NearOne,
             [](DType, double) { return 4.0; }, true}}),
       {
           LosesNan("LOG"),
           NanIsInfinity("LOG"),
           SaturatesInfinity("LOG"),
           Reported("LOG", "of_least_normal_number",
                    "takes positive numbers below the least normal one, but zero, for that",
                    "LOG, its table; Number Formats, subnormals", FloatRows(),
                    ByFunction([](DType type, double x) {
                      return x > 0 ? Log(std::max(x, Format(type).normal_min())) : Log(x);
                    }),
                    "tools/adapters/onednn/README.md"),
           Hardware("LOG", "of_magnitude", "takes the magnitude of its argument", "LOG, its table",
                    FloatRows(), ByFunction([](DType, double x) { return Log(std::fabs(x)); })),
           Hardware("LOG", "below_zero_is_infinite", "is -infinity below zero", "LOG, its table",
                    FloatRows(),
                    ByFunction([](DType, double x) { return x < 0 ? -kInfinity : Log(x); })),
           Hardware("LOG", "of_base_two", "computes the logarithm to base 2", clause, FloatRows(),
                    ByFunction([](DType, double x) { return Log(x) * 1.4426950408889634; })),
           Hardware("LOG", "of_one_more", "computes log(1 + x)", clause, FloatRows(),
                    ByFunction([](DType, double x) { return Log(1 + x); })),
           Hardware("LOG", "by_exponent_bits", "interpolates between powers of two", clause,
                    FloatRows(), ByFunction([](DType, double x) {
                      if (!(x > 0) || std::isinf(x)) return Log(x);
                      const int e = std::ilogb(x);
                      return (e + std::ldexp(x, -e) - 1) * 0.6931471805599453;
                    })),
       }});
  MarkReported(faults, {"fails_near_one"}, "tools/adapters/onednn/README.md");
  return faults;
}

Faults LogicalNotFaults() {
  const std::string clause = "LOGICAL_NOT, !x";
  return {
      // Turns 1, like 0, into a byte that is not zero.
      Hardware("LOGICAL_NOT", "bitwise", "flips all bits of a byte: true of both", clause, nullptr,
               ByInteger([](DType, int64_t) { return 1; })),
      Hardware("LOGICAL_NOT", "identity", "leaves its input as it is", clause, nullptr,
               ByInteger([](DType, int64_t x) { return x; })),
  };
}

Faults NegateFaults() {
  const std::string clause = "NEGATE, apply_clip_s of output_zp - (input1 - input1_zp)";
  const auto narrow = Rows("in_out_t", {DType::kI8, DType::kI16});
  const auto i8 = Rows("in_out_t", {DType::kI8});
  const auto cut = [](DType type, int64_t x) {
    const int drop = 64 - Info(type).bits;
    return static_cast<int64_t>(static_cast<uint64_t>(x) << drop) >> drop;
  };
  return {
      LosesNan("NEGATE"),
      NanIsInfinity("NEGATE"),
      SaturatesInfinity("NEGATE"),
      FlushesSome("NEGATE", true),
      // To compute 0 - x is legal: see negate_from_zero.
      Hardware("NEGATE", "leaves_zero", "leaves a zero as it is", "NEGATE, its table for zeros",
               FloatRows(), ByFunction([](DType, double x) { return x == 0 ? x : -x; })),
      Hardware("NEGATE", "mixes_zeros", "makes +0 of +0 in every second element, and -0 elsewhere",
               "NEGATE, its table and its pseudocode: one of them", FloatRows(),
               ByElement([](const Call&, Tensor& out, int64_t i) {
                 if (i % 2 == 0 && out.Element(i) == 0) out.SetElement(i, 0.0);
               })),
      Hardware("NEGATE", "leaves_nan_and_infinity", "leaves infinities as they are",
               "NEGATE, its table", FloatRows(),
               ByFunction([](DType, double x) { return std::isfinite(x) ? -x : x; })),
      Hardware(
          "NEGATE", "identity", "leaves its input as it is", clause, nullptr,
          [](const Operator&, const Call& call) -> std::optional<OperatorOutputs> {
            return OperatorOutputs{{"output", std::make_shared<Tensor>(*call.values("input1"))}};
          }),
      // The negative of the least i32 is unpredictable.
      Reported("NEGATE", "wraps", "keeps the low bits where it should saturate", clause, narrow,
               Altered({.less_integer = [](int64_t, int64_t) { return false; }}),
               "llvm/llvm-project#170622"),
      Hardware("NEGATE", "ones_complement", "flips all bits", clause, IntegerRows(),
               ByInteger([](DType, int64_t x) { return ~x; })),
      // Without zero points no element becomes the least number.
      Hardware(
          "NEGATE", "saturates_symmetrically", "saturates at one more than the least number",
          clause, i8,
          Altered({.store_integer = [](DType type,
                                       int64_t x) { return std::max(x, IntegerMin(type) + 1); }})),
      Hardware("NEGATE", "differences_of_8_bits", "keeps 8 bits of each difference", clause, i8,
               [cut](const Operator& self, const Call& call) -> std::optional<OperatorOutputs> {
                 const int64_t in = call.Integer("input1_zp"), out = call.Integer("output_zp");
                 const Wrong wrong = ByInteger([cut, in, out](DType type, int64_t x) {
                   return cut(type, out + cut(type, -cut(type, x - in)));
                 });
                 return wrong(self, call);
               }),
      Hardware("NEGATE", "saturates_before_zero_point",
               "saturates the negative before it adds output_zp", clause, i8,
               [](const Operator& self, const Call& call) -> std::optional<OperatorOutputs> {
                 const int64_t in = call.Integer("input1_zp"), out = call.Integer("output_zp");
                 const Wrong wrong = ByInteger([in, out](DType, int64_t x) {
                   const int64_t low = -128, high = 127;
                   return std::clamp(std::clamp(in - x, low, high) + out, low, high);
                 });
                 return wrong(self, call);
               }),
      Hardware("NEGATE", "zero_points_of_wrong_sign", "adds input1_zp and subtracts output_zp",
               clause, i8, ByCall([](CallEditor& editor) {
                 // -128 has no negative among them.
                 for (const char* zero_point : {"input1_zp", "output_zp"}) {
                   const int64_t zp = editor.original().Integer(zero_point);
                   editor.Set(zero_point, {std::min<int64_t>(-zp, 127)});
                 }
                 return true;
               })),
      Hardware("NEGATE", "unsigned_zero_points", "takes zero points for unsigned numbers", clause,
               i8,
               [](const Operator& self, const Call& call) -> std::optional<OperatorOutputs> {
                 const int64_t in = call.Integer("input1_zp") & 255;
                 const int64_t out = call.Integer("output_zp") & 255;
                 const Wrong wrong = ByInteger([in, out](DType, int64_t x) {
                   return std::clamp<int64_t>(in - x + out, -128, 127);
                 });
                 return wrong(self, call);
               }),
  };
}

// Truncating the quotient, or rounding ties otherwise, stays within the one unit that is allowed.
Faults ReciprocalFaults() {
  const std::string& clause = kPrecisionClause;
  const auto units = [](DType, double) { return 3.0; };
  return Together(
      {Approximations("RECIPROCAL", Reciprocal, clause,
                      {{"approximates", "is off by 3 units in the last place", Everywhere, units},
                       {"fails_below_zero", "is off by 3 units in the last place below zero",
                        BelowZero, units},
                       {"fails_near_zero", "is off by 3 units in the last place near the pole",
                        NearZero, units},
                       {"fails_for_large", "is off by 3 units in the last place beyond 4",
                        FarFromZero, units}}),
       {
           LosesNan("RECIPROCAL"),
           NanIsInfinity("RECIPROCAL"),
           SaturatesInfinity("RECIPROCAL"),
           LosesSignOfZero("RECIPROCAL"),
           Hardware("RECIPROCAL", "of_zero_is_positive", "is infinity for -0",
                    "RECIPROCAL, its table", FloatRows(),
                    ByFunction([](DType, double x) { return x == 0 ? kInfinity : 1 / x; })),
           Hardware("RECIPROCAL", "of_zero_is_nan", "is a NaN for zeros", "RECIPROCAL, its table",
                    FloatRows(),
                    ByFunction([](DType, double x) { return x == 0 ? std::nan("") : 1 / x; })),
           Hardware("RECIPROCAL", "one_step_too_few", "ends a Newton iteration one step too early",
                    clause, FloatRows(),
                    OfFinite(Reciprocal,
                             [](DType type, double x) {
                               return x == 0
                                          ? 1 / x
                                          : NewtonReciprocal(x, Format(type).fraction_bits / 2 - 2);
                             })),
           Hardware("RECIPROCAL", "through_bf16", "computes in bf16", clause,
                    Rows("in_out_t", {DType::kFp16, DType::kFp32}),
                    Altered({.round = ThroughBf16})),
       }});
}

// 1 / sqrt(x) in the type, rounded twice, stays within the two units that are allowed.
Faults RsqrtFaults() {
  const std::string& clause = kPrecisionClause;
  const auto units = [](DType, double) { return 6.0; };
  return Together(
      {Approximations("RSQRT", Rsqrt, clause,
                      {{"approximates", "is off by 6 units in the last place", Everywhere, units},
                       {"fails_near_zero", "is off by 6 units in the last place near the pole",
                        NearZero, units},
                       {"fails_for_large", "is off by 6 units in the last place beyond 4",
                        FarFromZero, units}}),
       {
           LosesNan("RSQRT"),
           NanIsInfinity("RSQRT"),
           SaturatesInfinity("RSQRT"),
           Hardware("RSQRT", "of_magnitude", "takes the magnitude of its argument",
                    "RSQRT, its table", FloatRows(),
                    ByFunction([](DType, double x) { return x < 0 ? Rsqrt(-x) : Rsqrt(x); })),
           Hardware("RSQRT", "of_infinity_is_nan", "is a NaN for infinity", "RSQRT, its table",
                    FloatRows(), ByFunction([](DType, double x) {
                      return std::isinf(x) ? std::nan("") : Rsqrt(x);
                    })),
           Hardware("RSQRT", "root", "computes the root", clause, FloatRows(),
                    ByFunction([](DType, double x) { return Sqrt(x); })),
           Hardware("RSQRT", "one_step_too_few", "ends a Newton iteration one step too early",
                    clause, FloatRows(),
                    OfFinite(Rsqrt,
                             [](DType type, double x) {
                               return x <= 0 ? Rsqrt(x)
                                             : NewtonRsqrt(x, Format(type).fraction_bits / 2 - 2);
                             })),
           Hardware("RSQRT", "magic_number",
                    "takes 0x5f3759df - bits / 2 and one Newton step for finite numbers", clause,
                    Rows("in_out_t", {DType::kFp32}),
                    OfFinite(Rsqrt,
                             [](DType, double x) {
                               if (x <= 0) return Rsqrt(x);
                               const auto bits = std::bit_cast<uint32_t>(static_cast<float>(x));
                               const double y = std::bit_cast<float>(0x5f3759df - bits / 2);
                               return y * (1.5 - x / 2 * y * y);
                             })),
           Hardware("RSQRT", "odd_exponents", "forgets the root of two where the exponent is odd",
                    clause, FloatRows(),
                    OfFinite(Rsqrt,
                             [](DType, double x) {
                               const bool odd = x > 0 && std::ilogb(x) % 2 != 0;
                               return odd ? Rsqrt(x) * 1.4142135623730951 : Rsqrt(x);
                             })),
       }});
}

Faults SinFaults() {
  Faults faults = AngleFaults("SIN", Sin);
  faults.push_back(LosesSignOfZero("SIN"));
  return faults;
}

}  // namespace cts::elementwise_unary_faults
