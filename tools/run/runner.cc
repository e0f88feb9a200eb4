#include "tools/run/runner.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <vector>

#include "checker/printable.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/bundle/bundle.h"
#include "reference/bundle/case.h"
#include "tools/run/builtin.h"
#include "tools/run/compare_repeats.h"
#include "tools/run/memory_watch.h"
#include "tools/run/plugin_loader.h"
#include "tools/run/plugin_process.h"
#include "tools/run/process.h"
#include "tools/run/run_record.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// A worker that has nothing left to do gets this long to exit before it is killed.
constexpr double kGraceSeconds = 5;
// No batch is larger, whatever a worker announces.
constexpr int kMaxBatch = 4096;
// So many cases without any answer, and as many from all over the suite: the adapter does not work.
constexpr int kHopeless = 20;
// What becomes of a symbolic program where nobody declared that the implementation accepts them.
constexpr std::string_view kNotSymbolic =
    "a symbolic program, and the implementation does not declare that it accepts them (--symbolic)";
// With this exit code an adapter says that something it needs is missing.
constexpr int kEnvironment = 2;

Clock::time_point After(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::min(seconds, 1e8)));
}

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string Quote(std::string_view text) {
  return StrCat('"', text.substr(0, 200), text.size() > 200 ? "..." : "", '"');
}

// ---- Interruption ------------------------------------------------------------------------------

std::atomic<int> interrupt_fd{-1};
std::atomic<bool> interrupt_seen{false};

void OnInterrupt(int) {
  const int saved = errno;
  interrupt_seen = true;
  [[maybe_unused]] const ssize_t written = write(interrupt_fd, "x", 1);
  errno = saved;
}

// While it lives, SIGINT, SIGTERM and SIGHUP make `wake_fd` readable for good, a write to a dead
// process is an error instead of a signal, and children can be waited for.
class SignalScope {
 public:
  Status Install() {
    if (pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0) {
      return Unavailable("no pipe: ", std::strerror(errno));
    }
    interrupt_seen = false;
    interrupt_fd = pipe_[1];
    struct sigaction action = {};
    for (size_t i = 0; i < std::size(kSignals); ++i) {
      const bool keeps = kSignals[i] == SIGPIPE || kSignals[i] == SIGCHLD;
      action.sa_handler = !keeps ? OnInterrupt : kSignals[i] == SIGPIPE ? SIG_IGN : SIG_DFL;
      sigaction(kSignals[i], &action, &before_[i]);
      // nohup wants to be obeyed.
      if (kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN) {
        sigaction(SIGHUP, &before_[i], nullptr);
      }
    }
    return absl::OkStatus();
  }
  ~SignalScope() {
    if (pipe_[0] < 0) return;
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
    interrupt_fd = -1;
    close(pipe_[0]);
    close(pipe_[1]);
  }
  int wake_fd() const { return pipe_[0]; }
  void Wake() { [[maybe_unused]] const ssize_t written = write(pipe_[1], "x", 1); }

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD};
  struct sigaction before_[std::size(kSignals)];
  int pipe_[2] = {-1, -1};
};

// ---- What an adapter says ----------------------------------------------------------------------

struct Line {
  std::string fault;  // not empty: neither an answer nor an announcement, and why
  bool announcement = false;
  std::optional<std::string> id;
  std::string status, message;
  std::string name, version, about;  // of an announcement
  int batch = 1;
};

Line FaultyLine(std::string fault) { return {.fault = std::move(fault)}; }

// Members that the contract does not name are ignored; a member of another type than it says is
// not.
Line ParseLine(const std::string& text) {
  const auto json = ParseJson(text, "standard output");
  if (!json.ok() || !json->is_object()) {
    return FaultyLine(StrCat("found ", Quote(text),
                             " on standard output, expected a JSON object in one",
                             " line and nothing else"));
  }
  Line line;
  line.announcement = json->contains("worker");
  for (const auto& [member, target] :
       {std::pair("status", &line.status), std::pair("message", &line.message),
        std::pair("worker", &line.name), std::pair("version", &line.version),
        std::pair("about", &line.about), std::pair("fault", &line.fault)}) {
    if (!json->contains(member)) continue;
    if (!(*json)[member].is_string()) {
      return FaultyLine(StrCat("found \"", member, "\": ", (*json)[member].dump().substr(0, 200),
                               ", expected a string"));
    }
    *target = (*json)[member].get<std::string>();
  }
  // The adapter itself says that what it adapts broke its contract.
  if (!line.fault.empty()) return line;
  if (line.announcement) {
    const Json batch = json->value("batch", Json(1));
    if (!batch.is_number_integer() || batch < 1) {
      return FaultyLine(StrCat("found \"batch\": ", batch.dump().substr(0, 200),
                               " in the announcement of the worker, expected an integer from 1"));
    }
    line.batch = batch > kMaxBatch ? kMaxBatch : batch.get<int>();
    return line;
  }
  if (json->contains("case")) {
    const Json& id = (*json)["case"];
    if (!id.is_string()) {
      return FaultyLine(
          StrCat("found \"case\": ", id.dump().substr(0, 200), ", expected the id as a string"));
    }
    line.id = id.get<std::string>();
  }
  if (!json->contains("status")) {
    return FaultyLine(StrCat("found ", Quote(text), ", expected a member \"status\""));
  }
  if (line.status != "ok" && line.status != "error" && line.status != "unsupported") {
    return FaultyLine(
        StrCat("found status ", Quote(line.status), ", expected ok, error or unsupported"));
  }
  return line;
}

// The shell found nothing to execute.
bool NotStarted(const Process::Exit& exit) { return exit.code == 126 || exit.code == 127; }

// ---- Cases and results -------------------------------------------------------------------------

struct Task {
  const SuiteEntry* entry = nullptr;
  fs::path case_dir, staging;
  std::set<std::string> files;  // that the implementation may write
  bool symbolic = false;

  const std::string& id() const { return entry->id; }
};

struct Result {
  std::string status, message;
  double seconds = 0;
  std::optional<Process::Exit> exit = {};
  std::string log = {};
  std::string stdout_text = {};  // that was no answer

  bool Answered() const { return status == "ok" || status == "error" || status == "unsupported"; }
};

Json ResultToJson(const Result& result) {
  Json json = {{"status", result.status}, {"seconds", result.seconds}};
  if (!result.message.empty()) json["message"] = result.message;
  if (!result.log.empty()) json["log"] = result.log;
  if (!result.stdout_text.empty()) json["stdout"] = result.stdout_text;
  if (result.exit && result.exit->signal != 0) json["signal"] = result.exit->signal;
  if (result.exit && (result.exit->signal == 0 || result.exit->code != 0)) {
    json["exit_code"] = result.exit->code;
  }
  return json;
}

// Whether something ended the case, rather than the adapter itself by an exit code or by what it
// printed.
bool WasEnded(const Json& result) {
  if (result["status"] == "timeout") return true;
  return result["status"] == "crash" &&
         (result.contains("signal") || !result.contains("exit_code"));
}

// Replaces what may lie there by an empty directory.
Status MakeEmpty(const fs::path& directory) {
  std::error_code error;
  fs::remove_all(directory, error);
  if (!error) fs::create_directories(directory, error);
  if (error) return Unavailable(directory.string(), ": cannot be created: ", error.message());
  return absl::OkStatus();
}

Status Rename(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) {
    return Unavailable(to.string(), ": cannot be moved here from ", from.string(), ": ",
                       error.message());
  }
  return absl::OkStatus();
}

// A new file in a directory that nobody looks into yet: no need to write beside and rename.
Status WriteNew(const fs::path& path, const std::string& bytes) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  bool good = fd >= 0;
  for (size_t done = 0; good && done < bytes.size();) {
    const ssize_t written = write(fd, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    good = written > 0;
    done += good ? static_cast<size_t>(written) : 0;
  }
  const int failure = errno;
  // Network file systems report a full disk only here.
  if (fd >= 0 && close(fd) != 0 && good) {
    return Unavailable(path.string(), ": cannot write it: ", std::strerror(errno));
  }
  if (good) return absl::OkStatus();
  return Unavailable(path.string(), ": cannot write ", bytes.size(),
                     " bytes: ", std::strerror(failure));
}

// The names of the files that a case's outputs go to, and whether it is a symbolic program. The
// case is held against suite.json: what runs is what the results say that ran. Only of a suite
// whose answers were left out nobody can tell.
Status LookAtCase(const Folder& suite, const std::string& edition, Task& task) {
  const SuiteEntry& entry = *task.entry;
  const fs::path case_dir = suite.path() / entry.id;
  std::error_code error;
  const bool has_answers =
      entry.outcome != "valid" || fs::exists(fs::symlink_status(case_dir / "expected", error));
  CTS_ASSIGN_OR_RETURN(const Case c, has_answers ? ReadVerifiedCase(suite, entry, edition)
                                                 : ReadCaseHeader(case_dir));
  CTS_RETURN_IF_ERROR(CheckEdition(c, edition, case_dir));
  if (c.id != entry.id) {
    return InvalidArgument((case_dir / "case.json").string(), ": /id: found \"", c.id,
                           "\", expected \"", entry.id, "\" as in suite.json");
  }
  task.files = ResultFileNames(c);
  task.symbolic = !c.bindings.empty();
  return absl::OkStatus();
}

// What an adapter left in its directory besides the outputs, for a message; empty if nothing.
std::string FindStray(const Task& task) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(task.staging, error))) {
    return "its result directory is gone or replaced";
  }
  std::set<std::string> strays;
  for (fs::directory_iterator it(task.staging, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool link = it->is_symlink(error);
    if (task.files.count(name) == 0) {
      strays.insert(StrCat("found ", Quote(name), " in its result directory"));
    } else if (link || !it->is_regular_file(error)) {
      strays.insert(
          StrCat("found ", link ? "a link" : "something else", " for the file ", Quote(name)));
    }
  }
  if (error) return StrCat("its result directory cannot be read: ", error.message());
  if (strays.empty()) return "";
  std::string expected;
  for (const std::string& file : task.files) expected += StrCat(expected.empty() ? "" : ", ", file);
  return StrCat(*strays.begin(), ", expected no file but ", expected);
}

// What is started, as run.json tells it.
std::string CommandText(const RunOptions& options) {
  if (!options.builtin.empty()) return "builtin:" + options.builtin;
  if (!options.plugin.empty()) return "plugin:" + options.plugin.string();
  return options.adapter + (options.worker ? " --worker" : "");
}

// ---- The run -----------------------------------------------------------------------------------

class Runner {
 public:
  // Called once, with the name and version that the workers announce.
  using Announced = std::function<Status(const std::string& name, const std::string& version)>;

  Runner(const RunOptions& options, std::string edition, Folder suite, fs::path out,
         SignalScope& signals, const Progress& progress, Announced announced)
      : options_(options),
        edition_(std::move(edition)),
        folder_(std::move(suite)),
        suite_(folder_.path()),
        out_(std::move(out)),
        signals_(signals),
        progress_(progress),
        announced_(std::move(announced)) {
    if (options.memory_mb > 0) {
      memory_ = std::make_unique<MemoryWatch>(static_cast<uint64_t>(options.memory_mb) << 20);
    }
  }

  // An answer is given once: nobody may change it while the run goes on.
  static Status Changed(const fs::path& place) {
    return InvalidArgument(place.string(), ": was changed after the result came, expected that an ",
                           "answer is given once; run again into a new folder");
  }

  // Digests of the results of this session, as they were when they came.
  const ResultDigests& digests() const { return digests_; }

  // No worker could start here, whatever it was given.
  bool never_started() const { return never_started_; }

  // Runs what has no result yet, then what has not been repeated as often as it is to be.
  StatusOr<RunSummary> Run(const std::vector<const SuiteEntry*>& entries) {
    total_ = static_cast<int>(entries.size()) * options_.repeats;
    for (const SuiteEntry* entry : entries) CTS_RETURN_IF_ERROR(LookAtKept(*entry));
    // Adapters that outlived an earlier run may still write where that one told them to.
    CTS_RETURN_IF_ERROR(MakeEmpty(out_ / ".tmp"));
    std::string name = (out_ / ".tmp" / "XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      return Unavailable(name, ": cannot be created: ", std::strerror(errno));
    }
    temporary_ = name;
    for (pass_ = 1; pass_ <= options_.repeats && !Stopping(); ++pass_) {
      todo_.clear();
      next_ = 0;
      for (const SuiteEntry* entry : entries) {
        if (passes_[entry] < pass_) todo_.push_back(entry);
      }
      // With other neighbours and in other processes than before.
      if (pass_ % 2 == 0) std::reverse(todo_.begin(), todo_.end());
      RunPass();
    }
    std::error_code error;
    fs::remove_all(out_ / ".tmp", error);
    CTS_RETURN_IF_ERROR(failure_);
    summary_.interrupted = interrupt_seen;
    summary_.announced = announcement_.has_value();
    return summary_;
  }

  // Runs one case of no suite; what a worker that had others before it does wrong counts only if it
  // does so again alone. Its outputs lie in task.staging then. Nothing if interrupted.
  StatusOr<std::optional<Result>> RunOne(Task& task) {
    std::optional<Result> result;
    if (!options_.builtin.empty()) {
      CTS_ASSIGN_OR_RETURN(const BuiltinAnswer answer,
                           RunBuiltin(options_.builtin, task.case_dir, task.staging));
      result = Result{answer.status, answer.message};
    } else if (options_.worker) {
      CTS_ASSIGN_OR_RETURN(result, Ask(task));
    }
    if (!result && !Stopping()) {
      CTS_RETURN_IF_ERROR(MakeEmpty(task.staging));
      CTS_ASSIGN_OR_RETURN(result, RunAlone(task));
    }
    if (Stopping()) return std::optional<Result>();
    if (result && result->Answered()) {
      if (std::string stray = FindStray(task); !stray.empty()) {
        result->status = "protocol";
        result->message = std::move(stray);
      }
    }
    return result;
  }

 private:
  void RunPass() {
    threads_ = std::clamp<size_t>(todo_.size(), 1, static_cast<size_t>(options_.jobs));
    std::vector<std::thread> threads;
    for (size_t i = 0; i < threads_; ++i) {
      threads.emplace_back([this] {
        const Status status = options_.worker ? ServeWorker() : ServeOneByOne();
        if (!status.ok()) Fail(status);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  bool Stopping() const { return interrupt_seen || failed_; }

  // The answer of a worker that may have run other cases before. Nothing: it did anything but
  // answer, and is ended.
  StatusOr<std::optional<Result>> Ask(const Task& task) {
    if (kept_ == nullptr) {
      CTS_ASSIGN_OR_RETURN(kept_, StartProcess(nullptr));
      kept_is_silent_ = true;
    }
    kept_->Send(Request(task, false));
    const Clock::time_point start = Clock::now();
    const Clock::time_point deadline = After(options_.timeout_seconds);
    std::string text;
    while (kept_->Next(deadline, &text) == Process::Event::kLine) {
      const Line line = ParseLine(text);
      if (!line.fault.empty()) break;
      if (std::exchange(kept_is_silent_, false) && line.announcement) {
        CTS_RETURN_IF_ERROR(Announce(line));
        continue;
      }
      if (line.announcement || line.id != task.id()) break;
      return std::optional<Result>(
          Result{line.status, line.message, SecondsSince(start), {}, kept_->TakeLog()});
    }
    kept_.reset();
    return std::optional<Result>();
  }

  void Fail(const Status& status) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Stop(status);
  }
  void Stop(const Status& status) {
    if (failure_.ok()) failure_ = status;
    failed_ = true;
    signals_.Wake();
  }

  // Counts the result of an earlier run. What is none goes: it would be in the way of one.
  Status LookAtKept(const SuiteEntry& entry) {
    const fs::path place = out_ / entry.id;
    std::error_code error;
    if (!fs::exists(fs::symlink_status(place, error))) return absl::OkStatus();
    const auto kept = LoadJson(place / "result.json", "result");
    if (!kept.ok()) {
      fs::remove_all(place, error);
      if (error) return Unavailable(place.string(), ": cannot be removed: ", error.message());
      return absl::OkStatus();
    }
    Count(entry.id, *kept);
    passes_[&entry] = std::min(kept->value("repeats", 1), options_.repeats);
    done_ += passes_[&entry];
    if (kept->contains("differs")) CountDifference(entry.id, (*kept)["differs"].get<std::string>());
    return absl::OkStatus();
  }

  void Count(const std::string& id, const Json& result) {
    const std::string status = result["status"].get<std::string>();
    ++summary_.cases;
    if (WasEnded(result)) ++summary_.ended;
    const bool answered = status == "ok" || status == "error" || status == "unsupported";
    if (!answered && (summary_.first_id.empty() || id < summary_.first_id)) {
      summary_.first_id = id;
      summary_.first_message = StrCat(status, ": ", result.value("message", ""));
      summary_.first_log = result.value("log", "");
    }
    for (const auto& [name, count] :
         {std::pair("ok", &summary_.ok), std::pair("error", &summary_.error),
          std::pair("unsupported", &summary_.unsupported), std::pair("crash", &summary_.crash),
          std::pair("timeout", &summary_.timeout), std::pair("protocol", &summary_.protocol)}) {
      if (status == name) ++*count;
    }
  }

  void CountDifference(const std::string& id, const std::string& difference) {
    ++summary_.differs;
    if (!summary_.first_differs_id.empty() && summary_.first_differs_id < id) return;
    summary_.first_differs_id = id;
    summary_.first_difference = difference;
  }

  // An adapter that never answers costs a start, or the whole time limit, for every case. But it
  // may be one operator only that fails, the first: before giving up, cases from all over the suite
  // are tried.
  void LoseHope() {
    if (summary_.AnyAnswer() || summary_.cases < kHopeless) return;
    if (!spread_at_) {
      spread_at_ = next_;
      const size_t left = todo_.size() - next_;
      std::vector<const SuiteEntry*> probes, others;
      for (size_t i = 0; i < left; ++i) {
        const bool probe = i * kHopeless / left != (i + 1) * kHopeless / left;
        (probe ? probes : others).push_back(todo_[next_ + i]);
      }
      probes.insert(probes.end(), others.begin(), others.end());
      std::copy(probes.begin(), probes.end(), todo_.begin() + static_cast<ptrdiff_t>(next_));
    } else if (next_ >= *spread_at_ + kHopeless + threads_ && next_ < todo_.size()) {
      summary_.gave_up = true;
      Stop(absl::OkStatus());
    }
  }

  // The next cases, at most `batch`, and near the end no more than this thread's share. None when
  // all are taken or the run stops.
  StatusOr<std::vector<Task>> Take(int batch) {
    while (true) {
      CTS_ASSIGN_OR_RETURN(std::vector<Task> tasks, TakeAny(batch));
      if (tasks.empty()) return tasks;
      std::vector<Task> asked;
      for (Task& task : tasks) {
        if (!task.symbolic || options_.symbolic || !options_.builtin.empty()) {
          asked.push_back(std::move(task));
          continue;
        }
        CTS_RETURN_IF_ERROR(Commit(task, {"unsupported", std::string(kNotSymbolic)}));
      }
      if (!asked.empty()) return asked;
    }
  }

  StatusOr<std::vector<Task>> TakeAny(int batch) {
    std::vector<Task> tasks;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      LoseHope();
      if (!Stopping()) {
        const size_t left = todo_.size() - next_;
        const size_t share = (left + threads_ - 1) / threads_;
        tasks.resize(std::min(static_cast<size_t>(batch), share));
      }
      for (Task& task : tasks) task.entry = todo_[next_++];
    }
    for (Task& task : tasks) {
      task.case_dir = suite_ / task.id();
      CTS_RETURN_IF_ERROR(LookAtCase(folder_, edition_, task));
      CTS_ASSIGN_OR_RETURN(task.staging, NewStaging());
    }
    return tasks;
  }

  // A directory that no process has been told of before.
  StatusOr<fs::path> NewStaging() {
    fs::path staging = temporary_ / std::to_string(stagings_++);
    if (mkdir(staging.c_str(), 0777) != 0) {
      return Unavailable(staging.string(), ": cannot be created: ", std::strerror(errno));
    }
    return staging;
  }

  // Moves a result to its place, in one rename. That outlives this program; a case whose result is
  // still not whole when the whole machine dies runs again.
  Status Commit(const Task& task, Result result) {
    if (result.Answered()) {
      if (std::string stray = FindStray(task); !stray.empty()) {
        result.status = "protocol";
        result.message = std::move(stray);
      }
    }
    std::error_code error;
    std::string difference;
    if (pass_ > 1) {
      CTS_ASSIGN_OR_RETURN(difference, Compare(task, result));
      fs::remove_all(task.staging, error);
    } else {
      // Outputs are kept of `ok` only.
      fs::path done = task.staging;
      if (result.status != "ok") {
        CTS_ASSIGN_OR_RETURN(done, NewStaging());
      }
      CTS_RETURN_IF_ERROR(WriteNew(done / "result.json", FormatJson(ResultToJson(result))));
      const fs::path place = out_ / task.id();
      if (rename(done.c_str(), place.c_str()) != 0) {
        fs::create_directories(place.parent_path(), error);
        if (error) return Unavailable(place.string(), ": cannot be created: ", error.message());
        CTS_RETURN_IF_ERROR(Rename(done, place));
      }
      if (done != task.staging) fs::remove_all(task.staging, error);
      CTS_RETURN_IF_ERROR(Remember(task.id()));
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    passes_[task.entry] = pass_;
    if (pass_ == 1) Count(task.id(), ResultToJson(result));
    if (!difference.empty()) CountDifference(task.id(), difference);
    if (progress_) progress_(++done_, total_);
    return absl::OkStatus();
  }

  Status Remember(const std::string& id) {
    CTS_ASSIGN_OR_RETURN(std::string digest, ResultDigest(out_, id));
    const std::lock_guard<std::mutex> lock(mutex_);
    digests_[id] = std::move(digest);
    return absl::OkStatus();
  }

  // Holds another answer against the first, which is kept. Returns the difference, if it is the
  // first one.
  StatusOr<std::string> Compare(const Task& task, const Result& result) {
    const fs::path place = out_ / task.id();
    std::string then;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (const auto known = digests_.find(task.id()); known != digests_.end())
        then = known->second;
    }
    if (!then.empty()) {
      CTS_ASSIGN_OR_RETURN(const std::string now, ResultDigest(out_, task.id()));
      if (now != then) return Changed(place);
    }
    CTS_ASSIGN_OR_RETURN(Json kept, LoadJson(place / "result.json", "result"));
    std::string difference;
    if (const std::string status = kept["status"].get<std::string>(); status != result.status) {
      difference =
          StrCat("status ", status, " the first time, ", result.status, " in repeat ", pass_,
                 result.message.empty() ? "" : ": ", result.message.substr(0, 1000));
    } else if (status == "ok") {
      for (const std::string& file : task.files) {
        const auto first = ReadFile(place / file);
        const auto second = ReadFile(task.staging / file);
        if (!first.ok() && !second.ok()) continue;  // the checker says so
        if (first.ok() && second.ok()) {
          difference = FirstDifference(*first, *second, pass_);
        } else {
          difference = StrCat(first.ok() ? "there" : "missing", " the first time, ",
                              first.ok() ? "missing" : "there", " in repeat ", pass_);
        }
        if (difference.empty()) continue;
        difference = StrCat("output ", file.substr(0, file.size() - 4), ", ", difference);
        break;
      }
    }
    kept["repeats"] = pass_;
    if (difference.empty() || kept.contains("differs")) {
      difference.clear();
    } else {
      kept["differs"] = difference;
    }
    CTS_ASSIGN_OR_RETURN(const fs::path beside, NewStaging());
    CTS_RETURN_IF_ERROR(WriteNew(beside / "result.json", FormatJson(kept)));
    CTS_RETURN_IF_ERROR(Rename(beside / "result.json", place / "result.json"));
    CTS_RETURN_IF_ERROR(Remember(task.id()));
    std::error_code ignored;
    fs::remove(beside, ignored);
    return difference;
  }

  // ---- One process per case ----

  Status ServeOneByOne() {
    while (true) {
      CTS_ASSIGN_OR_RETURN(const std::vector<Task> tasks, Take(1));
      if (tasks.empty()) return absl::OkStatus();
      std::optional<Result> result;
      if (options_.builtin.empty()) {
        CTS_ASSIGN_OR_RETURN(result, RunAlone(tasks[0]));
      } else {
        const Clock::time_point start = Clock::now();
        CTS_ASSIGN_OR_RETURN(const BuiltinAnswer answer,
                             RunBuiltin(options_.builtin, tasks[0].case_dir, tasks[0].staging));
        result = Result{answer.status, answer.message, SecondsSince(start)};
      }
      if (!result) return absl::OkStatus();
      CTS_RETURN_IF_ERROR(Commit(tasks[0], *std::move(result)));
    }
  }

  // Where no worker has printed anything yet and one ended: another one that gets nothing to do
  // tells whether that was a case's fault, or nothing can work here. An error if so.
  Status CanStart() {
    CTS_ASSIGN_OR_RETURN(const std::unique_ptr<Process> process, StartProcess(nullptr));
    process->CloseInput();
    const Clock::time_point deadline = After(options_.timeout_seconds);
    std::string text;
    if (process->Next(deadline, &text) != Process::Event::kEnd) return absl::OkStatus();
    const auto exit = process->Finish(deadline);
    if (!exit || exit->signal != 0 || (exit->code != kEnvironment && !NotStarted(*exit))) {
      return absl::OkStatus();
    }
    never_started_ = true;
    const std::string log = LastLine(Printable(process->TakeLog(), Lines::kKeep));
    return Unavailable("the adapter does not start: ", CommandText(options_), " ", ExitText(*exit),
                       log.empty() ? "" : ": " + log, HintFor(*exit), "; mend that and run again");
  }

  // What to install, if the shell did not find what starts an adapter of ours.
  std::string HintFor(const Process::Exit& exit) const {
    return NotStarted(exit) ? InstallHint(options_.adapter) : "";
  }

  // Runs one case in a process of its own, a worker included. Nothing if the run stops.
  StatusOr<std::optional<Result>> RunAlone(const Task& task) {
    const Clock::time_point start = Clock::now();
    const Clock::time_point limit = After(options_.timeout_seconds);
    CTS_ASSIGN_OR_RETURN(const std::unique_ptr<Process> process, StartProcess(&task));
    if (options_.worker) {
      process->Send(Request(task, false));
      process->CloseInput();
    }
    Clock::time_point deadline = limit;
    bool announced = false;
    std::string wrong;  // what it printed instead of an answer
    std::optional<Result> answer;
    Result result;  // of a case that went wrong
    for (std::string text; result.status.empty();) {
      const Process::Event event = process->Next(deadline, &text);
      if (event == Process::Event::kInterrupted) return std::optional<Result>();
      if (event == Process::Event::kLine) {
        Line line = ParseLine(text);
        if (line.fault.empty() && line.announcement) {
          if (options_.worker && !announced && !answer) {
            announced = true;
            CTS_RETURN_IF_ERROR(Announce(line));
            continue;
          }
          line.fault = "found an announcement, expected one only as the first line of a worker";
        }
        if (line.fault.empty() && answer) line.fault = "answered twice";
        if (line.fault.empty()) line.fault = CheckId(line, task);
        if (!line.fault.empty()) {
          result = {"protocol", line.fault};
          wrong = text.substr(0, Process::kMaxLog) + "\n";
          break;
        }
        answer = Result{line.status, line.message, SecondsSince(start)};
        if (options_.worker) deadline = std::min(limit, After(kGraceSeconds));
      } else if (event == Process::Event::kTooLong) {
        result = {"protocol", TooLong()};
      } else if (event == Process::Event::kDeadline) {
        // A worker has answered in time; that it does not go is no fault of the case.
        if (answer && options_.worker) break;
        result = {"timeout", TimeoutText(answer.has_value())};
      } else {
        const auto exit = process->Finish(deadline);
        if (Stopping()) return std::optional<Result>();
        if (!exit) {
          if (answer && options_.worker) break;
          result = {"timeout", TimeoutText(answer.has_value())};
        } else if (process->over_memory() > 0) {
          result = {"crash", StrCat("used more than ", options_.memory_mb, " MB of memory (found ",
                                    process->over_memory() >> 20, " MB): killed")};
        } else if (!answer) {
          // Who stops this program may have stopped its children first.
          if (exit->signal == SIGTERM || exit->signal == SIGINT) {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            if (Stopping()) return std::optional<Result>();
          }
          result = {"crash", StrCat(ExitText(*exit), " before it answered", HintFor(*exit))};
          result.exit = exit;
        } else if (!exit->Clean()) {
          result = {"protocol", StrCat(ExitText(*exit), " after its answer, expected exit code 0")};
          result.exit = exit;
        }
        break;
      }
    }
    if (result.status.empty()) result = *std::move(answer);
    if (!result.Answered()) result.seconds = SecondsSince(start);
    result.log = process->TakeLog();
    if (result.status == "crash" && !options_.plugin.empty()) {
      const std::string words = WhatPluginDid(result.exit.value_or(Process::Exit{}), result.log);
      if (!words.empty()) result.message += ": " + words;
    }
    if (result.status == "protocol") {
      result.stdout_text = (wrong + process->TakeOutput()).substr(0, Process::kMaxLog);
    }
    return std::optional<Result>(std::move(result));
  }

  // ---- Workers ----

  // A case that has been answered, but whose worker may still say something wrong about it.
  struct Pending {
    Task task;
    Result result;
  };

  // Keeps a worker busy. An answer is taken for good when the next one follows it. When anything
  // goes wrong, the worker is ended and every case that may have caused it is run again, alone: a
  // result depends neither on the batch nor on the cases before it.
  Status ServeWorker() {
    std::unique_ptr<Process> process;
    bool silent = true;  // the worker has not printed anything yet
    int batch = 1;       // until it announces something else
    std::optional<Pending> pending;
    while (true) {
      CTS_ASSIGN_OR_RETURN(std::vector<Task> tasks, Take(batch));
      if (tasks.empty()) break;
      if (process == nullptr) {
        CTS_ASSIGN_OR_RETURN(process, StartProcess(nullptr));
        silent = true;
      }
      for (const Task& task : tasks) process->Send(Request(task, &task != &tasks.back()));
      const Clock::time_point deadline =
          After(options_.timeout_seconds * static_cast<double>(tasks.size()));
      Clock::time_point last = Clock::now();
      size_t answered = 0;
      Process::Event event = Process::Event::kLine;
      bool out_of_order = false;
      std::string broke;  // the protocol, and how
      for (std::string text; answered < tasks.size();) {
        event = process->Next(deadline, &text);
        if (event != Process::Event::kLine) break;
        Line line = ParseLine(text);
        const bool first = std::exchange(silent, false);
        any_line_ = true;
        if (line.fault.empty() && line.announcement && first) {
          batch = line.batch;
          CTS_RETURN_IF_ERROR(Announce(line));
          continue;
        }
        if (!line.fault.empty() || line.announcement || line.id != tasks[answered].id()) {
          broke = !line.fault.empty() ? line.fault
                  : line.announcement ? "found an announcement, expected it as the first line"
                                      : CheckId(line, tasks[answered]);
          out_of_order = line.fault.empty() &&
                         std::any_of(tasks.begin() + static_cast<ptrdiff_t>(answered), tasks.end(),
                                     [&](const Task& task) { return task.id() == line.id; });
          if (out_of_order) {
            if (pending) CTS_RETURN_IF_ERROR(Commit(pending->task, std::move(pending->result)));
            pending = Pending{tasks[answered],
                              {"protocol", CheckId(line, tasks[answered]) + ": out of order"}};
            ++answered;
          }
          break;
        }
        if (pending) CTS_RETURN_IF_ERROR(Commit(pending->task, std::move(pending->result)));
        pending = Pending{
            tasks[answered],
            {line.status, line.message, SecondsSince(last), std::nullopt, process->TakeLog()}};
        last = Clock::now();
        ++answered;
      }
      if (event == Process::Event::kInterrupted) return absl::OkStatus();
      if (answered == tasks.size() && !out_of_order) continue;

      std::vector<Task> suspects(tasks.begin() + static_cast<ptrdiff_t>(answered), tasks.end());
      const bool timeout = event == Process::Event::kDeadline;
      std::string log = process->TakeLog();
      process->Finish(Clock::now());
      // Memory gathered over many cases is no fault of any.
      const bool over_memory = process->over_memory() > 0;
      process.reset();
      if (event == Process::Event::kEnd && !over_memory && !any_line_) {
        CTS_RETURN_IF_ERROR(CanStart());
      }
      CountRestart();
      if (timeout && tasks.size() == 1) {
        suspects.clear();
        if (pending) CTS_RETURN_IF_ERROR(Commit(pending->task, std::move(pending->result)));
        pending = Pending{tasks[0],
                          {"timeout", TimeoutText(false), SecondsSince(last), {}, std::move(log)}};
      }
      if (pending && (timeout || out_of_order)) {
        CTS_RETURN_IF_ERROR(Commit(pending->task, std::move(pending->result)));
      } else if (pending) {
        suspects.insert(suspects.begin(), pending->task);
      }
      pending.reset();
      const std::string what = over_memory                         ? ""
                               : timeout                           ? "hung"
                               : !broke.empty()                    ? "broke the protocol: " + broke
                               : event == Process::Event::kTooLong ? "printed an endless line"
                                                                   : "ended before its answer";
      CTS_ASSIGN_OR_RETURN(const bool stopped, RunAgain(suspects, what));
      if (stopped) return absl::OkStatus();
    }
    if (!pending) return absl::OkStatus();
    if (Stopping()) return absl::OkStatus();
    CTS_ASSIGN_OR_RETURN(const bool clean, EndWorker(*process));
    if (Stopping()) return absl::OkStatus();
    process.reset();
    if (clean) return Commit(pending->task, std::move(pending->result));
    CountRestart();
    return RunAgain({pending->task}, "printed something or failed at its end").status();
  }

  // Closes the input of an idle worker. True if it says nothing more and exits with code 0, or has
  // to be killed.
  StatusOr<bool> EndWorker(Process& process) {
    process.CloseInput();
    const Clock::time_point deadline = After(std::min(kGraceSeconds, options_.timeout_seconds));
    std::string text;
    switch (process.Next(deadline, &text)) {
      case Process::Event::kLine:
      case Process::Event::kTooLong:
        return false;
      case Process::Event::kDeadline:
      case Process::Event::kInterrupted:
        return true;
      case Process::Event::kEnd:
        break;
    }
    const auto exit = process.Finish(deadline);
    return !exit || exit->Clean();
  }

  // Each alone. True if the run stops. A fault that none of them shows again is nobody's, but it
  // was there.
  StatusOr<bool> RunAgain(const std::vector<Task>& tasks, const std::string& fault) {
    bool shown = tasks.empty() || fault.empty();
    for (Task task : tasks) {
      std::error_code ignored;
      fs::remove_all(task.staging, ignored);
      CTS_ASSIGN_OR_RETURN(task.staging, NewStaging());
      CTS_ASSIGN_OR_RETURN(std::optional<Result> result, RunAlone(task));
      if (!result) return true;
      shown = shown || !result->Answered();
      CTS_RETURN_IF_ERROR(Commit(task, *std::move(result)));
    }
    if (shown) return false;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (summary_.unexplained++ == 0) {
      summary_.first_unexplained =
          StrCat("with ", tasks.back().id(), " in hand, a worker ", fault.substr(0, 1000));
    }
    return false;
  }

  // ---- Small parts ----

  // A worker, or a process for this one case.
  StatusOr<std::unique_ptr<Process>> StartProcess(const Task* task) const {
    std::vector<std::string> arguments = {"--worker"};
    if (!options_.worker) arguments = {task->case_dir.string(), task->staging.string()};
    return Process::Start(options_.adapter, arguments, options_.worker, signals_.wake_fd(),
                          memory_.get());
  }

  static std::string Request(const Task& task, bool more) {
    const Json json = {{"case", task.id()},
                       {"case_dir", task.case_dir.string()},
                       {"result_dir", task.staging.string()},
                       {"more", more}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  // What is wrong with the id of an answer; only without workers it may be left out.
  std::string CheckId(const Line& line, const Task& task) const {
    if (line.id == task.id() || (!line.id && !options_.worker)) return "";
    return StrCat("answered for ", line.id ? Quote(*line.id) : "no case", ", expected \"",
                  task.id(), "\"");
  }

  std::string TimeoutText(bool answered) const {
    return StrCat(answered ? "answered, but did not exit" : "no answer", " within ",
                  options_.timeout_seconds, " seconds: killed");
  }

  static std::string TooLong() {
    return StrCat("found a line of more than ", Process::kMaxLine,
                  " bytes on standard output, expected a short JSON object");
  }

  // One run, one implementation: announcing another one ends it.
  Status Announce(const Line& line) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!announcement_) {
      announcement_ = {line.name, line.version};
      return announced_(line.name, line.version);
    }
    if (*announcement_ == std::pair(line.name, line.version)) return absl::OkStatus();
    return InvalidArgument("a worker announced itself as ", Quote(line.name), ", version ",
                           Quote(line.version), ", an earlier one as ", Quote(announcement_->first),
                           ", version ", Quote(announcement_->second),
                           ": expected one implementation in one run");
  }

  void CountRestart() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++summary_.restarts;
  }

  const RunOptions& options_;
  const std::string edition_;  // the suite's
  const Folder folder_;
  const fs::path suite_, out_;
  SignalScope& signals_;
  const Progress& progress_;
  const Announced announced_;
  std::unique_ptr<MemoryWatch> memory_;
  std::unique_ptr<Process> kept_;  // of RunOne
  bool kept_is_silent_ = true;
  fs::path temporary_;
  size_t threads_ = 1;
  int pass_ = 1;
  int total_ = 0;

  std::atomic<size_t> stagings_{0};
  std::atomic<bool> failed_{false};
  std::atomic<bool> any_line_{false};  // some worker printed one
  std::atomic<bool> never_started_{false};
  std::mutex mutex_;                     // of everything below
  std::vector<const SuiteEntry*> todo_;  // of this pass
  size_t next_ = 0;
  std::optional<size_t> spread_at_;  // from here todo_ begins with cases from all over the suite
  Status failure_;
  RunSummary summary_;
  std::map<const SuiteEntry*, int> passes_;  // how often a case has run
  int done_ = 0;                             // their sum
  std::optional<std::pair<std::string, std::string>> announcement_;
  ResultDigests digests_;  // of results as they were when they came
};

// ---- Before and after --------------------------------------------------------------------------

Status CheckOptions(const RunOptions& options) {
  if (int{!options.builtin.empty()} + int{!options.adapter.empty()} +
          int{!options.plugin.empty()} !=
      1) {
    return InvalidArgument(
        "expected either an embedded implementation (--implementation builtin:NAME), an adapter ",
        "(--adapter COMMAND) or a plugin (--plugin LIB.so)");
  }
  if (!options.plugin.empty() && options.symbolic) {
    return InvalidArgument("--symbolic goes with --adapter: a plugin has no symbols");
  }
  if (!options.plugin.empty() && options.worker) {
    return InvalidArgument("--worker goes with --adapter; a plugin runs many cases anyway");
  }
  if (!options.builtin.empty()) {
    if (options.worker) {
      return InvalidArgument("--worker goes with --adapter, not with an embedded implementation");
    }
    if (options.memory_mb != 0) {
      return InvalidArgument(
          "--memory goes with --adapter: an embedded implementation runs inside ",
          "of this program");
    }
  }
  if (!(options.timeout_seconds > 0)) {
    return InvalidArgument("found a timeout of ", options.timeout_seconds,
                           " seconds, expected more than 0");
  }
  if (options.memory_mb < 0 || options.repeats < 1) {
    return InvalidArgument("found a limit of ", options.memory_mb, " MB and ", options.repeats,
                           " repeats, expected at least 0 and 1");
  }
  if (options.jobs < 0) {
    return InvalidArgument("found ", options.jobs, " jobs, expected 0 (one per core) or more");
  }
  return absl::OkStatus();
}

// The files that are the implementation.
StatusOr<Json> FilesOf(const RunOptions& options) {
  return options.plugin.empty() ? AdapterFiles(options.adapter) : PluginFile(options.plugin);
}

// From here on a plugin is an adapter: this program, which hosts it.
Status HostPlugin(RunOptions& options) {
  std::error_code error;
  options.plugin = fs::absolute(options.plugin, error).lexically_normal();
  if (!fs::is_regular_file(options.plugin, error)) {
    return InvalidArgument(options.plugin.string(), ": found ",
                           fs::exists(options.plugin, error) ? "no regular file" : "no such file",
                           ", expected the shared library of the plugin; build or install it, or ",
                           "give another path to --plugin",
                           InstallHint(options.plugin.filename().string()));
  }
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return Unavailable("/proc/self/exe: cannot be read: ", error.message());
  options.adapter = StrCat("exec ", ShellQuoted(self.string()), " plugin-host ",
                           ShellQuoted(options.plugin.string()));
  options.worker = true;
  return absl::OkStatus();
}

// Starts the host to see whether the plugin loads, and who it is, as run.json has it.
StatusOr<Json> MeetPlugin(const RunOptions& options, int wake_fd) {
  const Clock::time_point deadline = After(options.timeout_seconds);
  CTS_ASSIGN_OR_RETURN(const std::unique_ptr<Process> process,
                       Process::Start(options.adapter, {"--worker"}, true, wake_fd));
  std::string text;
  const Process::Event event = process->Next(deadline, &text);
  if (event == Process::Event::kLine) {
    const Line line = ParseLine(text);
    if (line.fault.empty() && line.announcement) {
      Json who = {{"name", line.name}, {"version", line.version}};
      if (!line.about.empty()) who["about"] = line.about;
      return who;
    }
  }
  if (event == Process::Event::kInterrupted) return Unavailable("interrupted, nothing ran");
  const auto exit = process->Finish(deadline);
  const std::string words = WhatPluginDid(exit.value_or(Process::Exit{}), process->TakeLog());
  // The host itself found out what is wrong with the library, and names it.
  if (exit && exit->code == 2 && !words.empty()) return InvalidArgument("--plugin: ", words);
  return InvalidArgument(
      "--plugin: ", options.plugin.string(), ": cannot be loaded: its host ",
      exit ? ExitText(*exit)
           : StrCat("did not load it within ", options.timeout_seconds, " seconds (--timeout)"),
      words.empty() ? "" : ": ", words, "; see it happen: ", options.adapter, " --worker");
}

// Holds a directory for one run at a time, without a file in it.
class DirectoryLock {
 public:
  ~DirectoryLock() {
    if (fd_ >= 0) close(fd_);
  }
  Status Lock(const fs::path& directory) {
    fd_ = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd_ < 0) {
      return Unavailable(directory.string(), ": cannot be opened: ", std::strerror(errno));
    }
    if (flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      return Unavailable(directory.string(), ": another run writes here; wait for it to end");
    }
    return absl::OkStatus();
  }
  // Everything on its file system, not only in memory.
  void Sync() const { syncfs(fd_); }

 private:
  int fd_ = -1;
};

Json ShardToJson(const Shard& shard) { return {{"index", shard.index}, {"of", shard.of}}; }

std::string ShardText(const Json& run) {
  if (!run.contains("shard")) return "the whole suite";
  return StrCat("shard ", run["shard"]["index"].get<int>(), "/", run["shard"]["of"].get<int>());
}

// Refuses a directory with anything in it but results that `run` continues. Returns their run.json,
// or null.
StatusOr<Json> CheckOut(const fs::path& out, const Json& run, bool resume) {
  std::error_code error;
  const fs::path path = out / "run.json";
  if (!fs::exists(path, error)) {
    // A file that was being written when an earlier run was killed begins like that.
    for (fs::directory_iterator it(out, error), end; !error && it != end; it.increment(error)) {
      if (it->path().filename().string().starts_with(".tmp")) continue;
      return InvalidArgument(out.string(), ": not empty, and no run.json in it: expected an empty ",
                             "directory, one that does not exist yet, or earlier results");
    }
    if (error) return Unavailable(out.string(), ": cannot be read: ", error.message());
    return Json();
  }
  CTS_ASSIGN_OR_RETURN(Json before, LoadJson(path, "run"));
  if (before["suite_digest"] != run["suite_digest"]) {
    return InvalidArgument(out.string(), ": holds results of another suite (",
                           before["suite"].get<std::string>(), ", digest ",
                           before["suite_digest"].get<std::string>(), "), expected those of ",
                           run["suite"].get<std::string>(), ", digest ",
                           run["suite_digest"].get<std::string>(), "; give another directory");
  }
  if (!resume) {
    return InvalidArgument(out.string(), ": holds results of this suite already; continue them ",
                           "with --resume, or give another directory");
  }
  if (before.contains("shards")) {
    return InvalidArgument(out.string(), ": holds merged results, which cannot be continued; give ",
                           "another directory");
  }
  if (const std::string command = before["command"].get<std::string>(); command != run["command"]) {
    return InvalidArgument(out.string(), ": holds results of ", Quote(command), ", not of ",
                           Quote(run["command"].get<std::string>()), "; give another directory");
  }
  if (before.value("shard", Json()) != run.value("shard", Json())) {
    return InvalidArgument(out.string(), ": holds results of ", ShardText(before), ", not of ",
                           ShardText(run), "; give another directory");
  }
  const auto limits = [](const Json& of) {
    Json options = of.value("options", Json::object());
    options.erase("jobs");
    options["filter"] = of.value("filter", "");
    return options;
  };
  if (before.contains("options") && limits(before) != limits(run)) {
    return InvalidArgument(out.string(), ": holds results of a run with ", limits(before).dump(),
                           ", not with ", limits(run).dump(), "; go on as it began, or give ",
                           "another directory");
  }
  if (const std::string version = before.value("tensor_cts", std::string(CTS_VERSION));
      version != CTS_VERSION) {
    return InvalidArgument(out.string(), ": holds results of tensor-cts ", Quote(version),
                           ", this is ", CTS_VERSION, "; give another directory");
  }
  const Json files = before.value("adapter_files", run["adapter_files"]);
  if (const std::string file = ChangedFile(files, run["adapter_files"]); !file.empty()) {
    return InvalidArgument(out.string(), ": holds results of another adapter: its file ", file,
                           " is not the one that ran; give another directory");
  }
  return before;
}

std::string UtcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// What run.json says before anything has run.
StatusOr<Json> DescribeRun(const RunOptions& options, const Suite& suite,
                           const fs::path& suite_dir) {
  const std::string command = CommandText(options);
  Json run = {
      {"format", "tensor-cts-run-1"},
      {"suite", suite.name},
      {"suite_digest", suite.digest},
      {"suite_path", suite_dir.string()},
      {"suite_cases", suite.cases.size()},
      {"implementation",
       {{"name", command}, {"version", options.builtin.empty() ? "unknown" : BuiltinVersion()}}},
      {"command", command},
      {"tensor_cts", CTS_VERSION},
      {"host", HostName()},
      {"machine", Machine()},
      {"environment", Environment()},
      {"options",
       {{"jobs", options.jobs},
        {"worker", options.worker},
        {"timeout_seconds", options.timeout_seconds}}},
      {"started", UtcNow()},
      {"complete", false}};
  CTS_ASSIGN_OR_RETURN(run["adapter_files"], FilesOf(options));
  if (options.memory_mb > 0) run["options"]["memory_mb"] = options.memory_mb;
  if (options.symbolic) run["options"]["symbolic"] = true;
  if (options.shard) run["shard"] = ShardToJson(*options.shard);
  if (!options.filter.empty()) run["filter"] = options.filter;
  return run;
}

// The cases that are to run.
StatusOr<std::vector<const SuiteEntry*>> SelectCases(const RunOptions& options,
                                                     const Suite& suite) {
  std::vector<const SuiteEntry*> entries;
  size_t in_shard = 0;
  const bool one = suite.Find(options.filter) != nullptr;
  for (size_t i = 0; i < suite.cases.size(); ++i) {
    if (options.shard && !options.shard->Has(i)) continue;
    ++in_shard;
    const SuiteEntry& entry = suite.cases[i];
    const bool wanted =
        one ? entry.id == options.filter : entry.id.find(options.filter) != std::string::npos;
    if (wanted) entries.push_back(&entry);
  }
  if (in_shard == 0 && options.shard) {
    return InvalidArgument("shard ", options.shard->index, "/", options.shard->of,
                           ": no case is left in it; ", suite.cases.size(), " cases make at most ",
                           suite.cases.size(), " shards");
  }
  if (entries.empty()) {
    return InvalidArgument((options.suite / "suite.json").string(), ": none of its ", in_shard,
                           options.shard ? " cases in the shard" : " cases",
                           " has an id that contains \"", options.filter, "\"");
  }
  return entries;
}

// Seals what is finished: digests of every result, and a run.json that says so.
Status Conclude(const RunOptions& options, const fs::path& out,
                const std::vector<const SuiteEntry*>& entries, const ResultDigests& came,
                Json& run) {
  CTS_ASSIGN_OR_RETURN(const Json files, FilesOf(options));
  if (const std::string path = ChangedFile(run["adapter_files"], files); !path.empty()) {
    return InvalidArgument(path, ": a file of the adapter, changed while it ran; the results are ",
                           "of no one implementation: run again into a new folder");
  }
  std::vector<std::string> ids;
  ids.reserve(entries.size());
  for (const SuiteEntry* entry : entries) ids.push_back(entry->id);
  CTS_ASSIGN_OR_RETURN(const ResultDigests digests,
                       DigestResults(out, ids, options.jobs, [] { return interrupt_seen.load(); }));
  if (interrupt_seen) return absl::OkStatus();
  for (const auto& [id, digest] : came) {
    const auto now = digests.find(id);
    if (now != digests.end() && now->second == digest) continue;
    return Runner::Changed(out / id);
  }
  CTS_RETURN_IF_ERROR(WriteResultDigests(out, digests));
  run["results_digest"] = DigestOf(digests);
  run["complete"] = true;
  return absl::OkStatus();
}

}  // namespace

StatusOr<RunSummary> RunSuite(const RunOptions& given, const Progress& progress) {
  CTS_RETURN_IF_ERROR(CheckOptions(given));
  RunOptions options = given;
  if (options.jobs == 0) {
    options.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }
  std::error_code error;
  // Adapters may change their directory: they get absolute paths.
  options.suite = fs::absolute(options.suite, error).lexically_normal();
  options.out = fs::absolute(options.out, error).lexically_normal();
  const fs::path& out = options.out;
  CTS_ASSIGN_OR_RETURN(const Suite suite, ReadSuite(options.suite));
  if (!options.builtin.empty()) {
    CTS_RETURN_IF_ERROR(CheckBuiltin(options.builtin, suite.edition));
  }
  CTS_ASSIGN_OR_RETURN(const std::vector<const SuiteEntry*> entries, SelectCases(options, suite));
  SignalScope signals;
  CTS_RETURN_IF_ERROR(signals.Install());
  Json plugin;
  if (!options.plugin.empty()) {
    CTS_RETURN_IF_ERROR(HostPlugin(options));
    CTS_ASSIGN_OR_RETURN(plugin, MeetPlugin(options, signals.wake_fd()));
  }
  CTS_ASSIGN_OR_RETURN(Json run, DescribeRun(options, suite, options.suite));
  if (!plugin.is_null()) run["implementation"] = plugin;

  fs::create_directories(out, error);
  if (error) return Unavailable(out.string(), ": cannot be created: ", error.message());
  DirectoryLock lock;
  CTS_RETURN_IF_ERROR(lock.Lock(out));
  CTS_ASSIGN_OR_RETURN(const Json before, CheckOut(out, run, options.resume));
  double seconds_before = 0;
  Json resumption;  // not in run.json yet
  if (!before.is_null()) {
    if (!plugin.is_null() && before["implementation"] != plugin) {
      return InvalidArgument(out.string(), ": holds results of ", before["implementation"].dump(),
                             ", now the plugin says ", plugin.dump(), "; give another directory");
    }
    // An implementation that has announced itself must do so again.
    run["implementation"] = before["implementation"];
    resumption = {{"started", run["started"]}, {"host", run["host"]}};
    // Where and when is told of the beginning; of what goes on, as far as it is otherwise.
    for (const char* member : {"started", "host", "machine", "environment"}) {
      if (!before.contains(member)) continue;
      const Json now = std::exchange(run[member], before[member]);
      if (now != before[member]) resumption[member] = now;
    }
    if (before.contains("resumed")) run["resumed"] = before["resumed"];
    if (!before.value("complete", false)) {
      run["resumed"].push_back(std::exchange(resumption, Json()));
    }
    seconds_before = before.value("seconds", 0.0);
  }
  const Clock::time_point start = Clock::now();
  fs::remove(out / "results.json", error);
  CTS_RETURN_IF_ERROR(SaveJson(out / "run.json", run));

  RunSummary summary;
  ResultDigests came;
  {
    const Adoption adoption;
    const bool anonymous = run["implementation"]["name"] == run["command"];
    CTS_ASSIGN_OR_RETURN(Folder folder, Folder::Open(options.suite));
    Runner runner(options, suite.edition, std::move(folder), out, signals, progress,
                  [&](const std::string& name, const std::string& version) -> Status {
                    Json announced = {{"name", name}, {"version", version}};
                    if (plugin.contains("about")) announced["about"] = plugin["about"];
                    if (!anonymous && announced != run["implementation"]) {
                      return InvalidArgument(out.string(), ": holds results of ",
                                             run["implementation"].dump(), ", now a worker says ",
                                             announced.dump(), "; give another directory");
                    }
                    run["implementation"] = announced;
                    return SaveJson(out / "run.json", run);
                  });
    StatusOr<RunSummary> ran = runner.Run(entries);
    came = runner.digests();
    // The folder is free for the same command.
    if (runner.never_started() && before.is_null()) fs::remove(out / "run.json", error);
    CTS_ASSIGN_OR_RETURN(summary, std::move(ran));
    summary.announced |= !anonymous;
  }
  // Of a complete run something was missing, or it had not been repeated so often.
  if (!resumption.is_null() && !came.empty()) run["resumed"].push_back(std::move(resumption));
  if (!summary.interrupted && !summary.gave_up) {
    CTS_RETURN_IF_ERROR(Conclude(options, out, entries, came, run));
    summary.interrupted = !run["complete"].get<bool>();
  }
  run["seconds"] = seconds_before + SecondsSince(start);
  run["cases"] = summary.cases;
  if (run["complete"] == true && options.repeats > 1) run["repeats"] = options.repeats;
  run["restarts"] = before.is_null() ? 0 : before.value("restarts", 0);
  run["restarts"] = run["restarts"].get<int>() + summary.restarts;
  if (before.contains("unexplained")) run["unexplained"] = before["unexplained"];
  if (summary.unexplained > 0) {
    Json& unexplained = run["unexplained"];
    if (unexplained.is_null()) unexplained = {{"count", 0}, {"first", summary.first_unexplained}};
    unexplained["count"] = unexplained["count"].get<int>() + summary.unexplained;
  }
  lock.Sync();
  CTS_RETURN_IF_ERROR(SaveJson(out / "run.json", run));
  return summary;
}

namespace {

class OneByOne : public CaseRunner {
 public:
  OneByOne(RunOptions options, fs::path scratch)
      : options_(std::move(options)), scratch_(std::move(scratch)), told_(CommandText(options_)) {}

  Status Start() {
    CTS_RETURN_IF_ERROR(signals_.Install());
    if (!options_.plugin.empty()) {
      CTS_RETURN_IF_ERROR(HostPlugin(options_));
      CTS_RETURN_IF_ERROR(MeetPlugin(options_, signals_.wake_fd()).status());
    }
    CTS_ASSIGN_OR_RETURN(Folder folder, Folder::Open(scratch_));
    runner_.emplace(options_, "", std::move(folder), scratch_, signals_, progress_,
                    [](const std::string&, const std::string&) { return absl::OkStatus(); });
    return absl::OkStatus();
  }

  StatusOr<std::optional<Files>> Run(const Case& c) override {
    if (!c.bindings.empty() && !options_.symbolic && options_.builtin.empty()) {
      return InvalidArgument(c.id, ": found ", kNotSymbolic);
    }
    // Directories of its own for every case: adapters may remember what they have read.
    const fs::path place = scratch_ / std::to_string(count_++);
    const SuiteEntry entry{.id = c.id};
    Task task{&entry, place / "case", place / "result", ResultFileNames(c)};
    CTS_RETURN_IF_ERROR(MakeEmpty(task.case_dir));
    CTS_RETURN_IF_ERROR(MakeEmpty(task.staging));
    for (const BundleFile& file : EncodeCase(c)) {
      std::error_code error;
      fs::create_directories((task.case_dir / file.path).parent_path(), error);
      CTS_RETURN_IF_ERROR(WriteNew(task.case_dir / file.path, file.bytes));
    }
    CTS_ASSIGN_OR_RETURN(const std::optional<Result> result, runner_->RunOne(task));
    std::optional<Files> files;
    if (result) {
      files.emplace();
      if (result->status == "ok") {
        for (const std::string& name : task.files) {
          StatusOr<std::string> bytes = ReadFile(task.staging / name);
          if (bytes.ok()) files->emplace(name, *std::move(bytes));
        }
      }
      files->emplace("result.json", FormatJson(ResultToJson(*result)));
    }
    std::error_code ignored;
    fs::remove_all(place, ignored);
    return files;
  }

  std::string command() const override { return told_; }

 private:
  RunOptions options_;
  const fs::path scratch_;
  const std::string told_;
  const Progress progress_;
  SignalScope signals_;
  const Adoption adoption_;
  std::optional<Runner> runner_;
  int count_ = 0;
};

}  // namespace

StatusOr<std::unique_ptr<CaseRunner>> CaseRunner::Open(const RunOptions& options,
                                                       const fs::path& scratch) {
  CTS_RETURN_IF_ERROR(CheckOptions(options));
  std::error_code error;
  auto runner = std::make_unique<OneByOne>(options, fs::absolute(scratch, error));
  CTS_RETURN_IF_ERROR(runner->Start());
  return std::unique_ptr<CaseRunner>(std::move(runner));
}

}  // namespace cts
