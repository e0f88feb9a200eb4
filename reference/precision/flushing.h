// What a result shows about an implementation that keeps subnormal numbers, or flushes them to
// zero.
#pragma once

#include <string_view>

#include "reference/answer/answer.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The evidence of a result that fits only one of two answers to a graph. Kept subnormals show
// nothing if the edition's text of an operator does not speak of flushing, or only moves values: an
// implementation may copy the values, and a compiler may leave the operator out, whatever its
// arithmetic does. They also show nothing for an operator that is not known here.
FlushingEvidence FlushingEvidenceOf(const Graph& graph, const Edition& edition);

// Whether it is known here what an operator shows: tests hold that of every operator.
bool HasFlushingEvidence(std::string_view op);

}  // namespace cts
