// Arithmetics. An operator's text is its code, which follows the pseudocode of the specification.
// It is a template with an arithmetic as a parameter. The text calls `a.Add(acc_t, x, y)` where the
// specification says apply_add_s<acc_t>; the arithmetic defines the operation.
//
//   Integer  int64 values with the ranges of the specification's types
//   Fp64     the reference: every operation in fp64, rounded to nearest even
//   Native   rounds to the type after every step: the embedded implementation
//   Exact    MPFR (arithmetic_exact.h): measures the errors of Fp64
//   Trace    Integer or Fp64, which also records the elements that were read
//
// The bound run computes the bound of a dot product. It uses Fp64 on the absolute values of the
// operands, with `magnitudes` set and, if the edition requires it, `extra_multiplies` set.
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

// An operand of a computation. Its elements are converted to the type of the computation when they
// are read.
struct Operand {
  int id = 0;  // the operand's number in the call, for Trace
  const Tensor* tensor = nullptr;
  bool flush = false;                  // reads subnormals as zeros
  bool magnitude = false;              // the bound run: reads magnitudes
  double at_least = 0;                 // with magnitude: smaller magnitudes are raised to this
  std::optional<double> uniform = {};  // the value of all elements, if set

  // The element of a floating-point tensor in fp64, changed as the members above say.
  double Element(int64_t i) const {
    if (uniform.has_value()) return *uniform;
    double x = tensor->Element(i);
    if (flush && IsSubnormal(tensor->dtype(), x)) x = std::copysign(0.0, x);
    if (!magnitude) return x;
    x = std::fabs(x);
    return x < at_least ? at_least : x;  // a NaN stays
  }
  // The element of a tensor of any other type.
  int64_t Integer(int64_t i) const { return tensor->Integer(i); }
};

// The state of every arithmetic: the first REQUIRE that did not hold, and the flags of the bound
// run.
struct ArithmeticState {
  bool extra_multiplies = false;  // tosa_extra_multiplies: multiplies in the padding, too
  bool magnitudes = false;        // the bound run
  std::string_view broken;        // the id of the first condition that did not hold

  void Require(bool holds, std::string_view condition) {
    if (!holds && broken.empty()) broken = condition;
  }

  // A constant factor in the operator's text. The bound run uses the factor's magnitude, and with
  // extra_multiplies raises the magnitude to at least normal_min.
  double Coefficient(DType type, double value) const {
    if (!magnitudes) return value;
    return std::max(std::fabs(value), extra_multiplies ? Format(type).normal_min() : 0);
  }
};

inline constexpr std::string_view kIntegerOverflow = "integer.overflow";

// Like __builtin_mul_overflow, for the quotient rounded toward zero. `divisor` must not be zero.
// Only the least integer divided by -1 overflows; the processor would trap on that division.
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

  // apply_mul_s has no REQUIRE, but by the introduction of the specification every integer overflow
  // is unpredictable. After an overflow a result that does not fit in int64 is 0; any other result
  // is kept as it is.
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
  // Exact, since integers that are converted to floating point have at most 32 bits.
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

  // fp64 holds the exact product of two values of any narrower type. fp64 has more than 2 * 24 + 2
  // bits, which is enough: rounding a sum or quotient twice then equals rounding it once.
  Value Add(DType type, Value x, Value y) { return RoundTo(type, x + y); }
  Value Sub(DType type, Value x, Value y) { return RoundTo(type, x - y); }
  Value Mul(DType type, Value x, Value y) { return RoundTo(type, x * y); }
  Value Div(DType type, Value x, Value y) { return RoundTo(type, x / y); }
  // The result is rounded twice, to fp64 and to the type. The error is far below what the
  // specification allows for such a function.
  template <class F, class... Values>
  Value Apply(DType type, F f, Values... x) {
    return RoundTo(type, f(x...));
  }
  Value Cast(DType type, Value x) { return RoundTo(type, x); }
  bool IsNan(Value x) { return std::isnan(x); }
  bool Less(Value x, Value y) { return x < y; }
  double ToDouble(Value x) { return x; }

  // 0 + x[0] * y[0] + x[1] * y[1] + ..., in this order. The factors are numbers of the type. For
  // fp32 the processor's float gives the same results as Add and Mul.
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
  int operand;  // Operand::id
  int64_t offset;
  // The factors of a multiplication. Only the last element that was read before the multiplication
  // has them.
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
