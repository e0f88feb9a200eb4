// One case on its way through an implementation, and its result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "checker/judge/case_status.h"
#include "reference/base/json_fwd.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"
#include "tools/program/run/process.h"

namespace cts {

struct WorkerLine;

struct CaseTask {
  const SuiteEntry* entry = nullptr;
  std::filesystem::path case_dir;
  std::filesystem::path staging;  // the directory to which the implementation is told to write
  // The files that it may write, and the most bytes of each.
  std::map<std::string, uint64_t> files;
  bool symbolic = false;
  std::shared_ptr<const Case> c = {};  // if it has been read whole

  const std::string& id() const { return entry->id; }
};

struct CaseResult {
  CaseStatus status = CaseStatus::kProtocol;
  std::string message = {};
  double seconds = 0;
  std::optional<Process::Exit> exit = {};
  std::string log = {};
  std::string stdout_text = {};  // the line that was not an answer
  // The files of an embedded implementation, by name; those of others lie in the staging directory.
  std::optional<std::map<std::string, std::string>> files = {};
  bool reported = false;  // of kCrash: by the adapter, which lives on

  bool Answered() const { return IsAnswer(status); }
  // Whether a signal or a limit ended the case, and not the adapter itself by an exit code or by
  // its output.
  bool WasEnded() const {
    return status == CaseStatus::kTimeout ||
           (status == CaseStatus::kCrash && !reported && (!exit || exit->signal != 0));
  }
};

// The result that an adapter's answer gives. It keeps the end of what a reported crash says.
CaseResult ResultOf(const WorkerLine& answer, double seconds, std::string log = "");

// result.json (schemas/result.schema.json).
Json CaseResultToJson(const CaseResult& result);
CaseResult CaseResultFromJson(const Json& json);

// The files of a case's outputs. A right file is no longer than this, whatever its values.
std::map<std::string, uint64_t> ResultLimits(const Case& c);

// Gives `result` the status kProtocol if the adapter left other or longer files in its directory:
// those are never read. Errors as those of FindStray.
Status CheckFiles(const CaseTask& task, CaseResult& result);

// The bytes of an output. kNotFound if there is no file.
StatusOr<std::string> ReadOutputFile(const CaseTask& task, const CaseResult& result,
                                     const std::string& name);

// The files that an adapter left in its directory besides the outputs, for a message; empty if
// there are none. kUnavailable if the directory cannot be read, unless the adapter itself forbade
// it.
StatusOr<std::string> FindStray(const CaseTask& task);

}  // namespace cts
