// Makes one symbolic program from its static graphs, one for each binding of the symbols.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "generator/draft/case_draft.h"
#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The differences between a program and its static graphs.
struct SymbolicDifferences {
  // A size, or the name of a symbol of the bindings.
  using Dimension = std::variant<int64_t, std::string>;

  std::vector<GraphOperator> helpers;  // operators that yield sizes or other index values
  // output -> the operator that yields this output in the program; in the static graphs, another
  // operator yields this output
  std::map<std::string, GraphOperator> replaced;
  // tensor -> for each dimension, whether it must be a symbol
  std::map<std::string, std::vector<bool>> forced;
  std::map<std::string, std::vector<Dimension>> declared;  // the dimensions of inputs
};

// Turns assembly.graph, which is the first static graph, into the program. With the binding at a
// position of assembly.bindings, the program becomes the graph at the same position of
// assembly.resolved. Removes a symbol from the bindings if no input has it. An error is a bug of
// the code that built the graphs.
Status MakeSymbolic(const Edition& edition, const SymbolicDifferences& differences,
                    Assembly& assembly);

}  // namespace cts
