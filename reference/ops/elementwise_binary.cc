// The operators of section Elementwise Binary Operators except POW and TABLE.
#include "reference/ops/broadcast.h"
#include "reference/ops/extremum.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// Calls `f(arithmetic, value1, value2)` for every element of the broadcast output, for operators
// whose type rows have only integers and booleans.
template <class F>
void ForEachIntegerPair(const Call& call, Computation& computation, F f) {
  const Operand& input1 = computation.In("input1");
  const Operand& input2 = computation.In("input2");
  const BroadcastMap offset1(call.shape("output"), call.shape("input1"));
  const BroadcastMap offset2(call.shape("output"), call.shape("input2"));
  computation.ForEach("output", [&](auto& a, int64_t i) -> int64_t {
    const int64_t x = a.LoadInteger(input1, offset1(i));
    const int64_t y = a.LoadInteger(input2, offset2(i));
    return f(a, x, y);
  });
}

// Whether a value of the type can be shifted by `shift` and still have a bit left.
bool IsWithinWidth(DType type, int64_t shift) { return 0 <= shift && shift < Info(type).bits; }

// The bits of a value of the type, and the value that has the low bits of `bits`.
uint64_t BitsOf(DType type, int64_t value) {
  return static_cast<uint64_t>(value) & (~uint64_t{0} >> (64 - Info(type).bits));
}
int64_t ValueOf(DType type, uint64_t bits) {
  const int unused = 64 - Info(type).bits;
  return static_cast<int64_t>(bits << unused) >> unused;
}

// A logical shift by an amount that its REQUIRE allows: `shifted(bits, amount)`, cut to the type.
// 0.100 allows 0 to 31 whatever the type.
template <class Shifted>
void ComputeLogicalShift(const Call& call, Computation& computation, std::string_view range,
                         Shifted shifted) {
  const DType type = call.Type("in_out_t");
  const DType shifted_type = call.EditionHas(Feature::kShiftsOf32Bits) ? DType::kI32 : type;
  ForEachIntegerPair(call, computation, [=](auto& a, int64_t x, int64_t y) -> int64_t {
    const bool fits = IsWithinWidth(shifted_type, y);
    a.Require(fits, range);
    return fits ? ValueOf(type, shifted(BitsOf(type, x), y)) : 0;
  });
}

// Adds what all operators of this file have in common. Without relations of its own, an
// operator has the same results whatever the operands, or they cannot be the same: one is a shift.
OperatorFacts BinaryFacts(OperatorFacts facts) {
  facts.infer = InferBroadcast;
  facts.dimensions = ElementwiseDimensions;
  if (facts.relations == nullptr) facts.relations = BroadcastRelations;
  facts.alone_with_symbols = true;
  return facts;
}

}  // namespace

OperatorFacts AddFacts() {
  return BinaryFacts(
      {.keeping = Keeping::kTells, .relations = BroadcastOrSameRelations, .commutes = true});
}

Conditions AddConditions() { return {CTS_BROADCAST_CONDITIONS("add")}; }

void ComputeAdd(const Call& call, Computation& computation) {
  const DType type = call.Type("in_out_t");
  ForEachPair(call, computation, [type](auto& a, auto x, auto y) { return a.Add(type, x, y); });
}

OperatorFacts ArithmeticRightShiftFacts() { return BinaryFacts({.keeping = Keeping::kAside}); }

Conditions ArithmeticRightShiftConditions() {
  return {
      CTS_BROADCAST_CONDITIONS("arithmetic_right_shift"),
      {"arithmetic_right_shift.shift_range",
       ConditionKind::kRequire,
       "a shift is outside 0 to the type's width - 1",
       nullptr,
       {},
       "input2"},
  };
}

void ComputeArithmeticRightShift(const Call& call, Computation& computation) {
  const DType type = call.Type("in_out_t");
  const bool round = call.Flag("round");
  ForEachIntegerPair(call, computation, [=](auto& a, int64_t x, int64_t y) -> int64_t {
    const bool fits = IsWithinWidth(type, y);
    a.Require(fits, "arithmetic_right_shift.shift_range");
    if (!fits) return 0;
    // Rounding adds the last bit that was shifted out: halves go up, toward plus infinity.
    const int64_t last = round && y > 0 ? x >> (y - 1) & 1 : 0;
    return (x >> y) + last;
  });
}

OperatorFacts BitwiseAndFacts() {
  return BinaryFacts(
      {.keeping = Keeping::kAside, .relations = BroadcastOrSameRelations, .commutes = true});
}

Conditions BitwiseAndConditions() { return {CTS_BROADCAST_CONDITIONS("bitwise_and")}; }

void ComputeBitwiseAnd(const Call& call, Computation& computation) {
  ForEachIntegerPair(call, computation, [](auto&, int64_t x, int64_t y) { return x & y; });
}

OperatorFacts BitwiseOrFacts() {
  return BinaryFacts(
      {.keeping = Keeping::kAside, .relations = BroadcastOrSameRelations, .commutes = true});
}

Conditions BitwiseOrConditions() { return {CTS_BROADCAST_CONDITIONS("bitwise_or")}; }

void ComputeBitwiseOr(const Call& call, Computation& computation) {
  ForEachIntegerPair(call, computation, [](auto&, int64_t x, int64_t y) { return x | y; });
}

OperatorFacts BitwiseXorFacts() {
  return BinaryFacts({.keeping = Keeping::kAside, .commutes = true});
}

Conditions BitwiseXorConditions() { return {CTS_BROADCAST_CONDITIONS("bitwise_xor")}; }

void ComputeBitwiseXor(const Call& call, Computation& computation) {
  ForEachIntegerPair(call, computation, [](auto&, int64_t x, int64_t y) { return x ^ y; });
}

OperatorFacts IntdivFacts() { return BinaryFacts({.keeping = Keeping::kAside}); }

Conditions IntdivConditions() {
  return {
      CTS_BROADCAST_CONDITIONS("intdiv"),
      {"intdiv.zero_divisor", ConditionKind::kRequire, "a divisor is zero", nullptr, {}, "input2"},
      // 1.0 leaves this to apply_intdiv_s.
      {"intdiv.quotient_range", ConditionKind::kRequire, "a quotient exceeds the type's maximum",
       nullptr, With(Feature::kIntdivQuotientRange)},
  };
}

void ComputeIntdiv(const Call& call, Computation& computation) {
  const DType type = call.Type("in_out_t");
  const std::string_view overflow =
      call.EditionHas(Feature::kIntdivQuotientRange) ? "intdiv.quotient_range" : kIntegerOverflow;
  ForEachIntegerPair(call, computation, [=](auto& a, int64_t x, int64_t y) -> int64_t {
    a.Require(y != 0, "intdiv.zero_divisor");
    if (y == 0) return 0;
    int64_t quotient = 0;
    const bool overflows = DivideOverflows(x, y, &quotient);
    a.Require(!overflows && quotient <= IntegerMax(type), overflow);
    return quotient;
  });
}

OperatorFacts LogicalAndFacts() {
  return BinaryFacts(
      {.keeping = Keeping::kAside, .relations = BroadcastOrSameRelations, .commutes = true});
}

Conditions LogicalAndConditions() { return {CTS_BROADCAST_CONDITIONS("logical_and")}; }

void ComputeLogicalAnd(const Call& call, Computation& computation) {
  ForEachIntegerPair(call, computation,
                     [](auto&, int64_t x, int64_t y) { return int64_t{x != 0 && y != 0}; });
}

OperatorFacts LogicalLeftShiftFacts() { return BinaryFacts({.keeping = Keeping::kAside}); }

Conditions LogicalLeftShiftConditions() {
  return {
      CTS_BROADCAST_CONDITIONS("logical_left_shift"),
      {"logical_left_shift.shift_range", ConditionKind::kRequire,
       "a shift is outside 0 to the type's width - 1", nullptr, Without(Feature::kShiftsOf32Bits),
       "input2"},
      {"logical_left_shift.shift_range", ConditionKind::kRequire, "a shift is outside 0 to 31",
       nullptr, With(Feature::kShiftsOf32Bits), "input2"},
  };
}

void ComputeLogicalLeftShift(const Call& call, Computation& computation) {
  // Bits that leave the type are lost; no REQUIRE calls that an overflow.
  ComputeLogicalShift(call, computation, "logical_left_shift.shift_range",
                      [](uint64_t bits, int64_t shift) { return bits << shift; });
}

OperatorFacts LogicalRightShiftFacts() { return BinaryFacts({.keeping = Keeping::kAside}); }

Conditions LogicalRightShiftConditions() {
  return {
      CTS_BROADCAST_CONDITIONS("logical_right_shift"),
      {"logical_right_shift.shift_range", ConditionKind::kRequire,
       "a shift is outside 0 to the type's width - 1", nullptr, Without(Feature::kShiftsOf32Bits),
       "input2"},
      {"logical_right_shift.shift_range", ConditionKind::kRequire, "a shift is outside 0 to 31",
       nullptr, With(Feature::kShiftsOf32Bits), "input2"},
  };
}

void ComputeLogicalRightShift(const Call& call, Computation& computation) {
  ComputeLogicalShift(call, computation, "logical_right_shift.shift_range",
                      [](uint64_t bits, int64_t shift) { return bits >> shift; });
}

OperatorFacts LogicalOrFacts() {
  return BinaryFacts(
      {.keeping = Keeping::kAside, .relations = BroadcastOrSameRelations, .commutes = true});
}

Conditions LogicalOrConditions() { return {CTS_BROADCAST_CONDITIONS("logical_or")}; }

void ComputeLogicalOr(const Call& call, Computation& computation) {
  ForEachIntegerPair(call, computation,
                     [](auto&, int64_t x, int64_t y) { return int64_t{x != 0 || y != 0}; });
}

OperatorFacts LogicalXorFacts() {
  return BinaryFacts({.keeping = Keeping::kAside, .commutes = true});
}

Conditions LogicalXorConditions() { return {CTS_BROADCAST_CONDITIONS("logical_xor")}; }

void ComputeLogicalXor(const Call& call, Computation& computation) {
  ForEachIntegerPair(call, computation,
                     [](auto&, int64_t x, int64_t y) { return int64_t{(x != 0) != (y != 0)}; });
}

OperatorFacts MaximumFacts() {
  return BinaryFacts(
      {.keeping = Keeping::kMoves, .relations = BroadcastOrSameRelations, .commutes = true});
}

Conditions MaximumConditions() { return {CTS_BROADCAST_CONDITIONS("maximum")}; }

void ComputeMaximum(const Call& call, Computation& computation) {
  const bool ignore_nan = call.Enum("nan_mode") == "IGNORE";
  ForEachPair(call, computation,
              [ignore_nan](auto& a, auto x, auto y) { return Max(a, x, y, ignore_nan); });
}

OperatorFacts MinimumFacts() {
  return BinaryFacts(
      {.keeping = Keeping::kMoves, .relations = BroadcastOrSameRelations, .commutes = true});
}

Conditions MinimumConditions() { return {CTS_BROADCAST_CONDITIONS("minimum")}; }

void ComputeMinimum(const Call& call, Computation& computation) {
  const bool ignore_nan = call.Enum("nan_mode") == "IGNORE";
  ForEachPair(call, computation,
              [ignore_nan](auto& a, auto x, auto y) { return Min(a, x, y, ignore_nan); });
}

OperatorFacts MulFacts() {
  return BinaryFacts(
      {.keeping = Keeping::kTells, .relations = BroadcastOrSameRelations, .commutes = true});
}

Conditions MulConditions() {
  return {
      CTS_BROADCAST_CONDITIONS("mul"),
      {"mul.shift_range", ConditionKind::kRequire, "shift is outside 0 to 63",
       [](const Call& c) { return c.Integer("shift") < 0 || c.Integer("shift") > 63; }},
      // The text compares in_t with int32_t, which no type row has. It means i32_t.
      {"mul.shift_type", ConditionKind::kRequire,
       "shift is not zero although the inputs are not i32",
       [](const Call& c) { return c.dtype("input1") != DType::kI32 && c.Integer("shift") != 0; }},
      {"mul.product_range", ConditionKind::kRequire,
       "the shifted product of two i32 does not fit i32", nullptr},
  };
}

void ComputeMul(const Call& call, Computation& computation) {
  const DType in_t = call.Type("in_t"), out_t = call.Type("out_t");
  const int64_t shift = call.Integer("shift");
  ForEachPair(call, computation, [in_t, out_t, shift](auto& a, auto x, auto y) {
    using Value = decltype(x);
    if constexpr (std::is_same_v<Value, int64_t>) {
      // "low 32-bits of result for i32_t": no REQUIRE stands there.
      if (shift == 0 && in_t == DType::kI32) {
        return Value{static_cast<int32_t>(a.Mul(DType::kI64, x, y))};
      }
      if (shift > 0) {
        // The sum may leave int64 at shift 63 and the least inputs: the text's own arithmetic
        // overflows there, which is unpredictable.
        int64_t product = 0;
        bool overflows = __builtin_mul_overflow(x, y, &product);
        overflows |= __builtin_add_overflow(product, int64_t{1} << (shift - 1), &product);
        a.Require(!overflows, kIntegerOverflow);
        product >>= shift;
        a.Require(product >= IntegerMin(DType::kI32) && product <= IntegerMax(DType::kI32),
                  "mul.product_range");
        return product;
      }
    }
    return a.Mul(out_t, x, y);
  });
}

OperatorFacts SubFacts() {
  return BinaryFacts({.keeping = Keeping::kTells, .relations = BroadcastOrSameFloatsRelations});
}

Conditions SubConditions() { return {CTS_BROADCAST_CONDITIONS("sub")}; }

void ComputeSub(const Call& call, Computation& computation) {
  const DType type = call.Type("in_out_t");
  ForEachPair(call, computation, [type](auto& a, auto x, auto y) { return a.Sub(type, x, y); });
}

}  // namespace cts
