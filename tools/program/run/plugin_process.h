// The common parts of both hosts of plugins (plugin_host.h, sweep_host.h). A host is a process that
// a plugin may end at any moment. If possible, the host first reports why it ends.
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

// The parent's side:

// Derives from the host's log and exit status how the plugin ended its host; returns an empty text
// if that is unknown.
std::string WhatPluginDid(const Process::Exit& exit, const std::string& log);

// The host's side:

// Writes a final message and ends the process. Does not call exit, since destructors and exit
// handlers of a failed plugin cannot be trusted.
[[noreturn]] void EndPluginHost(const std::string& words);

// Does the same with exit code 2: the implementation cannot be used at all.
[[noreturn]] void EndUnusable(const std::string& words);

// The streams for requests and answers. The plugin gets other standard streams: its standard output
// goes to the log, and its standard input is empty.
class PluginStreams {
 public:
  static PluginStreams Take();

  // Sends a line; `line` has no line end.
  void Send(const std::string& line) const;
  // Reads the next line of the requests; nullopt at the end of the input.
  std::optional<std::string> NextLine();

 private:
  int in_ = -1, out_ = -1;
  std::string buffered_;
};

// Loads the plugin. Ends the process with code 2 if the library is not a plugin. After this call,
// the process writes a final message if the plugin ends it.
Plugin LoadPluginOrEnd(const std::filesystem::path& library);

// Calls into the plugin and returns the status of the call. The process ends if the call throws an
// exception, returns a second time or closes the streams. If the plugin forked, the call does not
// return in the new process: the new process ends, and only the log shows this.
int CallPlugin(const char* stage, const std::function<int()>& call);

}  // namespace cts
