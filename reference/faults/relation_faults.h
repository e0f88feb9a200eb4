// Faults made from the relations between the parameters of a call (reference/ops/relation.h).
#pragma once

#include "reference/faults/fault.h"

namespace cts {

// For each relation of the operator, an implementation that returns zeros (for bool, the opposite
// of the right results) if the relation holds.
Faults RelationFaults(const Edition& edition, const OperatorSpec& spec);

}  // namespace cts
