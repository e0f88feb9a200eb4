// The choices of an implementation that a result shows, in addition to the answer that it fits.
//
// tosa-1.0, Floating-Point Precision Requirements: all subnormals of a type are flushed to zero of
// their sign, or all are kept. So a zero in place of a number shows flushing, if the operator's
// rule does not otherwise allow a zero. A subnormal shows that subnormals are kept.
#pragma once

#include <cstdint>

#include "reference/answer/answer.h"

namespace cts {

// The first element of each kind, or -1.
struct ShownChoices {
  int64_t flushed = -1;  // a zero that the rule allows for a flushed number only
  int64_t kept = -1;     // a subnormal number
  // Where Rule::zero_choice leaves the sign of a zero open that flushing did not make: a -0, and a
  // +0.
  int64_t negative_zero = -1;
  int64_t positive_zero = -1;
};

// Looks at a result that `answer`, one of the output's, accepts. By rule, a zero shows flushing
// where it is outside of
//   ulp, absolute_bound: reference - bound to reference + bound, without the clause by which a zero
//                        stands for a flushed number;
//   interval:            the interval itself;
// and never under exact (the flushed answer has the zero), dot_product (its unit is at least the
// least normal number, so that zero is within the limit), or where a bound is infinite. The form
// tosa-0.100 takes a zero for any number below the normal ones: nothing is shown.
//
// A zero that flushing made does not show a chosen sign: 0 - x of a subnormal is a subnormal, and
// flushing preserves its sign, whatever the sign of 0 - 0 is.
ShownChoices LookAt(const ExpectedOutput& output, const Answer& answer, const Tensor& result);

}  // namespace cts
