// Operators that an edition defines as a small graph of another edition's: softmax as REDUCE_MAX,
// SUB, EXP, REDUCE_SUM, RECIPROCAL, MUL. Results are those of the graph without rounding in
// between.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/call.h"
#include "reference/graph/graph.h"
#include "reference/ops/operator.h"

namespace cts {

// Conditions, semantics and shapes of an edition's operator: of the text that it has, or of its
// definition. Null if we have no such text.
const Operator* OperatorFor(const OperatorSpec& spec);

// Whether a step of the definition of a call's operator gets arguments that it does not take; finds
// the step and the arguments. False for an operator without a definition.
bool StepRefuses(const Call& call);

// The definition of a call's operator, written out as operators of the edition that it names, with
// a CONST for each of its constants. Tensors have the names of the definition, so inputs and
// outputs have the names of the arguments. An error says which step refuses its arguments.
StatusOr<Block> WriteOut(const Call& call);

}  // namespace cts
