// An enclosure is an interval that holds all results that a sequence of operators may give, if each
// operator stays within its own bound. Source: tosa-1.0 and tosa-0.100, introduction, the precision
// of a sequence of operators. A result outside its enclosure is wrong. A result inside may be
// wrong, too: it is only not refuted. So reports show how wide the enclosures are.
#pragma once

#include <cstdint>

#include "reference/answer/answer.h"

namespace cts {

// The check of an element shows little if its interval is wider than this share of the interval's
// greatest magnitude. Such an interval leaves the leading digit of a result open. If the interval
// contains zero, it also leaves the sign open.
inline constexpr double kWideShare = 0.5;

// Requires `least` <= `greatest`. The interval from -infinity to +infinity accepts every result,
// even NaN.
bool WithinEnclosure(double result, double least, double greatest);

// Whether the interval of element `i` contains every number of the output's type, so that at most
// NaN and infinities are refused. The rule must be kInterval.
bool TakesEveryNumber(const ExpectedOutput& output, const Answer& answer, int64_t i);

struct EnclosureFigures {
  int64_t elements = 0;
  int64_t unlimited = 0;  // elements whose interval holds every number of the type
  int64_t wide = 0;       // other elements whose interval is wider than kWideShare
  // The median of the widths, each as a share of the greatest magnitude. A width is infinite if one
  // end is infinite and the other end differs from it, or if an interval of integers holds every
  // number of the type.
  double median_width = 0;

  bool SaysNothing() const { return unlimited + wide == elements; }
};

// Measures the intervals of one answer. The rule of the output must be an enclosure.
EnclosureFigures WidthsOf(const ExpectedOutput& output, const Answer& answer);

}  // namespace cts
