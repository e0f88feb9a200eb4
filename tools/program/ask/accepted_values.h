// All values that are accepted for one element.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/bundle/case.h"

namespace cts {

// Values of a type from `lo` to `hi`, as bit patterns.
struct ValueRange {
  uint64_t lo = 0, hi = 0;
};

// All values that are accepted for an output of one element.
struct AcceptedValues {
  bool anything = false;   // every value is accepted, even NaN
  bool nan = false;        // every NaN is accepted
  bool zero_sign = false;  // only one of +0 and -0 is accepted
  // The range around the reference; nullopt if only NaN is accepted, or if every value is accepted.
  std::optional<ValueRange> range;
  // Accepted values outside of `range`, such as zero where subnormals may be flushed.
  std::vector<ValueRange> also;
};

// The values that at least one of the output's answers accepts. For a floating-point type, a search
// over the ordered values of the type finds them, with the functions of the checker. If a range
// begins or ends with zero and both +0 and -0 are accepted, the range begins or ends with +0.
AcceptedValues FindAccepted(const ExpectedOutput& output);

// Whether at least one of the output's answers accepts a bit pattern.
bool Accepts(const ExpectedOutput& output, uint64_t bits);

}  // namespace cts
