// Turns a graph of an edition that follows one of TOSA's (RVTensor) into a graph of that one.
// Layouts become TRANSPOSE, q-points and scales become CONST, FULLY_CONNECTED becomes CONV2D or
// MATMUL and ADD, and an operator that a graph defines becomes that graph.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// An illegal graph stays illegal: operands of a wrong rank are handed on unchanged, and missing
// operands stay missing. Unimplemented if TOSA cannot express it, for three reasons. TOSA does not
// move i4 and i48, unless they are constants. A constant holds no number beyond its type. The sizes
// between the steps of a definition follow only from legal operands.
StatusOr<Graph> ToTosa(const Graph& graph, const Edition& from, const Edition& to);

}  // namespace cts
