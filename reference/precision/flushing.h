// What an implementation shows by keeping subnormal numbers, or by flushing them to zero.
#pragma once

#include <string_view>

#include "reference/bundle/case.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// What a result shows that fits only one of two answers to a graph. Keeping them shows nothing
// where the edition's text of an operator does not speak of flushing, or only moves values: an
// implementation may copy these, and a compiler may leave the operator out, whatever its arithmetic
// does. An operator that is not known here shows nothing by keeping them.
FlushingEvidence FlushingEvidenceOf(const Graph& graph, const Edition& edition);

// Whether it is known here what an operator shows.
bool HasFlushingEvidence(std::string_view op);

}  // namespace cts
