// Processes of an implementation: how they are started, limited and ended, and what one made of a
// case that it had to itself.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "checker/run_record.h"
#include "reference/base/status.h"
#include "tools/run/case_result.h"
#include "tools/run/memory_watch.h"
#include "tools/run/process.h"
#include "tools/run/protocol.h"
#include "tools/run/run_options.h"
#include "tools/run/signals.h"

namespace cts {

// A worker that has nothing left to do gets this long to exit before it is killed.
inline constexpr double kGraceSeconds = 5;

// From now.
Clock::time_point After(double seconds);
double SecondsSince(Clock::time_point start);

// From here on the plugin that the options name is an adapter: this program, which hosts it.
Status HostPlugin(RunOptions& options);

// Starts the host to see whether the plugin loads, and who it is.
StatusOr<ImplementationName> MeetPlugin(const RunOptions& options, int wake_fd);

class Launcher {
 public:
  // Called once, with the name and version that the workers announce.
  using Announced = std::function<Status(const std::string& name, const std::string& version)>;

  // `stopping`: nobody waits for results any more.
  Launcher(const RunOptions& options, const SignalScope& signals, Announced announced,
           std::function<bool()> stopping);

  // A worker, or a process for this one case.
  StatusOr<std::unique_ptr<Process>> Start(const CaseTask* task) const;

  // Runs one case in a process of its own, a worker included. Nothing if the run stops.
  StatusOr<std::optional<CaseResult>> RunAlone(const CaseTask& task);

  // Closes the input of an idle worker. True if it says nothing more and exits with code 0, or has
  // to be killed.
  bool EndWorker(Process& process) const;

  // Where no worker has printed anything yet and one ended: another one that gets nothing to do
  // tells whether that was a case's fault, or nothing can work here. An error if so.
  Status CanStart();
  bool never_started() const { return never_started_; }

  // One run, one implementation: announcing another one ends it.
  Status Announce(const WorkerLine& line);
  bool announced() const;

  // What is wrong with the id of an answer; only without workers it may be left out.
  std::string CheckId(const WorkerLine& line, const CaseTask& task) const;
  std::string TimeoutText(bool answered) const;

 private:
  // What the end of a process makes of a case. An empty status: its answer stands. Nothing if the
  // run stops.
  std::optional<CaseResult> JudgeExit(Process& process, Clock::time_point deadline,
                                      bool answered) const;
  // What to install, if the shell did not find what starts an adapter of ours.
  std::string HintFor(const Process::Exit& exit) const;

  const RunOptions& options_;
  const SignalScope& signals_;
  const Announced announced_;
  const std::function<bool()> stopping_;
  std::unique_ptr<MemoryWatch> memory_;
  std::atomic<bool> never_started_{false};
  mutable std::mutex mutex_;  // of announcement_
  std::optional<std::pair<std::string, std::string>> announcement_;
};

}  // namespace cts
