// Measures which wrong results a case would detect.
#pragma once

#include <cstdint>

#include "reference/bundle/case.h"

namespace cts {

// The share of elements at which a case refuses a trivial result. There are four trivial results.
// In each of them, all elements are the same: zero, the lower end of the type, its upper end, or
// the value that occurs most often in the answer. The ends of a type with infinities are the
// infinities. Each trivial result is compared with each answer of each output, which gives a share.
// The smallest of these shares counts.
//
// The value that occurs most often is not tried for outputs of fewer than 8 elements. The other
// three results are not tried for booleans. `one_value` says that all elements of the right result
// are the same: data set S0 makes every dot product zero, and a CLAMP may have equal bounds. With
// `one_value`, only the ends of the type are tried.
struct NoticedShare {
  double share = 1;      // the share of refused elements, rounded down to a multiple of 0.001
  int64_t elements = 0;  // the number of refused elements

  // Requires one refused element in twenty, or sixteen refused elements in an output of any size.
  bool Suffice() const { return share >= 0.05 || elements >= 16; }
};
NoticedShare NoticedShareOf(const Case& c, bool one_value);

// The share for a case of long sums. In such a case, the rule's limits for single elements are
// wide, and its limits for the whole tensor (for the variance and the bias) matter. Three trivial
// results are tried: all elements are the lower end of the type, the upper end or, except for data
// set S0, zero. If the limit of the variance or of the bias refuses a result, the result counts as
// refused at every element.
NoticedShare NoticedShareOfSums(const Case& c);

// Whether the case would detect an implementation that returns the answer of the previous
// execution. This must hold for each execution after the first: in some output, an element refuses
// the value of the same element in the previous execution. This element must be the last element in
// a group of eight, or the last element of the output. It may be any element if `any_lane` is true,
// or in an execution after the second and before the last.
bool NoticesTheLastAnswer(const Case& c, bool any_lane = false);

// Whether, in every output and under every answer of this output, the case would detect a zero in
// place of the last element.
bool NoticesZeroAtTheEnd(const Case& c);

}  // namespace cts
