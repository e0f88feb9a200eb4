#include "tools/program/run/runner.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "checker/judge/run_record.h"
#include "checker/judge/stored_result.h"
#include "checker/text/selection.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/parallel_for.h"
#include "reference/bundle/suite.h"
#include "tools/program/run/announced_name.h"
#include "tools/program/run/builtin.h"
#include "tools/program/run/directory_lock.h"
#include "tools/program/run/engine_shard.h"
#include "tools/program/run/launcher.h"
#include "tools/program/run/process.h"
#include "tools/program/run/result_digests.h"
#include "tools/program/run/results_folder.h"
#include "tools/program/run/resume.h"
#include "tools/program/run/signals.h"
#include "tools/program/run/suite_runner.h"
#include "tools/program/run/surroundings.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// The cases that are to run.
StatusOr<std::vector<const SuiteEntry*>> CasesToRun(const RunOptions& options, const Suite& suite) {
  CTS_ASSIGN_OR_RETURN(std::vector<const SuiteEntry*> entries,
                       SelectCases(suite, options.shard, options.filter, options.suite));
  if (!entries.empty()) return entries;
  if (options.shard) {
    return InvalidArgument("shard ", options.shard->index, "/", options.shard->of,
                           ": no case is left in it; ", suite.cases.size(), " cases make at most ",
                           suite.cases.size(), " shards");
  }
  return InvalidArgument((options.suite / "suite.json").string(), ": found no case, expected one");
}

// run.json as the run leaves it, told to the witness before and after.
Status Record(const RunOptions& options, const RunRecord& run) {
  return RecordRun(options.out, run, options.witness);
}

// Faults of workers, and those of earlier parts of the run.
void CountFaults(const RunSummary& summary, const std::optional<RunRecord>& before,
                 RunRecord* run) {
  run->restarts = (before ? before->restarts.value_or(0) : 0) + summary.restarts;
  if (summary.unexplained == 0) return;
  run->unexplained = before && before->unexplained
                         ? *before->unexplained
                         : UnexplainedFaults{0, summary.first_unexplained};
  run->unexplained->count += summary.unexplained;
}

// Seals a finished run: digests of every result, and a run.json that says so. An interrupted run
// stays as it is.
// `packed`: the digests of what was packed.
Status Conclude(const RunOptions& options, const std::vector<const SuiteEntry*>& entries,
                const ResultDigests& came, const std::optional<ResultDigests>& packed,
                RunRecord* run) {
  const StatusOr<std::vector<AdapterFile>> files = FilesOf(options, *run);
  if (absl::IsCancelled(files.status())) return absl::OkStatus();
  CTS_RETURN_IF_ERROR(files.status());
  if (const std::string path = ChangedFile(*run->adapter_files, *files); !path.empty()) {
    run->changed = path;
    CTS_RETURN_IF_ERROR(Record(options, *run));
    return InvalidArgument(
        path, ": a file of the adapter, changed while it ran; the results are ",
        "of no one implementation: run again into a new folder",
        IsBeside(path, *run) ? "; if the adapter loads no such file, name its code by --code" : "");
  }
  std::vector<std::string> ids;
  ids.reserve(entries.size());
  for (const SuiteEntry* entry : entries) ids.push_back(entry->id);
  const StatusOr<ResultDigests> digests =
      packed ? *packed : DigestResults(options.out, ids, options.jobs, &Interrupted());
  if (absl::IsCancelled(digests.status())) return absl::OkStatus();
  CTS_RETURN_IF_ERROR(digests.status());
  for (const auto& [id, digest] : came) {
    const auto now = digests->find(id);
    if (now != digests->end() && now->second == digest) continue;
    return ResultChanged(options.out / id);
  }
  CTS_RETURN_IF_ERROR(WriteResultDigests(options.out, *digests));
  run->results_digest = DigestOf(*digests);
  run->complete = true;
  return absl::OkStatus();
}

// Refuses names that the suite's edition does not have. A declaration of another edition says
// nothing here.
Status CheckDeclaredOf(const ImplementationName& said, const std::string& edition,
                       const std::string& place) {
  if (!said.declared || said.declared->edition != edition) return absl::OkStatus();
  return CheckDeclared(*said.declared, edition, place + "declared");
}

std::optional<std::set<std::string>> SetOf(const std::optional<std::vector<std::string>>& paths) {
  if (!paths) return std::nullopt;
  return std::set<std::string>(paths->begin(), paths->end());
}

// Checks that all announcements in one folder name the same implementation.
class Announcer {
 public:
  Announcer(const RunOptions& options, std::string edition,
            const std::optional<ImplementationName>& plugin,
            std::chrono::system_clock::time_point began, const std::optional<RunRecord>& before,
            RunRecord* run)
      : began_(began),
        before_(before),
        options_(options),
        out_(options.out),
        claimed_(options.claimed),
        edition_(std::move(edition)),
        about_(plugin ? plugin->about : ""),
        anonymous_(IsAnonymous(run->implementation, run->command)),
        run_(*run) {}

  Status operator()(const WorkerLine& announcement) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string place = "the worker's announcement: ";
    CTS_ASSIGN_OR_RETURN(ImplementationName announced, NameOf(announcement, place));
    announced.about = about_;
    CTS_RETURN_IF_ERROR(CheckAnnouncedName(announced, claimed_, place));
    CTS_RETURN_IF_ERROR(CheckDeclaredOf(announced, edition_, place));
    if (!anonymous_ && announced != run_.implementation) {
      return InvalidArgument(out_.string(), ": holds results of ",
                             ToJson(run_.implementation).dump(), ", now a worker says ",
                             ToJson(announced).dump(), "; give another directory");
    }
    run_.implementation = announced;
    CTS_RETURN_IF_ERROR(RecordAnnouncedCode(announcement.code));
    return Record(options_, run_);
  }
  // A fault counts even if the run is killed now.
  Status Faulted(const RunSummary& so_far) {
    const std::lock_guard<std::mutex> lock(mutex_);
    CountFaults(so_far, before_, &run_);
    return Record(options_, run_);
  }
  // Whether the implementation has not announced its name.
  bool anonymous() const { return anonymous_; }

 private:
  // The code that a worker announces counts from then on, instead of all code beside the script. If
  // the user names the code by --code, announced code does not count.
  Status RecordAnnouncedCode(const std::optional<std::set<std::string>>& announced) {
    if (run_.code || !options_.plugin.empty()) return absl::OkStatus();
    if ((before_ || run_.announced_code) && announced != SetOf(run_.announced_code)) {
      return InvalidArgument(out_.string(), ": holds results of workers that announced other code ",
                             "than this one", FirstOther(SetOf(run_.announced_code), announced),
                             "; give another directory");
    }
    if (!announced) return absl::OkStatus();
    run_.announced_code.emplace(announced->begin(), announced->end());
    CTS_ASSIGN_OR_RETURN(run_.adapter_files, Narrowed(*run_.adapter_files, began_, options_.adapter,
                                                      *run_.announced_code));
    return absl::OkStatus();
  }

  const std::chrono::system_clock::time_point began_;
  const std::optional<RunRecord>& before_;  // the run goes on with results of earlier workers
  const RunOptions& options_;
  const fs::path& out_;
  const std::optional<ClaimedName>& claimed_;
  const std::string edition_;
  const std::string about_;
  const bool anonymous_;
  std::mutex mutex_;  // of run_
  RunRecord& run_;
};

// Returns the name that the hosted plugin gives itself.
StatusOr<ImplementationName> NameOfPlugin(const RunOptions& hosted, const SignalScope& signals) {
  CTS_ASSIGN_OR_RETURN(ImplementationName plugin, MeetPlugin(hosted, signals.wake_fd()));
  CTS_RETURN_IF_ERROR(CheckAnnouncedName(plugin, hosted.claimed,
                                         StrCat("--plugin: ", hosted.plugin.string(), ": ")));
  return plugin;
}

// With a number of jobs, and absolute paths: adapters may change their directory.
RunOptions Resolved(RunOptions options) {
  std::error_code ignored;
  options.jobs = JobsOrCores(options.jobs);
  options.suite = fs::absolute(options.suite, ignored).lexically_normal();
  options.out = fs::absolute(options.out, ignored).lexically_normal();
  return options;
}

void AddUp(const RunSummary& summary, const std::optional<RunRecord>& before, double seconds,
           const RunOptions& options, RunRecord* run) {
  run->seconds = (before ? before->seconds.value_or(0) : 0) + seconds;
  run->cases = summary.cases;
  if (*run->complete && options.repeats > 1) run->repeats = options.repeats;
  if (*run->complete && options.under_load) run->under_load = true;
  CountFaults(summary, before, run);
}

}  // namespace

Status CheckPluginName(const RunOptions& given) {
  if (given.plugin.empty()) return absl::OkStatus();
  SignalScope signals;
  CTS_RETURN_IF_ERROR(signals.Install());
  CTS_ASSIGN_OR_RETURN(const RunOptions hosted, HostPlugin(given));
  return NameOfPlugin(hosted, signals).status();
}

Status RecordRun(const fs::path& results, const RunRecord& run, RunWitness* witness) {
  if (witness == nullptr) return WriteRunRecord(results, run);
  const std::string digest = Sha256(FormatJson(RunRecordToJson(run)));
  CTS_RETURN_IF_ERROR(witness->WritesRecord(digest));
  CTS_RETURN_IF_ERROR(WriteRunRecord(results, run));
  return witness->WroteRecord(digest);
}

StatusOr<RunSummary> RunSuite(const RunOptions& given, const Progress& progress) {
  CTS_RETURN_IF_ERROR(CheckRunOptions(given));
  RunOptions options = Resolved(given);
  const fs::path& out = options.out;
  CTS_ASSIGN_OR_RETURN(const Suite suite, ReadSuiteToRun(options.suite));
  if (!options.balance.empty()) {
    CTS_RETURN_IF_ERROR(BalanceShard(options.balance, suite, &*options.shard));
  }
  if (!options.builtin.empty()) {
    CTS_RETURN_IF_ERROR(CheckBuiltin(options.builtin, suite.edition));
  }
  CTS_ASSIGN_OR_RETURN(const std::vector<const SuiteEntry*> entries, CasesToRun(options, suite));
  SignalScope signals;
  CTS_RETURN_IF_ERROR(signals.Install());
  std::optional<ImplementationName> plugin;
  if (!options.plugin.empty()) {
    CTS_ASSIGN_OR_RETURN(options, HostPlugin(std::move(options)));
    CTS_ASSIGN_OR_RETURN(plugin, NameOfPlugin(options, signals));
    CTS_RETURN_IF_ERROR(CheckDeclaredOf(*plugin, suite.edition,
                                        StrCat("--plugin: ", options.plugin.string(), ": ")));
  }
  const auto began = std::chrono::system_clock::now();
  CTS_ASSIGN_OR_RETURN(RunRecord run, DescribeRun(options, suite, plugin));

  std::error_code error;
  fs::create_directories(out, error);
  if (error) return Unavailable(out.string(), ": cannot be created: ", error.message());
  DirectoryLock lock;
  CTS_RETURN_IF_ERROR(lock.Lock(out));
  CTS_ASSIGN_OR_RETURN(const std::optional<RunRecord> before, FindEarlierRun(options, &run));
  const bool code_expected = run.announced_code.has_value();
  std::optional<RunPlace> resumption;  // not in run.json yet
  if (before) {
    if (plugin && before->implementation != *plugin) {
      return InvalidArgument(out.string(), ": holds results of ",
                             ToJson(before->implementation).dump(), ", now the plugin says ",
                             ToJson(*plugin).dump(), "; give another directory");
    }
    resumption = GoOn(*before, options.witness, &run);
    if (!before->complete.value_or(false)) {
      run.resumed.push_back(*std::exchange(resumption, std::nullopt));
    }
  }
  const Clock::time_point start = Clock::now();
  fs::remove(out / "results.json", error);
  CTS_RETURN_IF_ERROR(Record(options, run));

  RunSummary summary;
  ResultDigests came;
  std::optional<ResultDigests> packed;
  {
    const Adoption adoption;
    Announcer announcer(options, suite.edition, plugin, began, before, &run);
    CTS_ASSIGN_OR_RETURN(Folder folder, Folder::Open(options.suite));
    SuiteRunner runner(options, suite.edition, std::move(folder), signals, progress,
                       {.came = std::ref(announcer), .code_expected = code_expected},
                       [&](const RunSummary& so_far) { return announcer.Faulted(so_far); });
    StatusOr<RunSummary> ran = runner.Run(entries);
    came = runner.digests();
    // The folder is free for the same command.
    const bool useless = runner.never_started() || absl::IsInvalidArgument(ran.status());
    if (useless && came.empty() && !before) {
      fs::remove(out / "run.json", error);
      fs::remove(out / kUnsortedResults, error);
    }
    if (!ran.ok() && !came.empty()) {
      LastPart(run).ended = UtcNow();
      AddUp(runner.summary(), before, SecondsSince(start), options, &run);
      CTS_RETURN_IF_ERROR(Record(options, run));
    }
    CTS_ASSIGN_OR_RETURN(summary, std::move(ran));
    summary.announced |= !announcer.anonymous();
    if (runner.packs()) {
      packed = runner.packed_digests();
      run.packs = runner.packs();
      CTS_RETURN_IF_ERROR(Record(options, run));
      lock.Sync();  // the packs are there before what they were made of goes
      fs::remove(out / kUnsortedResults, error);
    }
  }
  // A complete run lacked something, or was not repeated so often.
  if (resumption && !came.empty()) run.resumed.push_back(*std::move(resumption));
  if (RunPlace& last = LastPart(run); !came.empty() || !last.ended) last.ended = UtcNow();
  if (!summary.interrupted && !summary.gave_up) {
    CTS_RETURN_IF_ERROR(Conclude(options, entries, came, packed, &run));
    summary.interrupted = !*run.complete;
  }
  AddUp(summary, before, SecondsSince(start), options, &run);
  lock.Sync();
  CTS_RETURN_IF_ERROR(Record(options, run));
  return summary;
}

}  // namespace cts
