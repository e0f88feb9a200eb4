// Faults that many operators share: in rounding, in reading and storing numbers, in approximating
// functions, in broadcasting.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reference/faults/fault.h"

namespace cts {

// A fault by a shortcut of a machine or a compiler. `what` is its id without the operator.
Fault Hardware(const std::string& op, const std::string& what, std::string sentence,
               std::string clause, std::function<bool(const TypeRow&)> touches, Wrong wrong);
// A fault of a real implementation.
Fault Reported(const std::string& op, const std::string& what, std::string sentence,
               std::string clause, std::function<bool(const TypeRow&)> touches, Wrong wrong,
               std::string report);

// A mark in a clause. The catalogue replaces it by the clauses of the edition's precision rows for
// the rows that the fault touches.
inline const std::string kPrecisionClause = "<precision>";

// One list after another.
Faults Together(std::vector<Faults> lists);

// --- Numbers.

// `x` rounded to the type, but not to nearest even.
double TowardZero(DType type, double x);
double WithoutSticky(DType type, double x);   // decides ties by only two further bits
double WithOneBitMore(DType type, double x);  // to one bit more first, then to the type
double ThroughBf16(DType type, double x);     // to bf16 first
double Fp32Truncated(DType type, double x);   // to fp32 first, then toward zero
double Saturated(DType type, double x);       // infinities are the greatest finite numbers
double WithoutNegativeSubnormals(DType type, double x);
double ZeroForNan(DType type, double x);  // NaN is zero
double WithoutNegativeZero(DType type, double x);
bool NeverNan(double x);  // for ArithmeticFault::IsNan: NaN is a number like others

// Comparisons of numbers other than by their value.
bool LessUnsigned(int64_t x, int64_t y);
bool LessAsFp32(int64_t x, int64_t y);  // after conversion to fp32
// Compares the bits of fp32 as signed integers: numbers below zero stand in reverse order, NaN
// beyond the infinities. fp16 and bf16 give the same, as their order of bits is that of fp32.
bool LessByBits(double x, double y);
bool LessByMagnitude(double x, double y);

// --- Arithmetic.

// The operations in which an implementation departs from Native and Integer.
struct Alterations {
  double (*load)(DType, double) = nullptr;   // each operand's element, of its type
  double (*round)(DType, double) = nullptr;  // each result, of fp64, in the place of rounding
  double (*store)(DType, double) = nullptr;  // each element of the output
  double (*mul)(double x, double y) = nullptr;
  double (*add)(double x, double y) = nullptr;
  bool (*is_nan)(double) = nullptr;
  bool (*less)(double, double) = nullptr;
  bool (*less_integer)(int64_t, int64_t) = nullptr;
  int64_t (*load_integer)(DType, int64_t) = nullptr;
  int64_t (*fit)(DType, int64_t) = nullptr;  // each sum, difference and product
  int64_t (*store_integer)(DType, int64_t) = nullptr;
};
// The operator's text with these alterations.
Wrong Altered(const Alterations& alterations);

// Computes the output's elements, one by one, from integers of one type: `f(x)`, `f(x, y)`.
// Operands are broadcast correctly.
Wrong ByInteger(std::function<int64_t(DType type, int64_t x)> f);
Wrong ByIntegerPair(std::function<int64_t(DType type, int64_t x, int64_t y)> f);
// The same from floating-point numbers, rounded to the output's type.
Wrong ByFunction(std::function<double(DType type, double x)> f);
Wrong ByFunctionPair(std::function<double(DType type, double x, double y)> f);

// --- Families.

// NaN is lost, infinities are saturated, the sign of zero is lost. For operators whose results show
// it.
Fault LosesNan(const std::string& op);
Fault SaturatesInfinity(const std::string& op);
Fault LosesSignOfZero(const std::string& op);
// Some subnormals are flushed, although only all or none may be. For operators that are exact, or
// that yield subnormals. `turns_signs`: results below zero come of operands above it. If both were
// flushed, all would be.
Fault FlushesSome(const std::string& op, bool turns_signs = false);
// Likewise, but only results are flushed: operands are unchanged.
Fault FlushesSomeResults(const std::string& op);

// Sums and products that are not rounded to nearest. Ties may be rounded either way: both
// neighbours lie within 0.5 ulp.
Faults RoundingFaults(const std::string& op);

// A function of one number that is wrong where `where(x)`. `exact` is correct to fp64; the wrong
// result is off by `units(type, x)` * 2^-fraction bits of it (with `absolute`, by that much of 1),
// which is more than the rule allows.
struct Approximation {
  const char* what;      // "fails_below_zero"
  const char* sentence;  // "is off by ... below zero"
  bool (*where)(double x);
  double (*units)(DType type, double x);
  bool absolute = false;
};
Faults Approximations(const std::string& op, double (*exact)(double), const std::string& clause,
                      const std::vector<Approximation>& approximations);

// Operands that are broadcast wrongly.
Faults BroadcastFaults(const std::string& op);

}  // namespace cts
