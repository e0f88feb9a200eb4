// How much of an output its rule can judge. An element is limited if the rule refuses some number
// of the element's type. Where it takes every number, no result is wrong, and none is shown right.
#pragma once

#include <cstdint>

#include "checker/rules/enclosure.h"
#include "reference/answer/answer.h"

namespace cts {

// An output with fewer limited elements, in percent, counts as not checked. Our own figure, about
// what our enclosures say: no edition has it.
inline constexpr int64_t kLeastLimitedPercent = 95;

// The elements of an output, or of several, by what could be said of them.
struct Limits {
  int64_t elements = 0;
  int64_t limited = 0;    // judged
  int64_t wide = 0;       // of these: the interval of an enclosure is wider than kWideShare
  int64_t undefined = 0;  // not limited by the edition's own rule: nobody can judge them
  int64_t unlimited = 0;  // not limited by an enclosure: another could be tighter
  int64_t unchecked = 0;  // the rule is `unchecked`: there is nothing to compare with

  // The others have no result that could be judged.
  int64_t Unanswered() const { return elements - limited - undefined - unlimited - unchecked; }
  // Whether enclosures limit enough of the elements.
  bool LimitsEnough() const {
    return 100 * (elements - unlimited) >= kLeastLimitedPercent * elements;
  }
  void Add(const Limits& other);

  friend bool operator==(const Limits&, const Limits&) = default;
};

// Of an output that is judged by this answer. It does not depend on the result.
Limits LimitsOf(const ExpectedOutput& output, const Answer& answer);
// Of an enclosure whose widths are known already.
Limits LimitsOf(const EnclosureFigures& figures);

}  // namespace cts
