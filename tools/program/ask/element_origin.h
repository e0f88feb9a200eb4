// Finds, by a trace of the reference, the elements from which an element of a case was computed.
// Also finds the elements whose windows meet the padding.
#pragma once

#include "checker/report/explain.h"

namespace cts {

// The origin of an element, for Explain. It lists products if the operator that computes the output
// sums products.
ElementOrigin OriginOf(const Case& c, const ExpectedOutput& output, int64_t offset);

// Sets of elements of the output of a convolution or a pool: those whose window meets the padding
// at any side, at each single side, and at no side. The output may also be computed elementwise
// from the output of such an operator. Empty for all other outputs.
std::vector<NamedSet> WindowSetsOf(const Case& c, const ExpectedOutput& output);

// Says in words how an error case breaks its condition, as `tensor-cts eval` does. Returns the
// condition's paraphrase if the case does not break it, and an empty text if there is no condition.
std::string MeaningOf(const Case& c);

}  // namespace cts
