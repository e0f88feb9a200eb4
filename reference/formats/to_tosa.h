// A graph of an edition that follows one of TOSA's (RVTensor) as a graph of that one: layouts by
// TRANSPOSE, q-points and scales by CONST, FULLY_CONNECTED by CONV2D or by MATMUL and ADD.
#pragma once

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// What is wrong with a graph stays wrong: operands of a wrong rank are handed on as they are, what
// is missing stays missing. Unimplemented where TOSA has no way to say it: it moves no i4 and
// no i48, which constants alone can do without, and a constant holds no number beyond its type.
StatusOr<Graph> ToTosa(const Graph& graph, const Edition& from, const Edition& to);

}  // namespace cts
