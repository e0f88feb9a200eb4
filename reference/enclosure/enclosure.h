// Enclosures: for each element of a tensor, an interval of the values that a compliant
// implementation may hold after several operators.
//
// Between operators, an implementation may keep a value in a wider type if this value rounds (to
// nearest) to a value that the operator may give. The source is the specification's introduction,
// section Operator sequence precision requirement. So an operator's result is a range of values of
// the tensor's type. The enclosure of the result contains every real number that rounds to a value
// in this range. The ends of an enclosure are always rounded outward.
//
// An exact value is the same number in every type, and both ends of its enclosure are this number.
// Inputs and constants are exact, except that the enclosure of a subnormal number also contains
// zero if the number may be flushed. An infinity that comes from an infinite operand or a pole is
// exact, too, since nothing was rounded. The enclosure of an infinity that comes from an overflow
// has one finite end: the least number that rounds to infinity. A wider type may hold this number
// or any greater number.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "reference/base/dtype.h"
#include "reference/base/tensor.h"
#include "reference/precision/precision.h"
#include "reference/spec/precision_table.h"

namespace cts {

// The ends of one element's interval. The interval from -infinity to infinity means any value,
// including NaN.
struct Ends {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();

  bool IsEverything() const { return lo < 0 && hi > 0 && lo + hi != lo + hi; }
};

// Whether both ends are the same infinity. Such an infinity is exact: it does not come from an
// overflow.
inline bool IsExactInfinity(const Ends& reals) {
  return reals.lo == reals.hi && reals.lo - reals.lo != 0;
}

// The neighbours of `x` in fp64. If the result of an fp64 operation was rounded to `x`, the exact
// result lies between these neighbours.
double Below(double x);
double Above(double x);

// LeastNotBelow returns the least value of the type that is not below x, and GreatestNotAbove the
// greatest value that is not above x. Beyond the finite numbers of the type the result is an
// infinity, even in a type without infinities.
double LeastNotBelow(DType type, double x);
double GreatestNotAbove(DType type, double x);

// The error that an operator's rule tolerates. If y is the magnitude of the exact result, the
// tolerated error is absolute + max(relative * y, least, ulps * unit in the last place of y).
struct Tolerance {
  DType type = DType::kFp32;
  double absolute = 0, relative = 0, least = 0, ulps = 0;

  double At(double y) const;  // rounded up
  // The real numbers that the rule accepts if the exact result is any number of `range`. The ends
  // are rounded outward.
  Ends Around(const Ends& range) const;

 private:
  double Lower(double lo, double hi) const;
};

// The tolerance that a precision row states for arguments of magnitude `x` or less. nullopt unless
// the row's class is units in the last place, a bound per element, or a relative and absolute
// error.
std::optional<Tolerance> ToleranceOf(const PrecisionRow& row, DType type, double x);

// The range of values of `type` that the comparing function `form` accepts if a rule allows the
// real numbers in `reals`. The range includes infinities for numbers that overflow, and zeros for
// numbers that may be flushed.
Ends Accepted(DType type, const std::string& form, const Ends& reals);

// Extends the ends to zero if a number between them may be flushed. The least normal number of the
// type counts as such a number: an implementation that flushes before it rounds also flushes
// numbers that would round to the least normal number.
Ends WithFlushed(DType type, Ends ends);

// An enclosure of a whole tensor. For a floating-point type, `lo` and `hi` are fp64 and bound the
// real numbers that an implementation may hold for each element, including flushed numbers. For any
// other type, `lo` and `hi` have the tensor's type.
struct Enclosure {
  Enclosure(DType type, const Shape& shape);

  DType dtype;
  Tensor lo, hi;

  Ends At(int64_t i) const { return {lo.Element(i), hi.Element(i)}; }
  // Sets the interval of element `i` to all real numbers that round to a value from values.lo to
  // values.hi, extended to zero if such a value may be flushed. If either end is NaN, the interval
  // becomes -infinity to infinity.
  void Set(int64_t i, const Ends& values);
  // Sets the interval of element `i` to the numbers from reals.lo to reals.hi. If either end is
  // NaN, the interval becomes -infinity to infinity.
  void SetReals(int64_t i, const Ends& reals);
  bool IsExactInfinity(int64_t i) const { return cts::IsExactInfinity(At(i)); }
  void Join(int64_t i, const Ends& reals);
  // Whether the type is not floating-point and each element has only one possible value.
  bool IsSettled() const;
};

// The least and the greatest value that results if numbers in `reals` are rounded to the type.
Ends ValuesOf(DType type, const Ends& reals);

// The enclosure of a known tensor. The interval of a subnormal number includes zero, since an
// implementation may read the number as zero.
Enclosure EncloseValue(const Tensor& value);
// The enclosure of a tensor that is judged by a rule: all numbers that the rule accepts. nullopt if
// the rule is kUnchecked, or an interval of unsigned integers, which cannot be enclosed yet. If the
// rule is itself an enclosure, its ends must be real numbers, as they are while the graph runs, and
// not yet values of the type.
std::optional<Enclosure> EncloseAnswer(const RuledAnswer& known, DType dtype);

// The distance between the ends, divided by the greater of the ends' magnitudes. The result is 0 if
// the ends are equal, and infinity if the ends differ and one is infinite. For finite ends with
// opposite signs, the result is above 1 and at most 2.
double WidthOf(const Ends& values);
// Each element has a range of values (ValuesOf). Returns the median of the widths (WidthOf) of
// these ranges, or 0 if the type is not floating-point or the tensor has no elements.
double MedianWidth(const Enclosure& enclosure);

}  // namespace cts
