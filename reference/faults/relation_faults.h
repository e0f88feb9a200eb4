// Faults made from the relations between the parameters of a call (reference/ops/relation.h).
#pragma once

#include "reference/faults/fault.h"

namespace cts {

// Makes a fault for each relation of the operator. Its implementation returns zeros if the relation
// holds for the call; for bool, it returns the opposite of the right results.
Faults RelationFaults(const Edition& edition, const OperatorSpec& spec);

}  // namespace cts
