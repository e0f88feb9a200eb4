// Domains of operators that an edition describes by data (OperatorSpec::domain).
#pragma once

#include "generator/ops/domain.h"

namespace cts {

// Returns the domain of an operator that is defined by the edition's data alone, not by C++ code.
// Its axes, inputs and attributes are those of OperatorSpec::domain.
Domain DescribedDomain();

// Returns a breaker for each ERROR_IF that an edition describes with an example. The attributes of
// the example break the condition.
std::vector<Breaker> DescribedBreakers(const OperatorSpec& spec);

// The first condition that an edition describes and that the draft breaks; null if there is none,
// or if the draft makes no graph that fits the argument tables.
const DescribedCondition* ForbiddenBy(const Setting& setting, const CaseDraft& draft);

// The names of the relations that hold in the draft's graph; empty if it makes no graph that fits
// the argument tables.
std::vector<std::string> RelationsIn(const Setting& setting, const CaseDraft& draft);

}  // namespace cts
