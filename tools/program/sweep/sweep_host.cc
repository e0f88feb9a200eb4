#include "tools/program/sweep/sweep_host.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include "checker/text/printable.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/new_folder.h"
#include "reference/base/npy.h"
#include "reference/bundle/case.h"
#include "reference/calls/operator_call.h"
#include "tools/program/run/plugin_buffer.h"
#include "tools/program/run/plugin_graph.h"
#include "tools/program/run/plugin_process.h"
#include "tools/program/run/protocol.h"
#include "tools/program/sweep/unwritten.h"

namespace cts {
namespace {

// To load a library and prepare a graph takes longer than to execute one.
constexpr double kStartSeconds = 60;

Clock::time_point After(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::min(seconds, 1e8)));
}

// The line that answers all questions up to one.
std::string Done(uint64_t number) { return "done " + std::to_string(number); }

// ---- The child ----------------------------------------------------------------------------------

std::string Words(int status) {
  switch (status) {
    case TENSOR_CTS_OK:
      return "OK";
    case TENSOR_CTS_ERROR:
      return "ERROR";
    case TENSOR_CTS_UNSUPPORTED:
      return "UNSUPPORTED";
    case TENSOR_CTS_FAILED:
      return "FAILED";
  }
  return StrCat("the unknown status ", status);
}

// Numbers with spaces between them; none if there is anything else.
std::vector<uint64_t> Numbers(const std::string& line) {
  std::vector<uint64_t> numbers;
  for (const char* at = line.c_str(); *at != 0;) {
    char* end = nullptr;
    numbers.push_back(std::strtoull(at, &end, 10));
    if (end == at) return {};
    at = end;
  }
  return numbers;
}

// What asks the implementation about a number of inputs at a time.
class Prepared {
 public:
  virtual ~Prepared() = default;
  virtual int64_t count() const = 0;
  // Empty if the implementation can be asked; otherwise the line that says why not.
  virtual std::string Refusal() const = 0;
  // Whether the implementation wrote to a buffer after its call; empty if not. After "broken" the
  // process is of no use any more.
  virtual std::string WrittenLate() const = 0;
  // Executes a question, and takes its results to a place. Empty if that went well; otherwise the
  // line that says what happened.
  virtual std::string Execute(uint64_t first, size_t place) = 0;
};
using Prepare = std::function<StatusOr<std::unique_ptr<Prepared>>(int64_t count)>;

std::string RefusalLine(bool offered, const SweepDomain& domain, const std::string& what) {
  return StrCat(offered ? "cannot" : "unsupported", "\t", what, " for ", domain.op(), " of ",
                Name(domain.type()));
}

// A plugin's graph of one size, prepared, and the memory that it is executed with.
class PreparedByPlugin : public Prepared {
 public:
  PreparedByPlugin(const Plugin& plugin, const SweepDomain& domain, int fd, int64_t count,
                   const OperatorCall& call)
      : plugin_(plugin),
        domain_(domain),
        count_(count),
        unwritten_(Unwritten(domain.type())),
        graph_(call.graph, domain.edition().id, domain.level()) {
    status_ =
        CallPlugin("prepare", [&] { return plugin_.table().prepare(&graph_.get(), &state_); });
    for (const std::string& name : call.graph.main().inputs) {
      // Zero points and shifts are inputs, too.
      const Tensor& given = call.inputs.at(name);
      const size_t bytes = given.bytes().size();
      const std::string what = StrCat("input ", inputs_.size(), " (", name, ")");
      const bool operand = operands_.size() < static_cast<size_t>(domain.operands()) &&
                           given.dtype() == domain.in_type() && given.size() == count &&
                           domain.IsOperand(name);
      const size_t offset =
          SweepMemory::Offset(SweepMemory::kOperands + static_cast<int>(operands_.size()));
      PluginBuffer& buffer = operand ? buffers_.emplace_back(what, bytes, fd, offset)
                                     : buffers_.emplace_back(what, bytes);
      if (operand) {
        operands_.push_back(&buffers_.emplace_back("the host's operand", bytes, fd, offset));
      } else if (buffer.data() != nullptr) {
        std::memcpy(buffer.data(), given.bytes().data(), bytes);
      }
      buffer.Protect();
      inputs_.push_back({buffer.data(), buffer.bytes()});
    }
    const auto bytes = static_cast<size_t>(count * StorageBytes(domain.type()));
    for (PluginBuffer*& answers : answers_) {
      const auto place = static_cast<int>(&answers - answers_.data());
      answers = &buffers_.emplace_back("the host's answers", bytes, fd, SweepMemory::Offset(place));
    }
    const std::string what = StrCat("output 0 (", call.graph.main().outputs[0], ")");
    for (PluginBuffer*& result : results_) result = &buffers_.emplace_back(what, bytes);
    for (const PluginBuffer& buffer : buffers_) {
      if (buffer.data() == nullptr) EndPluginHost("no memory for " + buffer.what());
    }
    for (const PluginBuffer* result : results_) {
      std::memset(result->data(), unwritten_, bytes);
    }
  }
  ~PreparedByPlugin() override {
    if (state_ == nullptr) return;
    CallPlugin("free", [&] {
      plugin_.table().free(state_);
      return 0;
    });
  }
  PreparedByPlugin(const PreparedByPlugin&) = delete;
  PreparedByPlugin& operator=(const PreparedByPlugin&) = delete;

  int64_t count() const override { return count_; }
  std::string Refusal() const override {
    if (status_ == TENSOR_CTS_OK) return "";
    return StrCat(RefusalLine(status_ != TENSOR_CTS_UNSUPPORTED, domain_,
                              "prepare returned " + Words(status_)),
                  ": ", plugin_.ErrorText());
  }

  std::string WrittenLate() const override {
    for (const PluginBuffer* result : results_) {
      if (std::string fault = WrittenLate(*result); !fault.empty()) return fault;
    }
    return "";
  }

  std::string Execute(uint64_t first, size_t place) override {
    for (size_t k = 0; k < operands_.size(); ++k) {
      domain_.WriteAsked(first, count_, static_cast<int>(k), operands_[k]->data());
    }
    // Elements that the plugin does not write are no result of an earlier question: the buffers are
    // used in turns, and what was taken was written over.
    std::swap(results_[0], results_[1]);
    const PluginBuffer& result = *results_[0];
    // The plugin gets a copy of the array: it may do to it what it likes.
    const std::vector<tensor_cts_input_buffer> inputs = inputs_;
    tensor_cts_output_buffer output = {result.data(), result.bytes(), 0};
    const int status = CallPlugin("execute", [&] {
      return plugin_.table().execute(state_, inputs.data(), inputs.size(), &output, 1);
    });
    if (const std::string damage = result.Damage(); !damage.empty()) return "broken\t" + damage;
    // At once: what the plugin writes later is no result, and found where it is looked for.
    TakeResults(result.data(), result.bytes(), answers_[place]->data(), unwritten_);
    if (status != TENSOR_CTS_OK) {
      return StrCat("refused\texecute returned ", Words(status), ": ", plugin_.ErrorText());
    }
    if (output.written != result.bytes()) {
      return StrCat("refused\texecute says that it wrote ", output.written, " bytes to ",
                    result.what(), ", expected ", result.bytes());
    }
    return WrittenLate(*results_[1]);
  }

 private:
  std::string WrittenLate(const PluginBuffer& result) const {
    if (IsFilled(result.data(), result.bytes(), unwritten_)) return "";
    return "broken\tthe output of the call before was written to after execute had returned";
  }

  const Plugin& plugin_;
  const SweepDomain& domain_;
  const int64_t count_;
  const uint8_t unwritten_;
  const PluginGraph graph_;
  void* state_ = nullptr;
  int status_ = TENSOR_CTS_FAILED;
  std::deque<PluginBuffer> buffers_;
  std::vector<tensor_cts_input_buffer> inputs_;
  std::vector<PluginBuffer*> operands_;  // as the host may write them
  std::array<PluginBuffer*, SweepMemory::kPlaces> answers_ = {};
  std::array<PluginBuffer*, 2> results_ = {};  // of the call that runs, and of the call before
};

// The worker of an adapter, in a folder of its own for the files of cases and results.
class Worker {
 public:
  // Starts the worker, and waits for its announcement.
  static StatusOr<Worker> Start(const std::string& command) {
    std::error_code error;
    const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
    if (error) return Unavailable("no folder for temporary files: ", error.message());
    CTS_ASSIGN_OR_RETURN(NewFolder folder, NewFolder::Beside(temporary / "tensor-cts-sweep"));
    constexpr int kNoWaking = -1;
    CTS_ASSIGN_OR_RETURN(std::unique_ptr<Process> process,
                         Process::Start(command, {}, true, kNoWaking));
    Worker worker(std::move(folder), std::move(process));
    CTS_ASSIGN_OR_RETURN(worker.announcement_, worker.Next());
    if (worker.announcement_.announcement) return worker;
    return InvalidArgument(command, ": found the line ", Quote(worker.announcement_.message),
                           " from the worker, expected its announcement");
  }

  const WorkerLine& announcement() const { return announcement_; }
  const std::filesystem::path& folder() const { return folder_.path(); }

  // The answer to a request.
  StatusOr<WorkerLine> Ask(const std::string& id, const std::filesystem::path& case_dir,
                           const std::filesystem::path& result_dir) {
    process_->Send(WorkerRequest(id, case_dir, result_dir, false));
    CTS_ASSIGN_OR_RETURN(WorkerLine line, Next());
    if (!line.announcement && line.id == id && line.status) return line;
    return InvalidArgument("the worker's answer has another id, or no status");
  }

 private:
  Worker(NewFolder folder, std::unique_ptr<Process> process)
      : folder_(std::move(folder)), process_(std::move(process)) {}

  // Waits without a limit: the parent of this process limits the time.
  StatusOr<WorkerLine> Next() {
    std::string text;
    const Process::Event event = process_->Next(After(1e8), &text);
    if (event == Process::Event::kTooLong) {
      return InvalidArgument("the worker wrote a line of more than ", Process::kMaxLine, " bytes");
    }
    if (event != Process::Event::kLine) {
      const std::optional<Process::Exit> exit = process_->Finish(After(5));
      const std::string last = LastLine(Printable(process_->TakeLog(), Lines::kKeep));
      return Unavailable("the worker ", exit ? ExitText(*exit) : "closed its answers",
                         last.empty() ? "" : ": ", last);
    }
    WorkerLine line = ParseWorkerLine(text);
    if (line.fault.empty()) return line;
    return InvalidArgument("the worker wrote ", Quote(text), ": ", line.fault);
  }

  NewFolder folder_;
  std::unique_ptr<Process> process_;
  WorkerLine announcement_;
};

// Asks a worker: each call is a case of its own, which has no answers.
class PreparedByWorker : public Prepared {
 public:
  PreparedByWorker(Worker& worker, const SweepDomain& domain, int fd, int64_t count,
                   OperatorCall call)
      : worker_(worker), domain_(domain), count_(count) {
    case_.edition = domain.edition().id;
    case_.level = domain.level();
    case_.op = domain.op();
    case_.data_set = "none";
    case_.graph = std::move(call.graph);
    case_.inputs = std::move(call.inputs);
    case_.outcome = Outcome::kSealed;
    for (const std::string& name : case_.graph.main().inputs) {
      if (static_cast<int>(operands_.size()) < domain.operands() && domain.IsOperand(name)) {
        operands_.push_back(name);
      }
    }
    const auto bytes = static_cast<size_t>(count * StorageBytes(domain.type()));
    for (size_t place = 0; place < SweepMemory::kPlaces; ++place) {
      const size_t offset = SweepMemory::Offset(static_cast<int>(place));
      const PluginBuffer& buffer = answers_.emplace_back("the host's answers", bytes, fd, offset);
      if (buffer.data() == nullptr) EndPluginHost("no memory for " + buffer.what());
    }
  }

  int64_t count() const override { return count_; }
  std::string Refusal() const override { return refusal_; }
  std::string WrittenLate() const override { return ""; }

  std::string Execute(uint64_t first, size_t place) override {
    case_.id = StrCat("sweep/", first, "-", count_);
    for (size_t k = 0; k < operands_.size(); ++k) {
      domain_.WriteAsked(first, count_, static_cast<int>(k),
                         case_.inputs.at(operands_[k]).bytes().data());
    }
    const std::filesystem::path asked = worker_.folder() / StrCat("case-", number_),
                                results = worker_.folder() / StrCat("result-", number_);
    ++number_;
    const Status written = WriteCase(asked, results);
    if (!written.ok()) EndPluginHost(Message(written));
    const StatusOr<WorkerLine> answer = worker_.Ask(case_.id, asked, results);
    if (!answer.ok()) EndPluginHost(Message(answer.status()));
    std::string line = Take(*answer, results, place);
    std::error_code ignored;
    std::filesystem::remove_all(asked, ignored);
    std::filesystem::remove_all(results, ignored);
    return line;
  }

 private:
  Status WriteCase(const std::filesystem::path& asked, const std::filesystem::path& results) const {
    std::error_code error;
    for (const auto& folder : {asked, results}) {
      if (std::filesystem::create_directory(folder, error); error) {
        return Unavailable(folder.string(), ": cannot be created: ", error.message());
      }
    }
    for (const BundleFile& file : EncodeCase(case_)) {
      CTS_RETURN_IF_ERROR(WriteFile(asked / file.path, file.bytes));
    }
    return absl::OkStatus();
  }

  std::string Take(const WorkerLine& answer, const std::filesystem::path& results, size_t place) {
    if (*answer.status == CaseStatus::kUnsupported) {
      refusal_ = StrCat(RefusalLine(false, domain_, "the worker answered unsupported"), ": ",
                        Printable(answer.message));
      return refusal_;
    }
    if (*answer.status != CaseStatus::kOk) {
      return StrCat("refused\tthe worker answered ", Name(*answer.status), ": ",
                    Printable(answer.message));
    }
    const std::string& output = case_.graph.main().outputs[0];
    const std::filesystem::path file = results / (output + ".npy");
    const StatusOr<Tensor> values = ReadNpy(file, domain_.type(), {count_});
    if (!values.ok()) return "refused\t" + Printable(Message(values.status()));
    std::memcpy(answers_[place].data(), values->bytes().data(), answers_[place].bytes());
    return "";
  }

  Worker& worker_;
  const SweepDomain& domain_;
  const int64_t count_;
  Case case_;
  std::vector<std::string> operands_;
  std::deque<PluginBuffer> answers_;
  std::string refusal_;
  uint64_t number_ = 0;
};

// Executes the commands from standard input until its end.
Status Serve(PluginStreams& streams, int fd, const Prepare& prepare) {
  const PluginBuffer shared("the host's progress", sizeof(SweepMemory::Progress), fd,
                            SweepMemory::Offset(SweepMemory::kProgress));
  if (shared.data() == nullptr) return Unavailable("no memory for ", shared.what());
  auto& progress = *reinterpret_cast<SweepMemory::Progress*>(shared.data());
  std::unique_ptr<Prepared> prepared;
  while (const std::optional<std::string> line = streams.NextLine()) {
    // The number of the first question, how many inputs each has, and the first of each.
    const std::vector<uint64_t> words = Numbers(*line);
    const auto count = static_cast<int64_t>(words.size() < 3 ? 0 : words[1]);
    if (count < 1 || count > kSweepBlock || words.size() > 2 + SweepMemory::kPlaces) {
      return InvalidArgument("sweep: found ", Printable(*line), ", expected 1 to ",
                             SweepMemory::kPlaces, " questions of 1 to ", kSweepBlock, " inputs");
    }
    // No write should have come while the parent judged.
    std::string answer = prepared == nullptr ? "" : prepared->WrittenLate();
    if (answer.empty() && (prepared == nullptr || prepared->count() != count)) {
      prepared.reset();
      CTS_ASSIGN_OR_RETURN(prepared, prepare(count));
    }
    if (const std::string refusal = prepared->Refusal(); !refusal.empty()) answer = refusal;
    progress.StorePrepared();
    for (size_t place = 0; answer.empty() && 2 + place < words.size(); ++place) {
      answer = prepared->Execute(words[2 + place], place);
      if (answer.empty()) progress.StoreAnswered(words[0] + place);
    }
    streams.Send(answer.empty() ? Done(words[0] + words.size() - 3) : answer);
  }
  return absl::OkStatus();
}

}  // namespace

Status ServeSweep(const std::filesystem::path& library, const SweepQuestion& question, int fd) {
  CTS_ASSIGN_OR_RETURN(const SweepDomain domain, SweepDomain::Of(question));
  PluginStreams streams = PluginStreams::Take();
  const Plugin plugin = LoadPluginOrEnd(library);
  streams.Send(StrCat("hello\t", plugin.name(), "\t", plugin.version(), "\t", plugin.about()));
  return Serve(streams, fd, [&](int64_t count) -> StatusOr<std::unique_ptr<Prepared>> {
    CTS_ASSIGN_OR_RETURN(const OperatorCall call, domain.CallOf(count));
    return std::make_unique<PreparedByPlugin>(plugin, domain, fd, count, call);
  });
}

Status ServeSweepOfWorker(const std::string& command, const SweepQuestion& question, int fd) {
  CTS_ASSIGN_OR_RETURN(const SweepDomain domain, SweepDomain::Of(question));
  PluginStreams streams = PluginStreams::Take();
  std::signal(SIGPIPE, SIG_IGN);
  StatusOr<Worker> worker = Worker::Start(command);
  if (!worker.ok()) EndUnusable(Printable(Message(worker.status())));
  const WorkerLine& said = worker->announcement();
  streams.Send(StrCat("hello\t", Printable(said.name), "\t", Printable(said.version), "\t",
                      Printable(said.about)));
  return Serve(streams, fd, [&](int64_t count) -> StatusOr<std::unique_ptr<Prepared>> {
    CTS_ASSIGN_OR_RETURN(OperatorCall call, domain.CallOf(count));
    return std::make_unique<PreparedByWorker>(*worker, domain, fd, count, std::move(call));
  });
}

// ---- Memory -------------------------------------------------------------------------------------

size_t SweepMemory::Offset(int part) {
  // For elements of up to 8 bytes.
  return static_cast<size_t>(part) * PluginBuffer::Room(static_cast<size_t>(kSweepBlock) * 8);
}

uint8_t* SweepMemory::data(int part, size_t bytes) const {
  return bytes_ + Offset(part) + PluginBuffer::Start(bytes);
}

SweepMemory::Progress& SweepMemory::progress() const {
  return *reinterpret_cast<Progress*>(data(kProgress, sizeof(Progress)));
}

// A reader that sees a number also sees its time.
void SweepMemory::Progress::StoreAnswered(uint64_t number) {
  nanoseconds = std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
  question = number;
}

void SweepMemory::Progress::StorePrepared() {
  nanoseconds = std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
  prepared = 1;
}

StatusOr<SweepMemory> SweepMemory::Create() {
  SweepMemory memory;
  // Children inherit it.
  memory.fd_ = memfd_create("tensor-cts-sweep", 0);
  const size_t size = Offset(kParts);
  void* bytes = MAP_FAILED;
  if (memory.fd_ >= 0 && ftruncate(memory.fd_, static_cast<off_t>(size)) == 0) {
    bytes = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory.fd_, 0);
  }
  if (bytes == MAP_FAILED) return Unavailable("no shared memory: ", std::strerror(errno));
  memory.bytes_ = static_cast<uint8_t*>(bytes);
  return memory;
}

SweepMemory::SweepMemory(SweepMemory&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), bytes_(std::exchange(other.bytes_, nullptr)) {}

SweepMemory::~SweepMemory() {
  if (bytes_ != nullptr) munmap(bytes_, Offset(kParts));
  if (fd_ >= 0) close(fd_);
}

// ---- The parent ---------------------------------------------------------------------------------

std::vector<std::string> SplitHostLine(const std::string& line) {
  std::vector<std::string> words(1);
  for (const char c : line) {
    if (c == '\t') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

StatusOr<std::unique_ptr<SweepHost>> SweepHost::Create(Options options, int wake_fd) {
  CTS_ASSIGN_OR_RETURN(SweepMemory memory, SweepMemory::Create());
  return std::unique_ptr<SweepHost>(new SweepHost(std::move(options), std::move(memory), wake_fd));
}

SweepHost::Answer SweepHost::Next(double seconds, std::string* line) {
  const Process::Event event = process_->Next(After(seconds), line);
  return event == Process::Event::kLine ? Answer() : Instead(event, seconds);
}

SweepHost::Answer SweepHost::Await(std::string* line) {
  const SweepMemory::Progress& progress = memory_.progress();
  const double seconds = options_.timeout_seconds, most = std::max(kStartSeconds, seconds);
  const auto whole = After(seconds) - Clock::now();
  const Clock::time_point prepare_end = After(most);
  Clock::time_point deadline = After(seconds);
  while (true) {
    const Process::Event event = process_->Next(deadline, line);
    const bool preparing = progress.prepared == 0;
    progress_ = progress.question;  // read in front of its time
    if (event == Process::Event::kLine) return {};
    if (event != Process::Event::kDeadline) return Instead(event, seconds);
    if (preparing) {
      if (deadline >= prepare_end) {
        process_.reset();
        return {Event::kFails, StrCat("prepare has not returned within ", most, " seconds, for ",
                                      options_.question.op, " of ", options_.question.type,
                                      "; a greater --timeout gives it more")};
      }
      deadline = std::min(deadline + whole, prepare_end);
      continue;
    }
    // The clock is the same in all processes. A time in the future is not the host's.
    const Clock::time_point begun(std::chrono::nanoseconds(progress.nanoseconds));
    if (begun > Clock::now() || begun + whole <= deadline) return Instead(event, seconds);
    deadline = begun + whole;
  }
}

SweepHost::Answer SweepHost::Instead(Process::Event event, double seconds) {
  switch (event) {
    case Process::Event::kInterrupted:
      return {Event::kInterrupted, "interrupted"};
    case Process::Event::kDeadline:
      process_.reset();
      return {Event::kTimeout, Fault(StrCat("no answer within ", seconds, " seconds"))};
    case Process::Event::kTooLong:
      process_.reset();
      return {Event::kUnclear, Fault("wrote into the answers of its host")};
    case Process::Event::kLine:
    case Process::Event::kEnd:
      break;
  }
  const std::optional<Process::Exit> exit = process_->Finish(After(5));
  const std::string log = process_->TakeLog();
  process_.reset();
  progress_ = memory_.progress().question;
  std::string words = WhatPluginDid(exit.value_or(Process::Exit{}), log);
  // The host itself found the fault in the library, and names it.
  if (name_.empty() && exit && exit->code == 2 && !words.empty()) return {Event::kUnusable, words};
  if (words.empty()) words = LastLine(Printable(log, Lines::kKeep));
  return {Event::kCrash, Fault(StrCat("its process ",
                                      exit ? ExitText(*exit) + " before it answered"
                                           : "closed its answers and does not end",
                                      words.empty() ? "" : ": ", words))};
}

std::string SweepHost::Fault(const std::string& what) const {
  return StrCat(options_.question.op, " of ", name_.empty() ? Place() : name_, ": ", what);
}

SweepHost::Answer SweepHost::Start() {
  const bool plugin = options_.worker.empty();
  std::vector<std::string> arguments = {
      "sweep-host", plugin ? options_.library.string() : options_.worker,
      QuestionToJson(options_.question).dump(), StrCat(memory_.fd())};
  if (!plugin) arguments.push_back("--worker");
  if (!options_.edition_file.empty()) {
    arguments.insert(arguments.end(), {"--edition-file", options_.edition_file.string()});
  }
  StatusOr<std::unique_ptr<Process>> process = Process::Start(
      "exec " + ShellQuoted(options_.executable.string()), arguments, true, wake_fd_);
  if (!process.ok()) return {Event::kUnusable, Message(process.status())};
  process_ = *std::move(process);
  std::string line;
  Answer answer = Next(std::max(kStartSeconds, options_.timeout_seconds), &line);
  if (answer.event == Event::kCrash || answer.event == Event::kTimeout ||
      answer.event == Event::kUnclear) {
    return {Event::kUnusable, StrCat(Place(), ": while it was loaded: ", answer.message)};
  }
  if (answer.event != Event::kAnswered) return answer;
  const std::vector<std::string> words = SplitHostLine(line);
  if (words[0] == "hello" && words.size() == 4) {
    name_ = words[1], version_ = words[2], about_ = words[3];
    return {};
  }
  process_.reset();
  return {Event::kUnusable,
          StrCat(Place(), ": found ", Printable(line), ", expected what sweep-host announces")};
}

SweepResults SweepHost::results(size_t question) const {
  const int64_t width = StorageBytes(options_.type);
  const auto bytes = static_cast<size_t>(count_ * width);
  return {memory_.data(static_cast<int>(question), bytes), count_, width};
}

SweepHost::Answer SweepHost::Run(std::span<const SweepRange> questions) {
  answered_ = 0;
  if (process_ == nullptr) {
    if (Answer started = Start(); started.event != Event::kAnswered) return started;
  }
  const uint64_t before = asked_;
  asked_ += questions.size();
  memory_.progress().StoreAnswered(before);
  memory_.progress().prepared = 0;
  const uint64_t count = questions[0].last - questions[0].first + 1;
  count_ = static_cast<int64_t>(count);
  std::string request = StrCat(before + 1, " ", count);
  for (const SweepRange& inputs : questions) request += " " + std::to_string(inputs.first);
  process_->Send(request + "\n");
  std::string line;
  Answer answer = Await(&line);
  if (answer.event == Event::kInterrupted) return answer;
  const bool several = questions.size() > 1;
  const auto forged = [&] {
    process_.reset();
    answered_ = 0;
    return Answer{several ? Event::kUnclear : Event::kCrash,
                  Fault("wrote into the answers of its host")};
  };
  if (progress_ < before || progress_ > asked_) return forged();
  if (answer.event == Event::kUnclear) return several ? answer : forged();
  const bool all = progress_ == asked_;
  if (answer.event == Event::kAnswered && (line == Done(asked_)) != all) return forged();
  // If it ended after its last answer, it did before it said so.
  const bool ended = answer.event != Event::kAnswered;
  answered_ = static_cast<size_t>(progress_ - before) - (ended && all ? 1 : 0);
  if (ended || all) return answer;
  const std::vector<std::string> words = SplitHostLine(line);
  if (words.size() == 2 && words[0] == "refused") return {Event::kRefused, Fault(words[1])};
  if (words.size() == 2 && words[0] == "cannot") return {Event::kFails, words[1]};
  if (words.size() == 2 && words[0] == "unsupported") return {Event::kNotOffered, words[1]};
  if (words.size() != 2 || words[0] != "broken") return forged();
  process_.reset();
  return {Event::kRefused, Fault(words[1])};
}

}  // namespace cts
