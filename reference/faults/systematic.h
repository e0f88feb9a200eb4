// Faults that are made from an operator's arguments and conditions.
#pragma once

#include "reference/faults/fault.h"

namespace cts {

// Each attribute and each compile-time constant ignored, off by one, exchanged with its neighbour;
// operands swapped; each ERROR_IF accepted, each bound off by one; the legal boundary refused; the
// end of the output left out. `op` computes the edition's operator `given`; the faults have the
// names of its text.
Faults SystematicFaults(const Edition& edition, const OperatorSpec& given, const Operator& op);

}  // namespace cts
