// The values that a compliant implementation of several operators may hold for each element of a
// tensor.
//
// An implementation may keep values between operators in a wider type, as long as the value rounds,
// to nearest, to a value that the operator may give (introduction, Operator sequence precision
// requirement). So an operator's result is a range of values of the tensor's type, and its
// enclosure has every real number that rounds to one of them. Ends are always rounded outward.
//
// An exact value is the same number in every type, and both ends are that number. Exact values are
// an input, a constant, and an infinity that is computed with an infinite operand or is a pole,
// since nothing was rounded. An infinity that stands for an overflow has a finite end, the least
// number that rounds to infinity: a wider type may hold any number from there on.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "reference/base/dtype.h"
#include "reference/base/tensor.h"
#include "reference/precision/precision.h"
#include "reference/spec/precision_table.h"

namespace cts {

// The ends of one element. Everything, NaN included, lies between the infinities.
struct Ends {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();

  bool IsEverything() const { return lo < 0 && hi > 0 && lo + hi != lo + hi; }
};

// An infinity that stands for no number, as its ends are equal.
inline bool IsExactInfinity(const Ends& reals) {
  return reals.lo == reals.hi && reals.lo - reals.lo != 0;
}

// fp64's neighbours: where an operation of fp64 was rounded, its result lies between them.
double Below(double x);
double Above(double x);

// The least value of a type that is not below x, and the greatest that is not above it. The
// infinities follow the greatest finite number, even in a type without infinities.
double LeastNotBelow(DType type, double x);
double GreatestNotAbove(DType type, double x);

// The error that an operator's rule tolerates of a result, as a function of the result's magnitude
// y: absolute + max(relative * y, least, ulps * unit in the last place of y).
struct Tolerance {
  DType type = DType::kFp32;
  double absolute = 0, relative = 0, least = 0, ulps = 0;

  double At(double y) const;  // rounded up
  // The real numbers that the rule accepts if the result is any number of `range`, rounded outward.
  Ends Around(const Ends& range) const;

 private:
  double Lower(double lo, double hi) const;
};

// The tolerance of a row of units in the last place, of a bound per element, or of a relative and
// absolute error, for arguments up to the magnitude x; nullopt for another class.
std::optional<Tolerance> ToleranceOf(const PrecisionRow& row, DType type, double x);

// The values of `type` that the comparing function `form` accepts for numbers within `reals`,
// including overflow and zeros that stand for flushed numbers.
Ends Accepted(DType type, const std::string& form, const Ends& reals);

// Adds the zero that stands for subnormal numbers among these, if the type may flush them. An
// implementation that flushes before rounding also flushes numbers that would round to the least
// normal number.
Ends WithFlushed(DType type, Ends ends);

// An enclosure of a whole tensor. Floating-point types: the real numbers, in fp64, that an
// implementation may hold for each element, flushed ones included. Others have the tensor's type.
struct Enclosure {
  Enclosure(DType type, const Shape& shape);

  DType dtype;
  Tensor lo, hi;

  Ends At(int64_t i) const { return {lo.Element(i), hi.Element(i)}; }
  // Every number that rounds to a value of the type from values.lo to values.hi.
  void Set(int64_t i, const Ends& values);
  // Exactly these numbers.
  void SetReals(int64_t i, const Ends& reals);
  bool IsExactInfinity(int64_t i) const { return cts::IsExactInfinity(At(i)); }
  void Join(int64_t i, const Ends& reals);
  // Whether every element is one integer.
  bool IsSettled() const;
};

// The ends of the values of the type to which an enclosure's numbers round.
Ends ValuesOf(DType type, const Ends& reals);

// The enclosure of a known tensor: a subnormal number may be read as zero.
Enclosure EncloseValue(const Tensor& value);
// The enclosure of a tensor that is judged by a rule: all numbers that the rule accepts. nullopt if
// such a tensor has no enclosure yet (unsigned integers). An answer that is an enclosure holds real
// numbers while its graph runs.
std::optional<Enclosure> EncloseAnswer(const RuledAnswer& known, DType dtype);

// The width of an element's values as a share of the greatest magnitude: 2 if both signs are
// possible, infinite if an end is infinite.
double WidthOf(const Ends& values);
// The width of values that half of the elements do not exceed.
double MedianWidth(const Enclosure& enclosure);

}  // namespace cts
