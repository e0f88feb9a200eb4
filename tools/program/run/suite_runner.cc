#include "tools/program/run/suite_runner.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "checker/text/printable.h"
#include "reference/base/contains.h"
#include "reference/base/digest.h"
#include "reference/base/file_type.h"
#include "reference/base/parallel_for.h"
#include "reference/bundle/bundle.h"
#include "reference/bundle/case.h"
#include "tools/program/run/builtin.h"
#include "tools/program/run/protocol.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// If this number of cases has no answer, and then the same number from all over the suite, the
// adapter does not work.
constexpr int kHopeless = 20;
// How a line begins by which an interpreter says that it could not read the script or what it
// needs.
constexpr std::string_view kImportErrors[] = {
    "ModuleNotFoundError:",        "ImportError:", "SyntaxError:",
    "IndentationError:",           "TabError:",    "Error: Cannot find module",
    "Error [ERR_MODULE_NOT_FOUND]"};
// Node.js ends with its version.
constexpr std::string_view kNodeLast = "Node.js v";
// The sample under load: one of kUnderLoad cases, but at least kLeastUnderLoad cases, kLoadPasses
// times.
constexpr size_t kUnderLoad = 8, kLeastUnderLoad = 64;
constexpr int kLoadPasses = 3;
// A device that runs one case after the other needs twice the time for twice as many jobs. Another
// factor of 2 is for other users of the device.
constexpr double kPatienceUnderLoad = 4;
// Files of results that are no longer are read without asking how long they may be.
constexpr uint64_t kSurelyRead = 1 << 20;
// An interrupted run must end soon. It packs at most this number of bytes, which takes a second or
// two; more bytes are packed with --resume.
constexpr uint64_t kPackedAtOnce = uint64_t{1} << 30;
// The longest file of a packed case, as ReadFile has it.
constexpr uint64_t kMaxUnpacked = uint64_t{1} << 31;

// The names of the files for a case's outputs, and whether it is a symbolic program. The case is
// checked against suite.json, so that the case that runs is the one that the results name. This
// check is impossible only for a suite whose answers were left out.
Status LookAtCase(const Folder& suite, const std::string& edition, CaseTask& task) {
  const SuiteEntry& entry = *task.entry;
  const fs::path case_dir = suite.path() / entry.id;
  CTS_ASSIGN_OR_RETURN(bool expects, IsTaken(case_dir / "expected"));
  CTS_ASSIGN_OR_RETURN(const bool unpacked, IsTaken(case_dir));
  if (!unpacked) expects = suite.Inside(StrCat(entry.id, "/expected")).ok();
  const bool has_answers = entry.outcome != "valid" || expects;
  CTS_ASSIGN_OR_RETURN(
      Case c, has_answers ? ReadVerifiedCase(suite, entry, edition) : ReadCaseHeader(case_dir));
  CTS_RETURN_IF_ERROR(CheckEdition(c, edition, case_dir));
  if (c.id != entry.id) {
    return InvalidArgument((case_dir / "case.json").string(), ": /id: found \"", c.id,
                           "\", expected \"", entry.id, "\" as in suite.json");
  }
  task.files = ResultLimits(c);
  task.symbolic = !c.bindings.empty();
  if (has_answers) task.c = std::make_shared<const Case>(std::move(c));
  return absl::OkStatus();
}

// Puts the files of a packed case where an adapter can read them.
Status Unpack(const Folder& suite, const std::string& id, const fs::path& place) {
  CTS_ASSIGN_OR_RETURN(const Folder folder, suite.Inside(id));
  CTS_ASSIGN_OR_RETURN(const std::set<std::string> names, BundleFileNames(suite.path() / id));
  for (const std::string& name : names) {
    CTS_ASSIGN_OR_RETURN(const std::string bytes, folder.Read(name, kMaxUnpacked));
    CTS_RETURN_IF_ERROR(WriteFile(place / name, bytes));
  }
  return absl::OkStatus();
}

bool IsImportError(std::string_view line) {
  return std::any_of(std::begin(kImportErrors), std::end(kImportErrors),
                     [&](std::string_view error) { return line.starts_with(error); });
}

// The deed of a worker that reports a crash which its case does not show alone.
constexpr std::string_view kReportedACrash = "reported a crash, as for the case before it";

// Whether the last traceback is of an import error whose text begins on the next line, as NumPy's.
bool EndsInALongImportError(const std::string& log) {
  std::istringstream lines(log);
  bool inside = false, found = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Traceback (most recent call last):")) {
      inside = true, found = false;
    } else if (inside && !line.empty() && line[0] != ' ') {
      inside = false, found = line == "ImportError:" || line == "ImportError: ";
    }
  }
  return found;
}

// Whether the shell found nothing to run, an interpreter could not read what it was to run, or the
// adapter says that it cannot work here.
bool FailedAtStart(const CaseResult& result) {
  if (result.status != CaseStatus::kCrash || !result.exit || result.exit->signal != 0) return false;
  if (result.exit->code == kEnvironment || NotStarted(*result.exit)) return true;
  const std::string last = LastLine(result.log);
  if (!last.starts_with(kNodeLast)) {
    const bool uncaught = result.exit->code == 1;  // as Python ends
    return IsImportError(last) || (uncaught && EndsInALongImportError(result.log));
  }
  std::istringstream log(result.log);
  for (std::string line; std::getline(log, line);) {
    if (IsImportError(line)) return true;
  }
  return false;
}

// Whether an adapter that ended by the code for what is missing gave one reason each time. Others
// end by that code as well, each time for another.
bool SayTheSame(const std::vector<std::pair<CaseTask, CaseResult>>& failed) {
  return std::all_of(failed.begin(), failed.end(), [&](const auto& one) {
    const CaseResult& result = one.second;
    if (result.exit->code != kEnvironment) return true;
    const std::string last = LastLine(result.log);
    return !last.empty() && last == LastLine(failed[0].second.log);
  });
}

}  // namespace

SuiteRunner::SuiteRunner(const RunOptions& options, std::string edition, Folder suite,
                         SignalScope& signals, const Progress& progress,
                         Launcher::Announcements announcements, Faulted faulted)
    : options_(options),
      edition_(std::move(edition)),
      folder_(std::move(suite)),
      suite_(folder_.path()),
      signals_(signals),
      progress_(progress),
      faulted_(std::move(faulted)),
      results_(options.pack ? std::make_unique<ResultsPack>(options.out)
                            : std::make_unique<ResultsFolder>(options.out)),
      pack_(options.pack ? static_cast<const ResultsPack*>(results_.get()) : nullptr),
      launcher_(options, signals, std::move(announcements), [this] { return Stopping(); }) {}

StatusOr<RunSummary> SuiteRunner::Run(const std::vector<const SuiteEntry*>& entries) {
  total_ = static_cast<int>(entries.size()) * options_.repeats;
  if (const Status kept = LookAtAllKept(entries); !kept.ok()) {
    results_->Close();
    if (!absl::IsCancelled(kept)) return kept;
    summary_.interrupted = true;
    return summary_;
  }
  if (const Status status = TryStarts(entries); !status.ok() && !absl::IsCancelled(status)) {
    Stop(status);
  }
  for (pass_ = 1; pass_ <= options_.repeats && !Stopping(); ++pass_) {
    todo_.clear();
    next_ = 0;
    for (const SuiteEntry* entry : entries) {
      if (passes_[entry] < pass_) todo_.push_back(entry);
    }
    // With other neighbours and in other processes than before.
    if (pass_ % 2 == 0) std::reverse(todo_.begin(), todo_.end());
    RunPass(options_.jobs);
  }
  if (options_.under_load) RunUnderLoad(entries);
  summary_.interrupted = Interrupted();
  if (pack_ != nullptr && failure_.ok() &&
      !(summary_.interrupted && pack_->size() > kPackedAtOnce)) {
    StatusOr<std::vector<std::string>> packs = pack_->MakePacks();
    failure_ = packs.status();
    if (packs.ok()) packs_ = *std::move(packs);
  }
  results_->Close();
  CTS_RETURN_IF_ERROR(failure_);
  summary_.announced = launcher_.announced();
  return summary_;
}

// A sample runs again and again, each time in another order and among other cases, with more of
// them at a time than before. The draws are the same for the same cases.
void SuiteRunner::RunUnderLoad(const std::vector<const SuiteEntry*>& entries) {
  // The order that a draw gives to a case.
  const auto drawn = [](int draw, const SuiteEntry* entry) {
    return std::pair(Sha256(StrCat(draw, " ", entry->id, " ", entry->digest)), entry);
  };
  std::vector<const SuiteEntry*> all = entries;
  const auto shuffle = [&](int draw, std::vector<const SuiteEntry*>* some) {
    std::vector<std::pair<std::string, const SuiteEntry*>> keyed;
    keyed.reserve(some->size());
    for (const SuiteEntry* entry : *some) keyed.push_back(drawn(draw, entry));
    std::sort(keyed.begin(), keyed.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::transform(keyed.begin(), keyed.end(), some->begin(),
                   [](const auto& pair) { return pair.second; });
  };
  shuffle(0, &all);
  const size_t sample = std::min(all.size(), std::max(kLeastUnderLoad, all.size() / kUnderLoad));
  const size_t others = std::min(sample, (all.size() - sample) / kLoadPasses);
  total_ = done_ + kLoadPasses * static_cast<int>(sample + others);
  launcher_.SetTimeout(kPatienceUnderLoad * options_.timeout_seconds);
  for (int pass = 1; pass <= kLoadPasses && !Stopping(); ++pass) {
    pass_ = options_.repeats + pass;
    next_ = 0;
    todo_.assign(all.begin(), all.begin() + static_cast<ptrdiff_t>(sample));
    const auto first = all.begin() + static_cast<ptrdiff_t>(sample + (pass - 1) * others);
    todo_.insert(todo_.end(), first, first + static_cast<ptrdiff_t>(others));
    shuffle(pass, &todo_);
    RunPass(2 * options_.jobs);
  }
}

void SuiteRunner::RunPass(int jobs) {
  threads_ = std::clamp<size_t>(todo_.size(), 1, static_cast<size_t>(jobs));
  // Each of these items is a thread that takes cases until there are none left. An error that ends
  // one of them wakes the others up, so it is kept here.
  const Status ended =
      ParallelFor(threads_, {.jobs = static_cast<int>(threads_)}, [this](size_t) -> Status {
        Status status = options_.worker ? ServeWorker() : ServeOneByOne();
        // Interrupted while it looked at a result: the case is one that did not run.
        if (status.ok() || absl::IsCancelled(status)) return absl::OkStatus();
        const std::lock_guard<std::mutex> lock(mutex_);
        Stop(status);
        return absl::OkStatus();
      });
  if (!ended.ok()) Stop(ended);
}

void SuiteRunner::Stop(const Status& status) {
  if (failure_.ok()) failure_ = status;
  failed_ = true;
  signals_.Wake();
}

// Refuses a kept result with files longer than any right one before they are read.
Status SuiteRunner::CheckLengths(const SuiteEntry& entry) const {
  CaseTask task{&entry, suite_ / entry.id, options_.out / entry.id};
  CTS_RETURN_IF_ERROR(LookAtCase(folder_, edition_, task));
  task.files["result.json"] = std::numeric_limits<uint64_t>::max();  // it has been read
  CaseResult kept{.status = CaseStatus::kOk};
  CTS_RETURN_IF_ERROR(CheckFiles(task, kept));
  if (kept.status == CaseStatus::kOk) return absl::OkStatus();
  return InvalidArgument(task.staging.string(), ": ", kept.message,
                         ": changed after the result came; remove this directory, and the case ",
                         "runs again");
}

// An adapter that dies before it looks at its case will do so for each. The first case without a
// result shows it, or its operator alone lacks something: so the last one and one of the middle are
// asked as well. When all fail so, none has a result.
Status SuiteRunner::TryStarts(const std::vector<const SuiteEntry*>& entries) {
  if (options_.worker || !options_.builtin.empty()) return absl::OkStatus();
  std::vector<const SuiteEntry*> open;
  for (const SuiteEntry* entry : entries) {
    if (passes_[entry] == 0) open.push_back(entry);
  }
  if (open.empty()) return absl::OkStatus();
  std::vector<std::pair<CaseTask, CaseResult>> held;
  std::set<const SuiteEntry*> looked;
  bool can_start = false;
  for (const size_t begin : {size_t{0}, open.size() - 1, open.size() / 2}) {
    for (size_t i = 0; i < open.size() && !can_start; ++i) {
      // From the last one backwards.
      const size_t at = (begin + (begin + 1 == open.size() ? open.size() - i : i)) % open.size();
      if (!looked.insert(open[at]).second) break;
      CTS_ASSIGN_OR_RETURN(CaseTask task, Prepare(*open[at]));
      if (task.symbolic && !options_.symbolic) continue;  // it is not asked
      CTS_ASSIGN_OR_RETURN(std::optional<CaseResult> result, launcher_.RunAlone(task));
      if (!result) return absl::OkStatus();
      can_start = !FailedAtStart(*result);
      held.emplace_back(std::move(task), *std::move(result));
      break;
    }
  }
  if (!can_start && !held.empty() && SayTheSame(held)) {
    return launcher_.NeverStarts(*held[0].second.exit, held[0].second.log);
  }
  for (auto& [task, result] : held) CTS_RETURN_IF_ERROR(Commit(task, std::move(result)));
  return absl::OkStatus();
}

Status SuiteRunner::LookAtAllKept(const std::vector<const SuiteEntry*>& entries) {
  std::set<std::string> operators;
  for (const SuiteEntry* entry : entries)
    operators.insert(entry->id.substr(0, entry->id.find('/')));
  CTS_RETURN_IF_ERROR(results_->Open(operators));
  for (const SuiteEntry* entry : entries) CTS_RETURN_IF_ERROR(LookAtKept(*entry));
  return DropUnwitnessed();
}

// The run was killed between a result and its witness: that happens once for each job. Packs keep
// what was dropped before as well.
Status SuiteRunner::DropUnwitnessed() {
  if (pack_ == nullptr && unwitnessed_.size() > static_cast<size_t>(options_.jobs)) {
    return InvalidArgument(options_.out.string(), ": found ", unwitnessed_.size(),
                           " results without a line in the journal, such as ", unwitnessed_[0],
                           ", expected at most ", options_.jobs, ", one for each of --jobs: its ",
                           "last lines are missing, or the interrupted call had more --jobs");
  }
  for (const std::string& id : unwitnessed_) CTS_RETURN_IF_ERROR(results_->Drop(id));
  return absl::OkStatus();
}

// Counts the result of an earlier run.
Status SuiteRunner::LookAtKept(const SuiteEntry& entry) {
  CTS_ASSIGN_OR_RETURN(std::optional<ResultsFolder::Kept> kept, results_->TakeKept(entry.id));
  CTS_RETURN_IF_ERROR(HoldAgainstWitness(entry.id, &kept));
  if (!kept) return absl::OkStatus();
  CTS_ASSIGN_OR_RETURN(const uint64_t longest, results_->LongestFile(entry.id));
  if (longest > kSurelyRead) CTS_RETURN_IF_ERROR(CheckLengths(entry));
  Count(entry.id, kept->result);
  passes_[&entry] = std::min(kept->repeats, options_.repeats);
  done_ += passes_[&entry];
  if (!kept->differs.empty()) CountDifference(entry.id, std::nullopt, kept->differs);
  return absl::OkStatus();
}

// A result that came stays as it came. A result whose coming was not witnessed does not count: the
// run was killed in between, and the case runs again.
Status SuiteRunner::HoldAgainstWitness(const std::string& id,
                                       std::optional<ResultsFolder::Kept>* kept) {
  if (options_.witness == nullptr) return absl::OkStatus();
  const std::optional<std::string> came = options_.witness->DigestOf(id);
  if (!came && !*kept) return absl::OkStatus();
  if (!came) {
    kept->reset();
    unwitnessed_.push_back(id);
    return absl::OkStatus();
  }
  const std::string place = (options_.out / id).string();
  if (!*kept) {
    return InvalidArgument(place, ": found no whole result, expected the one that came with the ",
                           "digest ", *came, ": an answer is given once");
  }
  CTS_ASSIGN_OR_RETURN(const std::string now, results_->DigestNow(id));
  if (now == *came) return absl::OkStatus();
  if (now == options_.witness->NextDigestOf(id)) return options_.witness->Came(id, now);
  return InvalidArgument(place, ": was changed after the result came: found the digest ", now,
                         ", expected ", *came);
}

void SuiteRunner::Count(const std::string& id, const CaseResult& result) {
  ++summary_.cases;
  if (result.WasEnded()) ++summary_.ended;
  if (!result.Answered() && (summary_.first_id.empty() || id < summary_.first_id)) {
    summary_.first_id = id;
    summary_.first_message = StrCat(Name(result.status), ": ", result.message);
    summary_.first_log = result.log;
  }
  ++summary_[result.status];
}

void SuiteRunner::CountDifference(const std::string& id, std::optional<CaseStatus> again,
                                  const std::string& difference) {
  ++summary_.differs;
  if (again == CaseStatus::kTimeout) ++summary_.late;
  if (!summary_.first_differs_id.empty() && summary_.first_differs_id < id) return;
  summary_.first_differs_id = id;
  summary_.first_difference = difference;
}

Status SuiteRunner::CountRestart() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++summary_.restarts;
  return faulted_(summary_);
}

// An adapter that never answers costs a start, or the whole time limit, for every case. But the
// first operator may be the only one that fails. So cases from all over the suite are tried before
// the run is given up.
void SuiteRunner::GiveUpIfNothingAnswers() {
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
StatusOr<std::vector<CaseTask>> SuiteRunner::Take(int batch) {
  while (true) {
    CTS_ASSIGN_OR_RETURN(std::vector<CaseTask> tasks, TakeAny(batch));
    if (tasks.empty()) return tasks;
    std::vector<CaseTask> asked;
    for (CaseTask& task : tasks) {
      if (!task.symbolic || options_.symbolic || !options_.builtin.empty()) {
        asked.push_back(std::move(task));
        continue;
      }
      CTS_RETURN_IF_ERROR(Commit(task, {CaseStatus::kUnsupported, std::string(kNotSymbolic)}));
    }
    if (!asked.empty()) return asked;
  }
}

StatusOr<std::vector<CaseTask>> SuiteRunner::TakeAny(int batch) {
  std::vector<CaseTask> tasks;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    GiveUpIfNothingAnswers();
    if (!Stopping()) {
      const size_t left = todo_.size() - next_;
      const size_t share = (left + threads_ - 1) / threads_;
      tasks.resize(std::min(static_cast<size_t>(batch), share));
    }
    for (CaseTask& task : tasks) task.entry = todo_[next_++];
  }
  for (CaseTask& task : tasks) {
    CTS_ASSIGN_OR_RETURN(task, Prepare(*task.entry));
  }
  return tasks;
}

StatusOr<CaseTask> SuiteRunner::Prepare(const SuiteEntry& entry) {
  CaseTask task{.entry = &entry, .case_dir = suite_ / entry.id};
  CTS_RETURN_IF_ERROR(LookAtCase(folder_, edition_, task));
  if (!options_.builtin.empty()) return task;
  task.c.reset();
  CTS_ASSIGN_OR_RETURN(task.staging, results_->NewStaging());
  CTS_ASSIGN_OR_RETURN(const bool unpacked, IsTaken(task.case_dir));
  if (unpacked) return task;
  CTS_ASSIGN_OR_RETURN(const fs::path place, results_->NewStaging());
  task.case_dir = place / task.id();
  CTS_RETURN_IF_ERROR(Unpack(folder_, task.id(), task.case_dir));
  return task;
}

Status SuiteRunner::Commit(const CaseTask& task, CaseResult result) {
  CTS_RETURN_IF_ERROR(CheckFiles(task, result));
  std::string difference;
  if (task.case_dir != suite_ / task.id()) {  // unpacked for this run alone
    std::error_code ignored;
    fs::remove_all(task.case_dir, ignored);
  }
  int time = 0;  // that the case runs, counted from 1
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    time = ++passes_[task.entry];
  }
  if (time > 1) {
    const auto changes = [&](const std::string& digest) {
      return options_.witness == nullptr ? absl::OkStatus()
                                         : options_.witness->WillBe(task.id(), digest);
    };
    CTS_ASSIGN_OR_RETURN(difference, results_->Compare(task, result, time, changes));
  } else {
    CTS_RETURN_IF_ERROR(results_->Put(task, result));
  }
  if (options_.witness != nullptr) {
    CTS_RETURN_IF_ERROR(options_.witness->Came(task.id(), results_->Remembered(task.id())));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (time == 1) Count(task.id(), result);
  if (!difference.empty()) CountDifference(task.id(), result.status, difference);
  if (progress_) progress_(++done_, total_, summary_);
  return absl::OkStatus();
}

Status SuiteRunner::ServeOneByOne() {
  while (true) {
    CTS_ASSIGN_OR_RETURN(const std::vector<CaseTask> tasks, Take(1));
    if (tasks.empty()) return absl::OkStatus();
    std::optional<CaseResult> result;
    if (options_.builtin.empty()) {
      CTS_ASSIGN_OR_RETURN(result, launcher_.RunAlone(tasks[0]));
    } else {
      const Clock::time_point start = Clock::now();
      const CaseTask& task = tasks[0];
      CTS_ASSIGN_OR_RETURN(BuiltinAnswer answer,
                           task.c == nullptr
                               ? RunBuiltin(options_.builtin, task.case_dir)
                               : RunBuiltin(options_.builtin, *task.c, task.case_dir));
      result = CaseResult{answer.status, answer.message, SecondsSince(start)};
      result->files = std::move(answer.files);
    }
    if (!result) return absl::OkStatus();
    CTS_RETURN_IF_ERROR(Commit(tasks[0], *std::move(result)));
  }
}

// Keeps a worker busy. An answer is taken for good when the next one follows it. When anything
// goes wrong, the worker is ended and every case that may have caused it is run again, alone: a
// result depends neither on the batch nor on the cases before it.
Status SuiteRunner::ServeWorker() {
  Worker worker;
  while (true) {
    if (crashes_spread_) worker.batch = 1;
    CTS_ASSIGN_OR_RETURN(std::vector<CaseTask> tasks, Take(worker.batch));
    if (tasks.empty()) return CheckCrashes(worker);
    if (worker.process == nullptr) {
      CTS_ASSIGN_OR_RETURN(worker.process, launcher_.Start(nullptr));
      worker.silent = true;
      worker.announced = false;
    }
    for (const CaseTask& task : tasks) {
      worker.process->Send(
          WorkerRequest(task.id(), task.case_dir, task.staging, &task != &tasks.back()));
    }
    Exchange exchange{.tasks = std::move(tasks)};
    CTS_RETURN_IF_ERROR(Hear(worker, exchange));
    if (exchange.event == Process::Event::kInterrupted) return absl::OkStatus();
    if (exchange.answered == exchange.tasks.size() && !exchange.out_of_order &&
        !exchange.crashes_spread) {
      if (exchange.check_crashes) CTS_RETURN_IF_ERROR(CheckCrashes(worker));
      if (Stopping()) return absl::OkStatus();
      continue;
    }
    CTS_ASSIGN_OR_RETURN(const bool stopped, Recover(worker, exchange));
    if (stopped) return absl::OkStatus();
  }
}

// Reads answers until all tasks have one, or something else comes.
Status SuiteRunner::Hear(Worker& worker, Exchange& exchange) {
  const std::vector<CaseTask>& tasks = exchange.tasks;
  exchange.deadline = After(launcher_.timeout_seconds() * static_cast<double>(tasks.size()));
  exchange.last = Clock::now();
  for (std::string text; exchange.answered < tasks.size();) {
    exchange.event = worker.process->Next(exchange.deadline, &text);
    if (exchange.event != Process::Event::kLine) break;
    const WorkerLine line = ParseWorkerLine(text);
    const bool first = std::exchange(worker.silent, false);
    any_line_ = true;
    if (line.fault.empty() && line.announcement && first) {
      worker.batch = line.batch;
      CTS_RETURN_IF_ERROR(launcher_.Announce(line));
      worker.announced = true;
      continue;
    }
    const CaseTask& task = tasks[exchange.answered];
    if (!line.fault.empty() || line.announcement || line.id != task.id()) {
      exchange.broke = !line.fault.empty() ? line.fault
                       : line.announcement ? "found an announcement, expected it as the first line"
                                           : launcher_.CheckId(line, task);
      exchange.out_of_order =
          line.fault.empty() &&
          std::any_of(tasks.begin() + static_cast<ptrdiff_t>(exchange.answered), tasks.end(),
                      [&](const CaseTask& other) { return other.id() == line.id; });
      if (exchange.out_of_order) {
        CTS_RETURN_IF_ERROR(CommitPending(worker));
        worker.pending = Pending{
            task, {CaseStatus::kProtocol, launcher_.CheckId(line, task) + ": out of order"}};
        ++exchange.answered;
      }
      break;
    }
    CTS_RETURN_IF_ERROR(launcher_.CheckAnswer(worker.announced));
    CTS_RETURN_IF_ERROR(CommitPending(worker));
    if (*line.status == CaseStatus::kCrash) {
      HearCrash(worker, exchange, line);
      if (exchange.crashes_spread) break;
      continue;
    }
    worker.pending =
        Pending{task, ResultOf(line, SecondsSince(exchange.last), worker.process->TakeLog())};
    exchange.last = Clock::now();
    ++exchange.answered;
  }
  return absl::OkStatus();
}

// A crash may break the cases after it, as a lost device does. So results of reported crashes are
// held until CheckCrashes, after the 2nd, 4th, 8th ... of them.
void SuiteRunner::HearCrash(Worker& worker, Exchange& exchange, const WorkerLine& line) {
  exchange.crashes_spread = crashes_spread_;
  if (exchange.crashes_spread) return;
  worker.pending = Pending{exchange.tasks[exchange.answered],
                           ResultOf(line, SecondsSince(exchange.last), worker.process->TakeLog())};
  ++worker.crashes;
  exchange.check_crashes |= worker.crashes > 1 && std::has_single_bit(worker.crashes);
  exchange.last = Clock::now();
  ++exchange.answered;
}

// Ends the worker and runs two of the cases whose crashes it reported again, each alone: the second
// and the last. If both crash, too, the crashes that are held count. If one answers, no worker of
// this run outlives a crash any more, and every case that is held runs again alone.
Status SuiteRunner::CheckCrashes(Worker& worker) {
  CTS_RETURN_IF_ERROR(LetGo(worker));
  if (Stopping()) return absl::OkStatus();
  worker.process.reset();
  std::vector<Pending> held = std::exchange(worker.reported, {});
  // The first crash of a process is its own.
  for (int check = 0; check < 2 && held.size() > 1 && !crashes_spread_; ++check) {
    const size_t at = check == 0 ? 1 : held.size() - 1;
    CTS_ASSIGN_OR_RETURN(const bool stopped,
                         RunAgain({held[at].task}, std::string(kReportedACrash)));
    if (stopped) return absl::OkStatus();
    held.erase(held.begin() + static_cast<ptrdiff_t>(at));
  }
  if (crashes_spread_) return RunHeldAgain(held);
  for (Pending& each : held) CTS_RETURN_IF_ERROR(Commit(each.task, std::move(each.result)));
  return absl::OkStatus();
}

Status SuiteRunner::RunHeldAgain(const std::vector<Pending>& held) {
  std::vector<CaseTask> tasks;
  tasks.reserve(held.size());
  for (const Pending& each : held) tasks.push_back(each.task);
  return RunAgain(tasks, "").status();
}

// Ends a worker that did something wrong, and runs the cases that may have caused it. True if the
// run stops.
StatusOr<bool> SuiteRunner::Recover(Worker& worker, Exchange& exchange) {
  const std::vector<CaseTask>& tasks = exchange.tasks;
  std::vector<CaseTask> suspects(tasks.begin() + static_cast<ptrdiff_t>(exchange.answered),
                                 tasks.end());
  const bool timeout = exchange.event == Process::Event::kDeadline;
  std::string log = worker.process->TakeLog();
  worker.process->Finish(Clock::now());
  // Memory that grew over many cases is the fault of none of them.
  const bool over_memory = worker.process->over_memory() > 0;
  worker.process.reset();
  if (exchange.event == Process::Event::kEnd && !over_memory && !any_line_) {
    CTS_RETURN_IF_ERROR(launcher_.CanStart(SecondsSince(exchange.last)));
  }
  CTS_RETURN_IF_ERROR(CountRestart());
  CTS_RETURN_IF_ERROR(launcher_.CheckEnded(worker.announced, log));
  if (timeout && tasks.size() == 1) {
    suspects.clear();
    CTS_RETURN_IF_ERROR(CommitPending(worker));
    worker.pending = Pending{tasks[0],
                             {CaseStatus::kTimeout,
                              launcher_.TimeoutText(false),
                              SecondsSince(exchange.last),
                              {},
                              std::move(log)}};
  }
  if (timeout || exchange.out_of_order) {
    CTS_RETURN_IF_ERROR(CommitPending(worker));
  } else if (worker.pending) {
    suspects.insert(suspects.begin(), worker.pending->task);
  }
  worker.pending.reset();
  const std::string what = over_memory || exchange.crashes_spread ? ""
                           : timeout                              ? "hung"
                           : !exchange.broke.empty() ? "broke the protocol: " + exchange.broke
                           : exchange.event == Process::Event::kTooLong ? "printed an endless line"
                                                                        : "ended before its answer";
  CTS_ASSIGN_OR_RETURN(const bool stopped, RunAgain(suspects, what));
  if (!stopped && crashes_spread_) {
    CTS_RETURN_IF_ERROR(RunHeldAgain(std::exchange(worker.reported, {})));
  }
  return stopped || Stopping();
}

Status SuiteRunner::CommitPending(Worker& worker) {
  if (!worker.pending) return absl::OkStatus();
  Pending pending = *std::exchange(worker.pending, std::nullopt);
  if (pending.result.reported) {
    worker.reported.push_back(std::move(pending));
    return absl::OkStatus();
  }
  return Commit(pending.task, std::move(pending.result));
}

// Ends a worker for which there is nothing more to do.
Status SuiteRunner::LetGo(Worker& worker) {
  if (!worker.pending || Stopping()) return absl::OkStatus();
  const bool clean = launcher_.EndWorker(*worker.process);
  if (Stopping()) return absl::OkStatus();
  worker.process.reset();
  if (clean) return CommitPending(worker);
  // The case gets its result here, so no later exchange may store it again.
  const CaseTask task = std::exchange(worker.pending, std::nullopt)->task;
  CTS_RETURN_IF_ERROR(CountRestart());
  return RunAgain({task}, "printed something or failed at its end").status();
}

// Runs each case alone. Returns true if the run stops. A fault that no case repeats is not
// attributed to a case, but it is recorded.
StatusOr<bool> SuiteRunner::RunAgain(const std::vector<CaseTask>& tasks, const std::string& fault) {
  bool shown = tasks.empty() || fault.empty();
  for (CaseTask task : tasks) {
    std::error_code ignored;
    fs::remove_all(task.staging, ignored);
    CTS_ASSIGN_OR_RETURN(task.staging, results_->NewStaging());
    CTS_ASSIGN_OR_RETURN(std::optional<CaseResult> result, launcher_.RunAlone(task));
    if (!result) return true;
    shown = shown || !result->Answered();
    CTS_RETURN_IF_ERROR(Commit(task, *std::move(result)));
  }
  if (shown) return false;
  if (fault == kReportedACrash) crashes_spread_ = true;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (summary_.unexplained++ == 0) {
    summary_.first_unexplained =
        StrCat("with ", tasks.back().id(), " in hand, a worker ", fault.substr(0, 1000));
  }
  CTS_RETURN_IF_ERROR(faulted_(summary_));
  return false;
}

}  // namespace cts
