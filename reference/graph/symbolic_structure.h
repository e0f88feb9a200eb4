// Checks that a description is a symbolic program; its binding is checked later.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// Checks the further requirements of a symbolic program, beyond those of CheckStructure for any
// graph: one block without variables, an edition with symbolic programs, and the operands and
// attributes that the symbolic operators take.
Status CheckSymbolicStructure(const Graph& program, const Edition& edition);

}  // namespace cts
