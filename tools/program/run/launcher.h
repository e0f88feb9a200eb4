// Starts, limits and ends processes of an implementation, and makes the result of a case that runs
// in its own process.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "checker/judge/run_record.h"
#include "reference/base/status.h"
#include "tools/program/run/case_result.h"
#include "tools/program/run/memory_watch.h"
#include "tools/program/run/process.h"
#include "tools/program/run/protocol.h"
#include "tools/program/run/run_options.h"
#include "tools/program/run/signals.h"

namespace cts {

// When a worker gets no further cases, it has this time to exit before it is killed.
inline constexpr double kGraceSeconds = 5;

// The time point `seconds` from now.
Clock::time_point After(double seconds);
double SecondsSince(Clock::time_point start);

// Returns everything that an adapter printed, to be appended to a message that already has the last
// printed line. Returns an empty text if the adapter printed only that line.
std::string AllSaid(const std::string& log);

// Returns the options for a run whose adapter is this program, as a worker that hosts the plugin.
// Returns an error if the plugin is not a file.
StatusOr<RunOptions> HostPlugin(RunOptions options);

// Starts the plugin's host to check that the plugin loads. Returns the plugin's name and version.
StatusOr<ImplementationName> MeetPlugin(const RunOptions& options, int wake_fd);

// The exit code by which an adapter says that something it needs is missing.
inline constexpr int kEnvironment = 2;

// Whether the shell found no program to execute.
bool NotStarted(const Process::Exit& exit);

// Says how the paths of code in two announcements differ: ", PATH among them" for a path in only
// one of them, ": now none" or ": before none" if one announces no paths. Returns an empty text if
// the paths are the same.
std::string FirstOther(const std::optional<std::set<std::string>>& before,
                       const std::optional<std::set<std::string>>& now);

class Launcher {
 public:
  struct Announcements {
    // Called once, with the first worker's announcement.
    std::function<Status(const WorkerLine& announcement)> came;
    // Whether every worker must announce the files of its code, because the workers did so before
    // the run was resumed.
    bool code_expected = false;
  };

  // `stopping`: returns true once results are no longer needed.
  Launcher(const RunOptions& options, const SignalScope& signals, Announcements announcements,
           std::function<bool()> stopping);

  // Sets the time for one case. Do not call it while a case runs.
  void SetTimeout(double seconds) { timeout_seconds_ = seconds; }
  double timeout_seconds() const { return timeout_seconds_; }

  // If `task` is null, starts a worker; if it is not null, starts a process for this one case.
  StatusOr<std::unique_ptr<Process>> Start(const CaseTask* task) const;

  // Runs one case in a process of its own, which may be a worker. nullopt if the run is stopping.
  StatusOr<std::optional<CaseResult>> RunAlone(const CaseTask& task);

  // Closes the input of an idle worker. Returns false if the worker then prints something, is ended
  // by a signal, or exits with a code other than 0. Returns true in all other cases, also if the
  // worker does not exit in time.
  bool EndWorker(Process& process) const;

  // Call it if a worker ended before any worker printed anything; `seconds` is the time from the
  // worker's first request to its end. Starts another worker, which gets no case, to find out
  // whether the case was at fault or workers cannot run here at all. If workers cannot run here,
  // returns an error with everything that the other worker printed.
  Status CanStart(double seconds);
  // The error for an adapter whose processes ended before they read a case, in every attempt.
  // `exit` and `said` are the exit status and the output of one of these processes.
  Status NeverStarts(const Process::Exit& exit, const std::string& said);
  bool never_started() const { return never_started_; }

  // Takes a worker's announcement. A run has only one implementation, so the announcement of
  // another implementation is an error that ends the run.
  Status Announce(const WorkerLine& line);
  // If workers of this run announce their code, every worker must announce its code before it
  // answers or ends. If a worker answered or ended before its announcement (`announced` is false),
  // these functions return an error, which ends the run.
  Status CheckAnswer(bool announced);
  Status CheckEnded(bool announced, const std::string& log) const;
  bool announced() const;

  // Says what is wrong with the id of an answer; returns an empty text if the id is right. An
  // answer of a worker must have an id.
  std::string CheckId(const WorkerLine& line, const CaseTask& task) const;
  std::string TimeoutText(bool answered) const;

 private:
  // Whether workers of this run announce their code, and --code does not replace the announcement.
  bool CodeIsAnnounced() const;
  // The result of a case whose process ended. nullopt if the answer of the process counts, or if
  // the run is stopping.
  std::optional<CaseResult> JudgeExit(Process& process, Clock::time_point deadline,
                                      bool answered) const;
  // Says what to install if the shell did not find the program that starts an adapter of
  // tensor-cts, or if Python did not find our module. Python says so in `last`, the last line of
  // the log.
  std::string HintFor(const Process::Exit& exit, const std::string& last = "") const;

  // Whether a user's signal, such as Ctrl-C, ended the child. The child may get the signal before
  // this program gets it, so the function waits a moment.
  bool EndedByUser(const Process::Exit& exit) const;

  const RunOptions& options_;
  const SignalScope& signals_;
  const Announcements announcements_;
  const std::function<bool()> stopping_;
  double timeout_seconds_;
  std::unique_ptr<MemoryWatch> memory_;
  std::atomic<bool> never_started_{false};
  std::atomic<bool> answered_unannounced_{false};  // a worker answered before its announcement
  mutable std::mutex mutex_;                       // guards announcement_
  std::optional<WorkerLine> announcement_;
};

}  // namespace cts
