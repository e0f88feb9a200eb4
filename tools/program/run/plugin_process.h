// Shared by both hosts of plugins (plugin_host.h, sweep_host.h): a process that a plugin may end at
// any moment, and that gives the reason of its end.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "tools/program/run/plugin_loader.h"
#include "tools/program/run/process.h"

namespace cts {

// ---- The parent's side
// ---------------------------------------------------------------------------

// Says what the plugin did to its host, from the host's log and exit; empty if that is unknown.
std::string WhatPluginDid(const Process::Exit& exit, const std::string& log);

// ---- The host's side
// -----------------------------------------------------------------------------

// Ends the process with last words. It does not call exit, since destructors and handlers of a
// failed plugin cannot be trusted.
[[noreturn]] void EndPluginHost(const std::string& words);

// The streams for requests and answers. The plugin gets other standard streams: its standard output
// is the log, its standard input is empty.
class PluginStreams {
 public:
  static PluginStreams Take();

  // `line` without its end.
  void Send(const std::string& line) const;
  // The next line of a request; nullopt at the end of the input.
  std::optional<std::string> NextLine();

 private:
  int in_ = -1, out_ = -1;
  std::string buffered_;
};

// From here on this process prints last words when it ends. Ends it with code 2 if the library is
// no plugin.
Plugin LoadPluginOrEnd(const std::filesystem::path& library);

// Calls into the plugin and returns the status of the call. An exception, a second return and
// closed streams end the process. If the plugin forked, the call does not return in the new
// process: that process ends, and only the log shows it.
int CallPlugin(const char* stage, const std::function<int()>& call);

}  // namespace cts
