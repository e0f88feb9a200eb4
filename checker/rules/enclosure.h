// An enclosure is an interval that holds all results that a sequence of operators may give, if each
// operator stays within its own bound. Source: tosa-1.0 and tosa-0.100, introduction, the precision
// of a sequence of operators. A result outside is wrong. A result inside is only not refuted; it
// need not be right. So the widths are reported.
#pragma once

#include <cstdint>

#include "reference/answer/answer.h"

namespace cts {

// An element says little if its interval is wider than this share of the interval's greatest
// magnitude. Such an interval leaves the leading digit of a result open and, if it contains zero,
// the sign.
inline constexpr double kWideShare = 0.5;

// Requires `least` <= `greatest`. The interval from -infinity to +infinity accepts every result,
// even NaN.
bool WithinEnclosure(double result, double least, double greatest);

// Whether the interval of an element contains every number of the output's type, so that at most
// NaN and infinities are refused. The rule must be kInterval.
bool TakesEveryNumber(const ExpectedOutput& output, const Answer& answer, int64_t i);

struct EnclosureFigures {
  int64_t elements = 0;
  int64_t unlimited = 0;  // elements whose interval holds every number
  int64_t wide = 0;       // other elements whose interval is wider than kWideShare
  // The median of the widths, each as a share of the greatest magnitude. A width is infinite if one
  // end is infinite and the other differs from it, or if an interval of integers holds every
  // number.
  double median_width = 0;

  bool SaysNothing() const { return unlimited + wide == elements; }
};

// Measures the intervals of one answer. The rule of the output must be an enclosure.
EnclosureFigures WidthsOf(const ExpectedOutput& output, const Answer& answer);

}  // namespace cts
