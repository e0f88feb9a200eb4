// The static graph of a symbolic program, all at once.
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

// The static graph for a binding, or the violations of the binding or the inputs if there is no
// such graph. The values of inputs are needed only where a dimension depends on them.
struct Resolution {
  std::optional<Graph> graph;
  std::vector<Violation> violations;
};
StatusOr<Resolution> Resolve(const Graph& program, const Binding& binding,
                             const std::map<std::string, Tensor>& inputs, const Edition& edition,
                             const Level& level);

// Whether an evaluation of that static graph has the same answers, bit for bit, and rules as an
// execution of a case that has these outputs. The rules' clauses may name another operator.
bool SameAnswers(const std::vector<ExpectedOutput>& outputs, int execution,
                 const Evaluation& evaluation);

}  // namespace cts
