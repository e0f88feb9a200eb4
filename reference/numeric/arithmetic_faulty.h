// The arithmetics of deliberately wrong implementations. They are Native and Integer, but an
// ArithmeticFault may replace any operation.
#pragma once

#include <cmath>
#include <cstdint>

#include "reference/numeric/arithmetic.h"

namespace cts {

// The operations of a wrong implementation on numbers. The base class computes like the embedded
// implementation `builtin:native`; a derived class overrides the operations that are wrong. One
// object computes the elements of one output, one after the other, so the object may store state of
// the current element.
class ArithmeticFault {
 public:
  virtual ~ArithmeticFault() = default;

  // Begin is called before element `offset` of an output of type `type` is computed. End
  // (floating-point types) or EndInteger (other types) is called with the computed value, and
  // returns the value to store.
  virtual void Begin(DType type, int64_t offset) { (void)type, (void)offset; }
  virtual double End(DType type, double value) { return (void)type, value; }
  virtual int64_t EndInteger(DType type, int64_t value) { return (void)type, value; }

  // Floating-point operations. `type` is the type in which the operator's text (arithmetic.h)
  // computes the result.
  virtual double Load(const Operand& operand, int64_t i) { return operand.Element(i); }
  virtual double Add(DType type, double x, double y) { return Round(type, x + y); }
  virtual double Sub(DType type, double x, double y) { return Round(type, x - y); }
  virtual double Mul(DType type, double x, double y) { return Round(type, x * y); }
  virtual double Div(DType type, double x, double y) { return Round(type, x / y); }
  virtual double Cast(DType type, double x) { return Round(type, x); }
  // Returns the result of a function such as EXP. `x` is the first argument. `exact` is the
  // function's value, correctly rounded to fp64.
  virtual double Apply(DType type, double exact, double x) { return (void)x, Round(type, exact); }
  virtual bool IsNan(double x) { return std::isnan(x); }
  virtual bool Less(double x, double y) { return x < y; }
  // The base class calls Round for every result of Add, Sub, Mul, Div, Cast and Apply.
  virtual double Round(DType type, double x) { return RoundTo(type, x); }

  // Whether Load and Cast depend only on their arguments. If true, an operator's text may read an
  // element once and use it in many sums.
  virtual bool ReadsAlike() const { return false; }
  // Whether Add, Mul and Round give the same results as those of `builtin:native`.
  virtual bool ComputesPlainly() const { return false; }
  // Returns 0 + x[0] * y[0] + x[1] * y[1] + ..., added in this order by Add and Mul. The factors
  // are numbers of `type`.
  virtual double SumProducts(DType type, const double* x, const double* y, int64_t count) {
    if (ComputesPlainly()) return Native::SumProducts(type, x, y, count);
    double sum = 0;
    for (int64_t k = 0; k < count; ++k) sum = Add(type, sum, Mul(type, x[k], y[k]));
    return sum;
  }
  // Returns 0 + (x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3]) + .... `count` must be
  // even.
  virtual double SumPairs(DType type, const double* x, const double* y, int64_t count) {
    double sum = 0;
    for (int64_t k = 0; k < count; k += 2) {
      const double first = Mul(type, x[k], y[k]);
      sum = Add(type, sum, Add(type, first, Mul(type, x[k + 1], y[k + 1])));
    }
    return sum;
  }

  // Operations on integers and booleans.
  virtual int64_t LoadInteger(const Operand& operand, int64_t i) { return operand.Integer(i); }
  virtual int64_t AddInteger(DType type, int64_t x, int64_t y) {
    return Fit(type, Wrap(x, y, '+'));
  }
  virtual int64_t SubInteger(DType type, int64_t x, int64_t y) {
    return Fit(type, Wrap(x, y, '-'));
  }
  virtual int64_t MulInteger(DType type, int64_t x, int64_t y) {
    return Fit(type, Wrap(x, y, '*'));
  }
  virtual bool LessInteger(int64_t x, int64_t y) { return x < y; }
  // The base class calls Fit for every sum, difference and product. `type` is the type in which the
  // operator's text computes.
  virtual int64_t Fit(DType type, int64_t x) { return (void)type, x; }

 private:
  // Computes x + y, x - y or x * y modulo 2^64, since an overflow of int64_t would be undefined
  // behaviour.
  static int64_t Wrap(int64_t x, int64_t y, char operation) {
    const auto a = static_cast<uint64_t>(x), b = static_cast<uint64_t>(y);
    return static_cast<int64_t>(operation == '+' ? a + b : operation == '-' ? a - b : a * b);
  }
};

// Whether `i` is the offset of an element of the operand. The arithmetics below read zero at any
// other offset, so that a wrong implementation cannot read memory outside the operand.
inline bool IsElement(const Operand& operand, int64_t i) {
  return 0 <= i && i < operand.tensor->size();
}

struct FaultyInteger : Integer {
  ArithmeticFault* fault = nullptr;

  Value Load(const Operand& t, int64_t i) { return LoadInteger(t, i); }
  int64_t LoadInteger(const Operand& t, int64_t i) {
    return IsElement(t, i) ? fault->LoadInteger(t, i) : 0;
  }
  Value Add(DType type, Value x, Value y) { return fault->AddInteger(type, x, y); }
  Value Sub(DType type, Value x, Value y) { return fault->SubInteger(type, x, y); }
  Value Mul(DType type, Value x, Value y) { return fault->MulInteger(type, x, y); }
  bool Less(Value x, Value y) { return fault->LessInteger(x, y); }
};

struct FaultyFloat : Native {
  ArithmeticFault* fault = nullptr;

  Value Load(const Operand& t, int64_t i) { return IsElement(t, i) ? fault->Load(t, i) : 0; }
  int64_t LoadInteger(const Operand& t, int64_t i) {
    return IsElement(t, i) ? fault->LoadInteger(t, i) : 0;
  }
  Value Add(DType type, Value x, Value y) { return fault->Add(type, x, y); }
  Value Sub(DType type, Value x, Value y) { return fault->Sub(type, x, y); }
  Value Mul(DType type, Value x, Value y) { return fault->Mul(type, x, y); }
  Value Div(DType type, Value x, Value y) { return fault->Div(type, x, y); }
  template <class F>
  Value Apply(DType type, F f, Value x) {
    return fault->Apply(type, f(x), x);
  }
  template <class F>
  Value Apply(DType type, F f, Value x, Value y) {
    return fault->Apply(type, f(x, y), x);
  }
  Value Cast(DType type, Value x) { return fault->Cast(type, x); }
  bool IsNan(Value x) { return fault->IsNan(x); }
  bool Less(Value x, Value y) { return fault->Less(x, y); }
};

}  // namespace cts
