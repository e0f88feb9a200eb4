// Reciprocals of fp32 in a row, and those of square roots, judged in fp32.
#pragma once

#include <cstdint>

#include "tools/program/sweep/filter_compare.h"

namespace cts {

// The number of elements that are settled at a time; kFilterBlock is the other possible number.
inline constexpr int64_t kReciprocalBlock = 2048;

// Whether results of 1 / x, or 1 / sqrt(x), for `count` inputs with the bits from `first` on, are
// all off by less than 1 ulp and at most `most`; then above[k] gets how many of them FilterCompare
// finds above kEnds[k + 1], and it finds all above kEnds[0]. False as well where something is
// special or near to the end of a slot.
bool SettleReciprocals(bool of_roots, uint32_t first, const uint8_t* results, int64_t count,
                       double most, int64_t (&above)[2]);

}  // namespace cts
