// The choices of an implementation that a result shows, in addition to the answer that it fits.
//
// tosa-1.0, Floating-Point Precision Requirements: all subnormals of a type are flushed to zero of
// their sign, or all are kept. So a zero in place of a number shows flushing, if the operator's
// rule does not otherwise allow a zero. A subnormal result shows that subnormals are kept.
#pragma once

#include <cstdint>

#include "reference/answer/answer.h"

namespace cts {

// The offset of the first element of each kind, or -1.
struct ShownChoices {
  int64_t flushed = -1;  // a zero that the rule allows for a flushed number only
  int64_t kept = -1;     // a subnormal number
  // The first -0 and the first +0 that flushing did not make. Set only if Rule::zero_choice leaves
  // the sign of such zeros open.
  int64_t negative_zero = -1;
  int64_t positive_zero = -1;
};

// Looks at a result that `answer`, an answer of the output, accepts. The rule decides whether a
// zero shows flushing:
// - Under ulp and absolute_bound, a zero outside reference - bound to reference + bound shows it,
//   because only the clause about flushed numbers allows such a zero.
// - Under interval, a zero outside the interval shows it.
// - Under exact, no zero shows it, because the flushed answer has the zero.
// - Under dot_product, no zero shows it, because the unit of the limit is at least the least normal
//   number: a zero for a subnormal number is within the limit.
// - No zero shows it if a bound is infinite, or in the form tosa-0.100, which accepts a zero for
//   every number below the normal ones.
//
// A zero that flushing made does not show which sign was chosen. For a subnormal x, 0 - x is a
// subnormal too, and flushing preserves its sign. That sign does not depend on the sign of 0 - 0.
ShownChoices LookAt(const ExpectedOutput& output, const Answer& answer, const Tensor& result);

}  // namespace cts
