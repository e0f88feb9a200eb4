// The elements that an element of a case was made of, from a trace of the reference.
#pragma once

#include "checker/report/explain.h"

namespace cts {

// Origins for Explain. A result is a sum of products where the operator that makes the output is
// one.
ElementOrigin OriginOf(const Case& c, const ExpectedOutput& output, int64_t offset);

// Says in words how an error case breaks its condition: the line of eval that shows it. If the case
// does not break the condition, its paraphrase. Empty if there is no condition.
std::string MeaningOf(const Case& c);

}  // namespace cts
