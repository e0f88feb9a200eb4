// The elements of a call's results that depend on a signalling NaN (graph/disputed.h).
#pragma once

#include <vector>

#include "reference/calls/operator_call.h"

namespace cts {

// Returns a list for each output of a disputed call, in the order of the edition's outputs. The
// list says for each element whether it depends on a signalling NaN of an operand. No verdict may
// depend on such an element. An empty list means all elements; it is used if the dependence is
// unknown, as for integer results.
std::vector<std::vector<bool>> DisputedElements(const OperatorCall& call);

}  // namespace cts
