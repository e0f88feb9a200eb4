#include "tools/sweep/sweep_host.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <optional>

#include "checker/printable.h"
#include "reference/base/json.h"
#include "reference/evaluate/operator_call.h"
#include "tools/run/plugin_buffer.h"
#include "tools/run/plugin_graph.h"
#include "tools/run/plugin_process.h"
#include "tools/sweep/sweep_report.h"

namespace cts {
namespace {

// To load a library and prepare a graph takes longer than to execute one.
constexpr double kStartSeconds = 60;

Clock::time_point After(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::min(seconds, 1e8)));
}

// Whether no result stands there.
bool IsUnwritten(const uint8_t* results, size_t bytes) {
  static const std::vector<uint8_t> unwritten(8192, SweepResults::kUnwritten);
  for (size_t at = 0; at < bytes; at += unwritten.size()) {
    const size_t count = std::min(unwritten.size(), bytes - at);
    if (std::memcmp(results + at, unwritten.data(), count) != 0) return false;
  }
  return true;
}

// The line that answers a question.
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

// A graph of one size, prepared, and the memory that it is executed with.
class Prepared {
 public:
  Prepared(const Plugin& plugin, const SweepDomain& domain, int fd, int64_t count,
           const OperatorCall& call)
      : plugin_(plugin), count_(count), graph_(call.graph, domain.edition().id, domain.level()) {
    status_ =
        CallPlugin("prepare", [&] { return plugin_.table().prepare(&graph_.get(), &state_); });
    int part = 0;
    for (const std::string& name : call.graph.main().inputs) {
      // Zero points and shifts are inputs, too.
      const Tensor& given = call.inputs.at(name);
      const std::string what = StrCat("input ", inputs_.size(), " (", name, ")");
      const bool operand = part < domain.operands() && given.dtype() == domain.in_type() &&
                           given.size() == count && domain.IsOperand(name);
      PluginBuffer& buffer =
          operand ? buffers_.emplace_back(what, given.bytes().size(), fd, SweepMemory::Offset(part))
                  : buffers_.emplace_back(what, given.bytes().size());
      if (operand) {
        ++part;
      } else if (buffer.data() != nullptr) {
        std::memcpy(buffer.data(), given.bytes().data(), given.bytes().size());
      }
      buffer.Protect();
      inputs_.push_back({buffer.data(), buffer.bytes()});
    }
    const auto bytes = static_cast<size_t>(count * StorageBytes(domain.type()));
    const std::string what = StrCat("output 0 (", call.graph.main().outputs[0], ")");
    for (int k = 0; k < SweepMemory::kResults; ++k) {
      results_[static_cast<size_t>(k)] = &buffers_.emplace_back(
          what, bytes, fd, SweepMemory::Offset(SweepMemory::kParts - SweepMemory::kResults + k));
    }
    for (const PluginBuffer& buffer : buffers_) {
      if (buffer.data() == nullptr) EndPluginHost("no memory for " + buffer.what());
    }
  }
  ~Prepared() {
    if (state_ == nullptr) return;
    CallPlugin("free", [&] {
      plugin_.table().free(state_);
      return 0;
    });
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  int64_t count() const { return count_; }
  int status() const { return status_; }

  // Executes question `number`. The answer is a line. After "broken" the process is of no use any
  // more.
  std::string Execute(uint64_t number) const {
    // The parent has seen to it that no results stand there.
    const PluginBuffer& result = *results_[number % SweepMemory::kResults];
    // The plugin gets a copy of the array: it may do to it what it likes.
    const std::vector<tensor_cts_input_buffer> inputs = inputs_;
    tensor_cts_output_buffer output = {result.data(), result.bytes(), 0};
    const int status = CallPlugin("execute", [&] {
      return plugin_.table().execute(state_, inputs.data(), inputs.size(), &output, 1);
    });
    if (const std::string damage = result.Damage(); !damage.empty()) return "broken\t" + damage;
    if (status != TENSOR_CTS_OK) {
      return StrCat("refused\texecute returned ", Words(status), ": ", plugin_.ErrorText());
    }
    if (output.written != result.bytes()) {
      return StrCat("refused\texecute says that it wrote ", output.written, " bytes to ",
                    result.what(), ", expected ", result.bytes());
    }
    return Done(number);
  }

 private:
  const Plugin& plugin_;
  const int64_t count_;
  const PluginGraph graph_;
  void* state_ = nullptr;
  int status_ = TENSOR_CTS_FAILED;
  std::deque<PluginBuffer> buffers_;
  std::vector<tensor_cts_input_buffer> inputs_;
  std::array<PluginBuffer*, SweepMemory::kResults> results_ = {};
};

}  // namespace

Status ServeSweep(const std::filesystem::path& library, const SweepQuestion& question, int fd) {
  CTS_ASSIGN_OR_RETURN(const SweepDomain domain, SweepDomain::Of(question));
  PluginStreams streams = PluginStreams::Take();
  const Plugin plugin = LoadPluginOrEnd(library);
  streams.Send(StrCat("hello\t", plugin.name(), "\t", plugin.version(), "\t", plugin.about()));
  std::unique_ptr<Prepared> prepared;
  while (const std::optional<std::string> line = streams.NextLine()) {
    // The number of inputs, and the number of the question, which the answer repeats.
    char* rest = nullptr;
    const int64_t count = std::strtoll(line->c_str(), &rest, 10);
    const uint64_t number = std::strtoull(rest, nullptr, 10);
    if (count < 1 || count > kSweepBlock) {
      return InvalidArgument("sweep: found ", Printable(*line), ", expected 1 to ", kSweepBlock);
    }
    if (prepared == nullptr || prepared->count() != count) {
      CTS_ASSIGN_OR_RETURN(const OperatorCall call, domain.CallOf(count));
      prepared.reset();
      prepared = std::make_unique<Prepared>(plugin, domain, fd, count, call);
    }
    if (prepared->status() != TENSOR_CTS_OK) {
      const bool offered = prepared->status() != TENSOR_CTS_UNSUPPORTED;
      streams.Send(StrCat(offered ? "cannot" : "unsupported", "\tprepare returned ",
                          Words(prepared->status()), " for ", question.op, " of ", question.type,
                          ": ", plugin.ErrorText()));
      continue;
    }
    streams.Send(prepared->Execute(number));
  }
  prepared.reset();
  return absl::OkStatus();
}

// ---- Memory -------------------------------------------------------------------------------------

size_t SweepMemory::Offset(int part) {
  // For elements of up to 8 bytes.
  return static_cast<size_t>(part) * PluginBuffer::Room(static_cast<size_t>(kSweepBlock) * 8);
}

uint8_t* SweepMemory::data(int part, size_t bytes) const {
  return bytes_ + Offset(part) + PluginBuffer::Start(bytes);
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
  switch (process_->Next(After(seconds), line)) {
    case Process::Event::kLine:
      return {};
    case Process::Event::kInterrupted:
      return {Event::kInterrupted, "interrupted"};
    case Process::Event::kDeadline:
      process_.reset();
      return {Event::kTimeout, Fault(StrCat("no answer within ", seconds, " seconds"))};
    case Process::Event::kTooLong:
      process_.reset();
      return {Event::kCrash, Fault("wrote into the answers of its host")};
    case Process::Event::kEnd:
      break;
  }
  const std::optional<Process::Exit> exit = process_->Finish(After(5));
  const std::string log = process_->TakeLog();
  process_.reset();
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
  return StrCat(options_.question.op, " of ",
                name_.empty() ? options_.library.filename().string() : name_, ": ", what);
}

SweepHost::Answer SweepHost::Start() {
  std::vector<std::string> arguments = {"sweep-host", options_.library.string(),
                                        QuestionToJson(options_.question).dump(),
                                        StrCat(memory_.fd())};
  if (!options_.edition_file.empty()) {
    arguments.insert(arguments.end(), {"--edition-file", options_.edition_file.string()});
  }
  StatusOr<std::unique_ptr<Process>> process = Process::Start(
      "exec " + ShellQuoted(options_.executable.string()), arguments, true, wake_fd_);
  if (!process.ok()) return {Event::kUnusable, Message(process.status())};
  process_ = *std::move(process);
  for (size_t& bytes : unwritten_) bytes = 0;
  std::string line;
  Answer answer = Next(std::max(kStartSeconds, options_.timeout_seconds), &line);
  if (answer.event == Event::kCrash || answer.event == Event::kTimeout) {
    return {Event::kUnusable,
            StrCat(options_.library.string(), ": while it was loaded: ", answer.message)};
  }
  if (answer.event != Event::kAnswered) return answer;
  const std::vector<std::string> words = SplitHostLine(line);
  if (words[0] == "hello" && words.size() == 4) {
    name_ = words[1], version_ = words[2], about_ = words[3];
    return {};
  }
  process_.reset();
  return {Event::kUnusable, StrCat(options_.library.string(), ": found ", Printable(line),
                                   ", expected what sweep-host announces")};
}

uint8_t* SweepHost::ResultsOf(uint64_t question, size_t bytes) const {
  const int part = static_cast<int>(question % SweepMemory::kResults);
  return memory_.data(SweepMemory::kParts - SweepMemory::kResults + part, bytes);
}

// At once: what the plugin writes later is no result, and found where it is looked for.
void SweepHost::TakeResults() {
  const auto bytes = static_cast<size_t>(count_ * width_);
  uint8_t* const shared = ResultsOf(questions_, bytes);
  taken_.resize(bytes);
  constexpr size_t kChunk = 8192;  // what is copied is still at hand when it is written over
  for (size_t at = 0; at < bytes; at += kChunk) {
    const size_t count = std::min(kChunk, bytes - at);
    std::memcpy(taken_.data() + at, shared + at, count);
    std::memset(shared + at, SweepResults::kUnwritten, count);
  }
  unwritten_[questions_ % SweepMemory::kResults] = bytes;
}

SweepHost::Answer SweepHost::Run(int64_t count, DType type) {
  if (process_ == nullptr) {
    if (Answer started = Start(); started.event != Event::kAnswered) return started;
  }
  const uint64_t number = ++questions_;
  count_ = count, width_ = StorageBytes(type);
  const auto bytes = static_cast<size_t>(count_ * width_);
  // Elements that the plugin does not write are NaN, and not a result of an earlier question.
  std::memset(ResultsOf(number, bytes), SweepResults::kUnwritten, bytes);
  unwritten_[number % SweepMemory::kResults] = 0;
  process_->Send(std::to_string(count) + " " + std::to_string(number) + "\n");
  std::string line;
  Answer answer = Next(options_.timeout_seconds, &line);
  if (answer.event != Event::kAnswered) return answer;
  if (line == Done(number)) {
    TakeResults();
    // Nobody should have written to the results of the question before, which were taken.
    if (unwritten_[(number - 1) % SweepMemory::kResults] == bytes &&
        !IsUnwritten(ResultsOf(number - 1, bytes), bytes)) {
      process_.reset();
      return {Event::kRefused, Fault("the output of the call before was written to after execute "
                                     "had returned")};
    }
    return {};
  }
  const std::vector<std::string> words = SplitHostLine(line);
  if (words.size() == 2 && words[0] == "refused") return {Event::kRefused, Fault(words[1])};
  if (words.size() == 2 && words[0] == "cannot") return {Event::kFails, words[1]};
  if (words.size() == 2 && words[0] == "unsupported") return {Event::kNotOffered, words[1]};
  process_.reset();
  if (words.size() == 2 && words[0] == "broken") return {Event::kRefused, Fault(words[1])};
  return {Event::kCrash, Fault("wrote into the answers of its host")};
}

}  // namespace cts
