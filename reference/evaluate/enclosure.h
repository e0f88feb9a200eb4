// All that a compliant implementation of several operators may hold of a tensor, by element.
//
// An implementation may keep what one operator hands to the next in a wider type, as long as the
// value rounds, to nearest, to one that the operator may give (introduction, Operator sequence
// precision requirement). So an operator's result is a range of values of the tensor's type, and
// its enclosure every real number that rounds to one of them. Ends are always rounded outward.
//
// What is exact is the same number in every type, and both ends are that number: an input, a
// constant, and an infinity that is computed with an infinite operand or is a pole, since nothing
// was rounded. An infinity that stands for an overflow has a finite end, the least number that
// rounds to infinity: a wider type may hold any number from there on.
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

// The least value of a type that is not below x, and the greatest that is not above it. Beyond the
// greatest finite number stand the infinities, also of a type that has none.
double LeastNotBelow(DType type, double x);
double GreatestNotAbove(DType type, double x);

// The error that an operator's rule tolerates of a result, as a function of the result's magnitude
// y: absolute + max(relative * y, least, ulps * unit in the last place of y).
struct Tolerance {
  DType type = DType::kFp32;
  double absolute = 0, relative = 0, least = 0, ulps = 0;

  double At(double y) const;  // rounded up
  // All that the rule accepts where the result is any number of `range`: the reals, rounded
  // outward.
  Ends Around(const Ends& range) const;

 private:
  double Lower(double lo, double hi) const;
};

// The tolerance of a row of class kUlp, kElementwise or kRelativeAndAbsolute for arguments up to
// the magnitude x; nothing of another class.
std::optional<Tolerance> ToleranceOf(const PrecisionRow& row, DType type, double x);

// The values of `type` that the comparing function `form` accepts of what lies within `reals`:
// overflow, and zeros that stand for flushed numbers, included.
Ends Accepted(DType type, const std::string& form, const Ends& reals);

// With the zero that stands for subnormal numbers of these, where the type may flush them. Who
// flushes before rounding also flushes what would round to the least normal number.
Ends WithFlushed(DType type, Ends ends);

// An enclosure of a whole tensor. Floating-point types: the real numbers, in fp64, that an
// implementation may hold for each element, flushed ones included. Others have the tensor's type.
struct Enclosure {
  Enclosure(DType type, const Shape& shape);

  DType dtype;
  Tensor lo, hi;

  Ends At(int64_t i) const { return {lo.Float(i), hi.Float(i)}; }
  // Every number that rounds to a value of the type from values.lo to values.hi.
  void Set(int64_t i, const Ends& values);
  // These numbers and no others.
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
// The enclosure of a tensor that is judged by a rule: all that the rule accepts. Nothing if there
// is no enclosure of such a tensor yet (unsigned integers). An answer that is an enclosure holds
// real numbers as long as its graph runs.
std::optional<Enclosure> EncloseAnswer(const RuledAnswer& known, DType dtype);

// How wide an element's values are: a share of the greatest magnitude, 2 if both signs are
// possible, infinite if an end is.
double WidthOf(const Ends& values);
// The width of values that half of the elements do not exceed.
double MedianWidth(const Enclosure& enclosure);

}  // namespace cts
