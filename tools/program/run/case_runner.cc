#include "tools/program/run/case_runner.h"

#include <system_error>
#include <utility>

#include "reference/base/json.h"
#include "reference/bundle/bundle.h"
#include "tools/program/run/builtin.h"
#include "tools/program/run/case_result.h"
#include "tools/program/run/launcher.h"
#include "tools/program/run/process.h"
#include "tools/program/run/protocol.h"
#include "tools/program/run/results_folder.h"
#include "tools/program/run/signals.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

class OneByOne : public CaseRunner {
 public:
  OneByOne(RunOptions options, fs::path scratch)
      : options_(std::move(options)), scratch_(std::move(scratch)), told_(CommandText(options_)) {}

  Status Start() {
    CTS_RETURN_IF_ERROR(signals_.Install());
    if (!options_.plugin.empty()) {
      CTS_ASSIGN_OR_RETURN(options_, HostPlugin(options_));
      CTS_RETURN_IF_ERROR(MeetPlugin(options_, signals_.wake_fd()).status());
    }
    launcher_.emplace(
        options_, signals_,
        Launcher::Announcements{.came = [](const WorkerLine&) { return absl::OkStatus(); }},
        [] { return Interrupted().load(); });
    return absl::OkStatus();
  }

  StatusOr<std::optional<Files>> Run(const Case& c) override {
    if (!c.bindings.empty() && !options_.symbolic && options_.builtin.empty()) {
      return InvalidArgument(c.id, ": found ", kNotSymbolic);
    }
    // Every case has directories of its own: adapters may remember files that they have read.
    const fs::path place = scratch_ / std::to_string(count_++);
    const SuiteEntry entry{.id = c.id};
    const CaseTask task{&entry, place / "case", place / "result", ResultLimits(c)};
    CTS_RETURN_IF_ERROR(MakeEmpty(task.case_dir));
    CTS_RETURN_IF_ERROR(MakeEmpty(task.staging));
    for (const BundleFile& file : EncodeCase(c)) {
      std::error_code error;
      fs::create_directories((task.case_dir / file.path).parent_path(), error);
      CTS_RETURN_IF_ERROR(WriteNew(task.case_dir / file.path, file.bytes));
    }
    CTS_ASSIGN_OR_RETURN(const std::optional<CaseResult> result, RunTask(task));
    std::optional<Files> files;
    if (result) {
      files.emplace();
      if (result->status == CaseStatus::kOk) {
        for (const auto& [name, limit] : task.files) {
          StatusOr<std::string> bytes = ReadOutputFile(task, *result, name);
          if (bytes.ok()) files->emplace(name, *std::move(bytes));
        }
      }
      files->emplace("result.json", FormatJson(CaseResultToJson(*result)));
    }
    std::error_code ignored;
    fs::remove_all(place, ignored);
    return files;
  }

  std::string command() const override { return told_; }

 private:
  // A fault of a worker that had other cases before counts only if the worker repeats it alone.
  StatusOr<std::optional<CaseResult>> RunTask(const CaseTask& task) {
    std::optional<CaseResult> result;
    if (!options_.builtin.empty()) {
      CTS_ASSIGN_OR_RETURN(BuiltinAnswer answer, RunBuiltin(options_.builtin, task.case_dir));
      result = CaseResult{answer.status, answer.message};
      result->files = std::move(answer.files);
    } else if (options_.worker) {
      CTS_ASSIGN_OR_RETURN(result, Ask(task));
    }
    if (!result && !Interrupted()) {
      CTS_RETURN_IF_ERROR(MakeEmpty(task.staging));
      CTS_ASSIGN_OR_RETURN(result, launcher_->RunAlone(task));
    }
    if (Interrupted()) return std::optional<CaseResult>();
    if (result) CTS_RETURN_IF_ERROR(CheckFiles(task, *result));
    return result;
  }

  // The answer of a worker that may have run other cases before. Nothing: the worker did something
  // else, and was ended.
  StatusOr<std::optional<CaseResult>> Ask(const CaseTask& task) {
    if (worker_ == nullptr) {
      CTS_ASSIGN_OR_RETURN(worker_, launcher_->Start(nullptr));
      silent_ = true;
    }
    worker_->Send(WorkerRequest(task.id(), task.case_dir, task.staging, false));
    const Clock::time_point start = Clock::now();
    const Clock::time_point deadline = After(options_.timeout_seconds);
    std::string text;
    while (worker_->Next(deadline, &text) == Process::Event::kLine) {
      const WorkerLine line = ParseWorkerLine(text);
      if (!line.fault.empty()) break;
      if (std::exchange(silent_, false) && line.announcement) {
        CTS_RETURN_IF_ERROR(launcher_->Announce(line));
        continue;
      }
      if (line.announcement || line.id != task.id() || !IsAnswer(*line.status)) break;
      return std::optional<CaseResult>(ResultOf(line, SecondsSince(start), worker_->TakeLog()));
    }
    worker_.reset();
    return std::optional<CaseResult>();
  }

  RunOptions options_;
  const fs::path scratch_;
  const std::string told_;
  SignalScope signals_;
  const Adoption adoption_;
  std::optional<Launcher> launcher_;
  std::unique_ptr<Process> worker_;
  bool silent_ = true;  // worker_ has not printed anything yet
  int count_ = 0;
};

}  // namespace

StatusOr<std::unique_ptr<CaseRunner>> CaseRunner::Open(const RunOptions& options,
                                                       const fs::path& scratch) {
  CTS_RETURN_IF_ERROR(CheckRunOptions(options));
  std::error_code error;
  auto runner = std::make_unique<OneByOne>(options, fs::absolute(scratch, error));
  CTS_RETURN_IF_ERROR(runner->Start());
  return std::unique_ptr<CaseRunner>(std::move(runner));
}

}  // namespace cts
