// Faults of CLAMP, ERF, SIGMOID, TANH.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/faults/functions.h"
#include "reference/numeric/elementary.h"

namespace cts::activation_faults {
namespace {

double Logistic(double x) { return 1 / (1 + Exp(-x)); }

bool Everywhere(double) { return true; }
bool BelowZero(double x) { return x < 0; }
bool NearZero(double x) { return std::fabs(x) < 0.25; }

// Changes both of CLAMP's bounds.
Wrong ByBounds(double (*change)(DType, double)) {
  return ByCall([change](CallEditor& editor) {
    const Call& call = editor.original();
    for (const char* bound : {"min_val", "max_val"}) {
      editor.SetNumber(bound, change(call.Type("in_out_t"), call.Number(bound).Float()));
    }
    return true;
  });
}

double InAnotherHalf(DType type, double x) {
  return type == DType::kFp16 ? RoundTo(DType::kBf16, x) : RoundTo(DType::kFp16, x);
}

std::optional<OperatorOutputs> ExchangedBounds(const Operator& op, const Call& call) {
  OperatorOutputs results = ComputeRight(op, call);
  Tensor& out = *results.at("output");
  for (int64_t i = 0; i < out.size(); ++i) {
    if (!IsFloat(out.dtype())) {
      out.SetInteger(i, call.Number("max_val").Integer());
    } else if (!std::isnan(out.Element(i))) {
      out.SetElement(i, call.Number("max_val").Float());
    }
  }
  return results;
}

}  // namespace

Faults ClampFaults() {
  const std::string bounds = "CLAMP, apply_clip_s: the greater of x and min_val, then the lesser";
  const std::string nan = "CLAMP, nan_mode";
  return {
      Reported("CLAMP", "exchanged_bounds",
               "takes the lesser of x and min_val, then the greater of that and max_val", bounds,
               nullptr, ExchangedBounds, "llvm/llvm-project#57095"),
      Reported(
          "CLAMP", "folds_infinite_bounds",
          "leaves its input as it is between infinite bounds, NaN with IGNORE as well", nan,
          FloatRows(),
          [](const Operator&, const Call& call) -> std::optional<OperatorOutputs> {
            if (!std::isinf(call.Number("min_val").Float()) ||
                !std::isinf(call.Number("max_val").Float())) {
              return std::nullopt;
            }
            return OperatorOutputs{{"output", std::make_shared<Tensor>(*call.values("input"))}};
          },
          "llvm/llvm-project#62341"),
      Hardware("CLAMP", "nan_becomes_max_val", "makes max_val of a NaN, as comparing alone does",
               nan, FloatRows(), Altered({.is_nan = NeverNan})),
      Hardware("CLAMP", "nan_becomes_min_val", "makes min_val of a NaN, as !(x >= y) alone does",
               nan, FloatRows(), Altered({.is_nan = NeverNan, .less = NotGreaterOrEqual})),
      SaturatesInfinity("CLAMP"),
      FlushesSome("CLAMP"),
      Hardware("CLAMP", "unsigned_bounds", "compares as unsigned numbers", bounds, IntegerRows(),
               Altered({.less_integer = LessUnsigned})),
      Hardware("CLAMP", "compares_bits", "compares bit patterns as integers", bounds, FloatRows(),
               Altered({.less = LessByBits})),
      Hardware("CLAMP", "compares_magnitudes", "compares magnitudes", bounds, FloatRows(),
               Altered({.less = LessByMagnitude})),
      Hardware("CLAMP", "narrow_bounds", "keeps the bounds in fp16, those of fp16 in bf16", bounds,
               FloatRows(), ByBounds(InAnotherHalf)),
      Hardware("CLAMP", "bounds_of_8_bits", "keeps the low 8 bits of the bounds", bounds,
               Rows("in_out_t", {DType::kI16}), ByCall([](CallEditor& editor) {
                 for (const char* bound : {"min_val", "max_val"}) {
                   const int64_t x = editor.original().Number(bound).Integer();
                   editor.Set(bound, {static_cast<int8_t>(x)});
                 }
                 return true;
               })),
      Hardware("CLAMP", "no_lower_bound", "takes min_val for -infinity", bounds, FloatRows(),
               ByCall([](CallEditor& editor) {
                 editor.SetNumber("min_val", -std::numeric_limits<double>::infinity());
                 return true;
               })),
      Hardware("CLAMP", "no_upper_bound", "takes max_val for infinity", bounds, FloatRows(),
               ByCall([](CallEditor& editor) {
                 editor.SetNumber("max_val", std::numeric_limits<double>::infinity());
                 return true;
               })),
      Hardware(
          "CLAMP", "as_relu", "stores nothing below zero", bounds, nullptr,
          Altered({.store = [](DType, double x) { return x < 0 ? 0 : x; },
                   .store_integer = [](DType, int64_t x) { return std::max<int64_t>(x, 0); }})),
  };
}

Faults ErfFaults() {
  const std::string& clause = kPrecisionClause;
  const auto units = [](DType, double) { return 12.0; };
  return Together(
      {Approximations("ERF", Erf, clause,
                      {{"approximates", "is off by 12 units in the last place", Everywhere, units},
                       {"fails_below_zero", "is off by 12 units in the last place below zero",
                        BelowZero, units},
                       {"fails_near_zero", "is off by 12 units in the last place near zero",
                        NearZero, units}}),
       {
           LosesNan("ERF"),
           NanIsInfinity("ERF"),
           Hardware("ERF", "saturates_early", "is 1 and -1 from 1.5 on", clause, FloatRows(),
                    ByFunction([](DType, double x) {
                      return std::fabs(x) >= 1.5 ? std::copysign(1, x) : Erf(x);
                    })),
           // Off by less than 2^-11: 5 ulp of fp16 and bf16 allow that.
           Hardware("ERF", "as_tanh", "computes tanh(1.1283792 * x + 0.1009 * x^3)", clause,
                    Rows("in_out_t", {DType::kFp32}), ByFunction([](DType, double x) {
                      return Tanh(x * (1.1283791671 + 0.1009 * x * x));
                    })),
           Hardware("ERF", "polynomial_without_end",
                    "computes its Maclaurin series up to x^7 for all arguments", clause,
                    FloatRows(), ByFunction([](DType, double x) {
                      const double y = x * x;
                      return x * 1.1283791671 * (1 - y / 3 + y * y / 10 - y * y * y / 42);
                    })),
           Hardware("ERF", "infinity_is_nan", "makes a NaN of an infinity", "ERF, of infinities",
                    FloatRows(), ByFunction([](DType, double x) {
                      return std::isinf(x) ? std::nan("") : Erf(x);
                    })),
       }});
}

Faults SigmoidFaults() {
  const std::string& clause = kPrecisionClause;
  const auto units = [](DType, double x) { return 5 * (1 + std::fabs(x)); };
  return Together(
      {Approximations(
           "SIGMOID", Logistic, clause,
           {{"approximates", "is off by 5 * (1 + |x|) units in the last place", Everywhere, units},
            {"fails_below_zero", "is off by 5 * (1 + |x|) units in the last place below zero",
             BelowZero, units},
            {"fails_near_zero", "is off by 5 * (1 + |x|) units in the last place near zero",
             NearZero, units}}),
       {
           LosesNan("SIGMOID"),
           NanIsInfinity("SIGMOID"),
           // e^-18 is less than the bound of fp16 allows, whose normal_min is 2^-14.
           Reported("SIGMOID", "zero_below_18", "is 0 below -18", clause,
                    Rows("in_out_t", {DType::kBf16, DType::kFp32}),
                    ByFunction([](DType, double x) { return x < -18 ? 0 : Logistic(x); }),
                    "tools/findings/onnxruntime/deviations.json"),
           // In bf16 the bound is more than such a result.
           Reported("SIGMOID", "flushes_normal_results",
                    "is 0 where the result is less than 1.4 times the least normal number", clause,
                    Rows("in_out_t", {DType::kFp16, DType::kFp32}),
                    ByFunction([](DType type, double x) {
                      const double y = Logistic(x);
                      return y < 1.4 * Format(type).normal_min() ? 0 : y;
                    }),
                    "tools/adapters/onednn/README.md"),
           Hardware("SIGMOID", "clamps_argument", "takes arguments beyond 6 for 6", clause,
                    FloatRows(), ByFunction([](DType, double x) {
                      return Logistic(std::isnan(x) ? x : std::clamp(x, -6.0, 6.0));
                    })),
           // Wrong in fp64 for large arguments only; in fp16 from 12 on.
           Hardware("SIGMOID", "exp_over_exp",
                    "divides e^x by 1 + e^x, a NaN where e^x is infinite", clause, FloatRows(),
                    ByFunction([](DType type, double x) {
                      const double e = RoundTo(type, Exp(x));
                      return e / (1 + e);
                    })),
           Hardware(
               "SIGMOID", "one_minus", "computes 1 - 1 / (1 + e^x), of which small results die",
               clause, FloatRows(),
               ByFunction([](DType type, double x) { return 1 - RoundTo(type, Logistic(-x)); })),
           Hardware("SIGMOID", "hard", "computes x / 4 + 1 / 2 from 0 to 1", clause, FloatRows(),
                    ByFunction([](DType, double x) {
                      return std::isnan(x) ? x : std::clamp(x / 4 + 0.5, 0.0, 1.0);
                    })),
           Hardware("SIGMOID", "infinity_is_nan", "makes a NaN of an infinity",
                    "SIGMOID, its table", FloatRows(), ByFunction([](DType, double x) {
                      return std::isinf(x) ? std::nan("") : Logistic(x);
                    })),
       }});
}

Faults TanhFaults() {
  const std::string& clause = kPrecisionClause;
  const auto units = [](DType, double x) { return 20 * (1 + std::fabs(x)); };
  return Together(
      {Approximations(
           "TANH", Tanh, clause,
           {{"approximates", "is off by 20 * (1 + |x|) units in the last place", Everywhere, units},
            {"fails_below_zero", "is off by 20 * (1 + |x|) units in the last place below zero",
             BelowZero, units},
            {"fails_near_zero", "is off by 20 * (1 + |x|) units in the last place near zero",
             NearZero, units}}),
       {
           LosesNan("TANH"),
           NanIsInfinity("TANH"),
           LosesSignOfZero("TANH"),
           // 1 - tanh(4) is less than the bound of fp16 and bf16 allows.
           Hardware("TANH", "saturates_early", "is 1 and -1 from 4 on", clause,
                    Rows("in_out_t", {DType::kFp32}), ByFunction([](DType, double x) {
                      return std::fabs(x) >= 4 ? std::copysign(1, x) : Tanh(x);
                    })),
           Hardware("TANH", "exp_over_exp",
                    "divides e^2x - 1 by e^2x + 1, a NaN where e^2x is infinite", clause,
                    FloatRows(), ByFunction([](DType type, double x) {
                      const double e = RoundTo(type, Exp(2 * x));
                      return RoundTo(type, e - 1) / RoundTo(type, e + 1);
                    })),
           Hardware("TANH", "hard", "is x between -1 and 1, and one of them beyond", clause,
                    FloatRows(), ByFunction([](DType, double x) {
                      return std::isnan(x) ? x : std::clamp(x, -1.0, 1.0);
                    })),
           Hardware("TANH", "loses_sign", "takes the magnitude of its argument", clause,
                    FloatRows(), ByFunction([](DType, double x) { return Tanh(std::fabs(x)); })),
           Hardware("TANH", "infinity_is_nan", "makes a NaN of an infinity", "TANH, its table",
                    FloatRows(), ByFunction([](DType, double x) {
                      return std::isinf(x) ? std::nan("") : Tanh(x);
                    })),
       }});
}

}  // namespace cts::activation_faults
