#include "reference/graph/graph.h"

#include "reference/base/status.h"

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

std::string Place(const Graph& graph, const Block& block, size_t position) {
  const std::string& op = block.operators[position].op;
  if (&block == &graph.main()) return StrCat(op, " (operator ", position, ")");
  return StrCat(op, " (operator ", position, " of block ", block.name, ")");
}

std::string Describe(const GraphTensor& tensor) {
  std::string text;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    const bool is_symbol = !tensor.symbols.empty() && !tensor.symbols[i].empty();
    text += StrCat(i > 0 ? "," : "", is_symbol ? tensor.symbols[i] : StrCat(tensor.shape[i]));
  }
  return StrCat(Name(tensor.dtype), "[", text, "]");
}

}  // namespace cts
