// KS of appendix A: the number of terms that are added for one element of the output. The field
// `length` of a precision row selects the formula.
#pragma once

#include <cstdint>

#include "reference/graph/call.h"
#include "reference/spec/precision_table.h"

namespace cts {

int64_t LengthOf(DotProductLength length, const Call& call);

// Whether the terms of the sums are products; the terms of pools and of REDUCE_SUM are single
// elements.
inline bool SumsProducts(DotProductLength length) {
  return length != DotProductLength::kKernel && length != DotProductLength::kReducedAxis;
}

}  // namespace cts
