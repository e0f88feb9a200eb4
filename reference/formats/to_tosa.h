// Converts a graph of an edition that follows a TOSA edition, such as RVTensor, into a graph of
// that TOSA edition. Layouts become TRANSPOSE, q-points (zero points) and scales become CONST, and
// FULLY_CONNECTED becomes either CONV2D or MATMUL with ADD. An operator with a definition becomes
// the graph of its definition.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// Returns the converted graph. An illegal graph stays illegal: operands of a wrong rank are passed
// on unchanged, and missing operands stay missing. Unimplemented if TOSA cannot express the graph.
// Examples:
// - An i4 or i48 tensor that is no constant needs a TRANSPOSE or RESHAPE. TOSA does not have these
//   operators for i4 and i48.
// - A constant would have to hold a number outside of its type's range.
// - An operator with a definition has illegal operands, so the sizes between the definition's steps
//   cannot be computed.
// - FULLY_CONNECTED lacks an operand.
StatusOr<Graph> ToTosa(const Graph& graph, const Edition& from, const Edition& to);

}  // namespace cts
