// Loads implementations in shared libraries into this process: tools/adapters/plugin.h. A plugin
// may crash, hang or exit, so only a process whose end becomes a result loads one (`tensor-cts
// plugin-host`).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reference/base/plain_arithmetic.h"
#include "reference/base/status.h"
#include "tools/adapters/plugin.h"

namespace cts {

// The call into the plugin that is running, such as "tensor_cts_plugin" or "execute", or null: for
// messages about where the plugin ended. Points to a text that lives forever.
extern const char* volatile plugin_stage;

// The floating-point mode of the plugin. One thread calls it.
extern ForeignArithmetic plugin_arithmetic;

// Makes every call into the plugin, including its constructors. The stage stays that of the call,
// because the result of the call is still to be read.
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
  // Loads the library, which stays loaded for good, and checks its table. Errors say what was found
  // and what to do. `path` should be absolute; otherwise the system looks for it elsewhere, too.
  static StatusOr<Plugin> Load(const std::filesystem::path& path);

  const tensor_cts_plugin_table& table() const { return *table_; }
  // Printable, and not longer than a line.
  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  const std::string& about() const { return about_; }  // may be empty
  // The declaration of what it supports, as a JSON object; empty if it makes no declaration.
  const std::string& declared() const { return declared_; }
  // Whether execute may be called from several threads at a time.
  bool threads() const { return (table_->flags & TENSOR_CTS_PLUGIN_THREADS) != 0; }

  // The plugin's message about the last call of this thread; printable.
  std::string ErrorText() const;

 private:
  const tensor_cts_plugin_table* table_ = nullptr;
  std::string name_, version_, about_, declared_;
};

// Says what to install for a plugin or an adapter of ours, if `text` (a path, a message of dlopen,
// a command) is about one: "; for oneDNN's: ..."; otherwise empty.
std::string InstallHint(std::string_view text);

}  // namespace cts
