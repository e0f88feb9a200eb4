// Loads implementations in shared libraries into this process: tools/adapters/plugin.h. A plugin
// may crash, hang or exit, so only a process whose end is recorded as a result may load one
// (`tensor-cts plugin-host`).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reference/base/plain_arithmetic.h"
#include "reference/base/status.h"
#include "tools/adapters/plugin.h"

namespace cts {

// The name of the current call into the plugin, such as "execute" or "the reading of its name". A
// call is current until its result has been read. Null if no call is current. Messages name the
// call if the plugin ends the process. The text is never freed.
extern const char* volatile plugin_stage;

// The floating-point mode of the plugin. Only one thread uses it.
extern ForeignArithmetic plugin_arithmetic;

// Makes a call into the plugin. All calls go through this function. Loading the library is such a
// call, too, because it runs the library's constructors. After the call, plugin_stage is not reset,
// because the call's result still has to be read.
template <class F>
auto InPlugin(const char* stage, F call) {
  plugin_stage = stage;
  plugin_arithmetic.Enter();
  const auto returned = call();
  plugin_arithmetic.Leave();
  return returned;
}

class Plugin {
 public:
  // Loads the library, which is never unloaded, and checks its table. Errors say what was found,
  // and what the user can do. `path` should be absolute; otherwise the system also searches other
  // folders.
  static StatusOr<Plugin> Load(const std::filesystem::path& path);

  const tensor_cts_plugin_table& table() const { return *table_; }
  // Only printable characters, without a line break.
  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  const std::string& about() const { return about_; }  // may be empty
  // The plugin's declaration of what it supports, as a JSON object; empty if the plugin makes no
  // declaration.
  const std::string& declared() const { return declared_; }
  // Whether execute may be called from several threads at a time.
  bool threads() const { return (table_->flags & TENSOR_CTS_PLUGIN_THREADS) != 0; }

  // The plugin's message about the last call of this thread; printable.
  std::string ErrorText() const;

 private:
  const tensor_cts_plugin_table* table_ = nullptr;
  std::string name_, version_, about_, declared_;
};

// If `text` (a path, a message of dlopen, a command) is about a plugin or an adapter of tensor-cts,
// says what to install for it: "; for oneDNN's: ...". Otherwise returns an empty text.
std::string InstallHint(std::string_view text);

}  // namespace cts
