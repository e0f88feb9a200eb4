// The values that a compliant implementation of several operators may hold for each element of a
// tensor.
//
// Between operators, an implementation may keep a value in a wider type if this value rounds (to
// nearest) to a value that the operator may give. The source is the specification's introduction,
// section Operator sequence precision requirement. So an operator's result is a range of values of
// the tensor's type, and its enclosure contains every real number that rounds to a value in this
// range. Ends are always rounded outward.
//
// An exact value is the same number in every type, and both ends of its enclosure are that number.
// Inputs and constants are exact, and so is an infinity that comes from an infinite operand or a
// pole, since nothing was rounded. An infinity that stands for an overflow has a finite end: the
// least number that rounds to infinity. A wider type may hold this number or any greater one.
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

// Whether both ends are the same infinity. Such an infinity does not stand for a finite number that
// overflowed.
inline bool IsExactInfinity(const Ends& reals) {
  return reals.lo == reals.hi && reals.lo - reals.lo != 0;
}

// The neighbours of `x` in fp64. If the result of an fp64 operation was rounded to `x`, the exact
// result lies between these neighbours.
double Below(double x);
double Above(double x);

// The least value of a type that is not below x, and the greatest value that is not above x. The
// infinities follow the greatest finite number, even in a type without infinities.
double LeastNotBelow(DType type, double x);
double GreatestNotAbove(DType type, double x);

// The error that an operator's rule tolerates. If y is the magnitude of the exact result, it is
// absolute + max(relative * y, least, ulps * unit in the last place of y).
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

// The tolerance that a row states, for arguments up to the magnitude `x`. The row's class must be
// units in the last place, a bound per element, or a relative and absolute error; nullopt for any
// other class.
std::optional<Tolerance> ToleranceOf(const PrecisionRow& row, DType type, double x);

// The values of `type` that the comparing function `form` accepts for numbers within `reals`.
// Infinities that stand for overflows are among them, and zeros that stand for flushed numbers.
Ends Accepted(DType type, const std::string& form, const Ends& reals);

// Extends the ends to zero if a number between them may be flushed. The least normal number of the
// type counts as such a number: an implementation that flushes before rounding flushes numbers that
// would round to the least normal number.
Ends WithFlushed(DType type, Ends ends);

// An enclosure of a whole tensor. For a floating-point type, `lo` and `hi` are fp64 and bound the
// real numbers that an implementation may hold for each element, including flushed numbers. For any
// other type, `lo` and `hi` have the tensor's type.
struct Enclosure {
  Enclosure(DType type, const Shape& shape);

  DType dtype;
  Tensor lo, hi;

  Ends At(int64_t i) const { return {lo.Element(i), hi.Element(i)}; }
  // The element's interval becomes all real numbers that round to a value between values.lo and
  // values.hi. A NaN at either end makes the interval endless.
  void Set(int64_t i, const Ends& values);
  // Sets the element to the numbers from reals.lo to reals.hi.
  void SetReals(int64_t i, const Ends& reals);
  bool IsExactInfinity(int64_t i) const { return cts::IsExactInfinity(At(i)); }
  void Join(int64_t i, const Ends& reals);
  // Whether the type is not floating-point and each element has only one possible value.
  bool IsSettled() const;
};

// The least and the greatest value of the type to which numbers in `reals` round.
Ends ValuesOf(DType type, const Ends& reals);

// The enclosure of a known tensor. For a subnormal number it includes zero, since an implementation
// may read the number as zero.
Enclosure EncloseValue(const Tensor& value);
// The enclosure of a tensor that is judged by a rule: all numbers that the rule accepts. nullopt
// for kUnchecked, and for an interval of unsigned integers, which has no enclosure yet. While a
// graph runs, an answer that is an enclosure holds real numbers instead of values of the type.
std::optional<Enclosure> EncloseAnswer(const RuledAnswer& known, DType dtype);

// The distance between the ends, divided by the greater magnitude of the two. 0 if the ends are
// equal; otherwise infinite if an end is infinite. For finite ends with opposite signs, the result
// is above 1 and at most 2.
double WidthOf(const Ends& values);
// The median width of the elements' ranges of values; 0 if the type is not floating-point.
double MedianWidth(const Enclosure& enclosure);

}  // namespace cts
