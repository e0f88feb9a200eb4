// One case that an implementation runs, and its result.
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
  // The files that the implementation may write, and the most bytes of each.
  std::map<std::string, uint64_t> files;
  bool symbolic = false;
  std::shared_ptr<const Case> c = {};  // the case, if all of it has been read

  const std::string& id() const { return entry->id; }
};

struct CaseResult {
  CaseStatus status = CaseStatus::kProtocol;
  std::string message = {};
  double seconds = 0;
  std::optional<Process::Exit> exit = {};
  std::string log = {};
  std::string stdout_text = {};  // the line that was not a valid answer
  // The output files of an embedded implementation, by name; other implementations write theirs to
  // the staging directory.
  std::optional<std::map<std::string, std::string>> files = {};
  bool reported = false;  // kCrash was reported by the adapter, which goes on running

  bool Answered() const { return IsAnswer(status); }
  // Whether a signal or a limit ended the case. False if the adapter itself ended the case, by an
  // exit code or by its output.
  bool WasEnded() const {
    return status == CaseStatus::kTimeout ||
           (status == CaseStatus::kCrash && !reported && (!exit || exit->signal != 0));
  }
};

// Makes a result from an adapter's answer. If the message of a reported crash is too long, the
// result has only the end of the message.
CaseResult ResultOf(const WorkerLine& answer, double seconds, std::string log = "");

// A result in the form of result.json (schemas/result.schema.json).
Json CaseResultToJson(const CaseResult& result);
CaseResult CaseResultFromJson(const Json& json);

// Returns the names of the files of a case's outputs, and for each file the most bytes that it may
// have if its tensor has the right shape.
std::map<std::string, uint64_t> ResultLimits(const Case& c);

// Gives `result` the status kProtocol if the adapter's directory has a fault. The faults are: a
// file that `task.files` does not list, a file that is longer than `task.files` allows, and an
// output although the status is kAccepted. Such files are never read. Returns kUnavailable if the
// directory or a file cannot be examined.
Status CheckFiles(const CaseTask& task, CaseResult& result);

// Returns the bytes of an output's file; kNotFound if there is no such file.
StatusOr<std::string> ReadOutputFile(const CaseTask& task, const CaseResult& result,
                                     const std::string& name);

// Says what is wrong with an adapter's directory, such as a file that is not an output; returns an
// empty text if nothing is wrong. Returns kUnavailable if the directory cannot be read. A missing
// permission to read it is the adapter's fault: the text says so, and the function returns no
// error.
StatusOr<std::string> FindStray(const CaseTask& task);

}  // namespace cts
