// Patterns of graphs: the connections of operators, whatever they compute. Compilers use them when
// they fuse, merge, fold and reuse memory.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "reference/graph/graph.h"

namespace cts {

struct GraphPattern {
  std::string_view name;     // "output_read_further"
  std::string_view meaning;  // "an operator reads what is an output of the graph as well"
  std::string_view reason;   // "its memory is not free": the typical fault
  std::function<bool(const Block&)> holds;
  // The graphs that have to have it (GraphDomain::name): a recipe with one of them must cover it.
  std::vector<std::string_view> graphs;
};

const std::vector<GraphPattern>& GraphPatterns();

}  // namespace cts
