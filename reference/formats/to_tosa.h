// Turns a graph of an edition that follows one of TOSA's (RVTensor) into a graph of that one.
// Layouts become TRANSPOSE, q-points and scales become CONST, FULLY_CONNECTED becomes CONV2D or
// MATMUL and ADD, and an operator that a graph defines becomes that graph.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// An illegal graph stays illegal: operands of a wrong rank are handed on as they are, and missing
// operands stay missing. Unimplemented if TOSA has no way to say it: it does not move i4 and i48,
// which only constants can do without, a constant holds no number beyond its type, and of what a
// graph defines the sizes between the steps follow from legal operands alone.
StatusOr<Graph> ToTosa(const Graph& graph, const Edition& from, const Edition& to);

}  // namespace cts
