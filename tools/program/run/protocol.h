// The lines that are exchanged with adapters (tools/adapters/README.md): a request is one line on
// the adapter's standard input; an answer or an announcement is one line on its standard output.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "checker/judge/case_status.h"
#include "reference/base/status.h"

namespace cts {

// A line from an adapter's standard output.
struct WorkerLine {
  // If not empty: the reason why the line is neither an answer nor an announcement.
  std::string fault;
  bool announcement = false;
  std::optional<std::string> id;
  std::optional<CaseStatus> status;  // of an answer; kCrash if the adapter reports a crash itself
  std::string message;
  std::string name, version, about;  // of an announcement
  std::string declared;              // of an announcement: a JSON object, or empty
  // In an announcement: absolute paths of the adapter's code besides the command's files.
  std::optional<std::set<std::string>> code;
  int batch = 1;  // in an announcement: the most requests that the worker takes at a time
};
WorkerLine ParseWorkerLine(const std::string& text);

// Returns the line of a request, with its line end. `more` says that further requests follow at
// once.
std::string WorkerRequest(const std::string& id, const std::filesystem::path& case_dir,
                          const std::filesystem::path& result_dir, bool more);

// Returns the text in quotes, cut to at most 200 bytes.
std::string Quote(std::string_view text);

}  // namespace cts
