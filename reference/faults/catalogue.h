// The catalogue: the faults of every operator, and how they are executed.
#pragma once

#include <string_view>
#include <vector>

#include "reference/evaluate/native.h"
#include "reference/faults/fault.h"

namespace cts {

// Every fault of an edition, except those of SymbolicFaultsOf, in the order of operators.def;
// operators that the edition defines by a graph of other operators come last. For each operator,
// the faults that are written by hand precede all others. The ids are unique.
const Faults& FaultsOf(const Edition& edition);
// Finds a fault of FaultsOf or SymbolicFaultsOf by its id; an error names the nearest ids.
StatusOr<const Fault*> FindFault(const Edition& edition, std::string_view id);

// Executes `builtin:native` with one fault. The outcomes are those that a real implementation would
// have: kError if the implementation refuses the graph; kUnpredictable if the graph is
// unpredictable, or if the implementation accepts a graph that it should refuse.
StatusOr<std::vector<NativeResult>> ExecuteFaulty(const Fault& fault, const Graph& graph,
                                                  const InputSequence& inputs,
                                                  const Edition& edition, const Level& level);

}  // namespace cts
