// The arithmetic that measures the errors of Fp64. Every operation has many more bits than fp64, so
// the result can be used in place of the exact real number.
#pragma once

#include "reference/numeric/arithmetic.h"
#include "reference/numeric/mpfr_float.h"

namespace cts {

struct Exact : ArithmeticState {
  using Value = MpfrFloat;
  static constexpr bool kFloating = true;
  // A product of two fp32 values is a multiple of 2^-298 and is below 2^256, so a sum of 2^64
  // products is exact. Quotients are rounded to kPrecision bits, and functions to 200 bits.
  // Exponents have the range of MPFR.
  static constexpr mpfr_prec_t kPrecision = 640;

  Value Load(const Operand& t, int64_t i) { return FromDouble(t.Element(i)); }
  int64_t LoadInteger(const Operand& t, int64_t i) { return t.Integer(i); }
  Value FromInteger(int64_t x) { return MpfrFloat::FromInteger(x, kPrecision); }
  Value FromDouble(double x) { return MpfrFloat::FromDouble(x, kPrecision); }

  Value Add(DType, const Value& x, const Value& y) { return cts::Add(x, y); }
  Value Sub(DType, const Value& x, const Value& y) { return cts::Sub(x, y); }
  Value Mul(DType, const Value& x, const Value& y) { return cts::Mul(x, y); }
  Value Div(DType, const Value& x, const Value& y) { return cts::Div(x, y); }
  template <class F, class... Values>
  Value Apply(DType, F f, const Values&... x) {
    return f(x...);
  }
  Value Cast(DType, const Value& x) { return x; }
  bool IsNan(const Value& x) { return mpfr_nan_p(x.raw()) != 0; }
  bool Less(const Value& x, const Value& y) { return x < y; }
  double ToDouble(const Value& x) { return x.ToDouble(); }
};

}  // namespace cts
