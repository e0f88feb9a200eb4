// What an element of a case was made of, from a trace of the reference.
#pragma once

#include "checker/explain.h"

namespace cts {

// For Explain. A sum of products is one where the operator that makes the output is.
ElementOrigin OriginOf(const Case& c, const ExpectedOutput& output, int64_t offset);

// In words, the condition that an error case breaks; empty if it is none.
std::string MeaningOf(const Case& c);

}  // namespace cts
