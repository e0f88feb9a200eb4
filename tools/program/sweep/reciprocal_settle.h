// Judges consecutive reciprocals of fp32, or of square roots, in fp32.
#pragma once

#include <cstdint>

#include "tools/program/sweep/filter_compare.h"

namespace cts {

// The number of elements that are settled at a time; kFilterBlock is the other possible number.
inline constexpr int64_t kReciprocalBlock = 2048;

// Whether results of 1 / x, or 1 / sqrt(x), for `count` inputs with the bits from `first` on, are
// all off by less than 1 ulp and at most `most`. If so, FilterCompare would find all of them above
// kEnds[0], and above[k] gets the number that it would find above kEnds[k + 1]. False also if a
// number is special, or an error is near the end of a slot.
bool SettleReciprocals(bool of_roots, uint32_t first, const uint8_t* results, int64_t count,
                       double most, int64_t (&above)[2]);

}  // namespace cts
