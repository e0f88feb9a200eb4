// The evidence of a result that an implementation keeps subnormal numbers, or flushes them to zero.
#pragma once

#include <optional>

#include "reference/answer/answer.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The evidence of a result that fits only one of two answers to a graph. Kept subnormals show
// nothing if the edition's text of an operator does not speak of flushing, or only lays out data.
// Whatever its arithmetic does, an implementation may copy the values, and a compiler may leave the
// operator out. They also show nothing for an operator that is not known here. If an operator
// yields one of its operands, perhaps with another sign, they show that it was moved.
FlushingEvidence FlushingEvidenceOf(const Graph& graph, const Edition& edition);

// Returns what a result shows of an output that has one answer, because no operand is subnormal. It
// shows nothing, unless a reference is below the normal numbers and the rule leaves the result more
// than one value. Then a zero may show flushing, and a subnormal keeping, for the output's own
// type. The table by rules is in README.md.
std::optional<FlushingEvidence> EvidenceOfResult(const Graph& graph, const Edition& edition,
                                                 const ExpectedOutput& output);

}  // namespace cts
