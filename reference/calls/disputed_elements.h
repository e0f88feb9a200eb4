// Finds the elements of a call's results that depend on a signalling NaN (graph/disputed.h).
#pragma once

#include <vector>

#include "reference/calls/operator_call.h"

namespace cts {

// Returns a list for each output of a disputed call, in the order of the edition's outputs. The
// list has true for each element that depends on a signalling NaN of an operand. No verdict may
// depend on such an element. If the function cannot find these elements, as for integer results,
// the list is empty, and every element counts as dependent.
std::vector<std::vector<bool>> DisputedElements(const OperatorCall& call);

}  // namespace cts
