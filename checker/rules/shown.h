// The choices of an implementation that a result shows, in addition to the answer that the result
// fits.
//
// tosa-1.0, Floating-Point Precision Requirements: all subnormals of a type are flushed to zero of
// their sign, or all are kept. So a zero in place of a subnormal number shows flushing, if the
// operator's rule does not otherwise allow a zero. A subnormal result shows that subnormals are
// kept.
#pragma once

#include <cstdint>

#include "reference/answer/answer.h"

namespace cts {

// The offset of the first element of each kind; -1 if there is no such element.
struct ShownChoices {
  int64_t flushed = -1;  // a zero that the rule allows only in place of a flushed number
  int64_t kept = -1;     // a subnormal number
  // The first -0 and the first +0 that do not come from flushing. Set only if Rule::zero_choice
  // leaves the sign of such zeros open.
  int64_t negative_zero = -1;
  int64_t positive_zero = -1;
};

// Looks at a result that `answer`, an answer of the output, accepts. The rule determines whether a
// zero shows flushing:
// - Under ulp and absolute_bound, a zero outside the interval from reference - bound to reference +
//   bound shows flushing, because only the clause about flushed numbers allows such a zero.
// - Under interval, a zero outside the interval shows flushing.
// - Under exact, no zero shows flushing, because the flushed answer contains the zero.
// - Under dot_product, no zero shows flushing, because the unit of the limit is at least the least
//   normal number: a zero in place of a subnormal number is within the limit.
// - No zero shows flushing if its bound is infinite. In the form tosa-0.100 no zero shows flushing,
//   because this form accepts a zero for every number below the least normal number.
//
// A zero that comes from flushing does not show which sign the implementation chose for zeros. For
// a subnormal x, 0 - x is subnormal, too, and flushing preserves its sign. This sign does not
// depend on the sign that was chosen for 0 - 0.
ShownChoices LookAt(const ExpectedOutput& output, const Answer& answer, const Tensor& result);

}  // namespace cts
