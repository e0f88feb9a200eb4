// Processes of an implementation: starts, limits and ends them, and makes the result of a case that
// has a process to itself.
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

// A worker that has nothing left to do gets this long to exit before it is killed.
inline constexpr double kGraceSeconds = 5;

// From now.
Clock::time_point After(double seconds);
double SecondsSince(Clock::time_point start);

// Returns everything that an adapter printed, for the end of a message whose first line has its
// last line; empty if it printed only that line.
std::string AllSaid(const std::string& log);

// The options with an adapter in place of the plugin that they name: this program, which hosts it.
StatusOr<RunOptions> HostPlugin(RunOptions options);

// Starts the host to find out whether the plugin loads, and its name and version.
StatusOr<ImplementationName> MeetPlugin(const RunOptions& options, int wake_fd);

// The exit code by which an adapter says that something it needs is missing.
inline constexpr int kEnvironment = 2;

// Whether the shell found no program to execute.
bool NotStarted(const Process::Exit& exit);

// ", PATH among them", where PATH is in only one of two announcements.
std::string FirstOther(const std::optional<std::set<std::string>>& before,
                       const std::optional<std::set<std::string>>& now);

class Launcher {
 public:
  struct Announcements {
    // Called once, with the announcement of the workers.
    std::function<Status(const WorkerLine& announcement)> came;
    // The workers of the continued run announced their code: those of this run must, too.
    bool code_expected = false;
  };

  // `stopping`: true once no caller waits for results any more.
  Launcher(const RunOptions& options, const SignalScope& signals, Announcements announcements,
           std::function<bool()> stopping);

  // Sets the time for one case. Do not call it while a case runs.
  void SetTimeout(double seconds) { timeout_seconds_ = seconds; }
  double timeout_seconds() const { return timeout_seconds_; }

  // A worker, or a process for this one case.
  StatusOr<std::unique_ptr<Process>> Start(const CaseTask* task) const;

  // Runs one case in a process of its own, which may be a worker. nullopt if the run stops.
  StatusOr<std::optional<CaseResult>> RunAlone(const CaseTask& task);

  // Closes the input of an idle worker. Returns true if the worker says nothing more and exits with
  // code 0, or has to be killed.
  bool EndWorker(Process& process) const;

  // Call it if a worker ended, after `seconds`, before any worker printed anything. Starts another
  // worker that gets nothing to do, to find out whether the case was at fault or no worker can run
  // here. The latter is an error, with everything that the worker said.
  Status CanStart(double seconds);
  // The error for an adapter that ended in this way before it read any of several cases.
  Status NeverStarts(const Process::Exit& exit, const std::string& said);
  bool never_started() const { return never_started_; }

  // One run has one implementation: announcing another one ends the run.
  Status Announce(const WorkerLine& line);
  // If workers announce their code, a worker that answers or ends without doing so ends the run,
  // too.
  Status CheckAnswer(bool announced);
  Status CheckEnded(bool announced, const std::string& log) const;
  bool announced() const;

  // Says what is wrong with the id of an answer. An answer may lack the id only without workers.
  std::string CheckId(const WorkerLine& line, const CaseTask& task) const;
  std::string TimeoutText(bool answered) const;

 private:
  // Whether workers of this run announce their code, and the announcement counts.
  bool CodeIsAnnounced() const;
  // The result of a case whose process ended. nullopt: its answer counts, or the run stops.
  std::optional<CaseResult> JudgeExit(Process& process, Clock::time_point deadline,
                                      bool answered) const;
  // Says what to install if the shell did not find the program that starts an adapter of ours, or
  // if by the last line of its log Python did not find the module.
  std::string HintFor(const Process::Exit& exit, const std::string& last = "") const;

  // A user who stops this program may have stopped its children first. Waits a moment, and says
  // whether the user's signal ended a child.
  bool EndedByUser(const Process::Exit& exit) const;

  const RunOptions& options_;
  const SignalScope& signals_;
  const Announcements announcements_;
  const std::function<bool()> stopping_;
  double timeout_seconds_;
  std::unique_ptr<MemoryWatch> memory_;
  std::atomic<bool> never_started_{false};
  std::atomic<bool> answered_unannounced_{false};  // some worker did
  mutable std::mutex mutex_;                       // of announcement_
  std::optional<WorkerLine> announcement_;
};

}  // namespace cts
