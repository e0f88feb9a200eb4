// What both hosts of plugins (plugin_host.h, sweep_host.h) are made of: a process that a plugin may
// end at any moment, and that says why.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "tools/run/plugin_loader.h"
#include "tools/run/process.h"

namespace cts {

// ---- The parent's side
// ---------------------------------------------------------------------------

// What the plugin did to its host, out of the host's log and exit; empty if nobody knows.
std::string WhatPluginDid(const Process::Exit& exit, const std::string& log);

// ---- The host's side
// -----------------------------------------------------------------------------

// Ends the process with last words. Not exit: destructors and handlers of a plugin that failed are
// not to be trusted.
[[noreturn]] void EndPluginHost(const std::string& words);

// Where requests come from and answers go. The plugin gets other standard streams: its standard
// output is the log, its standard input is empty.
class PluginStreams {
 public:
  static PluginStreams Take();

  // `line` without its end.
  void Send(const std::string& line) const;
  // The next line of a request; nothing at the end of the input.
  std::optional<std::string> NextLine();

 private:
  int in_ = -1, out_ = -1;
  std::string buffered_;
};

// From here on this process has last words. Ends it with code 2 if the library is no plugin.
Plugin LoadPluginOrEnd(const std::filesystem::path& library);

// A call into the plugin, which returns its status. An exception that comes out of it, a second
// return and closed streams end the process. In a process that the plugin forked it does not
// return: that process ends, and nobody hears of it but the log.
int CallPlugin(const char* stage, const std::function<int()>& call);

}  // namespace cts
