// Turns a graph of an edition that follows one of TOSA's (RVTensor) into a graph of that one.
// Layouts become TRANSPOSE, q-points and scales become CONST, and FULLY_CONNECTED becomes CONV2D or
// MATMUL and ADD.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// An illegal graph stays illegal: operands of a wrong rank are handed on as they are, and missing
// operands stay missing. Unimplemented if TOSA has no way to say it: it does not move i4 and i48,
// which only constants can do without, and a constant holds no number beyond its type.
StatusOr<Graph> ToTosa(const Graph& graph, const Edition& from, const Edition& to);

}  // namespace cts
