// An interval that is an enclosure: what several operators in a row may give, each within its own
// bound (tosa-1.0 and tosa-0.100, introduction: the precision of a sequence of operators). A result
// outside is wrong. A result inside is not refuted, which is less than right, so the widths are
// counted.
#pragma once

#include <cstdint>

#include "reference/answer/answer.h"

namespace cts {

// An element says little if its interval is wider than this share of its greatest magnitude:
// neither its leading digit nor, where the interval reaches over zero, its sign is settled.
inline constexpr double kWideShare = 0.5;

// `least` <= `greatest`. Everything, NaN included, lies between the infinities.
bool WithinEnclosure(double result, double least, double greatest);

// Whether every number of the output's type lies in the interval of an element, whose rule is
// kInterval: then only NaN and infinities are refused.
bool TakesEveryNumber(const ExpectedOutput& output, const Answer& answer, int64_t i);

struct EnclosureFigures {
  int64_t elements = 0;
  int64_t unlimited = 0;    // every number is inside
  int64_t wide = 0;         // limited, but wider than kWideShare
  double median_width = 0;  // as a share of the greatest magnitude; infinite if an end is

  bool SaysNothing() const { return unlimited + wide == elements; }
};

// The widths of the intervals of one answer, whose rule is an enclosure.
EnclosureFigures WidthsOf(const ExpectedOutput& output, const Answer& answer);

}  // namespace cts
