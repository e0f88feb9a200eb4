// All that a compliant implementation of several operators may hold of a tensor, by element.
//
// An implementation may keep what one operator hands to the next in a wider type, as long as the
// value rounds, to nearest, to one that the operator may give (introduction, Operator sequence
// precision requirement). So an enclosure is a range of values of the tensor's type, and stands for
// every real number that rounds to one of them. Ends are always rounded outward.
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

// An enclosure of a whole tensor. Floating-point ends are fp64, others have the tensor's type.
struct Enclosure {
  Enclosure(DType type, const Shape& shape);

  DType dtype;
  Tensor lo, hi;
  bool exact = false;  // one value, which every implementation has

  Ends At(int64_t i) const { return {lo.Float(i), hi.Float(i)}; }
  void Set(int64_t i, const Ends& ends);
  void Join(int64_t i, const Ends& ends);
  // Whether every element is one integer.
  bool IsSettled() const;
  // Floating-point types: the real numbers that may stand for an element, flushed ones included.
  Enclosure Reals() const;
};

// The enclosure of a known tensor: a subnormal number may be read as zero.
Enclosure EncloseValue(const Tensor& value);
// The enclosure of a tensor that is judged by a rule: all that the rule accepts. Nothing if there
// is no enclosure of such a tensor yet (unsigned integers).
std::optional<Enclosure> EncloseAnswer(const RuledAnswer& known, DType dtype);

// How wide an element is: a share of its greatest magnitude, 2 if both signs are possible, infinite
// if an end is.
double WidthOf(const Ends& ends);
// The width that half of the elements do not exceed.
double MedianWidth(const Enclosure& enclosure);

}  // namespace cts
