#include "reference/graph/graph.h"

namespace cts {

const GraphTensor* Block::Find(std::string_view tensor) const {
  for (const GraphTensor& candidate : tensors) {
    if (candidate.name == tensor) return &candidate;
  }
  return nullptr;
}

Graph EmptyGraph() { return {{Region{"main", {Block{.name = "main"}}}}}; }

}  // namespace cts
