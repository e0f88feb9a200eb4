// ADD, MAXIMUM and MUL (section Elementwise Binary Operators).
#include "reference/ops/broadcast.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

bool ShapesDoNotBroadcast(const Call& c) {
  return BroadcastShape(c.shape("input1"), c.shape("input2")) != c.shape("output");
}

bool OutputRankExceedsLevel(const Call& c) { return RankExceedsLevel(c, "output"); }

// The two conditions that every operator of this group has, under its own ids.
#define CTS_BROADCAST_CONDITIONS(prefix)                                                   \
  {prefix ".broadcast", ConditionKind::kErrorIf,                                           \
   "the output's shape is not the broadcast of the inputs' shapes", ShapesDoNotBroadcast}, \
  {                                                                                        \
    prefix ".level_rank", ConditionKind::kLevel, "rank(shape) exceeds MAX_RANK",           \
        OutputRankExceedsLevel                                                             \
  }

// Calls `f(arithmetic, value1, value2)` for every element of the broadcast output.
template <class F>
void ForEachPair(const Call& call, Computation& computation, F f) {
  const Operand& input1 = computation.In("input1");
  const Operand& input2 = computation.In("input2");
  const Shape &shape = call.shape("output"), &shape1 = call.shape("input1"),
              &shape2 = call.shape("input2");
  computation.ForEach("output", [&](auto& a, int64_t i) {
    // One after the other: the order of arguments would be the compiler's, and a trace shows it.
    const auto x = a.Load(input1, BroadcastOffset(shape, shape1, i));
    const auto y = a.Load(input2, BroadcastOffset(shape, shape2, i));
    return f(a, x, y);
  });
}

}  // namespace

Conditions AddConditions() { return {CTS_BROADCAST_CONDITIONS("add")}; }

void ComputeAdd(const Call& call, Computation& computation) {
  const DType type = call.Type("in_out_t");
  ForEachPair(call, computation, [type](auto& a, auto x, auto y) { return a.Add(type, x, y); });
}

Conditions MaximumConditions() { return {CTS_BROADCAST_CONDITIONS("maximum")}; }

void ComputeMaximum(const Call& call, Computation& computation) {
  const bool ignore_nan = call.Enum("nan_mode") == "IGNORE";
  ForEachPair(call, computation, [ignore_nan](auto& a, auto x, auto y) {
    if (a.IsNan(x)) return ignore_nan ? y : x;
    if (a.IsNan(y)) return ignore_nan ? x : y;
    return a.Less(x, y) ? y : x;
  });
}

Conditions MulConditions() {
  return {
      CTS_BROADCAST_CONDITIONS("mul"),
      {"mul.shift_range", ConditionKind::kRequire, "shift is outside 0 to 63",
       [](const Call& c) { return c.Integer("shift") < 0 || c.Integer("shift") > 63; }},
      // The text compares in_t with int32_t, which no type row has: i32_t is meant.
      {"mul.shift_type", ConditionKind::kRequire,
       "shift is not zero although the inputs are not i32",
       [](const Call& c) { return c.dtype("input1") != DType::kI32 && c.Integer("shift") != 0; }},
      {"mul.product_range", ConditionKind::kRequire,
       "the shifted product of two i32 does not fit i32", nullptr},
  };
}

void ComputeMul(const Call& call, Computation& computation) {
  const DType out_t = call.Type("out_t");
  const int64_t shift = call.Integer("shift");
  ForEachPair(call, computation, [out_t, shift](auto& a, auto x, auto y) {
    using Value = decltype(x);
    if constexpr (std::is_same_v<Value, int64_t>) {
      if (shift > 0) {
        // The sum may leave int64 at shift 63 and the least inputs: the text's own arithmetic
        // overflows there, which is unpredictable.
        int64_t product = x * y;
        a.Require(!__builtin_add_overflow(product, int64_t{1} << (shift - 1), &product),
                  kIntegerOverflow);
        product >>= shift;
        a.Require(product >= IntegerMin(DType::kI32) && product <= IntegerMax(DType::kI32),
                  "mul.product_range");
        return product;
      }
    }
    return a.Mul(out_t, x, y);
  });
}

}  // namespace cts
