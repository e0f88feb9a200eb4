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

// The first condition that an edition describes and that the draft breaks; null if the draft breaks
// none of these conditions, or if its graph does not fit the argument tables.
const DescribedCondition* ForbiddenBy(const Setting& setting, const CaseDraft& draft);

// The names of the relations (reference/ops/relation.h) that hold in the draft's graph. Empty if
// the graph does not fit the argument tables.
std::vector<std::string> RelationsIn(const Setting& setting, const CaseDraft& draft);

}  // namespace cts
