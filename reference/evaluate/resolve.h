// Resolves a symbolic program (a graph with named dimensions) to a static graph, in which each
// dimension is a number.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reference/answer/answer.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/evaluate/evaluate.h"
#include "reference/graph/graph.h"
#include "reference/graph/symbols.h"
#include "reference/spec/edition.h"

namespace cts {

// The static graph for a binding (a value for each symbol), or the violations if the binding or the
// inputs do not allow a static graph. The values of an input are needed only if a dimension depends
// on them.
struct Resolution {
  std::optional<Graph> graph;
  std::vector<Violation> violations;
};
StatusOr<Resolution> Resolve(const Graph& program, const Binding& binding,
                             const std::map<std::string, Tensor>& inputs, const Edition& edition,
                             const Level& level);

// Compares the evaluation of a static graph with those `outputs` of a case that belong to execution
// number `execution`. Returns whether the answers are equal bit for bit, and the rules are equal
// except for their clauses.
bool SameAnswers(const std::vector<ExpectedOutput>& outputs, int execution,
                 const Evaluation& evaluation);

}  // namespace cts
