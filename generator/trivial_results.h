// The wrong results that a case would notice.
#pragma once

#include <cstdint>

#include "reference/bundle/case.h"

namespace cts {

// The elements at which a case refuses a trivial result: all zero, all at the lower or the upper
// end of the type, all equal to the value that occurs most. All these results are compared with all
// answers to all outputs; the fewest refused elements count.
//
// Booleans have only the last of these results; outputs of fewer than 8 elements have only the
// others; booleans of fewer than 8 elements have no such result. Where `one_value` says that all
// elements are the same for a reason (data set S0 makes every dot product zero, a CLAMP may have
// equal bounds) only the ends count.
struct NoticedShare {
  double share = 1;      // of the elements that are refused, in steps of 0.001, rounded down
  int64_t elements = 0;  // the number of these elements

  // One element of twenty, or sixteen elements of an output of any size.
  bool Suffice() const { return share >= 0.05 || elements >= 16; }
};
NoticedShare NoticedShareOf(const Case& c, bool one_value);

// The same for a case of long sums, where the limits of elements are wide and the limits of the
// tensor count: zeros (S0's results are zero) and both ends of the type. A result that the variance
// or the bias refuses is refused at every element.
NoticedShare NoticedShareOfSums(const Case& c);

// Whether each execution of a case with several would notice the answer of the one before it, even
// if only every eighth element of an output, and the last, came from there. With `any_lane` one
// element anywhere is enough.
bool NoticesTheLastAnswer(const Case& c, bool any_lane = false);

// Whether the case would notice a zero in place of the last element of every output.
bool NoticesZeroAtTheEnd(const Case& c);

}  // namespace cts
