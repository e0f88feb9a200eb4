// What an element of a case was made of, from a trace of the reference.
#pragma once

#include "checker/explain.h"

namespace cts {

// For Explain. A sum of products is one where the operator that makes the output is.
ElementOrigin OriginOf(const Case& c, const ExpectedOutput& output, int64_t offset);

// In words, how an error case breaks its condition: the line that eval shows of it. The condition's
// paraphrase where the case does not break it; empty for no condition.
std::string MeaningOf(const Case& c);

}  // namespace cts
