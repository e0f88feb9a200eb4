// The elements that an element of a case was made of, from a trace of the reference; elements whose
// windows have something in common.
#pragma once

#include "checker/report/explain.h"

namespace cts {

// Origins for Explain. A result is a sum of products where the operator that makes the output is
// one.
ElementOrigin OriginOf(const Case& c, const ExpectedOutput& output, int64_t offset);

// The elements of an output of a convolution or a pool whose window meets the padding, at any side
// and at each, and those whose window does not. The output may be the elementwise result of such an
// operator's. Empty for all other outputs.
std::vector<NamedSet> WindowSetsOf(const Case& c, const ExpectedOutput& output);

// Says in words how an error case breaks its condition: the line of eval that shows it. If the case
// does not break the condition, its paraphrase. Empty if there is no condition.
std::string MeaningOf(const Case& c);

}  // namespace cts
