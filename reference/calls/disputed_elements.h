// The elements of a call's results that depend on a signalling NaN (graph/disputed.h).
#pragma once

#include <vector>

#include "reference/calls/operator_call.h"

namespace cts {

// For each output of a disputed call, in the edition's order: which of its elements a signalling
// NaN of an operand reaches, so that no verdict may rest on them. Where that is not known, as for
// an integer result, the list is empty, which means all elements.
std::vector<std::vector<bool>> DisputedElements(const OperatorCall& call);

}  // namespace cts
