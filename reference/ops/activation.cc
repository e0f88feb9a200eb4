// CLAMP, ERF, SIGMOID and TANH (section Activation Functions).
#include <cmath>
#include <optional>

#include "reference/numeric/elementary.h"
#include "reference/numeric/fast_functions.h"
#include "reference/numeric/mpfr_float.h"
#include "reference/ops/broadcast.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// 1 / (1 + e^-x), rounded once: one operation of fp64, as erf and tanh are. If e^-x is beyond
// MPFR's exponents the result is still 0 or 1. x has at most 24 bits. For such x, e^-x is expected
// to come no nearer to a tie of fp64 than about 2^-85; 160 bits are far more than that.
MpfrFloat Logistic(const MpfrFloat& x) {
  const MpfrFloat one = MpfrFloat::FromInteger(1, x.precision());
  return Div(one, Add(one, Exp(Sub(MpfrFloat(x.precision()), x))));
}

double Logistic(double x) {
  if (const std::optional<double> fast = FastLogistic(x)) return *fast;
  constexpr mpfr_prec_t kBits = 160;
  FreeMpfrCachesAtThreadExit();
  return Logistic(MpfrFloat::FromDouble(x, kBits)).ToDouble();
}

// A function of floating-point numbers, rounded once.
template <class F>
void ComputeFunction(const Call& call, Computation& computation, F f) {
  const Operand& input = computation.In("input");
  const DType type = call.Type("in_out_t");
  computation.ForEach("output", [&](auto& a, int64_t i) {
    const auto value = a.Load(input, i);
    if constexpr (std::decay_t<decltype(a)>::kFloating) {
      return a.Apply(type, f, value);
    } else {
      return value;  // no type row is an integer
    }
  });
}

// ERF, SIGMOID and TANH.
constexpr OperatorFacts kActivation = {.infer = InferAsInput,
                                       .keeping = Keeping::kTells,
                                       .dimensions = FunctionDimensions,
                                       .alone_with_symbols = true,
                                       .curve = Curve::kMonotonic};

}  // namespace

OperatorFacts ClampFacts() {
  return {.infer = InferAsInput,
          .keeping = Keeping::kMoves,
          .dimensions = ElementwiseDimensions,
          .alone_with_symbols = true};
}

Conditions ClampConditions() {
  return {
      // apply_clip_s has a REQUIRE for the same thing. It would outrank this error, which could
      // then never occur. So the error is taken to end the operator.
      {"clamp.bounds_order", ConditionKind::kErrorIf, "max_val is less than min_val",
       [](const Call& c) -> Breach {
         if (!(c.Number("max_val") < c.Number("min_val"))) return false;
         return Breach::Saying("max_val ", c.ValueText("max_val"), " is below min_val ",
                               c.ValueText("min_val"));
       }},
      {"clamp.nan_bounds", ConditionKind::kErrorIf, "min_val or max_val is a NaN",
       [](const Call& c) { return c.Number("min_val").IsNan() || c.Number("max_val").IsNan(); },
       With(Feature::kClampRefusesNan)},
  };
}

void ComputeClamp(const Call& call, Computation& computation) {
  const Operand& input = computation.In("input");
  const ExactNumber min_val = call.Number("min_val"), max_val = call.Number("max_val");
  const double min_float = min_val.Float(), max_float = max_val.Float();
  const int64_t min_integer = min_val.Integer(), max_integer = max_val.Integer();
  const bool ordered = min_val <= max_val;  // not with NaN bounds, which 0.100 has
  const bool ignore_nan = call.Enum("nan_mode") == "IGNORE";

  computation.ForEach("output", [&](auto& a, int64_t i) {
    auto value = a.Load(input, i);
    auto low = value, high = value;
    if constexpr (std::decay_t<decltype(a)>::kFloating) {
      low = a.FromDouble(min_float), high = a.FromDouble(max_float);
    } else {
      low = a.FromInteger(min_integer), high = a.FromInteger(max_integer);
    }
    a.Require(ordered, "apply_clip_s.bounds");
    if (a.IsNan(value)) return ignore_nan ? low : value;
    if (a.Less(value, low)) value = low;
    return a.Less(value, high) ? value : high;
  });
}

OperatorFacts ErfFacts() { return kActivation; }

Conditions ErfConditions() { return {}; }

void ComputeErf(const Call& call, Computation& computation) {
  ComputeFunction(call, computation, [](const auto& x) { return Erf(x); });
}

OperatorFacts SigmoidFacts() { return kActivation; }

Conditions SigmoidConditions() { return {}; }

void ComputeSigmoid(const Call& call, Computation& computation) {
  ComputeFunction(call, computation, [](const auto& x) { return Logistic(x); });
}

OperatorFacts TanhFacts() { return kActivation; }

Conditions TanhConditions() { return {}; }

void ComputeTanh(const Call& call, Computation& computation) {
  ComputeFunction(call, computation, [](const auto& x) { return Tanh(x); });
}

}  // namespace cts
