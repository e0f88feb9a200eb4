// Elementwise Unary Operators.
#include <bit>
#include <cmath>

#include "reference/numeric/elementary.h"
#include "reference/ops/broadcast.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// COS and SIN call their operand "input" in tosa-0.100.
std::string_view InputName(const Call& call) { return call.Has("input1") ? "input1" : "input"; }

// Calls `f(arithmetic, value)` for every element.
template <class F>
void ForEachValue(const Call& call, Computation& computation, F f) {
  const Operand& input = computation.In(InputName(call));
  computation.ForEach("output", [&](auto& a, int64_t i) { return f(a, a.Load(input, i)); });
}

// A function of integers and booleans.
template <class F>
void ComputeInteger(const Call& call, Computation& computation, F f) {
  ForEachValue(call, computation, [f](auto& a, auto value) {
    if constexpr (std::decay_t<decltype(a)>::kFloating) {
      return value;  // no type row is floating point
    } else {
      return a.FromInteger(f(value));
    }
  });
}

// A function of floating-point numbers, rounded once.
template <class F>
void ComputeFloating(const Call& call, Computation& computation, F f) {
  const DType type = call.Type("in_out_t");
  ForEachValue(call, computation, [f, type](auto& a, auto value) {
    if constexpr (std::decay_t<decltype(a)>::kFloating) {
      return a.Apply(type, f, value);
    } else {
      return value;  // no type row is an integer
    }
  });
}

// Exact in fp64 on every machine.
double RoundUp(double x) { return std::ceil(x); }
double RoundDown(double x) { return std::floor(x); }
MpfrFloat RoundUp(const MpfrFloat& x) {
  MpfrFloat result = x;
  mpfr_ceil(result.raw(), x.raw());
  return result;
}
MpfrFloat RoundDown(const MpfrFloat& x) {
  MpfrFloat result = x;
  mpfr_floor(result.raw(), x.raw());
  return result;
}

// Adds what all operators of this file have in common.
OperatorFacts UnaryFacts(OperatorFacts facts) {
  facts.infer = InferAsInput;
  facts.alone_with_symbols = true;
  if (facts.dimensions == nullptr) facts.dimensions = ElementwiseDimensions;
  return facts;
}

}  // namespace

OperatorFacts AbsFacts() {
  return UnaryFacts({.keeping = Keeping::kMoves, .sign_of_zero = SignOfZero::kIgnored});
}

Conditions AbsConditions() { return {}; }

// The text compares a cast to int32_t with zero, which would leave -0.5 as it is. It means the
// value itself.
void ComputeAbs(const Call& call, Computation& computation) {
  const DType type = call.Type("in_out_t");
  ForEachValue(call, computation, [type](auto& a, auto value) {
    auto zero = a.FromInteger(0);
    if (a.Less(value, zero)) return a.Sub(type, zero, value);
    if (a.Less(zero, value) || a.IsNan(value)) return value;
    return zero;  // of either sign
  });
}

OperatorFacts BitwiseNotFacts() { return UnaryFacts({.keeping = Keeping::kAside}); }

Conditions BitwiseNotConditions() { return {}; }

void ComputeBitwiseNot(const Call& call, Computation& computation) {
  ComputeInteger(call, computation, [](int64_t value) { return ~value; });
}

OperatorFacts CeilFacts() {
  return UnaryFacts({.keeping = Keeping::kTells, .curve = Curve::kMonotonic});
}

Conditions CeilConditions() { return {}; }

void ComputeCeil(const Call& call, Computation& computation) {
  ComputeFloating(call, computation, [](const auto& x) { return RoundUp(x); });
}

OperatorFacts ClzFacts() { return UnaryFacts({.keeping = Keeping::kAside}); }

Conditions ClzConditions() { return {}; }

void ComputeClz(const Call& call, Computation& computation) {
  ComputeInteger(call, computation, [](int64_t value) {
    return int64_t{std::countl_zero(static_cast<uint32_t>(value))};
  });
}

OperatorFacts CosFacts() {
  return UnaryFacts({.keeping = Keeping::kTells,
                     .dimensions = FunctionDimensions,
                     .curve = Curve::kCosine,
                     .sign_of_zero = SignOfZero::kIgnored});
}

Conditions CosConditions() { return {}; }

void ComputeCos(const Call& call, Computation& computation) {
  ComputeFloating(call, computation, [](const auto& x) { return Cos(x); });
}

OperatorFacts ExpFacts() {
  return UnaryFacts({.keeping = Keeping::kTells,
                     .dimensions = FunctionDimensions,
                     .curve = Curve::kMonotonic,
                     .sign_of_zero = SignOfZero::kIgnored,
                     .overflow = Overflows::kOfNumbers});
}

Conditions ExpConditions() { return {}; }

void ComputeExp(const Call& call, Computation& computation) {
  ComputeFloating(call, computation, [](const auto& x) { return Exp(x); });
}

OperatorFacts FloorFacts() {
  return UnaryFacts({.keeping = Keeping::kTells, .curve = Curve::kMonotonic});
}

Conditions FloorConditions() { return {}; }

void ComputeFloor(const Call& call, Computation& computation) {
  ComputeFloating(call, computation, [](const auto& x) { return RoundDown(x); });
}

OperatorFacts LogFacts() {
  return UnaryFacts({.keeping = Keeping::kTells,
                     .dimensions = FunctionDimensions,
                     .curve = Curve::kMonotonicAboveZero,
                     .sign_of_zero = SignOfZero::kIgnored});
}

Conditions LogConditions() { return {}; }

void ComputeLog(const Call& call, Computation& computation) {
  ComputeFloating(call, computation, [](const auto& x) { return Log(x); });
}

OperatorFacts LogicalNotFacts() { return UnaryFacts({.keeping = Keeping::kAside}); }

Conditions LogicalNotConditions() { return {}; }

void ComputeLogicalNot(const Call& call, Computation& computation) {
  ComputeInteger(call, computation, [](int64_t value) { return int64_t{value == 0}; });
}

OperatorFacts NegateFacts() { return UnaryFacts({.keeping = Keeping::kMoves}); }

Conditions NegateConditions() {
  return {
      {"negate.input1_zp", ConditionKind::kErrorIf,
       "input1_zp is not zero although the input is not i8",
       [](const Call& c) { return c.dtype("input1") != DType::kI8 && c.Number("input1_zp") != 0; }},
      {"negate.output_zp", ConditionKind::kErrorIf,
       "output_zp is not zero although the input is not i8",
       [](const Call& c) { return c.dtype("input1") != DType::kI8 && c.Number("output_zp") != 0; }},
  };
}

void ComputeNegate(const Call& call, Computation& computation) {
  const DType type = call.Type("in_out_t"), acc_t = call.Type("acc_t");
  if (IsFloat(type)) {
    // The text subtracts from zero, which turns either zero into +0. The operator's table inverts
    // the sign of a zero.
    return ForEachValue(call, computation, [type](auto& a, auto value) {
      return a.Mul(type, value, a.FromInteger(-1));
    });
  }
  const int64_t input_zp = call.Integer("input1_zp"), output_zp = call.Integer("output_zp");
  ForEachValue(call, computation, [=](auto& a, auto value) {
    value = a.Sub(acc_t, value, a.FromInteger(input_zp));
    value = a.Sub(acc_t, a.FromInteger(0), value);
    value = a.Add(acc_t, value, a.FromInteger(output_zp));
    auto least = a.FromInteger(IntegerMin(type)), greatest = a.FromInteger(IntegerMax(type));
    if (a.Less(value, least)) return least;
    return a.Less(greatest, value) ? greatest : value;
  });
}

OperatorFacts ReciprocalFacts() {
  return UnaryFacts({.keeping = Keeping::kTells,
                     .dimensions = FunctionDimensions,
                     .curve = Curve::kMonotonicBesideZero,
                     .sign_of_zero = SignOfZero::kOfInfinity});
}

Conditions ReciprocalConditions() { return {}; }

void ComputeReciprocal(const Call& call, Computation& computation) {
  const DType type = call.Type("in_out_t");
  ForEachValue(call, computation, [type](auto& a, auto value) {
    if constexpr (std::decay_t<decltype(a)>::kFloating) {
      return a.Div(type, a.FromInteger(1), value);
    } else {
      return value;  // no type row is an integer
    }
  });
}

OperatorFacts RsqrtFacts() {
  return UnaryFacts({.keeping = Keeping::kTells,
                     .dimensions = FunctionDimensions,
                     .curve = Curve::kMonotonicAboveZero,
                     .sign_of_zero = SignOfZero::kOfInfinity});
}

Conditions RsqrtConditions() { return {}; }

void ComputeRsqrt(const Call& call, Computation& computation) {
  const DType type = call.Type("in_out_t");
  ForEachValue(call, computation, [type](auto& a, auto value) {
    if constexpr (std::decay_t<decltype(a)>::kFloating) {
      // The root of a number below zero is the NaN that the text wants.
      return a.Div(type, a.FromInteger(1),
                   a.Apply(
                       type, [](const auto& x) { return Sqrt(x); }, value));
    } else {
      return value;  // no type row is an integer
    }
  });
}

OperatorFacts SinFacts() {
  return UnaryFacts(
      {.keeping = Keeping::kTells, .dimensions = FunctionDimensions, .curve = Curve::kSine});
}

Conditions SinConditions() { return {}; }

void ComputeSin(const Call& call, Computation& computation) {
  ComputeFloating(call, computation, [](const auto& x) { return Sin(x); });
}

}  // namespace cts
