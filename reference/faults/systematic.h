// Faults that are made from an operator's arguments and conditions.
#pragma once

#include "reference/faults/fault.h"

namespace cts {

// Some of these faults ignore an attribute or a compile-time constant, change it by one, or reorder
// its elements. Others swap operands, do not detect a broken ERROR_IF, check a bound that is off by
// one, refuse a legal value at the bound, or leave out the end of the output. `op` computes the
// edition's operator `given`; the faults use the argument names of `op`.
Faults SystematicFaults(const Edition& edition, const OperatorSpec& given, const Operator& op);

}  // namespace cts
