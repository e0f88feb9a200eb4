// Says which results show that an implementation keeps subnormal numbers, or that it flushes them
// to zero.
#pragma once

#include <optional>

#include "reference/answer/answer.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// Returns the evidence that a result gives if it fits only one of two answers to the graph. Kept
// subnormals show nothing if an operator of the graph only rearranges data, or if the edition's
// text of an operator does not mention flushing. Such an operator may copy subnormals even if the
// implementation's arithmetic flushes them, and a compiler may remove the operator. Kept subnormals
// also show nothing if a CAST yields booleans. They show nothing if the edition defines an operator
// by a graph of other operators, since the results of these other operators are not visible. If an
// operator yields elements of its operands, perhaps with another sign, kept subnormals show only
// that the elements were copied.
FlushingEvidence FlushingEvidenceOf(const Graph& graph, const Edition& edition);

// Returns the evidence that a result may give about an output with only one answer. A zero may show
// that subnormals of the output's type are flushed. A subnormal may show that they are kept.
// Returns nullopt unless three conditions hold:
// - The rule is kUlp, kAbsoluteBound or kInterval.
// - The reference for some element (or an end of its interval) is a subnormal that may be flushed.
// - The edition requires an implementation to flush either all subnormals of a type or no subnormal
//   of this type.
// README.md has a table of what zeros and subnormals show under each rule.
std::optional<FlushingEvidence> EvidenceOfResult(const Graph& graph, const Edition& edition,
                                                 const ExpectedOutput& output);

}  // namespace cts
