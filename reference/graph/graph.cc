#include "reference/graph/graph.h"

namespace cts {

const GraphTensor* Block::Find(std::string_view tensor) const {
  for (const GraphTensor& candidate : tensors) {
    if (candidate.name == tensor) return &candidate;
  }
  return nullptr;
}

const Block* Graph::FindGraph(std::string_view region) const {
  for (const Region& candidate : regions) {
    if (candidate.name == region && !candidate.blocks.empty()) return &candidate.blocks.front();
  }
  return nullptr;
}

Graph EmptyGraph() { return {{Region{"main", {Block{.name = "main"}}}}}; }

}  // namespace cts
