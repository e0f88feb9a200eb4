// All values that one element accepts.
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

// All values that an output of one element accepts.
struct AcceptedValues {
  bool anything = false;            // NaN, too
  bool nan = false;                 // any NaN
  bool zero_sign = false;           // one of the zeros, and not the other
  std::optional<ValueRange> range;  // around the reference; nullopt if only NaN, or everything, is
                                    // accepted
  std::vector<ValueRange> also;     // apart from it: zero where subnormals may be flushed
};

// The values that one of the answers accepts. They are found by search over the ordered values of
// the type, with the functions of the checker. An end is +0 where both zeros are accepted.
AcceptedValues FindAccepted(const ExpectedOutput& output);

// Whether one of the answers accepts a bit pattern.
bool Accepts(const ExpectedOutput& output, uint64_t bits);

}  // namespace cts
