// Runs the cases of a suite through an implementation, several at a time. Decides the order of the
// cases, which cases run again, and when to give up the run.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/file.h"
#include "reference/bundle/suite.h"
#include "tools/program/run/case_result.h"
#include "tools/program/run/launcher.h"
#include "tools/program/run/results_folder.h"
#include "tools/program/run/results_pack.h"
#include "tools/program/run/run_options.h"
#include "tools/program/run/signals.h"

namespace cts {

class SuiteRunner {
 public:
  // Called after a fault of a worker, with the counts so far, by one thread at a time.
  using Faulted = std::function<Status(const RunSummary& so_far)>;

  SuiteRunner(const RunOptions& options, std::string edition, Folder suite, SignalScope& signals,
              const Progress& progress, Launcher::Announcements announcements, Faulted faulted);

  // Runs the cases that have no result yet, then the missing repeats of cases, then the sample
  // under load (RunOptions::under_load).
  StatusOr<RunSummary> Run(const std::vector<const SuiteEntry*>& entries);

  // The digests of the results that this object stored, each computed when its result was stored.
  const ResultDigests& digests() const { return results_->digests(); }
  // For a run with --pack: the operators that have a pack, and the digests of all results in packs.
  const std::optional<std::vector<std::string>>& packs() const { return packs_; }
  ResultDigests packed_digests() const { return pack_->AllDigests(); }

  // The outcome so far. Call it only after Run has returned; Run may have returned an error.
  const RunSummary& summary() const { return summary_; }

  // Whether the adapter never starts, whichever case it gets.
  bool never_started() const { return launcher_.never_started(); }

 private:
  // An answered case. Its result is stored only after the worker's next correct answer or clean
  // end.
  struct Pending {
    CaseTask task;
    CaseResult result;
  };
  struct Worker {
    std::unique_ptr<Process> process;
    bool silent = true;  // the worker has not printed anything yet
    bool announced = false;
    int batch = 1;         // the most requests at a time; a worker may announce more than 1
    unsigned crashes = 0;  // crashes that this worker and the workers before it reported
    // Results with reported crashes. They are held back until it is known whether a crash affects
    // the cases that run after it.
    std::vector<Pending> reported;
    std::optional<Pending> pending;
  };
  // The answers to a batch of requests.
  struct Exchange {
    std::vector<CaseTask> tasks;
    size_t answered = 0;  // the number of answered tasks
    Process::Event event = Process::Event::kLine;
    Clock::time_point deadline;
    bool out_of_order = false;
    // The worker reported a crash, and crashes affect later cases, so the worker must be ended.
    bool crashes_spread = false;
    bool check_crashes = false;  // CheckCrashes must be called after this exchange
    std::string broke;           // how the worker broke the protocol
    Clock::time_point last;
  };

  void RunPass(int jobs);
  void RunUnderLoad(const std::vector<const SuiteEntry*>& entries);
  bool Stopping() const { return Interrupted() || failed_; }
  void Stop(const Status& status);

  Status CheckLengths(const SuiteEntry& entry) const;
  Status LookAtAllKept(const std::vector<const SuiteEntry*>& entries);
  Status TryStarts(const std::vector<const SuiteEntry*>& entries);
  Status LookAtKept(const SuiteEntry& entry);
  Status HoldAgainstWitness(const std::string& id, std::optional<ResultsFolder::Kept>* kept);
  Status DropUnwitnessed();
  void Count(const std::string& id, const CaseResult& result);
  // `again`: the status of the case in this repeat; nullopt if the difference comes from an earlier
  // run.
  void CountDifference(const std::string& id, std::optional<CaseStatus> again,
                       const std::string& difference);
  Status CountRestart();

  void GiveUpIfNothingAnswers();
  StatusOr<std::vector<CaseTask>> Take(int batch);
  StatusOr<std::vector<CaseTask>> TakeAny(int batch);
  StatusOr<CaseTask> Prepare(const SuiteEntry& entry);
  Status Commit(const CaseTask& task, CaseResult result);

  Status ServeOneByOne();
  Status ServeWorker();
  Status Hear(Worker& worker, Exchange& exchange);
  void HearCrash(Worker& worker, Exchange& exchange, const WorkerLine& line);
  Status CheckCrashes(Worker& worker);
  Status RunHeldAgain(const std::vector<Pending>& held);
  StatusOr<bool> Recover(Worker& worker, Exchange& exchange);
  Status CommitPending(Worker& worker);
  Status LetGo(Worker& worker);
  StatusOr<bool> RunAgain(const std::vector<CaseTask>& tasks, const std::string& fault);

  const RunOptions& options_;
  const std::string edition_;  // the suite's edition
  const Folder folder_;
  const std::filesystem::path suite_;
  SignalScope& signals_;
  const Progress& progress_;
  const Faulted faulted_;
  const std::unique_ptr<ResultsFolder> results_;
  const ResultsPack* pack_ = nullptr;  // results_ if --pack is set; otherwise null
  std::optional<std::vector<std::string>> packs_;
  Launcher launcher_;
  std::vector<std::string> unwitnessed_;  // ids of kept results that the witness does not confirm
  size_t threads_ = 1;
  int pass_ = 1;
  int total_ = 0;

  std::atomic<bool> failed_{false};
  std::atomic<bool> any_line_{false};  // a worker printed a line
  // A worker reported a crash of a case that does not crash when it runs alone, so a crash affects
  // the cases after it.
  std::atomic<bool> crashes_spread_{false};
  std::mutex mutex_;                     // guards all members below
  std::vector<const SuiteEntry*> todo_;  // the cases of this pass
  size_t next_ = 0;
  // The position in todo_ at which a sample of cases from all parts of the suite begins; nullopt if
  // there is no sample.
  std::optional<size_t> spread_at_;
  Status failure_;
  RunSummary summary_;
  std::map<const SuiteEntry*, int> passes_;  // how often each case has run
  int done_ = 0;                             // the sum of passes_
};

}  // namespace cts
