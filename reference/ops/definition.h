// Operators that an edition defines as a small graph of another edition's operators: softmax as
// REDUCE_MAX, SUB, EXP, REDUCE_SUM, RECIPROCAL, MUL. The results are those that the graph gives
// without rounding between its operators.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/call.h"
#include "reference/graph/graph.h"
#include "reference/ops/operator.h"

namespace cts {

// The conditions, semantics and shapes of an edition's operator. They come from the operator's
// definition or, without a definition, from the program's code for the operator. Null if the
// operator has neither a definition nor code.
const Operator* OperatorFor(const OperatorSpec& spec);

// Whether any step in the definition of the call's operator refuses the step's arguments. The
// breach names the step and these arguments. False for an operator without a definition.
Breach StepRefuses(const Call& call);

// The definition of a call's operator, written out as operators of the definition's edition, with a
// CONST for each constant. Tensors have the names of the definition, so inputs and outputs have the
// names of the arguments. An error names the step that refuses its arguments.
StatusOr<Block> WriteOut(const Call& call);

}  // namespace cts
