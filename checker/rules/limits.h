// The share of an output that its rule can judge. An element is limited if the rule refuses some
// number of the element's type. If the rule accepts every number at an element, the result there
// can be neither wrong nor shown right.
#pragma once

#include <cstdint>

#include "checker/rules/enclosure.h"
#include "reference/answer/answer.h"

namespace cts {

// Enclosures must limit at least this percentage of an output's elements; with a smaller
// percentage, the output counts as not checked. No edition states this figure. We chose it, and it
// concerns only our enclosures.
inline constexpr int64_t kLeastLimitedPercent = 95;

// Counts the elements of one or several outputs by whether they can be judged, and if not, by the
// reason.
struct Limits {
  int64_t elements = 0;
  int64_t limited = 0;    // judged
  int64_t wide = 0;       // a part of `limited`: the enclosure's interval is wider than kWideShare
  int64_t undefined = 0;  // not limited by the edition's own rule: no checker can judge them
  int64_t unlimited = 0;  // not limited by our enclosure; a tighter enclosure might limit them
  int64_t unchecked = 0;  // the rule is `unchecked`: there is nothing to compare with

  // The number of the remaining elements, for which there is no result to judge.
  int64_t Unanswered() const { return elements - limited - undefined - unlimited - unchecked; }
  // Whether enclosures limit at least kLeastLimitedPercent of the elements.
  bool LimitsEnough() const {
    return 100 * (elements - unlimited) >= kLeastLimitedPercent * elements;
  }
  void Add(const Limits& other);

  friend bool operator==(const Limits&, const Limits&) = default;
};

// Returns the counts of an output that is judged by this answer. The counts do not depend on the
// result.
Limits LimitsOf(const ExpectedOutput& output, const Answer& answer);
// Returns the counts of an output from the figures of its enclosure.
Limits LimitsOf(const EnclosureFigures& figures);

}  // namespace cts
