// One case on its way through an implementation, and what became of it.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "reference/base/json_fwd.h"
#include "reference/bundle/suite.h"
#include "tools/run/process.h"

namespace cts {

struct CaseTask {
  const SuiteEntry* entry = nullptr;
  std::filesystem::path case_dir;
  std::filesystem::path staging;  // what the implementation is told to write to
  std::set<std::string> files;    // that it may write
  bool symbolic = false;

  const std::string& id() const { return entry->id; }
};

struct CaseResult {
  std::string status, message;
  double seconds = 0;
  std::optional<Process::Exit> exit = {};
  std::string log = {};
  std::string stdout_text = {};  // that was no answer

  bool Answered() const { return status == "ok" || status == "error" || status == "unsupported"; }
  // Whether a signal or a limit ended the case, rather than the adapter itself by an exit code or
  // by what it printed.
  bool WasEnded() const {
    return status == "timeout" || (status == "crash" && (!exit || exit->signal != 0));
  }
};

// result.json (schemas/result.schema.json).
Json CaseResultToJson(const CaseResult& result);
CaseResult CaseResultFromJson(const Json& json);

// The files that an adapter left in its directory besides the outputs, for a message; empty if
// there are none. kUnavailable if the directory cannot be read, but for an adapter that forbade it.
StatusOr<std::string> FindStray(const CaseTask& task);

}  // namespace cts
