// Patterns of graphs. A pattern is a way to connect operators, independent of what the operators
// compute. Compilers look for these patterns when they fuse, merge, fold and reuse memory.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "reference/graph/graph.h"

namespace cts {

struct GraphPattern {
  std::string_view name;     // "output_read_further"
  std::string_view meaning;  // "an operator reads what is an output of the graph as well"
  std::string_view reason;   // the typical fault or its cause: "results change places"
  std::function<bool(const Block&)> holds;
  // The graphs (GraphDomain::name) that must have the pattern. A recipe with one of these graphs
  // must cover the pattern.
  std::vector<std::string_view> graphs;
};

const std::vector<GraphPattern>& GraphPatterns();

}  // namespace cts
