// The arithmetics in which operators compute. The text of an operator is its C++ code, which
// follows the pseudocode of the specification. The text is a template whose parameter is an
// arithmetic `a`. Where the specification has apply_add_s<acc_t>(x, y), the text calls
// `a.Add(acc_t, x, y)`. The arithmetic defines the operation. The arithmetics are:
//
//   Integer  int64 values with the ranges of the specification's types
//   Fp64     the reference: every operation in fp64, rounded to nearest even
//   Native   rounds to the type after every step, like the embedded implementation builtin:native
//   Exact    computes with MPFR (arithmetic_exact.h), to measure the errors of Fp64
//   Trace    computes like Integer or Fp64, and records the elements that the text reads
//
// The bound run is a second run of an operator's text, which computes the bound of the error of a
// dot product. The bound run uses Fp64 on the absolute values of the operands. In that run the
// member `magnitudes` is true, and if the edition requires multiplications in the padding,
// `extra_multiplies` is true.
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

// An operand of a computation. The function that reads an element converts it to the type of the
// computation.
struct Operand {
  int id = 0;  // the operand's number in the call, for Trace
  const Tensor* tensor = nullptr;
  bool flush = false;                  // whether subnormals are read as zeros
  bool magnitude = false;              // whether magnitudes are read (the bound run)
  double at_least = 0;                 // if `magnitude`: a smaller magnitude is read as this value
  std::optional<double> uniform = {};  // if set, the value that every read returns

  // Reads an element of a floating-point tensor as fp64, changed according to the members above.
  double Element(int64_t i) const {
    if (uniform.has_value()) return *uniform;
    double x = tensor->Element(i);
    if (flush && IsSubnormal(tensor->dtype(), x)) x = std::copysign(0.0, x);
    if (!magnitude) return x;
    x = std::fabs(x);
    return x < at_least ? at_least : x;  // a NaN is not changed
  }
  // Reads an element of a tensor of any other type.
  int64_t Integer(int64_t i) const { return tensor->Integer(i); }
};

// The state of every arithmetic: the first condition (REQUIRE in the specification) that did not
// hold, and the flags of the bound run.
struct ArithmeticState {
  bool extra_multiplies = false;  // tosa_extra_multiplies: also multiplies in the padding
  bool magnitudes = false;        // whether this is the bound run
  std::string_view broken;        // the id of the first condition that did not hold

  void Require(bool holds, std::string_view condition) {
    if (!holds && broken.empty()) broken = condition;
  }

  // Returns a constant factor of the operator's text. The bound run uses the factor's magnitude. If
  // extra_multiplies is true, the bound run raises a smaller magnitude to normal_min of the type.
  double Coefficient(DType type, double value) const {
    if (!magnitudes) return value;
    return std::max(std::fabs(value), extra_multiplies ? Format(type).normal_min() : 0);
  }
};

inline constexpr std::string_view kIntegerOverflow = "integer.overflow";

// Sets `quotient` to x / divisor, rounded toward zero, and returns whether the quotient overflows
// int64. `divisor` must not be zero. Only the least integer divided by -1 overflows; this division
// would be undefined behaviour.
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

  // apply_mul_s has no REQUIRE, but the introduction of the specification says that every integer
  // overflow is unpredictable. So Add, Sub and Mul record an overflow of `type` as the broken
  // condition kIntegerOverflow. They return 0 if the result does not fit in int64. A result that
  // fits in int64 but not in `type` is returned unchanged.
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
  // Exact, since operators convert only integers of at most 32 bits to floating point.
  Value FromInteger(int64_t x) { return static_cast<double>(x); }
  Value FromDouble(double x) { return x; }

  Value Add(DType, Value x, Value y) { return x + y; }
  Value Sub(DType, Value x, Value y) { return x - y; }
  Value Mul(DType, Value x, Value y) { return x * y; }
  Value Div(DType, Value x, Value y) { return x / y; }
  // Calls a function of numeric/elementary.h. The result is correctly rounded to fp64.
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

  // The product of two values of any narrower type is exact in fp64. A sum or a quotient is rounded
  // twice, which gives the same result as rounding it once, since fp64 has more than 2 * 24 + 2
  // bits.
  Value Add(DType type, Value x, Value y) { return RoundTo(type, x + y); }
  Value Sub(DType type, Value x, Value y) { return RoundTo(type, x - y); }
  Value Mul(DType type, Value x, Value y) { return RoundTo(type, x * y); }
  Value Div(DType type, Value x, Value y) { return RoundTo(type, x / y); }
  // The result is rounded twice, to fp64 and then to the type. The error is far below the error
  // that the specification allows for the functions.
  template <class F, class... Values>
  Value Apply(DType type, F f, Values... x) {
    return RoundTo(type, f(x...));
  }
  Value Cast(DType type, Value x) { return RoundTo(type, x); }
  bool IsNan(Value x) { return std::isnan(x); }
  bool Less(Value x, Value y) { return x < y; }
  double ToDouble(Value x) { return x; }

  // Returns 0 + x[0] * y[0] + x[1] * y[1] + ..., added in this order by Add and Mul. The factors
  // are numbers of `type`. For fp32, float arithmetic gives the same results as Add and Mul.
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

// An element that an operator's text read.
struct TracedLoad {
  int operand;  // Operand::id
  int64_t offset;
  // The factors of the first multiplication after this read, if no other element was read in
  // between. Otherwise nullopt.
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
