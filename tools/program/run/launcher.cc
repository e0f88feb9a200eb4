#include "tools/program/run/launcher.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "checker/text/printable.h"
#include "reference/base/contains.h"
#include "reference/base/file_type.h"
#include "tools/program/run/announced_name.h"
#include "tools/program/run/plugin_loader.h"
#include "tools/program/run/plugin_process.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::string FirstOther(const std::optional<std::set<std::string>>& before,
                       const std::optional<std::set<std::string>>& now) {
  if (!before || !now) return before ? ": now none" : ": before none";
  for (const auto& [some, others] : {std::pair(&*before, &*now), std::pair(&*now, &*before)}) {
    for (const std::string& path : *some) {
      if (!others->contains(path)) return StrCat(", ", Printable(path), " among them");
    }
  }
  return "";
}

bool NotStarted(const Process::Exit& exit) { return exit.code == 126 || exit.code == 127; }

Clock::time_point After(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::min(seconds, 1e8)));
}

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string AllSaid(const std::string& log) {
  const size_t end = log.find_last_not_of('\n');
  if (end == std::string::npos || log.find('\n') >= end) return "";
  return "\nAll that it said:\n" + log.substr(0, end + 1);
}

StatusOr<RunOptions> HostPlugin(RunOptions options) {
  std::error_code error;
  options.plugin = fs::absolute(options.plugin, error).lexically_normal();
  CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOf(options.plugin));
  if (type != fs::file_type::regular) {
    return InvalidArgument(options.plugin.string(), ": found ",
                           type == fs::file_type::not_found ? "no such file" : "no regular file",
                           ", expected the shared library of the plugin; build or install it, or ",
                           "give another path to --plugin",
                           InstallHint(options.plugin.filename().string()));
  }
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return Unavailable("/proc/self/exe: cannot be read: ", error.message());
  options.adapter = StrCat("exec ", ShellQuoted(self.string()), " plugin-host ",
                           ShellQuoted(options.plugin.string()));
  options.worker = true;
  return options;
}

StatusOr<ImplementationName> MeetPlugin(const RunOptions& options, int wake_fd) {
  const Clock::time_point deadline = After(options.timeout_seconds);
  CTS_ASSIGN_OR_RETURN(const std::unique_ptr<Process> process,
                       Process::Start(options.adapter, {"--worker"}, true, wake_fd));
  std::string text;
  const Process::Event event = process->Next(deadline, &text);
  if (event == Process::Event::kLine) {
    const WorkerLine line = ParseWorkerLine(text);
    if (line.fault.empty() && line.announcement) {
      return NameOf(line, StrCat("--plugin: ", options.plugin.string(), ": "));
    }
  }
  if (event == Process::Event::kInterrupted) return Unavailable("interrupted, nothing ran");
  const auto exit = process->Finish(deadline);
  const std::string words = WhatPluginDid(exit.value_or(Process::Exit{}), process->TakeLog());
  // The host itself found the fault in the library, and names it.
  if (exit && exit->code == 2 && !words.empty()) return InvalidArgument("--plugin: ", words);
  return InvalidArgument(
      "--plugin: ", options.plugin.string(), ": cannot be loaded: its host ",
      exit ? ExitText(*exit)
           : StrCat("did not load it within ", options.timeout_seconds, " seconds (--timeout)"),
      words.empty() ? "" : ": ", words, "; see it happen: ", options.adapter, " --worker");
}

Launcher::Launcher(const RunOptions& options, const SignalScope& signals,
                   Announcements announcements, std::function<bool()> stopping)
    : options_(options),
      signals_(signals),
      announcements_(std::move(announcements)),
      stopping_(std::move(stopping)),
      timeout_seconds_(options.timeout_seconds) {
  if (options.memory_mb > 0) {
    memory_ = std::make_unique<MemoryWatch>(static_cast<uint64_t>(options.memory_mb) << 20);
  }
}

StatusOr<std::unique_ptr<Process>> Launcher::Start(const CaseTask* task) const {
  std::vector<std::string> arguments = {"--worker"};
  if (!options_.worker) arguments = {task->case_dir.string(), task->staging.string()};
  return Process::Start(options_.adapter, arguments, options_.worker, signals_.wake_fd(),
                        memory_.get());
}

Status Launcher::CanStart(double seconds) {
  CTS_ASSIGN_OR_RETURN(const std::unique_ptr<Process> process, Start(nullptr));
  std::string text;
  // No case is to blame for what a worker does that waits for one. A healthy one waits on.
  const double patience = std::min(timeout_seconds_, 1 + 3 * seconds);
  Process::Event event = process->Next(After(patience), &text);
  const bool by_itself = event == Process::Event::kEnd;
  const Clock::time_point deadline = After(timeout_seconds_);
  if (event == Process::Event::kDeadline) {
    process->CloseInput();
    event = process->Next(deadline, &text);
  }
  if (event != Process::Event::kEnd) return absl::OkStatus();
  const auto exit = process->Finish(deadline);
  if (!exit || exit->Clean() || process->over_memory() > 0) return absl::OkStatus();
  if (!by_itself && (exit->signal != 0 || (exit->code != kEnvironment && !NotStarted(*exit)))) {
    return absl::OkStatus();
  }
  if (EndedByUser(*exit)) return absl::OkStatus();
  return NeverStarts(*exit, process->TakeLog());
}

Status Launcher::NeverStarts(const Process::Exit& exit, const std::string& said) {
  never_started_ = true;
  const std::string log = Printable(said, Lines::kKeep);
  const std::string last = LastLine(log);
  return Unavailable("the adapter does not start: ", CommandText(options_), " ", ExitText(exit),
                     last.empty() ? "" : ": " + last, HintFor(exit, last),
                     "; mend that and run again", AllSaid(log));
}

bool Launcher::EndedByUser(const Process::Exit& exit) const {
  if (exit.signal != SIGTERM && exit.signal != SIGINT) return false;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  return stopping_();
}

std::string Launcher::HintFor(const Process::Exit& exit, const std::string& last) const {
  if (last.find("No module named 'tensor_cts'") != std::string::npos) {
    return "; the module comes with the wheel and with python3-tensor-cts; TENSOR_CTS_PYTHON names "
           "the Python that has it";
  }
  return NotStarted(exit) ? InstallHint(options_.adapter) : "";
}

std::optional<CaseResult> Launcher::JudgeExit(Process& process, Clock::time_point deadline,
                                              bool answered) const {
  const auto exit = process.Finish(deadline);
  if (!exit) {
    // A worker has answered in time. If it does not exit, that is no fault of the case.
    if (answered && options_.worker) return std::nullopt;
    return CaseResult{CaseStatus::kTimeout, TimeoutText(answered)};
  }
  if (process.over_memory() > 0) {
    return CaseResult{CaseStatus::kCrash,
                      StrCat("used more than ", options_.memory_mb, " MB of memory (found ",
                             process.over_memory() >> 20, " MB): killed")};
  }
  if (!answered) {
    if (EndedByUser(*exit)) return std::nullopt;
    return CaseResult{.status = CaseStatus::kCrash,
                      .message = StrCat(ExitText(*exit), " before it answered", HintFor(*exit)),
                      .exit = exit};
  }
  if (!exit->Clean()) {
    return CaseResult{.status = CaseStatus::kProtocol,
                      .message = StrCat(ExitText(*exit), " after its answer, expected exit code 0"),
                      .exit = exit};
  }
  return std::nullopt;
}

StatusOr<std::optional<CaseResult>> Launcher::RunAlone(const CaseTask& task) {
  const Clock::time_point start = Clock::now();
  const Clock::time_point limit = After(timeout_seconds_);
  CTS_ASSIGN_OR_RETURN(const std::unique_ptr<Process> process, Start(&task));
  if (options_.worker) {
    process->Send(WorkerRequest(task.id(), task.case_dir, task.staging, false));
    process->CloseInput();
  }
  Clock::time_point deadline = limit;
  bool announced = false;
  std::string wrong;  // what it printed instead of an answer
  std::optional<CaseResult> answer;
  std::optional<CaseResult> failure;  // counts instead of the answer
  bool over = false;
  for (std::string text; !over && !failure;) {
    switch (process->Next(deadline, &text)) {
      case Process::Event::kInterrupted:
        return std::optional<CaseResult>();
      case Process::Event::kTooLong:
        failure = {CaseStatus::kProtocol,
                   StrCat("found a line of more than ", Process::kMaxLine,
                          " bytes on standard output, expected a short JSON object")};
        break;
      case Process::Event::kDeadline:
        // A worker has answered in time. If it does not exit, that is no fault of the case.
        over = answer && options_.worker;
        if (!over) failure = {CaseStatus::kTimeout, TimeoutText(answer.has_value())};
        break;
      case Process::Event::kEnd: {
        failure = JudgeExit(*process, deadline, answer.has_value());
        if (stopping_() || (!failure && !answer)) return std::optional<CaseResult>();
        over = true;
        break;
      }
      case Process::Event::kLine: {
        WorkerLine line = ParseWorkerLine(text);
        if (line.fault.empty() && line.announcement) {
          if (options_.worker && !announced && !answer) {
            announced = true;
            CTS_RETURN_IF_ERROR(Announce(line));
            break;
          }
          line.fault = "found an announcement, expected one only as the first line of a worker";
        }
        if (line.fault.empty() && answer) line.fault = "answered twice";
        if (line.fault.empty()) line.fault = CheckId(line, task);
        if (!line.fault.empty()) {
          failure = {CaseStatus::kProtocol, line.fault};
          wrong = text.substr(0, Process::kMaxLog) + "\n";
          break;
        }
        CTS_RETURN_IF_ERROR(CheckAnswer(announced || !options_.worker));
        answer = ResultOf(line, SecondsSince(start));
        if (options_.worker) deadline = std::min(limit, After(kGraceSeconds));
        break;
      }
    }
  }
  CaseResult result = failure ? *std::move(failure) : *std::move(answer);
  if (!result.Answered()) result.seconds = SecondsSince(start);
  result.log = process->TakeLog();
  CTS_RETURN_IF_ERROR(CheckEnded(announced, result.log));
  if (result.status == CaseStatus::kCrash && !options_.plugin.empty()) {
    const std::string words = WhatPluginDid(result.exit.value_or(Process::Exit{}), result.log);
    if (!words.empty()) result.message += ": " + words;
  }
  if (result.status == CaseStatus::kProtocol) {
    result.stdout_text = (wrong + process->TakeOutput()).substr(0, Process::kMaxLog);
  }
  return std::optional<CaseResult>(std::move(result));
}

bool Launcher::EndWorker(Process& process) const {
  process.CloseInput();
  const Clock::time_point deadline = After(std::min(kGraceSeconds, timeout_seconds_));
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

std::string Launcher::CheckId(const WorkerLine& line, const CaseTask& task) const {
  if (line.id == task.id() || (!line.id && !options_.worker)) return "";
  return StrCat("answered for ", line.id ? Quote(*line.id) : "no case", ", expected \"", task.id(),
                "\"");
}

std::string Launcher::TimeoutText(bool answered) const {
  return StrCat(answered ? "answered, but did not exit" : "no answer", " within ", timeout_seconds_,
                " seconds: killed");
}

Status Launcher::Announce(const WorkerLine& line) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!announcement_) {
    if (answered_unannounced_ && line.code && options_.code.empty()) {
      return InvalidArgument("a worker announced its code after others had answered without an ",
                             "announcement: expected the same of each worker of a run");
    }
    // A worker that is refused has not announced anything: no other worker of that name goes on.
    CTS_RETURN_IF_ERROR(announcements_.came(line));
    announcement_ = line;
    return absl::OkStatus();
  }
  const WorkerLine& earlier = *announcement_;
  if (earlier.name != line.name || earlier.version != line.version) {
    return InvalidArgument("a worker announced itself as ", Quote(line.name), ", version ",
                           Quote(line.version), ", an earlier one as ", Quote(earlier.name),
                           ", version ", Quote(earlier.version),
                           ": expected one implementation in one run");
  }
  if (options_.code.empty() && earlier.code != line.code) {
    return InvalidArgument("a worker announced other code than an earlier one",
                           FirstOther(earlier.code, line.code),
                           ": expected the same of each, with what it may load later");
  }
  if (earlier.declared == line.declared) return absl::OkStatus();
  return InvalidArgument("a worker declared that it supports ", Quote(line.declared),
                         ", an earlier one ", Quote(earlier.declared),
                         ": expected one implementation in one run");
}

bool Launcher::CodeIsAnnounced() const {
  if (!options_.worker || !options_.code.empty() || !options_.plugin.empty()) return false;
  const std::lock_guard<std::mutex> lock(mutex_);
  return announcements_.code_expected || (announcement_ && announcement_->code);
}

Status Launcher::CheckAnswer(bool announced) {
  if (announced) return absl::OkStatus();
  answered_unannounced_ = true;
  if (!CodeIsAnnounced()) return absl::OkStatus();
  return InvalidArgument("a worker answered that had not announced its code, expected the same ",
                         "announcement of each worker of a run");
}

Status Launcher::CheckEnded(bool announced, const std::string& log) const {
  if (announced || !CodeIsAnnounced()) return absl::OkStatus();
  // A user who stops this program may have stopped its children first.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  if (stopping_()) return absl::OkStatus();
  const std::string said = Printable(log, Lines::kKeep);
  const std::string last = LastLine(said);
  return Unavailable("a worker ended, or was ended, before it announced its code, unlike those ",
                     "before it", last.empty() ? "" : ": " + last,
                     "; mend that and go on with --resume", AllSaid(said));
}

bool Launcher::announced() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return announcement_.has_value();
}

}  // namespace cts
