#include "tools/program/launch/engines.h"

#include <string.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_join.h"
#include "checker/text/printable.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/base/new_folder.h"
#include "tools/program/run/directory_lock.h"
#include "tools/program/run/launcher.h"
#include "tools/program/run/process.h"
#include "tools/program/run/signals.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// After a signal, a shard that closes its packs gets this long.
constexpr double kShardGraceSeconds = 30;
// A run that lost its launch or its host may hold the folder of its shard for this long.
constexpr double kLockSeconds = 120;
// Results that an engine calls finished may take this long to show in a shared folder.
constexpr double kLagSeconds = 60;
// The call that cancels a job may take this long.
constexpr double kCancelSeconds = 30;

struct Ended {
  std::optional<Process::Exit> exit;  // nullopt: the launch was interrupted
  std::string output, log;

  bool Well() const { return exit && exit->Clean(); }
  std::string Why() const {
    if (!exit) return "interrupted";
    const std::string last = LastLine(Printable(log, Lines::kKeep));
    // The shell says no more of a signal than we do.
    const char* const signal = exit->signal != 0 ? sigdescr_np(exit->signal) : nullptr;
    return StrCat(ExitText(*exit), last.empty() || (signal && last == signal) ? "" : ": " + last);
  }
};

// Runs a shell's command. After a signal its standard input ends, and after `grace` seconds it is
// killed.
StatusOr<Ended> RunToEnd(const std::string& command, double grace = 0,
                         const std::function<void()>& meanwhile = {}) {
  CTS_ASSIGN_OR_RETURN(const std::unique_ptr<Process> process,
                       Process::Start(command, {}, true, -1));
  constexpr size_t kMost = 1 << 20;
  constexpr double kLook = 0.1, kForever = 1e8;
  Ended ended;
  while (true) {
    std::string line;
    const Process::Event event = process->Next(After(kLook), &line);
    if (event == Process::Event::kLine && ended.output.size() < kMost) ended.output += line + "\n";
    if (event == Process::Event::kTooLong) process->TakeOutput();
    if (event == Process::Event::kEnd) break;
    if (Interrupted()) {
      process->Finish(After(grace));
      return Ended();
    }
    if (meanwhile) meanwhile();
  }
  ended.exit = process->Finish(After(kForever));
  ended.log = process->TakeLog();
  std::erase(ended.log, '\r');  // of ssh
  return ended;
}

// Runs a shard's command; waits where another run still writes into its folder.
StatusOr<Ended> RunShard(const std::string& command) {
  const Clock::time_point deadline = After(kLockSeconds);
  while (true) {
    CTS_ASSIGN_OR_RETURN(Ended ended, RunToEnd(command, kShardGraceSeconds));
    const bool locked = ended.exit && ended.exit->code == kEnvironment &&
                        ended.log.find(kAnotherRun) != std::string::npos;
    if (!locked || Clock::now() >= deadline) return ended;
    for (int i = 0; i < 5 && !Interrupted(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

std::string Shell(const std::vector<std::string>& words) {
  return absl::StrJoin(words, " ", [](std::string* out, const std::string& word) {
    out->append(ShellQuoted(word));
  });
}

// Runs the command that cancels the job of an interrupted launch. A further signal ends it. If it
// does not end well, says so: the job may go on.
void Cancel(const std::string& command, const LaunchNews& news) {
  const auto fail = [&](const std::string& why) {
    news.tell(StrCat("launch: ", command, " ", why, "; the job may go on: call ", command));
  };
  const StatusOr<std::unique_ptr<Process>> started = Process::Start(command, {}, true, -1);
  if (!started.ok()) return fail(StrCat("failed: ", Message(started.status())));
  Process& process = **started;
  const Clock::time_point deadline = After(kCancelSeconds);
  const std::string late = StrCat("did not end in ", kCancelSeconds, " seconds");
  const int signals = InterruptCount();
  std::string line;
  for (Process::Event event{}; event != Process::Event::kEnd;) {
    event = process.Next(After(0.1), &line);
    if (event == Process::Event::kTooLong) process.TakeOutput();
    if (InterruptCount() != signals) return fail("was ended by a signal");
    if (Clock::now() >= deadline) return fail(late);
  }
  Ended ended = {.exit = process.Finish(deadline), .output = {}, .log = {}};
  if (!ended.exit) return fail(late);
  ended.log = process.TakeLog();
  if (!ended.Well()) fail(ended.Why());
}

// How one try of a shard ended.
struct Try {
  enum class End { kDone, kFailed, kNothing, kPlaceGone, kInterrupted };
  End end = End::kDone;
  std::string why = {};
};

// Hands shards to places that run one at a time, each with a thread of its own.
class Pool {
 public:
  // Tries the shard at the place.
  using Attempt = std::function<Try(const std::string& place, int shard)>;

  Pool(const LaunchOptions& options, const std::vector<int>& missing, const LaunchNews& news)
      : options_(options),
        news_(news),
        total_(static_cast<int>(missing.size())),
        waiting_(missing.begin(), missing.end()) {}

  ShardFailures Run(const std::vector<std::string>& places, const Attempt& attempt) {
    news_.progress(0, total_);
    for (const std::string& place : places) ++places_left_[place];
    std::vector<std::thread> threads;
    threads.reserve(places.size());
    for (const std::string& place : places) {
      threads.emplace_back([this, &place, &attempt] {
        while (const std::optional<int> shard = Take(place)) {
          if (!GiveBack(place, *shard, attempt(place, *shard))) break;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    return failures_;
  }

 private:
  std::optional<int> Take(const std::string& place) {
    std::unique_lock<std::mutex> lock(mutex_);
    auto next = waiting_.end();
    // A shard that runs elsewhere may come back.
    const auto is_clear = [&] {
      next = std::find_if(waiting_.begin(), waiting_.end(),
                          [&](int shard) { return Suits(place, shard); });
      return ends_ || next != waiting_.end() || (waiting_.empty() && running_ == 0);
    };
    // wait() without a limit needs the C++ library of GCC 12, which RHEL 9 does not have.
    while (!changed_.wait_for(lock, std::chrono::hours(1), is_clear)) {
    }
    if (ends_ || next == waiting_.end()) return std::nullopt;
    const int shard = *next;
    waiting_.erase(next);
    ++running_;
    return shard;
  }

  // A shard that failed at a place goes to another one, as long as there is one where it has not
  // failed.
  bool Suits(const std::string& place, int shard) {
    const std::set<std::string>& failed = failed_at_[shard];
    return !failed.contains(place) ||
           std::all_of(places_left_.begin(), places_left_.end(),
                       [&](const auto& left) { return failed.contains(left.first); });
  }

  void Leave(const std::string& place) {
    if (--places_left_.at(place) == 0) places_left_.erase(place);
  }

  // Whether the failures tell that all shards would fail: an implementation that does not start, or
  // never ends a shard, fails everywhere. One of several places may be at fault itself.
  bool FailsEverywhere() const {
    if (done_ > 0 || hopeless_.empty()) return false;
    if (places_hopeless_.size() >= 2) return true;
    return places_left_.size() == 1 && (running_ == 0 || hopeless_.size() >= 2);
  }

  // Whether the place takes further shards.
  bool GiveBack(const std::string& place, int shard, const Try& made) {
    const std::lock_guard<std::mutex> lock(mutex_);
    --running_;
    changed_.notify_all();
    if (made.end == Try::End::kDone) {
      failures_.erase(shard);
      failed_in_a_row_[place] = 0;
      news_.progress(++done_, total_);
      return true;
    }
    failures_[shard] = made.why;
    const std::string where = place.empty() ? "" : StrCat(" on ", place);
    if (made.end == Try::End::kPlaceGone) {
      waiting_.push_front(shard);
      Leave(place);
      news_.tell(StrCat("launch: ", place, " is gone (", made.why, "); ",
                        places_left_.empty() ? "no host is left"
                                             : StrCat("shard ", shard, " goes to another host")));
      return false;
    }
    if (made.end == Try::End::kInterrupted) {
      ends_ = true;
      return false;
    }
    const int left = options_.retries - tries_[shard]++;
    if (left > 0) waiting_.push_back(shard);
    failed_at_[shard].insert(place);
    if (left <= 0 || made.end == Try::End::kNothing) {
      hopeless_.insert(shard);
      places_hopeless_.insert(place);
    }
    ends_ = ends_ || FailsEverywhere();
    if (ends_) return false;  // the end names the shards
    news_.tell(StrCat("launch: shard ", shard, where, " ", made.why, "; ",
                      left > 0
                          ? StrCat("it goes on, ", left, left == 1 ? " retry" : " retries", " left")
                          : "no retry is left"));
    // A host without the adapter would take one shard after another, and fail them all.
    constexpr int kMostInARow = 2;
    const bool is_last = places_left_.size() == 1 && places_left_.at(place) == 1;
    if (place.empty() || ++failed_in_a_row_[place] < kMostInARow || is_last) return true;
    Leave(place);
    news_.tell(StrCat("launch: ", place, " gets no more shards: ", kMostInARow,
                      " shards in a row failed there"));
    return false;
  }

  const LaunchOptions& options_;
  const LaunchNews& news_;
  const int total_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int> waiting_;
  std::map<int, int> tries_;
  std::map<std::string, int> failed_in_a_row_;      // by place
  std::map<int, std::set<std::string>> failed_at_;  // by shard
  // Shards that failed without a retry left, or left nothing, and where they did.
  std::set<int> hopeless_;
  std::set<std::string> places_hopeless_;
  std::map<std::string, int> places_left_;  // with the number of threads of each place
  ShardFailures failures_;
  int running_ = 0, done_ = 0;
  bool ends_ = false;
};

// The shards that are not whole. `all_done`: the engine says that they are, and the shared folder
// may be late.
std::vector<int> StillMissing(const LaunchOptions& options, const std::vector<int>& shards,
                              bool all_done) {
  const Clock::time_point deadline = After(all_done ? kLagSeconds : 0);
  while (true) {
    std::vector<int> missing;
    for (const int shard : shards) {
      const StatusOr<bool> whole = IsWhole(options, shard);
      if (!whole.ok() || !*whole) missing.push_back(shard);
    }
    if (missing.empty() || Clock::now() >= deadline || Interrupted()) return missing;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

// A run that ended well has left the whole shard.
Try Judged(const LaunchOptions& options, int shard, const Ended& ended) {
  if (!ended.exit) return {Try::End::kInterrupted, ended.Why()};
  if (!ended.Well()) {
    // It refused its options, or no adapter started, and it left nothing.
    const bool refused = ended.exit->code == kEnvironment &&
                         !Exists(ShardFolder(options.run.out, shard) / "run.json").value_or(true);
    return {refused ? Try::End::kNothing : Try::End::kFailed, ended.Why()};
  }
  if (options.engine == LaunchEngine::kSsh && !options.copy) {
    // Another host wrote it.
    if (StillMissing(options, {shard}, true).empty()) return {};
    if (Interrupted()) return {Try::End::kInterrupted, Ended().Why()};
  }
  const StatusOr<bool> whole = IsWhole(options, shard);
  if (!whole.ok()) return {Try::End::kFailed, Message(whole.status())};
  if (*whole) return {};
  return {Try::End::kFailed,
          StrCat("ended well, and ", ShardFolder(options.run.out, shard).string(),
                 " has no whole results")};
}

Try Failed(const Status& status) { return {Try::End::kFailed, Message(status)}; }

// Whether each host has all that it needs.
class Sent {
 public:
  explicit Sent(const std::vector<std::string>& hosts) {
    for (const std::string& host : hosts) hosts_[host];
  }
  // Sends everything once; the places of one host wait for each other.
  StatusOr<Ended> To(const LaunchOptions& options, const std::string& name) {
    Host& host = hosts_.at(name);
    const std::lock_guard<std::mutex> lock(host.mutex);
    Ended ended = {.exit = Process::Exit()};
    if (host.has_all) return ended;
    for (const std::string& command : SendCommands(options, name)) {
      CTS_ASSIGN_OR_RETURN(ended, RunToEnd(command));
      if (!ended.Well()) return ended;
    }
    host.has_all = true;
    return ended;
  }
  // Removes what was sent. A host that is gone keeps it.
  Status Remove(const LaunchOptions& options) {
    const std::string remove = "rm -rf -- " + ShellQuoted(RemoteFolder(options).string());
    for (const auto& [name, host] : hosts_) {
      if (!host.has_all) continue;
      CTS_RETURN_IF_ERROR(RunToEnd(SshCommand(name, remove)).status());
    }
    return absl::OkStatus();
  }

 private:
  struct Host {
    std::mutex mutex;  // of has_all
    bool has_all = false;
  };
  std::map<std::string, Host> hosts_;
};

// Takes the results of a shard from a host; they appear whole or not at all.
StatusOr<Ended> Fetch(const LaunchOptions& options, const std::string& host, int shard) {
  const fs::path place = ShardFolder(options.run.out, shard);
  CTS_ASSIGN_OR_RETURN(NewFolder folder, NewFolder::Beside(place));
  CTS_ASSIGN_OR_RETURN(const Ended ended,
                       RunToEnd(FetchCommand(options, host, shard, folder.path())));
  if (!ended.Well()) return ended;
  std::error_code error;
  fs::remove_all(place, error);  // an unfinished one of an earlier launch
  if (error) return Unavailable(place.string(), ": cannot be removed: ", error.message());
  CTS_RETURN_IF_ERROR(folder.PutWithPermissionsOf(options.run.out));
  return ended;
}

// The exit code by which ssh says that there is no connection, or none any more.
bool IsGone(const Ended& ended) {
  constexpr int kOfSsh = 255;
  return ended.exit && ended.exit->code == kOfSsh;
}

Try TryOnHost(const LaunchOptions& options, Sent& sent, const std::string& host, int shard) {
  const auto judge = [&](const StatusOr<Ended>& ended,
                         const std::string& what) -> std::optional<Try> {
    if (!ended.ok()) return Failed(ended.status());
    if (ended->Well()) return std::nullopt;
    if (!ended->exit) return Try{Try::End::kInterrupted, ended->Why()};
    // A host to which nothing can be sent is of no use for other shards, either.
    const bool gone = IsGone(*ended) || what == "sending";
    return Try{gone ? Try::End::kPlaceGone : Try::End::kFailed,
               StrCat(what, what.empty() ? "" : " ", ended->Why())};
  };
  if (options.copy) {
    if (const auto bad = judge(sent.To(options, host), "sending")) return *bad;
  }
  const StatusOr<Ended> ran = RunShard(SshCommand(host, WatchedScript(options, shard)));
  if (options.copy && ran.ok() && ran->exit && ran->exit->code == kEnvironment) {
    // It may have refused results of an earlier launch, by another adapter: the next try is anew.
    const fs::path stale = ShardFolder(RemoteFolder(options) / "results", shard);
    const StatusOr<Ended> removed =
        RunToEnd(SshCommand(host, "rm -rf -- " + ShellQuoted(stale.string())));
    if (!removed.ok()) return Failed(removed.status());
  }
  if (const auto bad = judge(ran, "")) return *bad;
  if (options.copy) {
    if (const auto bad = judge(Fetch(options, host, shard), "fetching")) return *bad;
  }
  return Judged(options, shard, *ran);
}

// The number of these shards that are whole. A shard that cannot be read does not count.
int CountWhole(const LaunchOptions& options, const std::vector<int>& shards) {
  int whole = 0;
  for (const int shard : shards) {
    const StatusOr<bool> is = IsWhole(options, shard);
    whole += is.ok() && *is ? 1 : 0;
  }
  return whole;
}

// Tells now and then how many of the shards are whole.
std::function<void()> Watch(const LaunchOptions& options, const std::vector<int>& missing,
                            const LaunchNews& news) {
  auto looked = std::make_shared<Clock::time_point>();
  return [&options, &missing, &news, looked] {
    if (SecondsSince(*looked) < 2) return;
    news.progress(CountWhole(options, missing), static_cast<int>(missing.size()));
    *looked = Clock::now();
  };
}

// The last line of the log that a task wrote into.
std::string LastLineOf(const fs::path& log) {
  const StatusOr<std::string> text = ReadFile(log);
  if (!text.ok()) return "";
  return LastLine(Printable(*text, Lines::kKeep));
}

// Why Kubernetes gave up waiting; empty if the Job goes on.
std::string Conditions(const std::string& text) {
  const StatusOr<Json> job = ParseJson(text, "kubectl get job");
  if (!job.ok() || !job->is_object()) return "";
  for (const Json& condition : job->value("/status/conditions"_json_pointer, Json::array())) {
    if (condition.value("status", "") != "True") continue;
    std::string type = condition.value("type", "");
    if (type == "Complete" || type == "Failed") return type;
  }
  return "";
}

// Waits until the Job has ended, and returns its last condition.
StatusOr<std::string> WaitForJob(const LaunchOptions& options, const std::vector<int>& missing,
                                 const LaunchNews& news) {
  const KubectlCalls calls = CallsOfKubectl(options);
  const std::string wait = Shell(calls.wait), get = Shell(calls.get);
  constexpr int kMostFaults = 30;
  for (int faults = 0;;) {
    const Clock::time_point begin = Clock::now();
    CTS_ASSIGN_OR_RETURN(const Ended waited, RunToEnd(wait, 0, Watch(options, missing, news)));
    if (!waited.exit) return std::string();
    if (waited.Well()) return std::string("Complete");
    CTS_ASSIGN_OR_RETURN(const Ended got, RunToEnd(get));
    if (!got.exit) return std::string();
    if (got.Well()) {
      const std::string condition = Conditions(got.output);
      if (!condition.empty()) return condition;
    }
    faults = got.Well() ? 0 : faults + 1;
    if (faults > kMostFaults) {
      return Unavailable("launch: ", get, " ", got.Why(), "; the Job goes on: call launch again ",
                         "when kubectl reaches the cluster");
    }
    // A wait that ends at once must not become a busy loop.
    while (SecondsSince(begin) < 1 && !Interrupted()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

}  // namespace

StatusOr<ShardFailures> RunLocally(const LaunchOptions& options, const std::vector<int>& missing,
                                   const LaunchNews& news) {
  // Adapters of a run that was killed end with the launch.
  const Adoption adoption;
  const size_t places = std::min(missing.size(), static_cast<size_t>(options.at_once));
  return Pool(options, missing, news)
      .Run(std::vector<std::string>(places), [&](const std::string& /*place*/, int shard) {
        const StatusOr<Ended> ended = RunShard(WatchedScript(options, shard));
        return ended.ok() ? Judged(options, shard, *ended) : Failed(ended.status());
      });
}

StatusOr<ShardFailures> RunBySsh(const LaunchOptions& options, const std::vector<int>& missing,
                                 const LaunchNews& news) {
  std::vector<std::string> hosts = options.hosts;
  if (options.at_once > 0)
    hosts.resize(std::min(hosts.size(), static_cast<size_t>(options.at_once)));
  Sent sent(hosts);
  ShardFailures failures =
      Pool(options, missing, news).Run(hosts, [&](const std::string& host, int shard) {
        return TryOnHost(options, sent, host, shard);
      });
  if (options.copy && failures.empty() && !Interrupted()) {
    CTS_RETURN_IF_ERROR(sent.Remove(options));
  }
  return failures;
}

StatusOr<ShardFailures> RunBySlurm(const LaunchOptions& options, const std::vector<int>& missing,
                                   const LaunchNews& news) {
  CTS_RETURN_IF_ERROR(WriteFile(SlurmScriptFile(options), SlurmScript(options)));
  std::vector<int> left = missing;
  ShardFailures failures;
  for (int round = 0; round <= options.retries && !left.empty(); ++round) {
    CTS_ASSIGN_OR_RETURN(const Ended ended, RunToEnd(Shell(SbatchWords(options, left)), 0,
                                                     Watch(options, missing, news)));
    if (!ended.exit) {
      Cancel(Shell({"scancel", "--name=" + LaunchName(options)}), news);
      return failures;
    }
    // It prints the number of the job that it has submitted.
    if (ended.output.empty()) {
      return Unavailable("launch: sbatch submitted nothing: it ", ended.Why(), ": ",
                         Shell(SbatchWords(options, left)), AllSaid(ended.log));
    }
    left = StillMissing(options, left, ended.Well());
    failures.clear();
    for (const int shard : left) {
      const fs::path log = SlurmLog(options, std::to_string(shard));
      const std::string last = LastLineOf(log);
      failures[shard] = StrCat("has no whole results after its task; ", log.string(),
                               last.empty() ? " is empty" : " ends: " + last);
    }
    if (left.empty() || Interrupted()) break;
    const int again = options.retries - round;
    news.tell(StrCat(
        "launch: of job ", LastLine(ended.output), " shards ", RangesText(left),
        " did not come; shard ", left[0], " ", failures[left[0]], "; ",
        again > 0 ? StrCat("submitted again, ", again, again == 1 ? " retry" : " retries", " left")
                  : "no retry is left"));
  }
  return failures;
}

StatusOr<ShardFailures> RunByKubernetes(const LaunchOptions& options,
                                        const std::vector<int>& missing, const LaunchNews& news) {
  const fs::path file = KubernetesJobFile(options);
  CTS_RETURN_IF_ERROR(WriteFile(file, FormatJson(KubernetesJob(options, missing))));
  const KubectlCalls calls = CallsOfKubectl(options);
  ShardFailures failures;
  for (const std::vector<std::string>& words : {calls.remove, calls.apply}) {
    CTS_ASSIGN_OR_RETURN(const Ended ended, RunToEnd(Shell(words)));
    if (!ended.exit) {
      Cancel(Shell(calls.cancel), news);
      return failures;
    }
    if (!ended.Well()) {
      return Unavailable("launch: ", Shell(words), " ", ended.Why(), AllSaid(ended.log));
    }
  }
  CTS_ASSIGN_OR_RETURN(const std::string condition, WaitForJob(options, missing, news));
  if (Interrupted()) {
    Cancel(Shell(calls.cancel), news);
    return failures;
  }
  for (const int shard : StillMissing(options, missing, condition == "Complete")) {
    failures[shard] = StrCat("has no whole results though the Job is ", condition,
                             "; what its pods said: ", Shell(calls.logs));
  }
  return failures;
}

}  // namespace cts
