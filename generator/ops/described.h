// Domains of operators that an edition describes by data (OperatorSpec::domain).
#pragma once

#include "generator/ops/domain.h"

namespace cts {

// Of an operator that has no text of ours but a definition: axes, inputs and attributes as its
// OperatorSpec::domain says.
Domain DescribedDomain();

// For each of the conditions that an edition describes what breaks it: the attributes of its
// example.
std::vector<Breaker> DescribedBreakers(const OperatorSpec& spec);

}  // namespace cts
