// The evidence, from results, that an implementation keeps subnormal numbers or flushes them to
// zero.
#pragma once

#include <optional>

#include "reference/answer/answer.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The evidence that a result gives if it fits only one of two answers to a graph. Kept subnormals
// show nothing if the edition's text of an operator does not mention flushing, or if the operator
// only rearranges data. An implementation may copy such data even if its arithmetic flushes, and a
// compiler may remove the operator. Kept subnormals also show nothing if the edition defines an
// operator by a graph of other operators, since an implementation does not show the results of
// those operators. If an operator yields elements of its operands, perhaps with another sign, kept
// subnormals show only that the elements were copied.
FlushingEvidence FlushingEvidenceOf(const Graph& graph, const Edition& edition);

// The evidence that results give for an output with only one answer. nullopt unless three things
// hold: the rule is kUlp, kAbsoluteBound or kInterval; the reference for some element (or an end of
// its interval) is a subnormal that may be flushed; and the edition requires an implementation to
// flush all subnormals of a type or none. A zero may then show that subnormals of the output's type
// are flushed, and a subnormal may show that they are kept. README.md has a table of what zeros and
// subnormals show under each rule.
std::optional<FlushingEvidence> EvidenceOfResult(const Graph& graph, const Edition& edition,
                                                 const ExpectedOutput& output);

}  // namespace cts
