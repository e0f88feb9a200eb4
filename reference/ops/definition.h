// Operators that an edition defines as a small graph of another edition's: softmax as REDUCE_MAX,
// SUB, EXP, REDUCE_SUM, RECIPROCAL, MUL. Results are those of the graph without rounding in
// between.
#pragma once

#include "reference/graph/call.h"
#include "reference/ops/operator.h"

namespace cts {

// Conditions, semantics and shapes of an edition's operator: of the text that it has, or of its
// definition. Null if we have no such text.
const Operator* OperatorFor(const OperatorSpec& spec);

// Whether a step of the definition of a call's operator is given what it does not take; finds which
// and what. False where no definition is.
bool StepRefuses(const Call& call);

}  // namespace cts
