#include "tools/program/run/devices.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "checker/text/printable.h"
#include "reference/base/digest.h"
#include "reference/base/json.h"
#include "reference/base/out_of_memory.h"
#include "reference/base/plain_arithmetic.h"
#include "tools/program/run/process.h"
#include "tools/program/run/protocol.h"
#include "tools/program/run/signals.h"
#include "tools/program/run/surroundings.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxBytes = 16 << 20;
// A wireless link or a switch comes back within seconds, a board that restarts within a minute.
constexpr double kPauses[] = {2, 10, 60};
// A case without an answer counts when this number of attempts failed, each on a device that was
// then shown to answer. One failure may come from a connection that broke and came back.
constexpr int kMostFailures = 2;
// A case is set aside when its process ended this often as it ends without a connection, ...
constexpr int kMostUnreached = 3;
// ... or when this number of devices stopped answering with it in hand: it may cost all of them.
constexpr int kMostTaken = 2;
// The cases from all over the suite that a device tries while no case has an answer.
constexpr int kProbes = 8;
// A device is lost after this number of revivals in which it answered nothing but known cases.
constexpr int kMostRevivals = 10;
// The known cases that are remembered of each device.
constexpr int kKnownOfEach = 2;
// A signal of the user wakes no thread up.
constexpr std::chrono::milliseconds kLook(50);

// Whether the answer has values, which the device has to have computed.
bool HasValues(CaseStatus status) { return status == CaseStatus::kOk; }

// "exited with code 255 before it answered: ssh: connect to host board1 port 22: ...".
std::string ShortReason(const CaseResult& result) {
  std::string log = result.log;
  std::erase(log, '\r');  // as ssh ends its lines
  const std::string last = LastLine(Printable(log, Lines::kKeep));
  return StrCat(Printable(result.message), last.empty() ? "" : ": " + last).substr(0, 1000);
}

// SHA-256 over the status of an answer and its values.
StatusOr<std::string> DigestOfAnswer(const CaseTask& task, const CaseResult& result) {
  Sha256Stream stream;
  stream.Add(Name(result.status));
  if (result.status != CaseStatus::kOk) return stream.Finish();
  for (const auto& [name, limit] : task.files) {
    const StatusOr<std::string> bytes = ReadOutputFile(task, result, name);
    if (!bytes.ok() && !absl::IsNotFound(bytes.status())) return bytes.status();
    stream.Add(StrCat("\n", name, " ", bytes.ok() ? StrCat(bytes->size()) : "missing", "\n"));
    if (bytes.ok()) stream.Add(*bytes);
  }
  return stream.Finish();
}

// Removes the files of an attempt that does not count. The temporary folder takes an unpacked case
// with it at the end.
void Discard(const CaseTask& task) {
  std::error_code ignored;
  fs::remove_all(task.staging, ignored);
}

Status AppendTo(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::app);
  out << text << std::flush;
  if (out) return absl::OkStatus();
  return Unavailable(file.string(),
                     ": the log of a device, cannot be written: ", std::strerror(errno),
                     "; make room, or give another path in the file of ", "--devices");
}

}  // namespace

StatusOr<DevicesFile> ReadDevices(const fs::path& file) {
  CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(file, "devices", kMaxBytes));
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  if (error) return Unavailable("the folder for temporary files: ", error.message());
  DevicesFile read;
  read.pauses = json.value("pauses", std::vector<double>(std::begin(kPauses), std::end(kPauses)));
  std::map<std::string, size_t> names, adapters;
  std::map<std::string, std::string> files;  // and their places
  for (const Json& one : json["devices"]) {
    Device device{.name = one["name"].get<std::string>(),
                  .adapter = one["adapter"].get<std::string>(),
                  .lock = one.value("lock", ""),
                  .log = one.value("log", "")};
    if (device.lock.empty()) {
      device.lock =
          temporary / StrCat("tensor-cts-device-", Sha256(device.adapter).substr(0, 16), ".lock");
    }
    device.lock = fs::absolute(device.lock, error).lexically_normal();
    if (!device.log.empty()) device.log = fs::absolute(device.log, error).lexically_normal();
    const size_t at = read.devices.size();
    const std::string place = StrCat("/devices/", at);
    const std::string where = StrCat(file.string(), ": ", place, "/");
    if (const auto [same, added] = names.emplace(device.name, at); !added) {
      return InvalidArgument(where, "name: found \"", device.name, "\", as /devices/", same->second,
                             " has it, expected another name for each device");
    }
    if (const auto [same, added] = adapters.emplace(device.adapter, at); !added) {
      return InvalidArgument(where, "adapter: found the command of /devices/", same->second,
                             ", expected another one for each device: one command reaches one ",
                             "device");
    }
    for (const auto& [member, path] :
         {std::pair("lock", device.lock), std::pair("log", device.log)}) {
      if (path.empty()) continue;
      const auto [same, added] = files.emplace(path.string(), StrCat(place, "/", member));
      if (added) continue;
      return InvalidArgument(where, member, ": found ", path.string(), ", as ", same->second,
                             " has it, expected another file for each device");
    }
    read.devices.push_back(std::move(device));
  }
  return read;
}

// ---- What all devices share --------------------------------------------------------------------

DeviceQueue::DeviceQueue(const std::vector<Device>& devices, std::function<bool()> stopping)
    : devices_(devices), stopping_(std::move(stopping)), each_(devices.size()) {
  for (Each& each : each_) each.state = State::kAnswers;
}

size_t DeviceQueue::IndexOf(const Device& device) const {
  return static_cast<size_t>(&device - devices_.data());
}

DeviceQueue::State DeviceQueue::StateOf(const Device& device) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return each_[IndexOf(device)].state;
}

void DeviceQueue::SetState(const Device& device, State state, const std::string& why,
                           bool reported) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Each& each = each_[IndexOf(device)];
  each.state = state;
  each.why = state == State::kAnswers ? "" : why;
  each.reported = reported;
  changed_.notify_all();
}

std::string DeviceQueue::WhyOf(const Device& device) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return each_[IndexOf(device)].why;
}

size_t DeviceQueue::CountLiving() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<size_t>(std::count_if(
      each_.begin(), each_.end(), [](const Each& each) { return each.state != State::kDead; }));
}

std::string DeviceQueue::Troubles() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string text;
  for (const Device& device : devices_) {
    const Each& each = each_[IndexOf(device)];
    if (each.state == State::kAnswers) continue;
    text += StrCat(text.empty() ? "" : "; ", device.name, ": ", each.why);
  }
  return text;
}

void DeviceQueue::BeginPass(const std::vector<const SuiteEntry*>& entries) {
  const std::lock_guard<std::mutex> lock(mutex_);
  jobs_.clear();
  for (const SuiteEntry* entry : entries) jobs_.push_back({.entry = entry});
  in_flight_ = 0;
  for (Each& each : each_) each.parked = false;
}

bool DeviceQueue::HasCaseFor(const Device& device) const {
  const bool others = std::any_of(devices_.begin(), devices_.end(), [&](const Device& other) {
    return &other != &device && each_[IndexOf(other)].state == State::kAnswers;
  });
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const DeviceJob& job) {
    return job.Fresh() || job.from != &device || !others;
  });
}

std::vector<DeviceJob> DeviceQueue::Take(const Device& device, size_t most) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<DeviceJob> taken;
  const auto answers = static_cast<size_t>(std::count_if(
      each_.begin(), each_.end(), [](const Each& each) { return each.state == State::kAnswers; }));
  const bool others = answers > size_t{each_[IndexOf(device)].state == State::kAnswers};
  const size_t workers = std::max<size_t>(answers, 1);
  const size_t share = std::min(most, (jobs_.size() + workers - 1) / workers);
  for (auto job = jobs_.begin(); job != jobs_.end() && taken.size() < share;) {
    if (job->Fresh()) {
      taken.push_back(std::move(*job));
      job = jobs_.erase(job);
    } else if (taken.empty() && (job->from != &device || !others)) {
      taken.push_back(std::move(*job));
      jobs_.erase(job);
      break;
    } else {
      ++job;
    }
  }
  in_flight_ += taken.size();
  return taken;
}

std::vector<DeviceJob> DeviceQueue::TakeProbe() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<DeviceJob> taken;
  if (jobs_.empty()) return taken;
  // Multiples of the golden ratio's fraction lie all over the suite, however many are taken.
  constexpr uint64_t kFraction = 2654435769;  // of 2^32
  const uint64_t place = (++probes_ * kFraction) & 0xffffffff;
  const auto at = static_cast<ptrdiff_t>((place * jobs_.size()) >> 32);
  taken.push_back(std::move(jobs_[static_cast<size_t>(at)]));
  jobs_.erase(jobs_.begin() + at);
  ++in_flight_;
  return taken;
}

void DeviceQueue::GiveBack(DeviceJob job, const Device& from) {
  const std::lock_guard<std::mutex> lock(mutex_);
  job.from = &from;
  if (job.Fresh()) {
    jobs_.push_back(std::move(job));
  } else {
    jobs_.push_front(std::move(job));
  }
  --in_flight_;
  changed_.notify_all();
}

void DeviceQueue::Done() {
  const std::lock_guard<std::mutex> lock(mutex_);
  --in_flight_;
  if (in_flight_ == 0 && jobs_.empty()) changed_.notify_all();
}

void DeviceQueue::SetAside(const DeviceJob& job, const std::string& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  aside_.push_back(StrCat(job.entry->id, ": ", why));
  --in_flight_;
  changed_.notify_all();
}

std::vector<std::string> DeviceQueue::AllSetAside() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return aside_;
}

size_t DeviceQueue::CountLeft() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return jobs_.size() + in_flight_;
}

bool DeviceQueue::Ended() const {
  return stuck_ || (jobs_.empty() && in_flight_ == 0) || stopping_();
}

void DeviceQueue::WaitABit(std::unique_lock<std::mutex>& lock) { changed_.wait_for(lock, kLook); }

bool DeviceQueue::WaitForCase(const Device& device) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!Ended()) {
    if (HasCaseFor(device)) return true;
    WaitABit(lock);
  }
  return false;
}

bool DeviceQueue::WaitForKnown(const Device& device) {
  std::unique_lock<std::mutex> lock(mutex_);
  Each& own = each_[IndexOf(device)];
  own.parked = true;
  while (!Ended()) {
    if (FindKnown(device, nullptr) != nullptr || own.state != State::kUnknown) {
      own.parked = false;
      return true;
    }
    Decide();
    WaitABit(lock);
  }
  own.parked = false;
  return false;
}

bool DeviceQueue::Sleep(double seconds) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (const Clock::time_point end = After(seconds); !Ended();) {
    if (Clock::now() >= end) return true;
    changed_.wait_for(lock, std::min<Clock::duration>(kLook, end - Clock::now()));
  }
  return false;
}

bool DeviceQueue::IsStuck() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stuck_;
}

void DeviceQueue::Decide() {
  if (in_flight_ > 0 || jobs_.empty() || stuck_) return;
  const bool all = std::all_of(each_.begin(), each_.end(), [](const Each& each) {
    return each.state == State::kDead || each.parked;
  });
  if (!all) return;
  changed_.notify_all();
  if (need_ == Need::kValues) {
    need_ = Need::kAnyAnswer;
    if (!known_.empty()) return;
  }
  if (need_ == Need::kAnyAnswer) {
    need_ = Need::kReport;
    bool any = false;
    for (Each& each : each_) {
      if (each.state != State::kUnknown || !each.reported) continue;
      each.state = State::kAnswers;
      any = true;
    }
    if (any) return;
  }
  stuck_ = true;
}

bool DeviceQueue::Wants(const Device* device, CaseStatus status) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::count_if(known_.begin(), known_.end(), [&](const KnownCase& known) {
           return known.device == device && HasValues(known.status) == HasValues(status);
         }) < kKnownOfEach;
}

void DeviceQueue::Remember(KnownCase known) {
  const std::lock_guard<std::mutex> lock(mutex_);
  known_.push_back(std::move(known));
  changed_.notify_all();
}

const KnownCase* DeviceQueue::FindKnown(const Device& device, const SuiteEntry* except) const {
  const KnownCase* best = nullptr;
  int best_rank = 0;
  for (const KnownCase& known : known_) {
    if (known.entry == except || (!HasValues(known.status) && need_ == Need::kValues)) continue;
    const int rank = (HasValues(known.status) ? 4 : 0) + (known.digest.empty() ? 0 : 2) +
                     (known.device != &device ? 1 : 0);
    if (best != nullptr && rank <= best_rank) continue;
    best = &known;
    best_rank = rank;
  }
  return best;
}

std::optional<KnownCase> DeviceQueue::Known(const Device& device, const SuiteEntry* except) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const KnownCase* const known = FindKnown(device, except);
  return known == nullptr ? std::nullopt : std::optional<KnownCase>(*known);
}

Status DeviceQueue::Compare(const KnownCase& known, const Device& device, CaseStatus status,
                            const std::string& digest) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (KnownCase& each : known_) {
    if (each.entry != known.entry || each.device != known.device) continue;
    const bool same = each.status == status && (each.digest.empty() || each.digest == digest);
    if (!same) {
      const std::string before = each.device == nullptr   ? "an earlier part of the run"
                                 : each.device == &device ? "the same device"
                                                          : "the device " + each.device->name;
      return InvalidArgument(
          "the device ", device.name, " answered the case ", known.entry->id, " otherwise than ",
          before, " before: found ", Name(status), " with the digest ", digest, ", expected ",
          Name(each.status), each.digest.empty() ? "" : StrCat(" with the digest ", each.digest),
          ": expected devices of one kind, which give the same answers each time; compare them by ",
          "tensor-cts run --adapter with the command of each, then run again into a new folder ",
          "without the one that differs");
    }
    if (each.digest.empty()) {
      each.digest = digest;
      each.device = &device;
    }
    return absl::OkStatus();
  }
  return absl::OkStatus();
}

bool DeviceQueue::ReportsCount() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return need_ == Need::kReport;
}

// ---- One device --------------------------------------------------------------------------------

class DevicePool::Server {
 public:
  Server(DevicePool& pool, const Device& device)
      : options_(pool.options_),
        launcher_(pool.launcher_),
        hooks_(pool.hooks_),
        queue_(pool.queue_),
        device_(device) {}

  // Takes cases until none is left, the device is lost, or the run stops.
  Status Serve() {
    Status status = ServeCases();
    process_.reset();
    pending_.reset();
    reported_.clear();
    return status;
  }
  Status Lose(const std::string& why);
  Status Log(const std::string& what) const;

 private:
  using State = DeviceQueue::State;
  // An answered case. Its result is stored after the worker's next correct answer or clean end.
  struct Held {
    DeviceJob job;
    CaseTask task;
    CaseResult result = {};
  };
  // The answers to a batch of requests.
  struct Exchange {
    size_t answered = 0;
    Process::Event event = Process::Event::kLine;
    std::string broke;  // how the worker broke the protocol
    Clock::time_point last = Clock::now();
  };

  bool Stopping() const { return hooks_.stopping(); }
  bool Answers() const { return queue_.StateOf(device_) == State::kAnswers; }

  Status ServeCases();
  StatusOr<bool> Revive();
  Status ServeBatch(std::vector<DeviceJob> jobs);
  Status Hear(const std::vector<Held>& asked, Exchange& exchange);
  Status Recover(std::vector<Held>& asked, const Exchange& exchange);
  Status CheckReported();
  StatusOr<bool> AnswersInWorker(const KnownCase& known);
  Status RunSuspects(std::vector<DeviceJob> suspects, const std::string& what);
  Status LetGo();
  Status CommitPending();

  StatusOr<std::optional<CaseTask>> Prepare(const DeviceJob& job);
  StatusOr<bool> RunAlone(DeviceJob job);
  Status Judge(DeviceJob job, const CaseTask& task, CaseResult result);
  StatusOr<std::string> Ask(const KnownCase& known);
  Status CommitAnswer(const CaseTask& task, CaseResult result);
  Status CommitFailure(const CaseTask& task, CaseResult result);
  void Alive();
  Status SetUnknown(const std::string& why, const CaseResult& result, bool asked);

  const RunOptions& options_;
  Launcher& launcher_;
  const Hooks& hooks_;
  DeviceQueue& queue_;
  const Device& device_;

  std::unique_ptr<Process> process_;
  bool silent_ = true;  // the worker has not printed anything yet
  bool announced_ = false;
  size_t batch_ = 1;
  bool one_by_one_ = false;  // a worker reported a crash
  std::optional<Held> pending_;
  std::vector<Held> reported_;

  bool answering_ = false;  // its last case had an answer
  bool asked_ = false;      // since then, a known case had none
  bool unreached_ = false;  // since then, its adapter ended as without a connection
  bool rested_ = false;     // since the last such attempt there was a pause
  size_t rests_ = 0;        // the pauses since it answered
  int probes_ = 0;
  int revivals_ = 0;  // since a case of the queue had an answer
};

Status DevicePool::Server::ServeCases() {
  while (!Stopping()) {
    const State state = queue_.StateOf(device_);
    if (state == State::kDead) return absl::OkStatus();
    if (state == State::kUnknown) {
      CTS_ASSIGN_OR_RETURN(const bool more, Revive());
      if (!more) return absl::OkStatus();
      continue;
    }
    std::vector<DeviceJob> jobs = queue_.Take(device_, one_by_one_ ? 1 : batch_);
    if (jobs.empty()) {
      CTS_RETURN_IF_ERROR(LetGo());
      if (Answers() && !queue_.WaitForCase(device_)) return absl::OkStatus();
    } else if (options_.worker && jobs[0].Fresh()) {
      CTS_RETURN_IF_ERROR(ServeBatch(std::move(jobs)));
    } else {
      // The device has one process at a time.
      CTS_RETURN_IF_ERROR(LetGo());
      if (Answers()) {
        CTS_RETURN_IF_ERROR(RunAlone(std::move(jobs[0])).status());
      } else {
        queue_.GiveBack(std::move(jobs[0]), device_);
      }
    }
  }
  return absl::OkStatus();
}

// Asks a device that is not known to answer until it answers or is lost. False at the end of the
// pass.
StatusOr<bool> DevicePool::Server::Revive() {
  const std::vector<double>& pauses = options_.device_pauses;
  while (!Stopping()) {
    if (queue_.StateOf(device_) != State::kUnknown) return true;
    const std::optional<KnownCase> known = queue_.Known(device_, nullptr);
    if (known ? asked_ : unreached_ && !rested_) {
      if (rests_ == pauses.size()) {
        CTS_RETURN_IF_ERROR(Lose(queue_.WhyOf(device_)));
        return true;
      }
      if (!queue_.Sleep(pauses[rests_++])) return false;
      rested_ = true;
    }
    if (!known) {
      if (unreached_ && queue_.Known(device_, nullptr)) continue;  // it came in the pause
      std::vector<DeviceJob> jobs;
      if (probes_ < kProbes) jobs = queue_.TakeProbe();
      if (jobs.empty()) {
        if (!queue_.WaitForKnown(device_)) return false;
        continue;
      }
      ++probes_;
      rested_ = false;
      CTS_RETURN_IF_ERROR(RunAlone(std::move(jobs[0])).status());
      return true;
    }
    CTS_ASSIGN_OR_RETURN(const std::string why, Ask(*known));
    if (Stopping()) return false;
    if (!why.empty()) {
      asked_ = true;
      queue_.SetState(device_, State::kUnknown, why);
      continue;
    }
    if (++revivals_ > kMostRevivals) {
      CTS_RETURN_IF_ERROR(Lose(StrCat("answers ", known->entry->id, " again and again, and no ",
                                      "other case in between: ", queue_.WhyOf(device_))));
      return true;
    }
    CTS_RETURN_IF_ERROR(Log("answers again"));
    Alive();
    return true;
  }
  return false;
}

// Gives fresh cases to a worker. When anything goes wrong, the worker is ended and every case that
// may have caused it runs again, alone.
Status DevicePool::Server::ServeBatch(std::vector<DeviceJob> jobs) {
  std::vector<Held> asked;
  for (DeviceJob& job : jobs) {
    CTS_ASSIGN_OR_RETURN(std::optional<CaseTask> task, Prepare(job));
    if (task) asked.push_back({std::move(job), *std::move(task)});
  }
  if (asked.empty()) return absl::OkStatus();
  if (process_ == nullptr) {
    CTS_ASSIGN_OR_RETURN(process_, launcher_.StartWorker(&device_));
    silent_ = true;
    announced_ = false;
  }
  for (const Held& each : asked) {
    process_->Send(WorkerRequest(each.task.id(), each.task.case_dir, each.task.staging,
                                 &each != &asked.back()));
  }
  Exchange exchange;
  CTS_RETURN_IF_ERROR(Hear(asked, exchange));
  if (exchange.event == Process::Event::kInterrupted) return absl::OkStatus();
  if (exchange.answered < asked.size()) return Recover(asked, exchange);
  return reported_.empty() ? absl::OkStatus() : CheckReported();
}

// Reads answers until all cases have one, or something else comes.
Status DevicePool::Server::Hear(const std::vector<Held>& asked, Exchange& exchange) {
  const Clock::time_point deadline =
      After(launcher_.timeout_seconds() * static_cast<double>(asked.size()));
  for (std::string text; exchange.answered < asked.size();) {
    exchange.event = process_->Next(deadline, &text);
    if (exchange.event != Process::Event::kLine) break;
    const WorkerLine line = ParseWorkerLine(text);
    if (std::exchange(silent_, false) && line.fault.empty() && line.announcement) {
      batch_ = static_cast<size_t>(line.batch);
      CTS_RETURN_IF_ERROR(launcher_.Announce(line, &device_));
      announced_ = true;
      continue;
    }
    const Held& next = asked[exchange.answered];
    if (!line.fault.empty() || line.announcement || line.id != next.task.id()) {
      exchange.broke = !line.fault.empty() ? line.fault
                       : line.announcement ? "found an announcement, expected it as the first line"
                                           : launcher_.CheckId(line, next.task);
      break;
    }
    CTS_RETURN_IF_ERROR(launcher_.CheckAnswer(announced_, &device_));
    CTS_RETURN_IF_ERROR(CommitPending());
    Held held = next;
    held.result = ResultOf(line, SecondsSince(exchange.last), process_->TakeLog());
    if (held.result.reported) {
      reported_.push_back(std::move(held));
    } else {
      pending_ = std::move(held);
    }
    exchange.last = Clock::now();
    ++exchange.answered;
  }
  return absl::OkStatus();
}

// Ends a worker that did something wrong, and runs the cases that may have caused it.
Status DevicePool::Server::Recover(std::vector<Held>& asked, const Exchange& exchange) {
  const bool timeout = exchange.event == Process::Event::kDeadline;
  const bool ends = exchange.event == Process::Event::kEnd || !exchange.broke.empty();
  std::string log = process_->TakeLog();
  // A line that the end of the connection cut off is a broken line, too.
  const auto exit = process_->Finish(ends ? After(1) : Clock::now());
  // Memory that grew over many cases is the fault of none of them.
  const bool over_memory = process_->over_memory() > 0;
  process_.reset();
  if (Stopping()) return absl::OkStatus();
  const bool unreached = (exit && launcher_.EndedUnreached(*exit, announced_)) ||
                         (!timeout && silent_ && launcher_.announced());
  CTS_RETURN_IF_ERROR(Log(StrCat("a worker ended: ", exit ? ExitText(*exit) : "killed",
                                 log.empty() ? "" : "\n" + log)));
  CTS_RETURN_IF_ERROR(hooks_.restarted());
  std::vector<DeviceJob> suspects;
  if (timeout) {
    CTS_RETURN_IF_ERROR(CommitPending());
    if (asked.size() == 1) {
      return Judge(std::move(asked[0].job), asked[0].task,
                   {.status = CaseStatus::kTimeout,
                    .message = launcher_.TimeoutText(false),
                    .seconds = SecondsSince(exchange.last),
                    .log = std::move(log)});
    }
  }
  // The case in hand first: the others had an answer, or were not begun.
  for (size_t i = exchange.answered; i < asked.size(); ++i) {
    Discard(asked[i].task);
    suspects.push_back(std::move(asked[i].job));
  }
  if (pending_) {
    Discard(pending_->task);
    suspects.push_back(std::exchange(pending_, std::nullopt)->job);
  }
  for (Held& each : std::exchange(reported_, {})) {
    Discard(each.task);
    suspects.push_back(std::move(each.job));
  }
  const std::string what = over_memory || unreached  ? ""
                           : timeout                 ? "hung"
                           : !exchange.broke.empty() ? "broke the protocol: " + exchange.broke
                           : exchange.event == Process::Event::kTooLong ? "printed an endless line"
                                                                        : "ended before its answer";
  return RunSuspects(std::move(suspects), what);
}

// Runs each case alone. A fault that no case repeats is not attributed to a case, but it is
// recorded, unless `what` is empty.
Status DevicePool::Server::RunSuspects(std::vector<DeviceJob> suspects, const std::string& what) {
  if (suspects.empty()) return absl::OkStatus();
  const std::string first = suspects[0].entry->id;
  bool all_answered = true;
  for (DeviceJob& job : suspects) {
    if (!Answers() || Stopping()) {
      all_answered = false;
      queue_.GiveBack(std::move(job), device_);
      continue;
    }
    CTS_ASSIGN_OR_RETURN(const bool answered, RunAlone(std::move(job)));
    all_answered &= answered;
  }
  if (!all_answered || what.empty() || Stopping()) return absl::OkStatus();
  return hooks_.unexplained(StrCat("with ", first, " in hand, a worker on the device ",
                                   device_.name, " ", what.substr(0, 1000)));
}

// A crash that a living worker reports is an answer, unless the worker lost its device: then it
// reports one for each case from then on. So it has to answer a known case.
Status DevicePool::Server::CheckReported() {
  one_by_one_ = true;
  std::vector<Held> reported = std::exchange(reported_, {});
  const std::optional<KnownCase> known = queue_.Known(device_, reported[0].job.entry);
  if (!known) {
    CTS_RETURN_IF_ERROR(LetGo());
    for (Held& each : reported) {
      CTS_RETURN_IF_ERROR(Judge(std::move(each.job), each.task, std::move(each.result)));
    }
    return absl::OkStatus();
  }
  CTS_ASSIGN_OR_RETURN(const bool answers, AnswersInWorker(*known));
  if (Stopping()) return absl::OkStatus();
  std::vector<DeviceJob> suspects;
  if (answers) {
    CTS_RETURN_IF_ERROR(CommitFailure(reported[0].task, std::move(reported[0].result)));
    if (reported.size() == 1) return absl::OkStatus();
    CTS_RETURN_IF_ERROR(LetGo());
  } else {
    process_.reset();
    CTS_RETURN_IF_ERROR(hooks_.restarted());
    if (pending_) {
      Discard(pending_->task);
      suspects.push_back(std::exchange(pending_, std::nullopt)->job);
    }
  }
  for (size_t i = answers ? 1 : 0; i < reported.size(); ++i) {
    Discard(reported[i].task);
    suspects.push_back(std::move(reported[i].job));
  }
  return RunSuspects(std::move(suspects),
                     answers ? "" : "reported a crash, and answered no known case afterwards");
}

// Asks the worker that lives. The crash before may be the cause of a wrong answer.
StatusOr<bool> DevicePool::Server::AnswersInWorker(const KnownCase& known) {
  CTS_ASSIGN_OR_RETURN(const CaseTask task, hooks_.prepare(*known.entry, device_));
  process_->Send(WorkerRequest(task.id(), task.case_dir, task.staging, false));
  std::string text;
  if (process_->Next(After(launcher_.timeout_seconds()), &text) != Process::Event::kLine) {
    return false;
  }
  const WorkerLine line = ParseWorkerLine(text);
  if (!line.fault.empty() || line.announcement || line.id != task.id()) return false;
  CTS_RETURN_IF_ERROR(CommitPending());
  CaseResult result = ResultOf(line, 0, process_->TakeLog());
  if (!result.Answered()) return false;
  CTS_RETURN_IF_ERROR(CheckFiles(task, result));
  if (result.status != known.status) return false;
  CTS_ASSIGN_OR_RETURN(const std::string digest, DigestOfAnswer(task, result));
  Discard(task);
  return known.digest.empty() || digest == known.digest;
}

Status DevicePool::Server::CommitPending() {
  if (!pending_) return absl::OkStatus();
  Held held = *std::exchange(pending_, std::nullopt);
  return CommitAnswer(held.task, std::move(held.result));
}

// Ends a worker for which there is nothing more to do.
Status DevicePool::Server::LetGo() {
  if (process_ == nullptr || Stopping()) return absl::OkStatus();
  if (!pending_) {
    process_.reset();
    return absl::OkStatus();
  }
  std::optional<Process::Exit> exit;
  const bool clean = launcher_.EndWorker(*process_, &exit);
  if (Stopping()) return absl::OkStatus();
  process_.reset();
  if (clean) return CommitPending();
  Held held = *std::exchange(pending_, std::nullopt);
  Discard(held.task);
  CTS_RETURN_IF_ERROR(hooks_.restarted());
  const bool unreached = exit && launcher_.EndedUnreached(*exit, announced_);
  return RunSuspects({std::move(held.job)},
                     unreached ? "" : "printed something or failed at its end");
}

// nullopt: the case is not asked, and has its result.
StatusOr<std::optional<CaseTask>> DevicePool::Server::Prepare(const DeviceJob& job) {
  CTS_ASSIGN_OR_RETURN(CaseTask task, hooks_.prepare(*job.entry, device_));
  if (!task.symbolic || options_.symbolic) return std::optional<CaseTask>(std::move(task));
  task.device = nullptr;
  CTS_RETURN_IF_ERROR(hooks_.commit(task, {CaseStatus::kUnsupported, std::string(kNotSymbolic)}));
  queue_.Done();
  return std::optional<CaseTask>();
}

// Runs a case in a process of its own. Returns whether it has an answer.
StatusOr<bool> DevicePool::Server::RunAlone(DeviceJob job) {
  // Such a case has to meet a device that answers: otherwise an outage of the network takes one
  // device after the other with the same case.
  if (job.taken > 0) {
    if (const std::optional<KnownCase> known = queue_.Known(device_, job.entry)) {
      CTS_ASSIGN_OR_RETURN(const std::string why, Ask(*known));
      if (!why.empty()) {
        queue_.GiveBack(std::move(job), device_);
        CTS_RETURN_IF_ERROR(SetUnknown(why, {}, true));
        return false;
      }
    }
  }
  if (Stopping()) return false;
  CTS_ASSIGN_OR_RETURN(const std::optional<CaseTask> task, Prepare(job));
  if (!task) return true;
  CTS_ASSIGN_OR_RETURN(std::optional<CaseResult> result, launcher_.RunAlone(*task));
  if (!result) {
    queue_.GiveBack(std::move(job), device_);
    return false;
  }
  if (!result->Answered()) {
    CTS_RETURN_IF_ERROR(Judge(std::move(job), *task, *std::move(result)));
    return false;
  }
  CTS_RETURN_IF_ERROR(CommitAnswer(*task, *std::move(result)));
  if (!job.fault.empty()) CTS_RETURN_IF_ERROR(hooks_.unexplained(job.fault));
  return true;
}

// A case got no answer, alone or as the only one that a worker had. Its result counts only if the
// device answers a known case now, and if this was not the first time or the adapter itself
// reported the crash. Otherwise the case goes back, and only then does the state of the device
// change.
Status DevicePool::Server::Judge(DeviceJob job, const CaseTask& task, CaseResult result) {
  if (Stopping()) return absl::OkStatus();
  const std::string what = ShortReason(result);
  CTS_RETURN_IF_ERROR(Log(StrCat("no answer to ", task.id(), ": ", Printable(result.message),
                                 result.log.empty() ? "" : "\n" + result.log)));
  std::optional<KnownCase> known = queue_.Known(device_, job.entry);
  if (!known) known = queue_.Known(device_, nullptr);
  if (!known) {
    if (result.reported && queue_.ReportsCount()) return CommitFailure(task, std::move(result));
    Discard(task);
    queue_.GiveBack(std::move(job), device_);
    return SetUnknown(StrCat("gave no answer to ", task.id(), ": ", what), result, false);
  }
  CTS_ASSIGN_OR_RETURN(const std::string why, Ask(*known));
  if (Stopping()) return absl::OkStatus();
  if (!why.empty()) {
    Discard(task);
    job.taken += answering_ ? 1 : 0;
    if (job.taken >= kMostTaken) {
      queue_.SetAside(job, StrCat("with this case in hand, devices stopped answering ", job.taken,
                                  " times, the last time ", device_.name, ": ", what));
    } else {
      queue_.GiveBack(std::move(job), device_);
    }
    return SetUnknown(why, result, true);
  }
  if (result.unreached) {
    Discard(task);
    if (++job.unreached >= kMostUnreached) {
      queue_.SetAside(job, StrCat("the adapter ended ", job.unreached, " times as it ends without ",
                                  "a connection, while the devices answer other cases; the last ",
                                  "time, on ", device_.name, ", it ", what));
    } else {
      queue_.GiveBack(std::move(job), device_);
    }
    return absl::OkStatus();
  }
  if (result.reported || ++job.failures >= kMostFailures) {
    return CommitFailure(task, std::move(result));
  }
  Discard(task);
  job.fault =
      StrCat("with ", task.id(), " in hand, the device ", device_.name, " gave no answer: ", what);
  queue_.GiveBack(std::move(job), device_);
  return absl::OkStatus();
}

// Asks the device, in a process of its own, for a case that has an answer. Returns why it does not
// answer; empty if it does, or if the run is stopping.
StatusOr<std::string> DevicePool::Server::Ask(const KnownCase& known) {
  CTS_ASSIGN_OR_RETURN(const CaseTask task, hooks_.prepare(*known.entry, device_));
  CTS_ASSIGN_OR_RETURN(std::optional<CaseResult> result, launcher_.RunAlone(task));
  if (!result) return std::string();
  CTS_RETURN_IF_ERROR(CheckFiles(task, *result));
  if (!result->Answered()) {
    Discard(task);
    const std::string why = StrCat("gave no answer to ", known.entry->id,
                                   ", which had one before: ", ShortReason(*result));
    CTS_RETURN_IF_ERROR(Log(StrCat(why, "\n", result->log)));
    return why;
  }
  CTS_ASSIGN_OR_RETURN(const std::string digest, DigestOfAnswer(task, *result));
  Discard(task);
  CTS_RETURN_IF_ERROR(queue_.Compare(known, device_, result->status, digest));
  return std::string();
}

Status DevicePool::Server::CommitAnswer(const CaseTask& task, CaseResult result) {
  std::string digest;
  if (queue_.Wants(&device_, result.status)) {
    CTS_RETURN_IF_ERROR(CheckFiles(task, result));
    if (result.Answered()) {
      CTS_ASSIGN_OR_RETURN(digest, DigestOfAnswer(task, result));
    }
  }
  const CaseStatus status = result.status;
  const SuiteEntry* const entry = task.entry;
  CTS_RETURN_IF_ERROR(hooks_.commit(task, std::move(result)));
  if (!digest.empty()) queue_.Remember({entry, status, digest, &device_});
  if (HasValues(status)) probes_ = 0;
  revivals_ = 0;
  Alive();
  queue_.Done();
  return absl::OkStatus();
}

Status DevicePool::Server::CommitFailure(const CaseTask& task, CaseResult result) {
  CTS_RETURN_IF_ERROR(hooks_.commit(task, std::move(result)));
  revivals_ = 0;
  Alive();
  queue_.Done();
  return absl::OkStatus();
}

void DevicePool::Server::Alive() {
  answering_ = true;
  asked_ = false;
  unreached_ = false;
  rested_ = false;
  rests_ = 0;
  queue_.SetState(device_, State::kAnswers);
}

Status DevicePool::Server::SetUnknown(const std::string& why, const CaseResult& result,
                                      bool asked) {
  const bool before = Answers();
  answering_ = false;
  asked_ = asked;
  unreached_ = result.unreached;
  rested_ = false;
  queue_.SetState(device_, State::kUnknown, why, result.reported);
  if (before) hooks_.tell(StrCat("the device ", device_.name, " is not known to answer: ", why));
  return Log("is not known to answer: " + why);
}

Status DevicePool::Server::Lose(const std::string& why) {
  queue_.SetState(device_, State::kDead, why);
  CTS_RETURN_IF_ERROR(Log("is lost: " + why));
  return hooks_.lost(device_, why);
}

Status DevicePool::Server::Log(const std::string& what) const {
  if (device_.log.empty()) return absl::OkStatus();
  return AppendTo(device_.log, StrCat(UtcNow(), " ", device_.name, ": ",
                                      what.substr(0, what.find_last_not_of('\n') + 1), "\n"));
}

// ---- All devices -------------------------------------------------------------------------------

DevicePool::DevicePool(const RunOptions& options, Launcher& launcher, Hooks hooks)
    : options_(options),
      launcher_(launcher),
      hooks_(std::move(hooks)),
      queue_(options.devices, hooks_.stopping),
      locks_(options.devices.size()) {
  for (const Device& device : options.devices) {
    servers_.push_back(std::make_unique<Server>(*this, device));
  }
}

DevicePool::~DevicePool() = default;

Status DevicePool::LockAll() {
  for (const Device& device : options_.devices) {
    const size_t i = IndexOf(device);
    const Status locked = locks_[i].Lock(device.lock);
    CTS_RETURN_IF_ERROR(servers_[i]->Log(locked.ok() ? "begins" : "is not used"));
    if (!locked.ok()) CTS_RETURN_IF_ERROR(servers_[i]->Lose(Message(locked)));
  }
  return absl::OkStatus();
}

void DevicePool::Kept(const SuiteEntry& entry, CaseStatus status) {
  if (queue_.Wants(nullptr, status)) queue_.Remember({&entry, status, "", nullptr});
}

Status DevicePool::RunPass(const std::vector<const SuiteEntry*>& entries) {
  queue_.BeginPass(entries);
  CTS_RETURN_IF_ERROR(ServeAll());
  if (hooks_.stopping()) return absl::OkStatus();
  Status status = Conclude();
  none_left_ = queue_.CountLeft() > 0;
  return status;
}

// Not by ParallelFor, which makes do with fewer threads: here each device waits for the others.
Status DevicePool::ServeAll() {
  // New threads begin with the mode of the one that starts them.
  const PlainArithmetic plain;
  enum class Gate { kClosed, kOpen, kCancelled } gate = Gate::kClosed;
  std::mutex mutex;  // of gate
  std::condition_variable changed;
  std::vector<Status> ended(servers_.size());
  const auto serve = [&](size_t i) {
    {
      std::unique_lock<std::mutex> lock(mutex);
      while (gate == Gate::kClosed) changed.wait_for(lock, std::chrono::hours(1));
      if (gate == Gate::kCancelled) return;
    }
    Status status = CatchBadAlloc("", [&] { return servers_[i]->Serve(); });
    // Interrupted while it looked at a result: the case is one that did not run.
    if (status.ok() || (absl::IsCancelled(status) && Interrupted())) return;
    ended[i] = std::move(status);
    hooks_.stop(absl::OkStatus());
  };
  std::vector<std::thread> threads;
  Status started;
  try {
    for (size_t i = 0; i < servers_.size(); ++i) threads.emplace_back(serve, i);
  } catch (const std::system_error& error) {
    started = Unavailable("cannot start a thread for each of the ", servers_.size(),
                          " devices: ", error.what(), "; name fewer devices, or raise the limit ",
                          "(ulimit -u)");
  } catch (const std::bad_alloc&) {
    started = OutOfMemory("");
  }
  {
    const std::lock_guard<std::mutex> lock(mutex);
    gate = started.ok() ? Gate::kOpen : Gate::kCancelled;
    changed.notify_all();
  }
  for (std::thread& thread : threads) thread.join();
  CTS_RETURN_IF_ERROR(started);
  // No error is lost: the first device's comes first.
  Status all;
  for (const Status& status : ended) {
    if (status.ok() || (!all.ok() && Message(all).find(Message(status)) != std::string::npos)) {
      continue;
    }
    all = all.ok() ? status : Status(all.code(), StrCat(Message(all), "; and ", Message(status)));
  }
  return all;
}

// Whether each case of the pass has a result.
Status DevicePool::Conclude() const {
  constexpr size_t kShown = 5;
  const std::vector<std::string> aside = queue_.AllSetAside();
  const size_t left = queue_.CountLeft();
  if (left == 0 && aside.empty()) return absl::OkStatus();
  std::string text =
      StrCat(left + aside.size(), " cases have no result, and none of them is to blame. ");
  const std::string troubles = queue_.Troubles();
  if (left > 0) {
    text += queue_.IsStuck()
                ? StrCat("No case has an answer by which a device could show that it works. ",
                         troubles, ". If these cases end the adapter, run them together with a ",
                         "case that has an answer")
                : StrCat("no device is left. ", troubles);
    text += ". ";
  }
  for (size_t i = 0; i < std::min(aside.size(), kShown); ++i) text += aside[i] + ". ";
  if (!aside.empty()) {
    text += StrCat(aside.size() > kShown ? StrCat("And ", aside.size() - kShown, " more. ") : "",
                   "ssh exits with code 255 also when a signal ended the program there: let a ",
                   "script on the device start it and exit with its code. ");
  }
  return Unavailable(text, "The other results are kept: mend that and go on with the same command ",
                     "and --resume");
}

std::string DevicePool::SilentWhy(const Device& device) const {
  return queue_.StateOf(device) == DeviceQueue::State::kUnknown ? queue_.WhyOf(device) : "";
}

}  // namespace cts
