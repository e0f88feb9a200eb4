#include "tools/program/run/plugin_graph.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <variant>

#include "checker/text/printable.h"
#include "tools/program/run/plugin_process.h"

namespace cts {

size_t PluginBytes(DType dtype, const Shape& shape) {
  const StatusOr<int64_t> count = CheckedElementCount(shape);
  size_t bytes = 0;
  if (!count.ok() || __builtin_mul_overflow(static_cast<size_t>(*count),
                                            static_cast<size_t>(StorageBytes(dtype)), &bytes)) {
    return 0;
  }
  return bytes;
}

PluginGraph::PluginGraph(const Graph& graph, const std::string& edition, const std::string& level) {
  std::vector<tensor_cts_block> blocks;
  for (const Region& region : graph.regions) {
    // An attribute names a region, and runs its first block.
    for (const Block& block : region.blocks) {
      blocks.push_back(Add(block, &block == &region.blocks.front() ? region.name : block.name));
    }
  }
  graph_ =
      *Keep(std::vector{tensor_cts_graph{Keep(edition), Keep(level), Keep(blocks), blocks.size()}});
  for (PluginBuffer& buffer : pages_) buffer.Protect();
  for (PluginBuffer& buffer : constants_) buffer.Protect();
}

template <class T>
const T* PluginGraph::Keep(const std::vector<T>& items) {
  constexpr size_t kPages = 32 << 10;
  if (items.empty()) return nullptr;
  const size_t bytes = items.size() * sizeof(T);
  used_ = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
  if (pages_.empty() || used_ + bytes > pages_.back().bytes()) {
    pages_.emplace_back("the graph", std::max(bytes, kPages));
    used_ = 0;
    if (pages_.back().data() == nullptr) EndPluginHost("no memory for the graph");
  }
  auto* const kept = reinterpret_cast<T*>(pages_.back().data() + used_);
  std::memcpy(kept, items.data(), bytes);
  used_ += bytes;
  return kept;
}

const char* PluginGraph::Keep(const std::string& text) {
  return Keep(std::vector<char>(text.c_str(), text.c_str() + text.size() + 1));
}

const void* PluginGraph::KeepConstant(const std::string& name, const Tensor& tensor) {
  // A shape without dimensions is a constant, too.
  if (tensor.bytes().empty()) return "";
  PluginBuffer& buffer = constants_.emplace_back(
      StrCat("the constant ", Printable(name).substr(0, 60)), tensor.bytes().size());
  if (buffer.data() == nullptr) EndPluginHost("no memory for " + buffer.what());
  std::memcpy(buffer.data(), tensor.bytes().data(), tensor.bytes().size());
  return buffer.data();
}

tensor_cts_block PluginGraph::Add(const Block& block, const std::string& name) {
  std::map<std::string_view, size_t> index;
  std::vector<tensor_cts_value> values;
  for (const GraphTensor& tensor : block.tensors) {
    index[tensor.name] = values.size();
    values.push_back({Keep(tensor.name), Info(tensor.dtype).name.data(), Keep(tensor.shape),
                      tensor.shape.size(),
                      tensor.values ? KeepConstant(tensor.name, *tensor.values) : nullptr,
                      PluginBytes(tensor.dtype, tensor.shape)});
  }
  const auto indices = [&](const std::vector<std::string>& names) {
    std::vector<size_t> of;
    of.reserve(names.size());
    for (const std::string& tensor : names) of.push_back(index.at(tensor));
    return Keep(of);
  };
  std::vector<tensor_cts_operator> operators;
  for (const GraphOperator& op : block.operators) {
    std::vector<tensor_cts_attribute> attributes;
    for (const auto& [key, value] : op.attributes) {
      tensor_cts_attribute attribute = {};
      attribute.name = Keep(key);
      if (const auto* truth = std::get_if<bool>(&value)) {
        attribute.kind = TENSOR_CTS_BOOL;
        attribute.integer = *truth ? 1 : 0;
      } else if (const auto* integer = std::get_if<int64_t>(&value)) {
        attribute.kind = TENSOR_CTS_INTEGER;
        attribute.integer = *integer;
      } else if (const auto* real = std::get_if<double>(&value)) {
        attribute.kind = TENSOR_CTS_REAL;
        attribute.real = *real;
      } else if (const auto* text = std::get_if<std::string>(&value)) {
        attribute.kind = TENSOR_CTS_TEXT;
        attribute.text = Keep(*text);
      } else if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
        attribute.kind = TENSOR_CTS_LIST;
        attribute.list = Keep(*list);
        attribute.count = list->size();
      }
      attributes.push_back(attribute);
    }
    operators.push_back({Keep(op.op), indices(op.inputs), op.inputs.size(), indices(op.outputs),
                         op.outputs.size(), Keep(attributes), attributes.size()});
  }
  return {Keep(name),          Keep(values),           values.size(),
          Keep(operators),     operators.size(),       indices(block.inputs),
          block.inputs.size(), indices(block.outputs), block.outputs.size()};
}

}  // namespace cts
