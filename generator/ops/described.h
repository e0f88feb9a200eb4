// Domains of operators that an edition describes by data (OperatorSpec::domain).
#pragma once

#include "generator/ops/domain.h"

namespace cts {

// Of an operator that has no text of ours but a definition: axes, inputs and attributes as its
// OperatorSpec::domain says.
Domain DescribedDomain();

}  // namespace cts
