// Implementations in shared libraries, in this process: tools/adapters/plugin.h. A plugin may
// crash, hang or exit, so only a process whose end is a result loads one (`tensor-cts
// plugin-host`).
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "tools/adapters/plugin.h"
#include "tools/run/plugin_buffer.h"

namespace cts {

// What is being done with the plugin at the moment, such as "tensor_cts_plugin" or "execute", or
// null: for those who have to say where it ended. Points to a text that lives forever.
extern const char* volatile plugin_stage;

class Plugin {
 public:
  // Loads the library, which stays loaded for good, and checks its table. Errors say what was found
  // and what to do. `path` should be absolute, or the system looks for it elsewhere, too.
  static StatusOr<Plugin> Load(const std::filesystem::path& path);

  const tensor_cts_plugin_table& table() const { return *table_; }
  // Printable, and not longer than a line.
  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  const std::string& about() const { return about_; }  // may be empty
  // Whether execute may be called from several threads at a time.
  bool threads() const { return (table_->flags & TENSOR_CTS_PLUGIN_THREADS) != 0; }

  // What the plugin says of the last call of this thread; printable.
  std::string ErrorText() const;

 private:
  const tensor_cts_plugin_table* table_ = nullptr;
  std::string name_, version_, about_;
};

// A graph as a plugin gets it: a copy in memory that cannot be written.
class PluginGraph {
 public:
  // Every name that operators and blocks use must be one of a tensor of their block, as ReadCase
  // sees to it. Without memory for it the process ends.
  PluginGraph(const Graph& graph, const std::string& edition, const std::string& level);
  PluginGraph(const PluginGraph&) = delete;
  PluginGraph& operator=(const PluginGraph&) = delete;

  const tensor_cts_graph& get() const { return graph_; }

 private:
  tensor_cts_block Add(const Block& block, const std::string& name);
  // Copies; null of nothing.
  template <class T>
  const T* Keep(const std::vector<T>& items);
  const char* Keep(const std::string& text);
  const void* KeepConstant(const std::string& name, const Tensor& tensor);

  std::deque<PluginBuffer> pages_;  // all but the constants
  size_t used_ = 0;                 // of the last of pages_
  std::deque<PluginBuffer> constants_;
  tensor_cts_graph graph_ = {};
};

// What to install for a plugin or an adapter of ours, if that is what `text` (a path, a message of
// dlopen, a command) is about: "; for oneDNN's: ..."; else empty.
std::string InstallHint(std::string_view text);

// Bytes of a tensor of this type and shape; 0 if no tensor has that shape (a dimension below 1,
// more elements than memory can hold).
size_t PluginBytes(DType dtype, const Shape& shape);

}  // namespace cts
