// Judges reciprocals or reciprocal square roots of consecutive fp32 numbers.
#pragma once

#include <cstdint>

#include "tools/program/sweep/filter_compare.h"

namespace cts {

// The number of elements in a call of SettleReciprocals. If such a call returns false, SweepJudge
// calls the function again for each part of kFilterBlock elements.
inline constexpr int64_t kReciprocalBlock = 2048;

// Returns whether every result has an error below 1 ulp and at most `most` ulp. The results are
// those of 1 / x or, if `of_roots` is true, of 1 / sqrt(x). The inputs are `count` numbers with
// consecutive bits from `first` on. If the function returns true, above[k] gets the number of
// errors that FilterCompare would find above kEnds[k + 1], and all errors are above kEnds[0], which
// is 0. The function may return false even if all errors are small enough. Reasons are: inputs are
// special or of several binades; an error is near one of kEnds; `most` is below 2^-4; the processor
// has no fused multiply-add.
bool SettleReciprocals(bool of_roots, uint32_t first, const uint8_t* results, int64_t count,
                       double most, int64_t (&above)[2]);

}  // namespace cts
