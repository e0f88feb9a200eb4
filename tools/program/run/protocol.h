// The lines that are exchanged with adapters (tools/adapters/README.md): a request is one line on
// standard input, an answer or an announcement one on standard output.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "checker/judge/case_status.h"
#include "reference/base/status.h"

namespace cts {

// A line that came from an adapter.
struct WorkerLine {
  std::string fault;  // not empty: the reason why the line is neither an answer nor an announcement
  bool announcement = false;
  std::optional<std::string> id;
  std::optional<CaseStatus> status;  // of an answer: kCrash as well, which the adapter survived
  std::string message;
  std::string name, version, about;  // of an announcement
  std::string declared;              // likewise: a JSON object, or empty
  // Likewise: absolute paths of the adapter's code besides the command's files.
  std::optional<std::set<std::string>> code;
  int batch = 1;
};
WorkerLine ParseWorkerLine(const std::string& text);

// The line, with its end. `more`: further requests follow at once.
std::string WorkerRequest(const std::string& id, const std::filesystem::path& case_dir,
                          const std::filesystem::path& result_dir, bool more);

// At most 200 bytes of it, in quotes.
std::string Quote(std::string_view text);

}  // namespace cts
