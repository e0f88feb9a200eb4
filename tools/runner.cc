#include "tools/runner.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <vector>

#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/graph/case.h"
#include "tools/builtin.h"
#include "tools/process.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// A worker that has nothing left to do gets this long to exit before it is killed.
constexpr double kGraceSeconds = 5;
// No batch is larger, whatever a worker announces.
constexpr int kMaxBatch = 4096;

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

// While it lives, SIGINT and SIGTERM make `wake_fd` readable for good, a write to a dead process is
// an error instead of a signal, and children can be waited for.
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
      const bool stops = kSignals[i] == SIGINT || kSignals[i] == SIGTERM;
      action.sa_handler = stops ? OnInterrupt : kSignals[i] == SIGPIPE ? SIG_IGN : SIG_DFL;
      sigaction(kSignals[i], &action, &before_[i]);
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
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGPIPE, SIGCHLD};
  struct sigaction before_[std::size(kSignals)];
  int pipe_[2] = {-1, -1};
};

// ---- What an adapter says ----------------------------------------------------------------------

struct Line {
  std::string fault;  // not empty: neither an answer nor an announcement, and why
  bool announcement = false;
  std::optional<std::string> id;
  std::string status, message;
  std::string name, version;  // of an announcement
  int batch = 1;
};

Line Fault(std::string fault) { return {.fault = std::move(fault)}; }

// Members that the contract does not name are ignored; a member of another type than it says is
// not.
Line ParseLine(const std::string& text) {
  const auto json = ParseJson(text, "standard output");
  if (!json.ok() || !json->is_object()) {
    return Fault(StrCat("found ", Quote(text), " on standard output, expected a JSON object in one",
                        " line and nothing else"));
  }
  Line line;
  line.announcement = json->contains("worker");
  for (const auto& [member, target] :
       {std::pair("status", &line.status), std::pair("message", &line.message),
        std::pair("worker", &line.name), std::pair("version", &line.version)}) {
    if (!json->contains(member)) continue;
    if (!(*json)[member].is_string()) {
      return Fault(StrCat("found \"", member, "\": ", (*json)[member].dump().substr(0, 200),
                          ", expected a string"));
    }
    *target = (*json)[member].get<std::string>();
  }
  if (line.announcement) {
    const Json batch = json->value("batch", Json(1));
    if (!batch.is_number_integer() || batch < 1) {
      return Fault(StrCat("found \"batch\": ", batch.dump().substr(0, 200),
                          " in the announcement of the worker, expected an integer from 1"));
    }
    line.batch = batch > kMaxBatch ? kMaxBatch : batch.get<int>();
    return line;
  }
  if (json->contains("case")) {
    const Json& id = (*json)["case"];
    if (!id.is_string()) {
      return Fault(
          StrCat("found \"case\": ", id.dump().substr(0, 200), ", expected the id as a string"));
    }
    line.id = id.get<std::string>();
  }
  if (!json->contains("status")) {
    return Fault(StrCat("found ", Quote(text), ", expected a member \"status\""));
  }
  if (line.status != "ok" && line.status != "error" && line.status != "unsupported") {
    return Fault(
        StrCat("found status ", Quote(line.status), ", expected ok, error or unsupported"));
  }
  return line;
}

// "was killed by signal 11 (Segmentation fault)", "exited with code 3".
std::string ExitText(const Process::Exit& exit) {
  if (exit.signal != 0) {
    const char* description = sigdescr_np(exit.signal);
    return StrCat("was killed by signal ", exit.signal,
                  description ? StrCat(" (", description, ")") : "");
  }
  std::string text = StrCat("exited with code ", exit.code);
  if (exit.code == 126) text += " (from the shell: the command cannot be executed)";
  if (exit.code == 127) text += " (from the shell: no such command)";
  return text;
}

// ---- Cases and results -------------------------------------------------------------------------

struct Task {
  size_t number = 0;
  const SuiteEntry* entry = nullptr;
  fs::path case_dir, staging;
  std::set<std::string> files;  // that the implementation may write

  const std::string& id() const { return entry->id; }
};

struct Result {
  std::string status, message;
  double seconds = 0;
  std::optional<Process::Exit> exit;
  std::string log;

  bool Answered() const { return status == "ok" || status == "error" || status == "unsupported"; }
};

Json ResultToJson(const Result& result) {
  Json json = {{"status", result.status}, {"seconds", result.seconds}};
  if (!result.message.empty()) json["message"] = result.message;
  if (!result.log.empty()) json["log"] = result.log;
  if (result.exit && result.exit->signal != 0) json["signal"] = result.exit->signal;
  if (result.exit && (result.exit->signal == 0 || result.exit->code != 0)) {
    json["exit_code"] = result.exit->code;
  }
  return json;
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
    const fs::file_status status = it->symlink_status(error);
    if (task.files.count(name) == 0) {
      strays.insert(StrCat("found ", Quote(name), " in its result directory"));
    } else if (!fs::is_regular_file(status)) {
      strays.insert(StrCat("found ", fs::is_symlink(status) ? "a link" : "something else",
                           " for the file ", Quote(name)));
    }
  }
  if (error) return StrCat("its result directory cannot be read: ", error.message());
  if (strays.empty()) return "";
  std::string expected;
  for (const std::string& file : task.files) expected += StrCat(expected.empty() ? "" : ", ", file);
  return StrCat(*strays.begin(), ", expected no file but ", expected);
}

// ---- The run -----------------------------------------------------------------------------------

class Runner {
 public:
  Runner(const RunOptions& options, fs::path suite, fs::path out, SignalScope& signals,
         const Progress& progress)
      : options_(options),
        suite_(std::move(suite)),
        out_(std::move(out)),
        temporary_(out_ / ".tmp"),
        signals_(signals),
        progress_(progress) {}

  // Runs what has no result yet.
  StatusOr<RunSummary> Run(const std::vector<const SuiteEntry*>& entries) {
    total_ = static_cast<int>(entries.size());
    for (const SuiteEntry* entry : entries) {
      const fs::path path = out_ / entry->id / "result.json";
      std::error_code error;
      if (!fs::exists(path, error)) {
        todo_.push_back(entry);
        continue;
      }
      CTS_ASSIGN_OR_RETURN(const Json kept, LoadJson(path, "result"));
      Count(entry->id, kept["status"].get<std::string>(), kept.value("message", ""),
            kept.value("log", ""));
    }
    CTS_RETURN_IF_ERROR(MakeEmpty(temporary_));
    const size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const size_t jobs = options_.jobs > 0 ? static_cast<size_t>(options_.jobs) : cores;
    threads_ = std::clamp<size_t>(todo_.size(), 1, jobs);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < threads_; ++i) {
      threads.emplace_back([this] {
        const Status status = options_.worker ? ServeWorker() : ServeOneByOne();
        if (!status.ok()) Fail(status);
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::error_code error;
    fs::remove_all(temporary_, error);
    CTS_RETURN_IF_ERROR(failure_);
    summary_.interrupted = interrupt_seen;
    return summary_;
  }

  // As announced by a worker, or nothing.
  const std::optional<std::pair<std::string, std::string>>& announced() const { return announced_; }

 private:
  bool Stopping() const { return interrupt_seen || failed_; }

  void Fail(const Status& status) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failure_.ok()) failure_ = status;
    failed_ = true;
    signals_.Wake();
  }

  void Count(const std::string& id, const std::string& status, const std::string& message,
             const std::string& log) {
    ++summary_.cases;
    const bool answered = status == "ok" || status == "error" || status == "unsupported";
    if (!answered && (summary_.first_id.empty() || id < summary_.first_id)) {
      summary_.first_id = id;
      summary_.first_message = StrCat(status, ": ", message);
      summary_.first_log = log;
    }
    for (const auto& [name, count] :
         {std::pair("ok", &summary_.ok), std::pair("error", &summary_.error),
          std::pair("unsupported", &summary_.unsupported), std::pair("crash", &summary_.crash),
          std::pair("timeout", &summary_.timeout), std::pair("protocol", &summary_.protocol)}) {
      if (status == name) ++*count;
    }
  }

  // The next cases, at most `batch`, and near the end no more than this thread's share. None when
  // all are taken or the run stops.
  StatusOr<std::vector<Task>> Take(int batch) {
    size_t begin = 0, count = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      begin = next_;
      if (!Stopping()) {
        const size_t left = todo_.size() - next_;
        const size_t share = (left + threads_ - 1) / threads_;
        count = std::min(static_cast<size_t>(batch), share);
      }
      next_ += count;
    }
    std::vector<Task> tasks(count);
    for (size_t i = 0; i < count; ++i) {
      Task& task = tasks[i];
      task.number = begin + i;
      task.entry = todo_[task.number];
      task.case_dir = suite_ / task.id();
      task.staging = temporary_ / std::to_string(task.number);
      CTS_ASSIGN_OR_RETURN(const Case header, ReadCaseHeader(task.case_dir));
      if (header.id != task.id()) {
        return InvalidArgument((task.case_dir / "case.json").string(), ": /id: found \"", header.id,
                               "\", expected \"", task.id(), "\" as in suite.json");
      }
      for (const std::string& output : header.graph.main().outputs) {
        for (int k = 0; k < header.executions(); ++k) {
          task.files.insert(ResultName(output, k) + ".npy");
        }
      }
      CTS_RETURN_IF_ERROR(MakeEmpty(task.staging));
    }
    return tasks;
  }

  // Moves a result to its place, in one rename.
  Status Commit(const Task& task, Result result) {
    if (result.Answered()) {
      if (std::string stray = FindStray(task); !stray.empty()) {
        result.status = "protocol";
        result.message = std::move(stray);
      }
    }
    const fs::path done = temporary_ / StrCat(task.number, ".done");
    CTS_RETURN_IF_ERROR(MakeEmpty(done));
    if (result.status == "ok") {
      for (const std::string& file : task.files) {
        std::error_code error;
        const fs::file_status status = fs::symlink_status(task.staging / file, error);
        if (!fs::exists(status)) continue;  // the checker says so
        CTS_RETURN_IF_ERROR(Rename(task.staging / file, done / file));
      }
    }
    CTS_RETURN_IF_ERROR(SaveJson(done / "result.json", ResultToJson(result)));
    const fs::path place = out_ / task.id();
    std::error_code error;
    fs::create_directories(place.parent_path(), error);
    if (error) return Unavailable(place.string(), ": cannot be created: ", error.message());
    CTS_RETURN_IF_ERROR(Rename(done, place));
    fs::remove_all(task.staging, error);
    const std::lock_guard<std::mutex> lock(mutex_);
    Count(task.id(), result.status, result.message, result.log);
    if (progress_) progress_(summary_.cases, total_);
    return absl::OkStatus();
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
        result = Result{answer.status, answer.message, SecondsSince(start), {}, {}};
      }
      if (!result) return absl::OkStatus();
      CTS_RETURN_IF_ERROR(Commit(tasks[0], *std::move(result)));
    }
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
            Announce(line);
            continue;
          }
          line.fault = "found an announcement, expected one only as the first line of a worker";
        }
        if (line.fault.empty() && answer) line.fault = "answered twice";
        if (line.fault.empty()) line.fault = CheckId(line, task);
        if (!line.fault.empty()) {
          result = {"protocol", line.fault};
          break;
        }
        answer = Result{line.status, line.message, SecondsSince(start), {}, {}};
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
        } else if (!answer) {
          // Who stops this program may have stopped its children first.
          if (exit->signal == SIGTERM || exit->signal == SIGINT) {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            if (Stopping()) return std::optional<Result>();
          }
          result = {"crash", StrCat(ExitText(*exit), " before it answered")};
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
      for (std::string text; answered < tasks.size();) {
        event = process->Next(deadline, &text);
        if (event != Process::Event::kLine) break;
        const Line line = ParseLine(text);
        const bool first = std::exchange(silent, false);
        if (line.fault.empty() && line.announcement && first) {
          batch = line.batch;
          Announce(line);
          continue;
        }
        if (!line.fault.empty() || line.announcement || line.id != tasks[answered].id()) {
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
      process.reset();
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
      CTS_ASSIGN_OR_RETURN(const bool stopped, RunAgain(suspects));
      if (stopped) return absl::OkStatus();
    }
    if (!pending) return absl::OkStatus();
    if (Stopping()) return absl::OkStatus();
    CTS_ASSIGN_OR_RETURN(const bool clean, EndWorker(*process));
    if (Stopping()) return absl::OkStatus();
    process.reset();
    if (clean) return Commit(pending->task, std::move(pending->result));
    CountRestart();
    return RunAgain({pending->task}).status();
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

  // Each alone. True if the run stops.
  StatusOr<bool> RunAgain(const std::vector<Task>& tasks) {
    for (const Task& task : tasks) {
      CTS_RETURN_IF_ERROR(MakeEmpty(task.staging));
      CTS_ASSIGN_OR_RETURN(std::optional<Result> result, RunAlone(task));
      if (!result) return true;
      CTS_RETURN_IF_ERROR(Commit(task, *std::move(result)));
    }
    return false;
  }

  // ---- Small parts ----

  // A worker, or a process for this one case.
  StatusOr<std::unique_ptr<Process>> StartProcess(const Task* task) const {
    std::vector<std::string> arguments = {"--worker"};
    if (!options_.worker) arguments = {task->case_dir.string(), task->staging.string()};
    return Process::Start(options_.adapter, arguments, options_.worker, signals_.wake_fd());
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

  void Announce(const Line& line) {
    const std::lock_guard<std::mutex> lock(mutex_);
    announced_ = {line.name, line.version};
  }

  void CountRestart() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++summary_.restarts;
  }

  const RunOptions& options_;
  const fs::path suite_, out_, temporary_;
  SignalScope& signals_;
  const Progress& progress_;
  std::vector<const SuiteEntry*> todo_;
  size_t threads_ = 1;
  int total_ = 0;

  std::atomic<bool> failed_{false};
  std::mutex mutex_;  // of everything below
  size_t next_ = 0;
  Status failure_;
  RunSummary summary_;
  std::optional<std::pair<std::string, std::string>> announced_;
};

// ---- Before and after --------------------------------------------------------------------------

Status CheckOptions(const RunOptions& options) {
  if (options.builtin.empty() == options.adapter.empty()) {
    return InvalidArgument(
        "expected either an embedded implementation (--implementation builtin:NAME) or an adapter ",
        "(--adapter COMMAND)");
  }
  if (!options.builtin.empty()) {
    const std::vector<std::string>& names = BuiltinNames();
    if (std::find(names.begin(), names.end(), options.builtin) == names.end()) {
      std::string known;
      for (const std::string& name : names) known += " builtin:" + name;
      return NotFound("found implementation builtin:", options.builtin,
                      ", expected one of:", known);
    }
    if (options.worker) {
      return InvalidArgument("--worker goes with --adapter, not with an embedded implementation");
    }
  }
  if (!(options.timeout_seconds > 0)) {
    return InvalidArgument("found a timeout of ", options.timeout_seconds,
                           " seconds, expected more than 0");
  }
  if (options.jobs < 0) {
    return InvalidArgument("found ", options.jobs, " jobs, expected 0 (one per core) or more");
  }
  return absl::OkStatus();
}

// What is started, as run.json tells it.
std::string CommandText(const RunOptions& options) {
  if (!options.builtin.empty()) return "builtin:" + options.builtin;
  return options.adapter + (options.worker ? " --worker" : "");
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

 private:
  int fd_ = -1;
};

// Refuses a directory with anything in it but results that this run continues.
Status CheckOut(const fs::path& out, const Suite& suite, const RunOptions& options) {
  std::error_code error;
  if (fs::is_empty(out, error)) return absl::OkStatus();
  if (error) return Unavailable(out.string(), ": cannot be read: ", error.message());
  const fs::path path = out / "run.json";
  if (!fs::exists(path, error)) {
    return InvalidArgument(out.string(), ": not empty, and no run.json in it: expected an empty ",
                           "directory, one that does not exist yet, or earlier results");
  }
  CTS_ASSIGN_OR_RETURN(const Json run, LoadJson(path, "run"));
  if (const std::string digest = run["suite_digest"].get<std::string>(); digest != suite.digest) {
    return InvalidArgument(out.string(), ": holds results of another suite (",
                           run["suite"].get<std::string>(), ", digest ", digest,
                           "), expected those of ", suite.name, ", digest ", suite.digest,
                           "; give another directory");
  }
  if (!options.resume) {
    return InvalidArgument(out.string(), ": holds results of this suite already; continue them ",
                           "with --resume, or give another directory");
  }
  if (const std::string command = run["command"].get<std::string>();
      command != CommandText(options)) {
    return InvalidArgument(out.string(), ": holds results of ", Quote(command), ", not of ",
                           Quote(CommandText(options)), "; give another directory");
  }
  return absl::OkStatus();
}

std::string UtcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string Host() {
  utsname name;
  if (uname(&name) != 0) return "unknown";
  return StrCat(name.nodename, ": ", name.sysname, " ", name.release, " ", name.machine);
}

}  // namespace

StatusOr<RunSummary> RunSuite(const RunOptions& options, const Progress& progress) {
  CTS_RETURN_IF_ERROR(CheckOptions(options));
  std::error_code error;
  // Adapters may change their directory: they get absolute paths.
  const fs::path suite_dir = fs::absolute(options.suite, error).lexically_normal();
  const fs::path out = fs::absolute(options.out, error).lexically_normal();
  CTS_ASSIGN_OR_RETURN(const Suite suite, ReadSuite(suite_dir));
  std::vector<const SuiteEntry*> entries;
  for (const SuiteEntry& entry : suite.cases) {
    if (entry.id.find(options.filter) != std::string::npos) entries.push_back(&entry);
  }
  if (entries.empty()) {
    return InvalidArgument((suite_dir / "suite.json").string(), ": none of its ",
                           suite.cases.size(), " cases has an id that contains \"", options.filter,
                           "\"");
  }

  fs::create_directories(out, error);
  if (error) return Unavailable(out.string(), ": cannot be created: ", error.message());
  DirectoryLock lock;
  CTS_RETURN_IF_ERROR(lock.Lock(out));
  CTS_RETURN_IF_ERROR(CheckOut(out, suite, options));

  const Clock::time_point start = Clock::now();
  const std::string command = CommandText(options);
  Json run = {
      {"format", "tensor-cts-run-1"},
      {"suite", suite.name},
      {"suite_digest", suite.digest},
      {"suite_path", suite_dir.string()},
      {"implementation",
       {{"name", command}, {"version", options.builtin.empty() ? "unknown" : BuiltinVersion()}}},
      {"command", command},
      {"host", Host()},
      {"started", UtcNow()}};
  CTS_RETURN_IF_ERROR(SaveJson(out / "run.json", run));

  SignalScope signals;
  CTS_RETURN_IF_ERROR(signals.Install());
  Runner runner(options, suite_dir, out, signals, progress);
  CTS_ASSIGN_OR_RETURN(const RunSummary summary, runner.Run(entries));
  if (runner.announced()) {
    run["implementation"] = {{"name", runner.announced()->first},
                             {"version", runner.announced()->second}};
  }
  run["seconds"] = SecondsSince(start);
  run["cases"] = summary.cases;
  run["restarts"] = summary.restarts;
  CTS_RETURN_IF_ERROR(SaveJson(out / "run.json", run));
  return summary;
}

}  // namespace cts
