// Faults of POW.
#include <cmath>
#include <limits>

#include "reference/faults/functions.h"
#include "reference/numeric/elementary.h"

namespace cts::pow_faults {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Off by several times the error that exp(y * log(x)) in the type may have, where `where(x, y)`.
Fault Off(const std::string& what, std::string sentence, bool (*where)(double x, double y)) {
  return Hardware("POW", what, std::move(sentence), kPrecisionClause, FloatRows(),
                  ByFunctionPair([where](DType type, double x, double y) {
                    const double power = Pow(x, y);
                    if (x == 0 || y == 0 || !std::isfinite(power) || !where(x, y)) return power;
                    const double units = 16 * (1 + std::fabs(y * Log(x)) + std::fabs(y) / 8);
                    return power * (1 + std::ldexp(units, -Format(type).fraction_bits));
                  }));
}

Fault Plain(const std::string& what, std::string sentence, double (*f)(DType, double, double)) {
  return Hardware("POW", what, std::move(sentence), "POW, its text", FloatRows(),
                  ByFunctionPair(f));
}

}  // namespace

// exp2(y * log2(x)) in the type itself is what the bound allows.
Faults PowFaults() {
  return Together(
      {BroadcastFaults("POW"),
       {
           Off("approximates", "is off by several times what its text may be",
               [](double, double) { return true; }),
           Off("fails_for_negative_exponents", "is off below an exponent of zero",
               [](double, double y) { return y < 0; }),
           Off("fails_below_one", "is off for bases below one",
               [](double x, double) { return x < 1; }),
           Off("fails_for_large_bases", "is off for bases above 2",
               [](double x, double) { return x > 2; }),
           Plain("whole_exponents", "truncates the exponent",
                 [](DType, double x, double y) { return Pow(x, std::trunc(y)); }),
           Plain("loses_sign_of_exponent", "takes the magnitude of the exponent",
                 [](DType, double x, double y) { return Pow(x, std::fabs(y)); }),
           Plain("of_zero_is_one", "is 1 for a base of zero",
                 [](DType, double x, double y) { return x == 0 ? 1 : Pow(x, y); }),
           Plain("of_zero_is_nan", "is a NaN for a base of zero",
                 [](DType, double x, double y) { return x == 0 ? std::nan("") : Pow(x, y); }),
           Plain("exponent_zero", "is the base to the exponent 0",
                 [](DType, double x, double y) { return y == 0 ? x : Pow(x, y); }),
           // If a power of bf16 is beyond the type, its bound is some 40 times the power, so that
           // anything passes.
           Hardware("POW", "saturates", "stores the greatest finite number for what is beyond",
                    "POW, its text", Rows("in_out_t", {DType::kFp16, DType::kFp32}),
                    ByFunctionPair([](DType type, double x, double y) {
                      return Saturated(type, RoundTo(type, Pow(x, y)));
                    })),
           Plain("overflows_early", "is infinite from the square root of the greatest number on",
                 [](DType type, double x, double y) {
                   const double power = Pow(x, y);
                   return power >= std::sqrt(Format(type).max) ? kInfinity : power;
                 }),
           Plain("multiplies", "multiplies base and exponent",
                 [](DType, double x, double y) { return x * y; }),
           Hardware("POW", "log_in_bf16", "rounds the logarithm and its product to bf16",
                    kPrecisionClause, Rows("in_out_t", {DType::kFp32}),
                    ByFunctionPair([](DType, double x, double y) {
                      if (x == 0) return Pow(x, y);
                      const double log = RoundTo(DType::kBf16, Log(x));
                      return Exp(RoundTo(DType::kBf16, log * y));
                    })),
       }});
}

}  // namespace cts::pow_faults
