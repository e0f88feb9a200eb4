// One case on its way through an implementation, and what became of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "reference/base/json_fwd.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"
#include "tools/run/process.h"

namespace cts {

struct CaseTask {
  const SuiteEntry* entry = nullptr;
  std::filesystem::path case_dir;
  std::filesystem::path staging;  // what the implementation is told to write to
  // The files that it may write, and how many bytes each may have.
  std::map<std::string, uint64_t> files;
  bool symbolic = false;
  std::shared_ptr<const Case> c = {};  // if it has been read whole

  const std::string& id() const { return entry->id; }
};

struct CaseResult {
  std::string status, message;
  double seconds = 0;
  std::optional<Process::Exit> exit = {};
  std::string log = {};
  std::string stdout_text = {};  // that was no answer
  // The files of an embedded implementation, by name; those of others lie in the staging directory.
  std::optional<std::map<std::string, std::string>> files = {};

  bool Answered() const {
    return status == "ok" || status == "error" || status == "accepted" || status == "unsupported";
  }
  // Whether a signal or a limit ended the case, rather than the adapter itself by an exit code or
  // by what it printed.
  bool WasEnded() const {
    return status == "timeout" || (status == "crash" && (!exit || exit->signal != 0));
  }
};

// result.json (schemas/result.schema.json).
Json CaseResultToJson(const CaseResult& result);
CaseResult CaseResultFromJson(const Json& json);

// The files of a case's outputs. A right one is no longer than this, whatever it holds.
std::map<std::string, uint64_t> ResultLimits(const Case& c);

// Makes `result` one of the status "protocol" if the adapter left other files in its directory, or
// longer ones: nobody reads those. Errors as those of FindStray.
Status CheckFiles(const CaseTask& task, CaseResult& result);

// The bytes of an output. kNotFound if there is none.
StatusOr<std::string> ReadOutputFile(const CaseTask& task, const CaseResult& result,
                                     const std::string& name);

// The files that an adapter left in its directory besides the outputs, for a message; empty if
// there are none. kUnavailable if the directory cannot be read, but for an adapter that forbade it.
StatusOr<std::string> FindStray(const CaseTask& task);

}  // namespace cts
