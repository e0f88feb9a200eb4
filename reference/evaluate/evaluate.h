// Executes a graph as the specification prescribes. The outcome is kValid, kError or
// kUnpredictable. If the reference cannot determine which of these three is right, the outcome is
// kUnsupported.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reference/answer/answer.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/graph.h"
#include "reference/machine/chains.h"
#include "reference/ops/condition.h"
#include "reference/spec/edition.h"

namespace cts {

struct Evaluation {
  Outcome outcome = Outcome::kValid;
  std::vector<Violation> violations;    // of every kind, in the order of detection
  std::vector<ExpectedOutput> outputs;  // kValid: one for every output of the main block
  // Names the first thing that the reference cannot compute, and its place; empty if the reference
  // can compute everything. If the outcome is kError or kUnpredictable and `message` is not empty,
  // the broken condition comes later in the graph than this place. In this case the data may also
  // break a REQUIRE that the reference cannot check, so the generator must not make a case of the
  // graph.
  std::string message;
  // For kUnsupported. Unknown values may decide whether a graph of COND_IF or WHILE_LOOP runs.
  // `possible` has the violations of the first such graph that has any. REQUIREs of operators
  // are left out, since the graph may run only when they hold; REQUIREs about graphs, such as
  // "graph.dimension", are included.
  std::vector<Violation> possible;
};

// Evaluates a graph by the reference. `inputs` must fit the main block's inputs in type and shape.
// `data_set` is the number S of the dot-product rule's data set, or -1 for other data. The status
// is not OK if the graph's structure is wrong (an undeclared tensor, an unknown operator, a cycle).
// The outcome is kUnsupported if the graph has a CUSTOM, if control flow executes graphs more than
// kMaxGraphExecutions times (execution.h), or if a tensor has more than kMaxElements elements. But
// if the rest of the graph breaks a condition that depends only on known values, that condition
// decides the outcome. The outcome is also kUnsupported if an operator reads a result that is
// judged with a bound, since such a result may have several values. There are two exceptions: the
// rules determine the operator's result, for example because elements are only moved
// (schemas/editions/notes.md, Graphs); or `chains` is kEnclosed and the reference can enclose the
// result (reference/enclosure).
StatusOr<Evaluation> Evaluate(const Graph& graph, const std::map<std::string, Tensor>& inputs,
                              const Edition& edition, const Level& level, int data_set = -1,
                              Chains chains = Chains::kExactOnly);

// Evaluates several executions of one graph, in order; variables keep their values from one
// execution to the next. Returns one evaluation for each execution, up to and including the first
// that is not valid.
StatusOr<std::vector<Evaluation>> EvaluateSequence(const Graph& graph, const InputSequence& inputs,
                                                   const Edition& edition, const Level& level,
                                                   int data_set = -1,
                                                   Chains chains = Chains::kExactOnly);

}  // namespace cts
