// Faults that many operators share: in rounding, in reading and storing numbers, in approximating
// functions, in broadcasting.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reference/faults/fault.h"

namespace cts {

// A fault that a shortcut of a machine or a compiler causes. `what` is the fault's id without the
// operator's name.
Fault Hardware(const std::string& op, const std::string& what, std::string sentence,
               std::string clause, std::function<bool(const TypeRow&)> touches, Wrong wrong);
// A fault that was found in a real implementation; `report` becomes Fault::report.
Fault Reported(const std::string& op, const std::string& what, std::string sentence,
               std::string clause, std::function<bool(const TypeRow&)> touches, Wrong wrong,
               std::string report);

// A placeholder in a clause. The catalogue looks up the precision rows of the type rows that the
// fault touches, and puts their clauses in the placeholder's place.
inline const std::string kPrecisionClause = "<precision>";

// Joins the lists in their order.
Faults Together(std::vector<Faults> lists);

// --- Numbers.

// Mistakes with numbers of the type. The first five functions round `x` to the type, but not to
// nearest even. The others treat infinities, subnormal numbers, NaN or zeros wrongly.
double TowardZero(DType type, double x);
double WithoutSticky(DType type, double x);   // keeps only two more bits, then rounds to the type
double WithOneBitMore(DType type, double x);  // rounds to one bit more first, then to the type
double ThroughBf16(DType type, double x);     // rounds to bf16 first
double Fp32Truncated(DType type, double x);   // rounds to fp32 first, then toward zero
double Saturated(DType type, double x);       // infinities become the greatest finite numbers
double WithoutNegativeSubnormals(DType type, double x);
double ZeroForNan(DType type, double x);  // NaN becomes zero
double InfinityForNan(DType type, double x);
double WithoutNegativeZero(DType type, double x);
bool NeverNan(double x);  // for ArithmeticFault::IsNan: treats NaN as a number

// Wrong comparisons, which do not compare the values of two numbers.
bool LessUnsigned(int64_t x, int64_t y);
bool LessAsFp32(int64_t x, int64_t y);  // after conversion to fp32
// Compares the bits of the numbers in fp32 as signed integers. So negative numbers compare in
// reverse order, and a NaN without a sign bit is greater than infinity. For fp16 and bf16, a
// comparison of the numbers' own bits would give the same results, since the conversion to fp32
// keeps the order.
bool LessByBits(double x, double y);
bool LessByMagnitude(double x, double y);
bool NotGreaterOrEqual(double x, double y);  // true if either is a NaN

// --- Arithmetic.

// The operations in which an implementation differs from the arithmetics Native and Integer. A null
// member means no difference.
struct Alterations {
  double (*load)(DType, double) = nullptr;   // changes an element of an operand
  double (*round)(DType, double) = nullptr;  // rounds an fp64 result to the type
  double (*store)(DType, double) = nullptr;  // changes an element of the output
  double (*mul)(double x, double y) = nullptr;
  double (*add)(double x, double y) = nullptr;
  bool (*is_nan)(double) = nullptr;
  bool (*less)(double, double) = nullptr;
  bool (*less_integer)(int64_t, int64_t) = nullptr;
  int64_t (*load_integer)(DType, int64_t) = nullptr;
  int64_t (*fit)(DType, int64_t) = nullptr;  // changes a sum, difference or product
  int64_t (*store_integer)(DType, int64_t) = nullptr;
};
// Runs the operator's code (its text) with these alterations.
Wrong Altered(const Alterations& alterations);

// Computes each element of an integer output as `f(type, x)` or `f(type, x, y)`. `type` is the
// output's type; `x` and `y` are elements of the first and the second operand, which are broadcast
// correctly.
Wrong ByInteger(std::function<int64_t(DType type, int64_t x)> f);
Wrong ByIntegerPair(std::function<int64_t(DType type, int64_t x, int64_t y)> f);
// The same for floating-point numbers; results are rounded to the output's type.
Wrong ByFunction(std::function<double(DType type, double x)> f);
Wrong ByFunctionPair(std::function<double(DType type, double x, double y)> f);

// --- Families.

// Each of the next four functions returns a fault of `op` that stores a wrong value: zero or
// infinity for NaN, the greatest finite number for infinity, or +0 for -0. The results of `op` must
// include the value that the fault replaces.
Fault LosesNan(const std::string& op);
Fault NanIsInfinity(const std::string& op);  // in types with infinities and at most 16 bits
Fault SaturatesInfinity(const std::string& op);
Fault LosesSignOfZero(const std::string& op);
// The implementation flushes only negative subnormal numbers, although it must flush all subnormal
// numbers of a type or none. The results of `op` must be exact, or some of them must be subnormal.
// `turns_signs`: the operator changes signs, so only operands are flushed; if results were flushed,
// too, no subnormal would be left.
Fault FlushesSome(const std::string& op, bool turns_signs = false);
// Like FlushesSome, but only results are flushed; operands are unchanged.
Fault FlushesSomeResults(const std::string& op);

// Faults that do not round sums and products to nearest. No fault is about ties, which may be
// rounded either way: both neighbours are within 0.5 ulp.
Faults RoundingFaults(const std::string& op);

// A wrong implementation of a function of one number. Its result at x is wrong if `where(x)` is
// true, x is finite and not zero, and the right result is finite. The error is units(type, x) *
// 2^-(fraction bits), which is more than the rule allows. The error is relative to the right
// result, or absolute if `absolute` is set.
struct Approximation {
  const char* what;      // "fails_below_zero"
  const char* sentence;  // "is off by ... below zero"
  bool (*where)(double x);
  double (*units)(DType type, double x);
  bool absolute = false;
};
Faults Approximations(const std::string& op, double (*exact)(double), const std::string& clause,
                      const std::vector<Approximation>& approximations);

// Faults that broadcast operands wrongly.
Faults BroadcastFaults(const std::string& op);

}  // namespace cts
