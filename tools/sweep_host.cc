#include "tools/sweep_host.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <optional>

#include "checker/printable.h"
#include "reference/base/json.h"
#include "reference/graph/operator_call.h"
#include "tools/plugin_loader.h"
#include "tools/sweep_report.h"

namespace cts {
namespace {

constexpr int kParts = 3;
// To load a library and prepare a graph takes longer than to execute one.
constexpr double kStartSeconds = 60;

Clock::time_point After(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::min(seconds, 1e8)));
}

std::string Describe(const Process::Exit& exit) {
  if (exit.signal == 0) return StrCat("exited with code ", exit.code);
  const char* const name = sigdescr_np(exit.signal);
  return StrCat("was killed by signal ", exit.signal, " (", name == nullptr ? "?" : name, ")");
}

std::vector<std::string> Split(const std::string& line) {
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

// ---- The child ----------------------------------------------------------------------------------

// A graph of one size, prepared.
class Prepared {
 public:
  Prepared(const Plugin& plugin, OperatorCall call, std::string edition)
      : plugin_(plugin),
        call_(std::move(call)),
        edition_(std::move(edition)),
        graph_(call_.graph, edition_, level_) {
    status_ = plugin_.table().prepare(&graph_.get(), &state_);
  }
  ~Prepared() {
    if (state_ != nullptr) plugin_.table().free(state_);
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  tensor_cts_status status() const { return status_; }
  void* state() const { return state_; }
  const Block& block() const { return call_.graph.main(); }
  const std::map<std::string, Tensor>& inputs() const { return call_.inputs; }

 private:
  const Plugin& plugin_;
  const OperatorCall call_;
  const std::string edition_, level_ = "8K";
  const PluginGraph graph_;
  void* state_ = nullptr;
  tensor_cts_status status_ = TENSOR_CTS_FAILED;
};

std::string_view Words(tensor_cts_status status) {
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
  return "an unknown status";
}

// One line of an answer.
std::string Execute(const Plugin& plugin, const SweepDomain& domain, const Prepared& prepared,
                    const SweepMemory& memory, int64_t count) {
  std::vector<tensor_cts_input_buffer> inputs;
  const auto bytes = static_cast<size_t>(count * StorageBytes(domain.in_type()));
  int part = 0;
  for (const std::string& name : prepared.block().inputs) {
    // Zero points and shifts are inputs, too.
    const Tensor& given = prepared.inputs().at(name);
    if (part < domain.operands() && given.dtype() == domain.in_type() && given.size() == count &&
        domain.IsOperand(name)) {
      inputs.push_back({memory.part(part++), bytes});
    } else {
      inputs.push_back({given.bytes().data(), given.bytes().size()});
    }
  }
  tensor_cts_output_buffer output = {memory.part(2),
                                     static_cast<size_t>(count * StorageBytes(domain.type())), 0};
  // What the plugin does not write is NaN, and no result of the block before.
  std::memset(output.data, 0xFF, output.bytes);
  // Nothing that anybody reads lies around the output: in the parts of the memory there is room.
  constexpr size_t kGuard = 4096;
  constexpr uint8_t kPattern = 0xC3;
  const size_t wanted = output.bytes;
  uint8_t* const before = static_cast<uint8_t*>(output.data) - kGuard;
  uint8_t* const behind = static_cast<uint8_t*>(output.data) + wanted;
  for (uint8_t* guard : {before, behind}) std::memset(guard, kPattern, kGuard);
  const pid_t self = getpid();
  const tensor_cts_status status =
      plugin.table().execute(prepared.state(), inputs.data(), inputs.size(), &output, 1);
  if (getpid() != self) _exit(0);  // the plugin forked, and its child came back, too
  for (const uint8_t* guard : {before, behind}) {
    if (std::all_of(guard, guard + kGuard, [](uint8_t byte) { return byte == kPattern; })) continue;
    return "refused\texecute wrote around its output";
  }
  if (status != TENSOR_CTS_OK) {
    return StrCat("refused\texecute returned ", Words(status), ": ", plugin.ErrorText());
  }
  if (output.written != wanted) {
    return StrCat("refused\texecute wrote ", output.written, " bytes, expected ", wanted);
  }
  return "done";
}

}  // namespace

Status ServeSweep(const std::filesystem::path& library, const SweepQuestion& question, int fd) {
  // What the plugin prints is no answer of ours.
  std::FILE* const out = fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), "w");
  if (out == nullptr || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    return Unavailable("sweep: no standard output: ", std::strerror(errno));
  }
  const auto say = [&](const std::string& line) {
    std::fprintf(out, "%s\n", line.c_str());
    std::fflush(out);
  };
  CTS_ASSIGN_OR_RETURN(const SweepMemory memory, SweepMemory::Open(fd));
  CTS_ASSIGN_OR_RETURN(const SweepDomain domain, SweepDomain::Of(question));
  const StatusOr<Plugin> plugin = Plugin::Load(library);
  if (!plugin.ok()) {
    say(StrCat("cannot\t", Printable(Message(plugin.status()))));
    return absl::OkStatus();
  }
  say(StrCat("hello\t", plugin->name(), "\t", plugin->version(), "\t", plugin->about()));
  std::unique_ptr<Prepared> prepared;
  int64_t prepared_count = 0;
  for (std::string line; std::getline(std::cin, line);) {
    // How many inputs, and the number of the question, which the answer repeats.
    char* number = nullptr;
    const int64_t count = std::strtoll(line.c_str(), &number, 10);
    if (count < 1 || count > kSweepBlock) {
      return InvalidArgument("sweep: found ", Printable(line), ", expected 1 to ", kSweepBlock);
    }
    if (count != prepared_count) {
      CTS_ASSIGN_OR_RETURN(OperatorCall call, domain.CallOf(count));
      prepared.reset();
      prepared = std::make_unique<Prepared>(*plugin, std::move(call), domain.edition().id);
      prepared_count = count;
    }
    if (prepared->status() != TENSOR_CTS_OK) {
      say(StrCat("cannot\tprepare returned ", Words(prepared->status()), " for ", question.op,
                 " of ", question.type, ": ", plugin->ErrorText()));
      continue;
    }
    const std::string answer = Execute(*plugin, domain, *prepared, memory, count);
    say(answer == "done" ? StrCat(answer, number) : answer);
  }
  return absl::OkStatus();
}

// ---- Memory -------------------------------------------------------------------------------------

StatusOr<SweepMemory> SweepMemory::Map(int fd) {
  SweepMemory memory;
  memory.fd_ = fd;
  void* const bytes = mmap(nullptr, kParts * kPartBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (bytes == MAP_FAILED) return Unavailable("no shared memory: ", std::strerror(errno));
  memory.bytes_ = static_cast<uint8_t*>(bytes);
  return memory;
}

StatusOr<SweepMemory> SweepMemory::Create() {
  // Children inherit it.
  const int fd = memfd_create("tensor-cts-sweep", 0);
  if (fd < 0 || ftruncate(fd, kParts * kPartBytes) != 0) {
    return Unavailable("no shared memory: ", std::strerror(errno));
  }
  return Map(fd);
}

StatusOr<SweepMemory> SweepMemory::Open(int fd) { return Map(fd); }

SweepMemory::SweepMemory(SweepMemory&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), bytes_(std::exchange(other.bytes_, nullptr)) {}

SweepMemory::~SweepMemory() {
  if (bytes_ != nullptr) munmap(bytes_, kParts * kPartBytes);
  if (fd_ >= 0) close(fd_);
}

// ---- The parent ---------------------------------------------------------------------------------

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
      return {Event::kTimeout, StrCat("no answer within ", seconds, " s")};
    case Process::Event::kTooLong:
      process_.reset();
      return {Event::kCrash, "wrote into the answers of its host"};
    case Process::Event::kEnd:
      break;
  }
  const std::optional<Process::Exit> exit = process_->Finish(After(5));
  const std::string log = LastLine(Printable(process_->TakeLog(), Lines::kKeep));
  process_.reset();
  return {Event::kCrash, StrCat("the process ", exit ? Describe(*exit) : "does not end",
                                log.empty() ? "" : "; the last line of its log: ", log)};
}

SweepHost::Answer SweepHost::Start() {
  StatusOr<std::unique_ptr<Process>> process =
      Process::Start("exec " + ShellQuoted(options_.executable.string()),
                     {"sweep-host", options_.library.string(),
                      QuestionToJson(options_.question).dump(), StrCat(memory_.fd())},
                     true, wake_fd_);
  if (!process.ok()) return {Event::kUnusable, Message(process.status())};
  process_ = *std::move(process);
  std::string line;
  Answer answer = Next(std::max(kStartSeconds, options_.timeout_seconds), &line);
  if (answer.event != Event::kAnswered) {
    if (answer.event != Event::kInterrupted) answer.event = Event::kUnusable;
    answer.message = StrCat(options_.library.string(), ": while it was loaded: ", answer.message);
    return answer;
  }
  const std::vector<std::string> words = Split(line);
  if (words[0] == "hello" && words.size() == 4) {
    name_ = words[1], version_ = words[2], about_ = words[3];
    return {};
  }
  process_.reset();
  return {Event::kUnusable, words.size() == 2 ? words[1] : "found " + Printable(line)};
}

SweepHost::Answer SweepHost::Run(const std::vector<Tensor>& operands, Tensor* result) {
  if (process_ == nullptr) {
    if (Answer started = Start(); started.event != Event::kAnswered) return started;
  }
  for (size_t k = 0; k < operands.size(); ++k) {
    std::memcpy(memory_.part(static_cast<int>(k)), operands[k].bytes().data(),
                operands[k].bytes().size());
  }
  const std::string number = StrCat(" ", ++questions_);
  process_->Send(StrCat(result->size(), number, "\n"));
  std::string line;
  Answer answer = Next(options_.timeout_seconds, &line);
  if (answer.event != Event::kAnswered) return answer;
  if (line == "done" + number) {
    for (size_t k = 0; k < operands.size(); ++k) {
      if (std::memcmp(memory_.part(static_cast<int>(k)), operands[k].bytes().data(),
                      operands[k].bytes().size()) != 0) {
        return {Event::kRefused, "execute wrote to an input"};
      }
    }
    std::memcpy(result->bytes().data(), memory_.part(2), result->bytes().size());
    return {};
  }
  const std::vector<std::string> words = Split(line);
  if (words.size() == 2 && words[0] == "refused") return {Event::kRefused, words[1]};
  if (words.size() == 2 && words[0] == "cannot") return {Event::kUnusable, words[1]};
  process_.reset();
  return {Event::kCrash, "wrote into the answers of its host"};
}

}  // namespace cts
