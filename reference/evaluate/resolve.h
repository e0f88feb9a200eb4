// Resolves a symbolic program to a static graph.
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

// The static graph for a binding, or the violations if the binding or the inputs do not allow one.
// The values of an input are needed only if a dimension depends on them.
struct Resolution {
  std::optional<Graph> graph;
  std::vector<Violation> violations;
};
StatusOr<Resolution> Resolve(const Graph& program, const Binding& binding,
                             const std::map<std::string, Tensor>& inputs, const Edition& edition,
                             const Level& level);

// Compares the evaluation of a static graph with the `outputs` of a case. Considers only the
// outputs of execution number `execution`. Returns whether the answers are equal bit for bit and
// the rules are equal. Only the clauses of the rules may differ.
bool SameAnswers(const std::vector<ExpectedOutput>& outputs, int execution,
                 const Evaluation& evaluation);

}  // namespace cts
