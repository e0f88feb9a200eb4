// Faults of ADD, ARITHMETIC_RIGHT_SHIFT, BITWISE_AND, BITWISE_OR, BITWISE_XOR, INTDIV, LOGICAL_AND,
// LOGICAL_LEFT_SHIFT, LOGICAL_RIGHT_SHIFT, LOGICAL_OR, LOGICAL_XOR, MAXIMUM, MINIMUM, MUL, SUB.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "reference/faults/functions.h"

namespace cts::elementwise_binary_faults {
namespace {

// The low bits of `x` as a signed number of the type.
int64_t Cut(DType type, int64_t x) {
  const int drop = 64 - Info(type).bits;
  return static_cast<int64_t>(static_cast<uint64_t>(x) << drop) >> drop;
}
// As an unsigned number.
int64_t Unsigned(DType type, int64_t x) {
  return x & static_cast<int64_t>(~uint64_t{0} >> (64 - Info(type).bits));
}

using OfPair = int64_t (*)(DType type, int64_t x, int64_t y);
Fault Pair(const std::string& op, const std::string& what, std::string sentence, OfPair f,
           std::function<bool(const TypeRow&)> rows = nullptr) {
  return Hardware(op, what, std::move(sentence), op + ", its text", std::move(rows),
                  ByIntegerPair(f));
}

// Integers of 16 and 32 bits.
bool IsWide(const TypeRow& row) { return !HasType(row, DType::kI8); }

// ADD and SUB. Overflow of integers is unpredictable.
Faults SumFaults(const std::string& op, OfPair in_fp32, OfPair halves) {
  return Together(
      {RoundingFaults(op),
       BroadcastFaults(op),
       {
           LosesNan(op),
           NanIsInfinity(op),
           SaturatesInfinity(op),
           FlushesSome(op),
           Hardware(op, "nan_is_zero", "takes a NaN for zero", op + ", NaN", FloatRows(),
                    Altered({.load = ZeroForNan})),
           Hardware(op, "infinity_is_finite", "takes an infinity for the greatest finite number",
                    op + ", infinities", FloatRows(), Altered({.load = Saturated})),
           Pair(op, "in_fp32", "computes integers in fp32", in_fp32, IntegerRows()),
           Pair(op, "loses_carry", "loses what passes from the low to the high 16 bits", halves,
                IntegerRows()),
       }});
}

int64_t LogicalShift(DType type, int64_t x, int64_t y) { return Unsigned(type, x) >> y; }

// MAXIMUM and MINIMUM. Which of two zeros is the result is free.
Faults ExtremumFaults(const std::string& op) {
  const std::string nan = op + ", nan_mode", text = op + ", its text";
  return Together(
      {BroadcastFaults(op),
       {
           LosesNan(op),
           NanIsInfinity(op),
           SaturatesInfinity(op),
           FlushesSome(op),
           Hardware(op, "nan_is_never_greater",
                    "takes what comparing alone gives: one of the two operands beside a NaN", nan,
                    FloatRows(), Altered({.is_nan = NeverNan})),
           Hardware(op, "nan_takes_the_other_operand",
                    "takes the other operand beside a NaN than comparing with < alone gives", nan,
                    FloatRows(), Altered({.is_nan = NeverNan, .less = NotGreaterOrEqual})),
           Hardware(op, "compares_bits", "compares bit patterns as integers", text, FloatRows(),
                    Altered({.less = LessByBits})),
           Hardware(op, "compares_magnitudes", "compares magnitudes", text, FloatRows(),
                    Altered({.less = LessByMagnitude})),
           Hardware(op, "compares_in_fp32", "compares integers in fp32", text, IntegerRows(),
                    Altered({.less_integer = LessAsFp32})),
           Hardware(op, "compares_unsigned", "compares integers as unsigned numbers", text,
                    IntegerRows(), Altered({.less_integer = LessUnsigned})),
           Hardware(op, "other_extremum", "takes the other one of the two", text, nullptr,
                    Altered({.less = [](double x, double y) { return x > y; },
                             .less_integer = [](int64_t x, int64_t y) { return x > y; }})),
       }});
}

// MUL of i32 with a shift greater than 0.
Fault ShiftedProduct(const std::string& what, std::string sentence,
                     int64_t (*f)(int64_t x, int64_t y, int64_t shift)) {
  return Hardware("MUL", what, std::move(sentence), "MUL, shift: rounded half up, in 64 bits",
                  Rows("in_t", {DType::kI32}),
                  [f](const Operator& self, const Call& call) -> std::optional<OperatorOutputs> {
                    const int64_t shift = call.Integer("shift");
                    if (shift == 0) return std::nullopt;
                    return ByIntegerPair([f, shift](DType, int64_t x, int64_t y) {
                      return f(x, y, shift);
                    })(self, call);
                  });
}

// A product, rounded half up. In cases the sum does not overflow.
int64_t Rounded(int64_t product, int64_t shift) {
  const auto half = uint64_t{1} << (shift - 1);
  return static_cast<int64_t>(static_cast<uint64_t>(product) + half) >> shift;
}

}  // namespace

Faults AddFaults() {
  Faults faults = SumFaults(
      "ADD",
      [](DType, int64_t x, int64_t y) {
        return static_cast<int64_t>(static_cast<float>(x) + static_cast<float>(y));
      },
      [](DType, int64_t x, int64_t y) {
        return ((x & ~int64_t{0xffff}) + (y & ~int64_t{0xffff})) | ((x + y) & 0xffff);
      });
  faults.push_back(Hardware("ADD", "infinities_cancel", "is 0 for infinities of different signs",
                            "ADD, infinities", FloatRows(), Altered({.add = [](double x, double y) {
                              return std::isinf(x) && std::isinf(y) && x != y ? 0 : x + y;
                            }})));
  return faults;
}

Faults SubFaults() {
  return SumFaults(
      "SUB",
      [](DType, int64_t x, int64_t y) {
        return static_cast<int64_t>(static_cast<float>(x) - static_cast<float>(y));
      },
      [](DType, int64_t x, int64_t y) {
        return ((x & ~int64_t{0xffff}) - (y & ~int64_t{0xffff})) | ((x - y) & 0xffff);
      });
}

Faults ArithmeticRightShiftFaults() {
  const std::string op = "ARITHMETIC_RIGHT_SHIFT";
  // With `round`, of shifts above 0.
  const auto rounds = [&](const std::string& what, std::string sentence, OfPair f) {
    return Hardware(op, what, std::move(sentence), op + ", round: halves go up", nullptr,
                    [f](const Operator& self, const Call& call) -> std::optional<OperatorOutputs> {
                      if (!call.Flag("round")) return std::nullopt;
                      return ByIntegerPair([f](DType type, int64_t x, int64_t y) {
                        return y == 0 ? x : f(type, x, y);
                      })(self, call);
                    });
  };
  return Together(
      {BroadcastFaults(op),
       {
           Hardware(op, "logical", "shifts zeros in", op + ", the sign is shifted in", nullptr,
                    [](const Operator& self, const Call& call) -> std::optional<OperatorOutputs> {
                      if (call.Flag("round")) return std::nullopt;
                      return ByIntegerPair(LogicalShift)(self, call);
                    }),
           Hardware(op, "divides", "divides by 2^shift, toward zero", op + ", rounds down", nullptr,
                    [](const Operator& self, const Call& call) -> std::optional<OperatorOutputs> {
                      if (call.Flag("round")) return std::nullopt;
                      return ByIntegerPair([](DType, int64_t x, int64_t y) {
                        return x / (int64_t{1} << y);
                      })(self, call);
                    }),
           rounds("rounds_half_away", "rounds ties away from zero",
                  [](DType, int64_t x, int64_t y) {
                    const int64_t half = int64_t{1} << (y - 1);
                    return x < 0 ? -((half - x) >> y) : (x + half) >> y;
                  }),
           rounds(
               "rounds_half_down", "rounds ties toward minus infinity",
               [](DType, int64_t x, int64_t y) { return (x + (int64_t{1} << (y - 1)) - 1) >> y; }),
           rounds("rounds_half_even", "rounds ties to even",
                  [](DType, int64_t x, int64_t y) {
                    const int64_t last = x >> y & 1;
                    return (x + (int64_t{1} << (y - 1)) - 1 + last) >> y;
                  }),
           rounds("rounds_in_the_type", "adds one half of the last place in the operand's type",
                  [](DType type, int64_t x, int64_t y) {
                    return Cut(type, x + (int64_t{1} << (y - 1))) >> y;
                  }),
           rounds("rounds_up", "rounds up whenever a bit is lost",
                  [](DType, int64_t x, int64_t y) { return (x + (int64_t{1} << y) - 1) >> y; }),
           // A shift by -1 leaves the sign or, on other machines, the last bit.
           Reported(
               op, "rounds_shifts_of_0", "with round adds the lowest bit of what is not shifted",
               op + ", round: of a shift above 0", nullptr,
               [](const Operator& self, const Call& call) -> std::optional<OperatorOutputs> {
                 if (!call.Flag("round")) return std::nullopt;
                 return ByIntegerPair([](DType, int64_t x, int64_t y) {
                   return y == 0 ? x + (x & 1) : (x >> y) + (x >> (y - 1) & 1);
                 })(self, call);
               },
               "llvm/llvm-project#159930"),
       }});
}

Faults BitwiseAndFaults() {
  return Together(
      {BroadcastFaults("BITWISE_AND"),
       {
           Pair("BITWISE_AND", "logical", "is 1 where both are not zero",
                [](DType, int64_t x, int64_t y) { return int64_t{x != 0 && y != 0}; }),
           Pair(
               "BITWISE_AND", "low_byte", "keeps the second operand's other bytes",
               [](DType, int64_t x, int64_t y) { return (x | ~int64_t{255}) & y; }, IsWide),
           Pair("BITWISE_AND", "and_not", "complements the second operand",
                [](DType, int64_t x, int64_t y) { return x & ~y; }),
       }});
}

Faults BitwiseOrFaults() {
  return Together(
      {BroadcastFaults("BITWISE_OR"),
       {
           Pair("BITWISE_OR", "logical", "is 1 where one is not zero",
                [](DType, int64_t x, int64_t y) { return int64_t{x != 0 || y != 0}; }),
           Pair("BITWISE_OR", "adds", "adds", [](DType, int64_t x, int64_t y) { return x + y; }),
           Pair("BITWISE_OR", "exclusive", "is the exclusive or",
                [](DType, int64_t x, int64_t y) { return x ^ y; }),
           Pair(
               "BITWISE_OR", "low_byte", "keeps the second operand's other bytes",
               [](DType, int64_t x, int64_t y) { return (x & 255) | y; }, IsWide),
       }});
}

Faults BitwiseXorFaults() {
  return Together(
      {BroadcastFaults("BITWISE_XOR"),
       {
           Pair("BITWISE_XOR", "logical", "is 1 where just one is not zero",
                [](DType, int64_t x, int64_t y) { return int64_t{(x != 0) != (y != 0)}; }),
           Pair("BITWISE_XOR", "inclusive", "is the inclusive or",
                [](DType, int64_t x, int64_t y) { return x | y; }),
           Pair(
               "BITWISE_XOR", "low_byte", "keeps the second operand's other bytes",
               [](DType, int64_t x, int64_t y) { return (x & 255) ^ y; }, IsWide),
           Pair("BITWISE_XOR", "equal_bits", "is 1 where bits are equal",
                [](DType, int64_t x, int64_t y) { return ~(x ^ y); }),
       }});
}

// Dividing the least i32 by -1, and anything by 0, is unpredictable: an implementation that folds 0
// / 0 to a number (llvm/llvm-project#200223) is right.
Faults IntdivFaults() {
  return Together(
      {BroadcastFaults("INTDIV"),
       {
           Pair("INTDIV", "floors", "rounds toward minus infinity",
                [](DType, int64_t x, int64_t y) {
                  if (y == 0) return int64_t{0};
                  return x / y - int64_t{x % y != 0 && (x < 0) != (y < 0)};
                }),
           Pair("INTDIV", "rounds_to_nearest", "rounds to the nearest number",
                [](DType, int64_t x, int64_t y) {
                  if (y == 0) return int64_t{0};
                  // Halves go away from zero.
                  const int64_t rest = std::abs(x % y), sign = (x < 0) != (y < 0) ? -1 : 1;
                  return x / y + (rest >= std::abs(y) - rest ? sign : 0);
                }),
           Pair("INTDIV", "euclidean", "leaves a remainder that is never negative",
                [](DType, int64_t x, int64_t y) {
                  if (y == 0) return int64_t{0};
                  const int64_t remainder = x % y;
                  return x / y - (remainder < 0 ? (y > 0 ? 1 : -1) : 0);
                }),
           Pair("INTDIV", "unsigned", "divides as unsigned numbers",
                [](DType type, int64_t x, int64_t y) {
                  return y == 0 ? int64_t{0} : Unsigned(type, x) / Unsigned(type, y);
                }),
           Pair("INTDIV", "in_fp32", "divides in fp32",
                [](DType, int64_t x, int64_t y) {
                  return y == 0
                             ? int64_t{0}
                             : static_cast<int64_t>(static_cast<float>(x) / static_cast<float>(y));
                }),
           Pair(
               "INTDIV", "by_reciprocal", "multiplies by the reciprocal in 32 bits after the point",
               [](DType, int64_t x, int64_t y) {
                 if (y == 0) return int64_t{0};
                 const int64_t sign = (x < 0) != (y < 0) ? -1 : 1;
                 const uint64_t reciprocal =
                     (uint64_t{1} << 32) / static_cast<uint64_t>(std::abs(y));
                 return sign *
                        static_cast<int64_t>(static_cast<uint64_t>(std::abs(x)) * reciprocal >> 32);
               }),
           Pair("INTDIV", "by_reciprocal_in_fp64", "multiplies by the reciprocal in fp64",
                [](DType, int64_t x, int64_t y) {
                  return y == 0 ? int64_t{0}
                                : static_cast<int64_t>(static_cast<double>(x) *
                                                       (1 / static_cast<double>(y)));
                }),
           Pair("INTDIV", "divides_magnitudes", "loses the sign",
                [](DType, int64_t x, int64_t y) {
                  return y == 0 ? int64_t{0} : std::abs(x) / std::abs(y);
                }),
       }});
}

Faults LogicalAndFaults() {
  return Together({BroadcastFaults("LOGICAL_AND"),
                   {
                       Pair("LOGICAL_AND", "inclusive", "is true where one is",
                            [](DType, int64_t x, int64_t y) { return x | y; }),
                       Pair("LOGICAL_AND", "equal", "is true where both are the same",
                            [](DType, int64_t x, int64_t y) { return int64_t{x == y}; }),
                       Pair("LOGICAL_AND", "first", "does not see the second operand",
                            [](DType, int64_t x, int64_t) { return x; }),
                   }});
}

Faults LogicalOrFaults() {
  return Together({BroadcastFaults("LOGICAL_OR"),
                   {
                       Pair("LOGICAL_OR", "exclusive", "is false where both are true",
                            [](DType, int64_t x, int64_t y) { return x ^ y; }),
                       Pair("LOGICAL_OR", "both", "is true where both are",
                            [](DType, int64_t x, int64_t y) { return x & y; }),
                       Pair("LOGICAL_OR", "first", "does not see the second operand",
                            [](DType, int64_t x, int64_t) { return x; }),
                   }});
}

Faults LogicalXorFaults() {
  return Together({BroadcastFaults("LOGICAL_XOR"),
                   {
                       Pair("LOGICAL_XOR", "inclusive", "is true where both are",
                            [](DType, int64_t x, int64_t y) { return x | y; }),
                       Pair("LOGICAL_XOR", "equal", "is true where both are the same",
                            [](DType, int64_t x, int64_t y) { return int64_t{x == y}; }),
                       Pair("LOGICAL_XOR", "first", "does not see the second operand",
                            [](DType, int64_t x, int64_t) { return x; }),
                   }});
}

Faults LogicalLeftShiftFaults() {
  const std::string op = "LOGICAL_LEFT_SHIFT";
  return Together(
      {BroadcastFaults(op),
       {
           Pair(op, "saturates", "saturates where bits leave the type",
                [](DType type, int64_t x, int64_t y) {
                  // At most 63 bits.
                  return std::clamp(x * (int64_t{1} << y), IntegerMin(type), IntegerMax(type));
                }),
           Pair(op, "keeps_sign", "leaves the sign bit as it is",
                [](DType type, int64_t x, int64_t y) {
                  const int64_t low = static_cast<int64_t>(static_cast<uint64_t>(x) << y);
                  return (low & IntegerMax(type)) | (x & ~IntegerMax(type));
                }),
           Pair(
               op, "shift_of_3_bits", "takes the low 3 bits of the shift",
               [](DType, int64_t x, int64_t y) {
                 return static_cast<int64_t>(static_cast<uint64_t>(x) << (y & 7));
               },
               IsWide),
           Pair(
               op, "shift_of_4_bits", "takes the low 4 bits of the shift",
               [](DType, int64_t x, int64_t y) {
                 return static_cast<int64_t>(static_cast<uint64_t>(x) << (y & 15));
               },
               Rows("in_out_t", {DType::kI32})),
           Pair(op, "rotates", "rotates",
                [](DType type, int64_t x, int64_t y) {
                  const auto bits = static_cast<uint64_t>(Unsigned(type, x));
                  return static_cast<int64_t>(bits << y | bits >> (Info(type).bits - y));
                }),
           Pair(op, "right", "shifts to the right", LogicalShift),
       }});
}

Faults LogicalRightShiftFaults() {
  const std::string op = "LOGICAL_RIGHT_SHIFT";
  return Together(
      {BroadcastFaults(op),
       {
           // In 32 bits a negative number of 8 or 16 shifts ones in, too.
           Pair(op, "arithmetic", "shifts the sign in",
                [](DType, int64_t x, int64_t y) { return x >> y; }),
           Pair(
               op, "shift_of_3_bits", "takes the low 3 bits of the shift",
               [](DType type, int64_t x, int64_t y) { return Unsigned(type, x) >> (y & 7); },
               IsWide),
           Pair(
               op, "shift_of_4_bits", "takes the low 4 bits of the shift",
               [](DType type, int64_t x, int64_t y) { return Unsigned(type, x) >> (y & 15); },
               Rows("in_out_t", {DType::kI32})),
           Pair(op, "rounds", "adds the last bit that is shifted out",
                [](DType type, int64_t x, int64_t y) {
                  const int64_t bits = Unsigned(type, x);
                  return y == 0 ? bits : (bits >> y) + (bits >> (y - 1) & 1);
                }),
       }});
}

Faults MaximumFaults() { return ExtremumFaults("MAXIMUM"); }
Faults MinimumFaults() { return ExtremumFaults("MINIMUM"); }

Faults MulFaults() {
  const auto i8_i16 = Rows("in_t", {DType::kI8, DType::kI16});
  const auto cut = [](int bits) {
    return [bits](DType, int64_t x, int64_t y) {
      const int drop = 64 - bits;
      return static_cast<int64_t>(static_cast<uint64_t>(x * y) << drop) >> drop;
    };
  };
  return Together(
      {RoundingFaults("MUL"),
       BroadcastFaults("MUL"),
       {
           LosesNan("MUL"),
           NanIsInfinity("MUL"),
           SaturatesInfinity("MUL"),
           FlushesSome("MUL"),
           FlushesSomeResults("MUL"),
           Hardware("MUL", "nan_is_zero", "takes a NaN for zero", "MUL, NaN", FloatRows(),
                    Altered({.load = ZeroForNan})),
           Hardware(
               "MUL", "zero_wins", "is 0 where one factor is, be the other infinite or a NaN",
               "MUL, infinities and NaN", FloatRows(),
               Altered({.mul = [](double x, double y) { return x == 0 || y == 0 ? 0 : x * y; }})),
           Reported(
               "MUL", "in_the_operands_type", "keeps as many bits as the operands have",
               "MUL, products of i32", i8_i16,
               [cut](const Operator& self, const Call& call) -> std::optional<OperatorOutputs> {
                 return ByIntegerPair(cut(Info(call.dtype("input1")).bits))(self, call);
               },
               "tools/findings/mlir/deviations.json, mul-folds-narrow"),
           Hardware("MUL", "saturates_to_operands", "saturates to the type of the operands",
                    "MUL, products of i32", i8_i16,
                    [](const Operator& self, const Call& call) -> std::optional<OperatorOutputs> {
                      const DType in = call.dtype("input1");
                      return ByIntegerPair([in](DType, int64_t x, int64_t y) {
                        return std::clamp(x * y, IntegerMin(in), IntegerMax(in));
                      })(self, call);
                    }),
           Hardware("MUL", "unsigned", "multiplies as unsigned numbers", "MUL, products of i32",
                    i8_i16,
                    [](const Operator& self, const Call& call) -> std::optional<OperatorOutputs> {
                      const DType in = call.dtype("input1");
                      return ByIntegerPair([in](DType, int64_t x, int64_t y) {
                        return Unsigned(in, x) * Unsigned(in, y);
                      })(self, call);
                    }),
           Hardware("MUL", "integers_in_fp32", "computes integers in fp32", "MUL, exact",
                    Rows("in_t", {DType::kI16, DType::kI32}),
                    [](const Operator& self, const Call& call) -> std::optional<OperatorOutputs> {
                      const int64_t shift =
                          call.dtype("input1") == DType::kI32 ? call.Integer("shift") : 0;
                      return ByIntegerPair([shift](DType, int64_t x, int64_t y) {
                        const float product = static_cast<float>(x) * static_cast<float>(y);
                        const double shifted =
                            std::ldexp(static_cast<double>(product), -static_cast<int>(shift));
                        return static_cast<int64_t>(std::floor(shifted + 0.5));
                      })(self, call);
                    }),
           Reported("MUL", "shifts_logically",
                    "shifts the product to the right as an unsigned number, unrounded",
                    "MUL, shift: rounded half up, in 64 bits", Rows("in_t", {DType::kI32}),
                    *ShiftedProduct("", "",
                                    [](int64_t x, int64_t y, int64_t shift) {
                                      return static_cast<int64_t>(static_cast<uint64_t>(x * y) >>
                                                                  shift);
                                    })
                         .As<Wrong>(),
                    "llvm/llvm-project#137601"),
           ShiftedProduct("truncates_shift", "shifts without rounding",
                          [](int64_t x, int64_t y, int64_t shift) { return (x * y) >> shift; }),
           ShiftedProduct("rounds_half_down", "rounds ties toward minus infinity",
                          [](int64_t x, int64_t y, int64_t shift) {
                            return (x * y + (int64_t{1} << (shift - 1)) - 1) >> shift;
                          }),
           ShiftedProduct("shift_rounds_half_away", "rounds ties away from zero",
                          [](int64_t x, int64_t y, int64_t shift) {
                            return x * y < 0 ? -Rounded(-(x * y), shift) : Rounded(x * y, shift);
                          }),
           ShiftedProduct("shift_rounds_half_even", "rounds ties to even",
                          [](int64_t x, int64_t y, int64_t shift) {
                            const int64_t last = shift < 63 ? (x * y) >> shift & 1 : 0;
                            return (x * y + (int64_t{1} << (shift - 1)) - 1 + last) >> shift;
                          }),
           ShiftedProduct("product_of_32_bits", "keeps 32 bits of the product before it is shifted",
                          [](int64_t x, int64_t y, int64_t shift) {
                            return Rounded(static_cast<int32_t>(x * y), shift);
                          }),
           ShiftedProduct("shift_of_5_bits", "takes the low 5 bits of the shift",
                          [](int64_t x, int64_t y, int64_t shift) {
                            return shift % 32 == 0 ? x * y : Rounded(x * y, shift % 32);
                          }),
           ShiftedProduct("rounds_in_32_bits", "computes one half of the last place in 32 bits",
                          [](int64_t x, int64_t y, int64_t shift) {
                            const uint32_t half = shift > 32 ? 0 : uint32_t{1} << (shift - 1);
                            return (x * y + static_cast<int32_t>(half)) >> shift;
                          }),
       }});
}

}  // namespace cts::elementwise_binary_faults
