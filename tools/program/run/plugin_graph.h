// Graphs in the form of tools/adapters/plugin.h, in the memory of a plugin's host.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "reference/graph/graph.h"
#include "tools/adapters/plugin.h"
#include "tools/program/run/plugin_buffer.h"

namespace cts {

// A graph for a plugin: a copy in read-only memory.
class PluginGraph {
 public:
  // If an operator or a block refers to a tensor by name, its block must have a tensor of that
  // name; ReadCase checks this. The process ends if memory for the graph cannot be allocated.
  PluginGraph(const Graph& graph, const std::string& edition, const std::string& level);
  PluginGraph(const PluginGraph&) = delete;
  PluginGraph& operator=(const PluginGraph&) = delete;

  const tensor_cts_graph& get() const { return graph_; }

 private:
  tensor_cts_block Add(const Block& block, const std::string& name);
  // Copies the items into the memory; returns null if there are no items.
  template <class T>
  const T* Keep(const std::vector<T>& items);
  const char* Keep(const std::string& text);
  const void* KeepConstant(const std::string& name, const Tensor& tensor);

  std::deque<PluginBuffer> pages_;  // everything except the constants
  size_t used_ = 0;                 // the used bytes of the last one of pages_
  std::deque<PluginBuffer> constants_;
  tensor_cts_graph graph_ = {};
};

// The size in bytes of a tensor of this type and shape; 0 if the shape has a dimension below 1, or
// more elements than memory can hold.
size_t PluginBytes(DType dtype, const Shape& shape);

}  // namespace cts
