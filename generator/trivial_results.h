// Measures which wrong results a case would detect.
#pragma once

#include <cstdint>

#include "reference/bundle/case.h"

namespace cts {

// The share of elements at which a case refuses a trivial result. Trivial results are: all zero,
// all at the lower or the upper end of the type (an infinity, if it has one), all equal to the
// value that occurs most. All these results are compared with all answers to all outputs; the
// smallest share counts.
//
// For booleans only the last of these results is tried, for outputs of fewer than 8 elements only
// the others, and for booleans of fewer than 8 elements none. `one_value` says that all elements
// are rightly the same (data set S0 makes every dot product zero, a CLAMP may have equal bounds).
// Then only the ends of the type are tried.
struct NoticedShare {
  double share = 1;      // the share of refused elements, rounded down to 0.001
  int64_t elements = 0;  // the number of refused elements

  // Requires one refused element in twenty, or sixteen refused elements in an output of any size.
  bool Suffice() const { return share >= 0.05 || elements >= 16; }
};
NoticedShare NoticedShareOf(const Case& c, bool one_value);

// The share for a case of long sums, where the limits of elements are wide and the limits of the
// tensor matter. The trivial results are both ends of the type and, except for S0, all zero. A
// result that the limit of the variance or of the bias refuses counts as refused at every element.
NoticedShare NoticedShareOfSums(const Case& c);

// Whether each execution of a case after the first would detect the answer of the execution before
// it, even if only every eighth element and the last element of an output came from that answer.
// With `any_lane`, or for an execution between the second and the last, it suffices that one
// element at any position differs.
bool NoticesTheLastAnswer(const Case& c, bool any_lane = false);

// Whether, in every output and under every answer of that output, the case would detect a zero in
// place of the last element.
bool NoticesZeroAtTheEnd(const Case& c);

}  // namespace cts
