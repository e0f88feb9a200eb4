// Executes a graph by the specification. The outcome is valid, error or unpredictable, or
// unsupported if the reference cannot say.
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
  std::vector<Violation> violations;    // of every kind, in the order found
  std::vector<ExpectedOutput> outputs;  // kValid: one for every output of the main block
  // What the reference cannot do, and where. With kError or kUnpredictable the broken condition
  // comes after that place, so data may break a REQUIRE before it. No case may be made of such a
  // graph.
  std::string message;
  // kUnsupported: the conditions broken by graphs of control flow that may or may not run,
  // depending on unknown values.
  std::vector<Violation> possible;
};

// The reference's answer. It is kUnsupported beyond kMaxGraphExecutions (execution.h), beyond
// kMaxElements of one tensor, and for CUSTOM. The exception is a graph whose rest breaks a
// condition that types, shapes, attributes, constants and other known values decide. `inputs` must
// fit the main block's inputs in type and shape. The status is other than OK if the graph is not
// one (a dangling tensor, an unknown operator, a cycle). The outcome is kUnsupported, too, if an
// operator starts from a result with a bound, which is more than one value. There are two
// exceptions: the rules settle the operator's result, such as when elements only move
// (schemas/editions/notes.md, Graphs); or `chains` asks for enclosures and the operator has one.
// `data_set` is S of the dot-product rule, -1 for any other data.
StatusOr<Evaluation> Evaluate(const Graph& graph, const std::map<std::string, Tensor>& inputs,
                              const Edition& edition, const Level& level, int data_set = -1,
                              Chains chains = Chains::kExactOnly);

// Executes one graph several times, in order; variables keep their values. Returns one answer for
// each execution, up to the first that is not valid.
StatusOr<std::vector<Evaluation>> EvaluateSequence(const Graph& graph, const InputSequence& inputs,
                                                   const Edition& edition, const Level& level,
                                                   int data_set = -1,
                                                   Chains chains = Chains::kExactOnly);

}  // namespace cts
