// The comparing function of the rules `ulp` and `absolute_bound`. It decides whether a result lies
// within a bound of a reference, and handles the limits of the number formats.
#pragma once

#include <string_view>

#include "reference/answer/answer.h"
#include "reference/base/dtype.h"
#include "reference/base/float_format.h"
#include "reference/base/status.h"

namespace cts {

// The two forms of the comparing function, described for a positive reference. They differ in how
// they treat a tiny end of the interval [reference - bound, reference + bound]. An end is tiny if
// it is below the least normal number.
enum class Form {
  // A tiny positive lower end becomes zero, and a tiny upper end becomes the least normal number.
  kWidenedEnds,
  // The ends stay unchanged. In a type for which ZeroMayBeFlushed is true, a zero is accepted if
  // the lower end is tiny.
  kFlushedZeros,
};
// Parses the name of a form as case.json has it: kWidenedEndsName or kFlushedZerosName. Any other
// name is an error.
StatusOr<Form> ParseForm(std::string_view name);

// Returns the exact sign of a + b - c as -1, 0 or 1. The arguments must be finite.
int CompareSum(double a, double b, double c);

// Whether a zero may stand for a subnormal number of the type: true for bf16, fp16 and fp32.
bool ZeroMayBeFlushed(DType dtype);

// The comparing function: tosa-1.0, section Floating-Point Precision Requirements; tosa-0.100,
// section Main Inference precision requirements.
//
// The specification's text means the exact ends reference - bound and reference + bound, but its
// function rounds them to fp64. A result is accepted if either reading accepts it. Rounding is
// monotonic, so a number within the exact ends is within the rounded ends. If a rounded end is
// beyond the greatest number or below the least normal number, so is the exact end.
class ComparingFunction {
 public:
  ComparingFunction(Form form, DType dtype);

  Form form() const { return form_; }

  // `result` is a value of the type; `bound` is finite and not negative. The sign of zero is
  // ignored.
  bool Accepts(double result, double reference, double bound) const;

 private:
  Form form_;
  DType dtype_;
  double normal_min_;
  double normal_max_;
};

}  // namespace cts
