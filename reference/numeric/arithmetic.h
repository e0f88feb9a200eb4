// Arithmetics. An operator's text is generic over them. The text calls `a.Add(acc_t, x, y)` where
// the specification says apply_add_s<acc_t>; the arithmetic decides what that means.
//
//   Integer  int64 values with the ranges of the specification's types
//   Fp64     the norm: every operation in fp64, rounded to nearest even
//   Native   rounds to the type after every step: the embedded implementation
//   Exact    MPFR (arithmetic_exact.h): audits Fp64
// Trace    one of the first two, which also records the elements that were read
//
// The bound run of a dot product is Fp64 over operands that were made absolute, with `magnitudes`
// and, where the edition wants them, `extra_multiplies` set.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/dtype.h"
#include "reference/base/float_format.h"
#include "reference/base/tensor.h"
#include "reference/numeric/elementary.h"

namespace cts {

// A tensor's elements in the domain of the computation. They are widened only when they are read.
struct Operand {
  int id = 0;  // which operand of the call, for Trace
  const Tensor* tensor = nullptr;
  bool flush = false;                  // subnormals of types that may flush are zeros
  bool magnitude = false;              // the bound run: as magnitudes,
  double at_least = 0;                 // of at least this,
  std::optional<double> uniform = {};  // or all this one

  // The element of a floating-point tensor, exact.
  double Element(int64_t i) const {
    if (uniform.has_value()) return *uniform;
    double x = tensor->Element(i);
    if (flush && IsSubnormal(tensor->dtype(), x)) x = std::copysign(0.0, x);
    if (!magnitude) return x;
    x = std::fabs(x);
    return x < at_least ? at_least : x;  // a NaN stays
  }
  // The element of any other tensor.
  int64_t Integer(int64_t i) const { return tensor->Integer(i); }
};

// The state that every arithmetic has: the first REQUIRE that did not hold, and the flags of the
// bound run.
struct ArithmeticState {
  bool extra_multiplies = false;  // tosa_extra_multiplies: multiply in the padding, too
  bool magnitudes = false;        // the bound run
  std::string_view broken;        // id of the condition; empty while all hold

  void Require(bool holds, std::string_view condition) {
    if (!holds && broken.empty()) broken = condition;
  }

  // A constant by which the operator's text multiplies. The bound run treats it as it treats the
  // operands: it takes its magnitude, with extra multiplies at least normal_min.
  double Coefficient(DType type, double value) const {
    if (!magnitudes) return value;
    return std::max(std::fabs(value), extra_multiplies ? Format(type).normal_min() : 0);
  }
};

inline constexpr std::string_view kIntegerOverflow = "integer.overflow";

// Like __builtin_mul_overflow, for the quotient toward zero; `divisor` is not zero. Only the least
// integer divided by -1 overflows, which the processor answers with a trap.
inline bool DivideOverflows(int64_t x, int64_t divisor, int64_t* quotient) {
  if (divisor == -1) return __builtin_sub_overflow(int64_t{0}, x, quotient);
  *quotient = x / divisor;
  return false;
}

struct Integer : ArithmeticState {
  using Value = int64_t;
  static constexpr bool kFloating = false;

  Value Load(const Operand& t, int64_t i) { return t.Integer(i); }
  int64_t LoadInteger(const Operand& t, int64_t i) { return t.Integer(i); }
  Value FromInteger(int64_t x) { return x; }

  // apply_mul_s has no REQUIRE, but the introduction makes every integer overflow unpredictable. A
  // result that does not fit into int64 is 0; a result of a narrower type is not changed.
  Value Add(DType type, Value x, Value y) {
    int64_t sum = 0;
    const bool overflows = __builtin_add_overflow(x, y, &sum);
    return Checked(type, overflows, sum);
  }
  Value Sub(DType type, Value x, Value y) {
    int64_t difference = 0;
    const bool overflows = __builtin_sub_overflow(x, y, &difference);
    return Checked(type, overflows, difference);
  }
  Value Mul(DType type, Value x, Value y) {
    int64_t product = 0;
    const bool overflows = __builtin_mul_overflow(x, y, &product);
    return Checked(type, overflows, product);
  }
  Value Cast(DType, Value x) { return x; }
  bool IsNan(Value) { return false; }
  bool Less(Value x, Value y) { return x < y; }
  double ToDouble(Value x) { return static_cast<double>(x); }

 private:
  Value Checked(DType type, bool overflows, Value x) {
    Require(!overflows && x >= IntegerMin(type) && x <= IntegerMax(type), kIntegerOverflow);
    return overflows ? 0 : x;
  }
};

struct Fp64 : ArithmeticState {
  using Value = double;
  static constexpr bool kFloating = true;

  Value Load(const Operand& t, int64_t i) { return t.Element(i); }
  int64_t LoadInteger(const Operand& t, int64_t i) { return t.Integer(i); }
  // Exact: no integer that meets floating point is wider than 32 bits.
  Value FromInteger(int64_t x) { return static_cast<double>(x); }
  Value FromDouble(double x) { return x; }

  Value Add(DType, Value x, Value y) { return x + y; }
  Value Sub(DType, Value x, Value y) { return x - y; }
  Value Mul(DType, Value x, Value y) { return x * y; }
  Value Div(DType, Value x, Value y) { return x / y; }
  // A function of numeric/elementary.h, correctly rounded to fp64.
  template <class F, class... Values>
  Value Apply(DType, F f, Values... x) {
    return f(x...);
  }
  Value Cast(DType, Value x) { return x; }
  bool IsNan(Value x) { return std::isnan(x); }
  bool Less(Value x, Value y) { return x < y; }
  double ToDouble(Value x) { return x; }
};

struct Native : ArithmeticState {
  using Value = double;
  static constexpr bool kFloating = true;

  Value Load(const Operand& t, int64_t i) { return t.Element(i); }
  int64_t LoadInteger(const Operand& t, int64_t i) { return t.Integer(i); }
  Value FromInteger(int64_t x) { return static_cast<double>(x); }
  Value FromDouble(double x) { return x; }

  // fp64 holds the exact product of two values of any narrower type, and is wide enough
  // (2 * 24 + 2 bits) that rounding a sum or quotient twice equals rounding once.
  Value Add(DType type, Value x, Value y) { return RoundTo(type, x + y); }
  Value Sub(DType type, Value x, Value y) { return RoundTo(type, x - y); }
  Value Mul(DType type, Value x, Value y) { return RoundTo(type, x * y); }
  Value Div(DType type, Value x, Value y) { return RoundTo(type, x / y); }
  // The result is rounded twice, to fp64 and to the type. That is well within the error that any
  // such function may have.
  template <class F, class... Values>
  Value Apply(DType type, F f, Values... x) {
    return RoundTo(type, f(x...));
  }
  Value Cast(DType type, Value x) { return RoundTo(type, x); }
  bool IsNan(Value x) { return std::isnan(x); }
  bool Less(Value x, Value y) { return x < y; }
  double ToDouble(Value x) { return x; }

  // 0 + x[0] * y[0] + x[1] * y[1] + ..., in this order. The factors are numbers of the type. For
  // fp32 the processor's float is the arithmetic above.
  static double SumProducts(DType type, const double* x, const double* y, int64_t count) {
    if (type == DType::kFp32) {
      float sum = 0;
      for (int64_t k = 0; k < count; ++k) {
        const float product = static_cast<float>(x[k]) * static_cast<float>(y[k]);
        sum += product;
      }
      return static_cast<double>(sum);
    }
    double sum = 0;
    for (int64_t k = 0; k < count; ++k) sum = RoundTo(type, sum + RoundTo(type, x[k] * y[k]));
    return sum;
  }
};

// An element that was read.
struct TracedLoad {
  int operand;  // its id
  int64_t offset;
  // On the last element that was read before a multiplication: the factors.
  std::optional<std::pair<double, double>> factors = {};
};
using Loads = std::vector<TracedLoad>;

template <class Base>
struct Trace : Base {
  Loads* loads = nullptr;

  typename Base::Value Load(const Operand& t, int64_t i) {
    loads->push_back({t.id, i});
    return Base::Load(t, i);
  }
  int64_t LoadInteger(const Operand& t, int64_t i) {
    loads->push_back({t.id, i});
    return Base::LoadInteger(t, i);
  }
  typename Base::Value Mul(DType type, typename Base::Value x, typename Base::Value y) {
    if (!loads->empty() && !loads->back().factors) {
      loads->back().factors.emplace(static_cast<double>(x), static_cast<double>(y));
    }
    return Base::Mul(type, x, y);
  }
};

}  // namespace cts
