#include "tools/plugin_host.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/printable.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "reference/graph/case.h"
#include "tools/plugin_loader.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr int kPluginFailed = 70;  // EX_SOFTWARE of sysexits.h
constexpr const char* kNothing = "nothing";

// ---- Last words --------------------------------------------------------------------------------

void Write(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

template <class... Args>
void Say(const Args&... args) {
  Write(STDERR_FILENO, StrCat(kPluginHostSays, args..., "\n"));
}

// Not exit: destructors and handlers of a plugin that failed are not to be trusted.
template <class... Args>
[[noreturn]] void Die(const Args&... args) {
  fflush(stdout);  // what the plugin had to say
  Say(args...);
  _exit(kPluginFailed);
}

// The process that loaded the plugin. A child that the plugin forks must not answer for it.
pid_t host_pid = 0;

void OnExit() {
  if (plugin_stage != kNothing && getpid() == host_pid)
    Say("the plugin called exit in ", plugin_stage);
}

// ---- Memory with nothing around it -------------------------------------------------------------

// A signal handler looks here, so there is a fixed number; of further buffers it does not know.
struct Area {
  const char* begin = nullptr;  // of the whole mapping
  const char* end = nullptr;
  const char* data = nullptr;
  size_t bytes = 0;
  char what[120] = {};
};
std::array<Area, 64> areas;

// Memory of a tensor, aligned to 64 bytes, between pages that nobody may touch. The few bytes up to
// those pages hold a pattern.
class Buffer {
 public:
  Buffer(std::string what, size_t bytes) : what_(std::move(what)), bytes_(bytes) {
    if (bytes == 0 || bytes > SIZE_MAX / 2) return;
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t aligned = (bytes + 63) / 64 * 64;
    room_ = (aligned + 64 + page - 1) / page * page;
    mapped_ = room_ + 2 * page;
    void* const memory =
        mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    base_ = static_cast<uint8_t*>(memory);
    start_ = base_ + page;
    if (mprotect(start_, room_, PROT_READ | PROT_WRITE) != 0) return;
    data_ = start_ + room_ - aligned;
    for (uint8_t* at = start_; at < start_ + room_; ++at) {
      if (at == data_) at += bytes_;
      if (at < start_ + room_) *at = Pattern(at);
    }
    for (Area& area : areas) {
      if (area.begin != nullptr) continue;
      area.end = reinterpret_cast<const char*>(base_) + mapped_;
      area.data = reinterpret_cast<const char*>(data_);
      area.bytes = bytes;
      std::snprintf(area.what, sizeof(area.what), "%s", what_.c_str());
      area.begin = reinterpret_cast<const char*>(base_);
      area_ = &area;
      break;
    }
  }
  ~Buffer() {
    if (area_ != nullptr) area_->begin = nullptr;
    if (base_ != nullptr) munmap(base_, mapped_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  const std::string& what() const { return what_; }
  // Null where the tensor has no bytes, or more than there is room for.
  uint8_t* data() const { return data_; }
  size_t bytes() const { return data_ == nullptr ? 0 : bytes_; }

  // From here on whoever writes dies.
  void Protect() {
    if (data_ != nullptr) mprotect(start_, room_, PROT_READ);
  }

  // What was written around it; empty if nothing.
  std::string Damage() const {
    if (data_ == nullptr) return "";
    for (const uint8_t* at = start_; at < start_ + room_; ++at) {
      if (at == data_) at += bytes_;
      if (at == start_ + room_ || *at == Pattern(at)) continue;
      return StrCat("execute wrote ", Place(reinterpret_cast<uintptr_t>(at)), " ", what_,
                    ", which has ", bytes_, " bytes");
    }
    return "";
  }

 private:
  static uint8_t Pattern(const uint8_t* at) {
    return static_cast<uint8_t>(0xA7 + 29 * reinterpret_cast<uintptr_t>(at));
  }
  std::string Place(uintptr_t at) const {
    const auto data = reinterpret_cast<uintptr_t>(data_);
    return at < data ? StrCat(data - at, " bytes before") : StrCat("at byte ", at - data, " of");
  }

  const std::string what_;
  const size_t bytes_;
  uint8_t *base_ = nullptr, *start_ = nullptr, *data_ = nullptr;
  size_t room_ = 0, mapped_ = 0;
  Area* area_ = nullptr;
};

// ---- Signals -----------------------------------------------------------------------------------

// Text without memory of its own: a signal may come from anywhere.
class SignalText {
 public:
  SignalText& operator<<(std::string_view text) {
    const size_t size = std::min(text.size(), sizeof(bytes_) - used_);
    std::memcpy(bytes_ + used_, text.data(), size);
    used_ += size;
    return *this;
  }
  SignalText& operator<<(uint64_t number) {
    char digits[20];
    const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), number);
    return *this << std::string_view(digits, static_cast<size_t>(end - digits));
  }
  std::string_view get() const { return {bytes_, used_}; }

 private:
  char bytes_[1024];
  size_t used_ = 0;
};

extern "C" void OnFatalSignal(int number, siginfo_t* info, void*) {
  SignalText text;
  const char* const name = sigdescr_np(number);
  text << kPluginHostSays << (name == nullptr ? "a signal" : name) << " in " << plugin_stage;
  const char* const at = static_cast<const char*>(info->si_addr);
  const bool address = (number == SIGSEGV || number == SIGBUS) && info->si_code > 0;
  for (const Area& area : areas) {
    if (!address || area.begin == nullptr || at < area.begin || at >= area.end) continue;
    if (at < area.data) {
      text << ", at an address " << static_cast<uint64_t>(area.data - at) << " bytes before ";
    } else if (at < area.data + area.bytes) {
      text << ", which wrote to ";
    } else {
      text << ", at an address " << static_cast<uint64_t>(at - area.data - area.bytes)
           << " bytes behind the end of ";
    }
    text << static_cast<const char*>(area.what);
  }
  text << "\n";
  Write(STDERR_FILENO, text.get());
  std::signal(number, SIG_DFL);
  raise(number);  // delivered when this returns
}

void CatchFatalSignals() {
  // A stack of its own: the plugin may have used up the other.
  static char stack[64 << 10];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof(stack);
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = OnFatalSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS}) {
    sigaction(number, &action, nullptr);
  }
}

// ---- The host ----------------------------------------------------------------------------------

// What the runner hears of a case. A fault is what the plugin did against its interface.
struct Answer {
  std::string status, message, fault;
};

Answer Fault(std::string fault) { return {"", "", std::move(fault)}; }

class Host {
 public:
  explicit Host(Plugin plugin) : plugin_(std::move(plugin)) {}

  const Plugin& plugin() const { return plugin_; }

  // An error if the bundle cannot be read or an output not be written.
  StatusOr<Answer> RunCase(const fs::path& case_dir, const fs::path& result_dir) {
    CTS_ASSIGN_OR_RETURN(const Case c, ReadCaseInputs(case_dir));
    const PluginGraph graph(c.graph, c.edition, c.level);
    void* prepared = nullptr;
    Answer answer =
        Call("prepare", [&] { return plugin_.table().prepare(&graph.get(), &prepared); });
    const auto inputs = c.InputsOfExecutions();
    for (size_t k = 0; k < inputs.size() && answer.status == "ok"; ++k) {
      CTS_ASSIGN_OR_RETURN(
          answer, Execute(c.graph.main(), *inputs[k], static_cast<int>(k), prepared, result_dir));
    }
    // Behind a fault nothing is certain, the least what to free.
    if (!answer.fault.empty() || prepared == nullptr) return answer;
    const Answer freed = Call("free", [&] {
      plugin_.table().free(prepared);
      return TENSOR_CTS_OK;
    });
    return freed.fault.empty() ? answer : freed;
  }

 private:
  // A call into the plugin.
  template <class F>
  Answer Call(const char* stage, F call) {
    const int serial = ++calls_;
    plugin_stage = stage;
    int status = 0;
    // The third place where exceptions end: they are the plugin's.
    try {
      status = static_cast<int>(call());
    } catch (const std::exception& error) {
      Die("a C++ exception came out of ", stage, ": ", Printable(error.what()));
    } catch (...) {
      Die("a C++ exception, or the end of the thread, came out of ", stage);
    }
    if (getpid() != host_pid) {
      Say("the plugin forked in ", stage, ", and its child returned from there, too");
      kill(host_pid, SIGKILL);  // nobody can tell who answers
      _exit(kPluginFailed);
    }
    if (serial != calls_ || plugin_stage != stage) {
      Die("a call of ", stage, " returned a second time, out of ", plugin_stage,
          ": longjmp into a function that is over?");
    }
    plugin_stage = kNothing;
    switch (status) {
      case TENSOR_CTS_OK:
        return {"ok", "", ""};
      case TENSOR_CTS_ERROR:
        return {"error", plugin_.ErrorText(), ""};
      case TENSOR_CTS_UNSUPPORTED:
        return {"unsupported", plugin_.ErrorText(), ""};
      case TENSOR_CTS_FAILED: {
        const std::string why = plugin_.ErrorText();
        Die(stage, " returned TENSOR_CTS_FAILED: ", why.empty() ? "no reason given" : why);
      }
      default:
        return Fault(StrCat(stage, " returned the status ", status,
                            ", expected one from 0 (OK) to ", static_cast<int>(TENSOR_CTS_FAILED),
                            " (FAILED)"));
    }
  }

  StatusOr<Answer> Execute(const Block& block, const std::map<std::string, Tensor>& inputs, int k,
                           void* prepared, const fs::path& result_dir) {
    std::vector<std::unique_ptr<Buffer>> buffers;
    const auto new_buffer = [&](const char* kind, size_t i, const std::string& name, size_t bytes) {
      buffers.push_back(std::make_unique<Buffer>(
          StrCat(kind, " ", i, " (", Printable(name).substr(0, 60), ")"), bytes));
      return buffers.back().get();
    };
    std::vector<tensor_cts_input_buffer> in;
    for (const std::string& name : block.inputs) {
      // An error case may have none: no file has the shape that it declares.
      const auto value = inputs.find(name);
      const size_t bytes = value == inputs.end() ? 0 : value->second.bytes().size();
      Buffer* const buffer = new_buffer("input", in.size(), name, bytes);
      if (buffer->bytes() < bytes) return Unavailable("no memory for ", buffer->what());
      if (bytes > 0) std::memcpy(buffer->data(), value->second.bytes().data(), bytes);
      buffer->Protect();
      in.push_back({buffer->data(), buffer->bytes()});
    }
    std::vector<tensor_cts_output_buffer> out;
    for (const std::string& name : block.outputs) {
      const GraphTensor& tensor = *block.Find(name);
      Buffer* const buffer =
          new_buffer("output", out.size(), name, PluginBytes(tensor.dtype, tensor.shape));
      // What is not written should not look like an answer, as zeros might: NaN, and no boolean.
      if (buffer->bytes() > 0) std::memset(buffer->data(), 0xFF, buffer->bytes());
      out.push_back({buffer->data(), buffer->bytes(), kUnset});
    }
    // What the plugin does to the arrays is its own affair.
    std::vector<tensor_cts_output_buffer> told = out;
    const std::vector<tensor_cts_input_buffer> in_told = in;
    const Answer answer = Call("execute", [&] {
      return plugin_.table().execute(prepared, in_told.data(), in_told.size(), told.data(),
                                     told.size());
    });
    if (!answer.fault.empty()) return answer;
    for (const auto& buffer : buffers) {
      if (std::string damage = buffer->Damage(); !damage.empty()) return Fault(std::move(damage));
    }
    if (answer.status != "ok") return answer;
    for (size_t i = 0; i < out.size(); ++i) {
      const GraphTensor& tensor = *block.Find(block.outputs[i]);
      const size_t element = static_cast<size_t>(StorageBytes(tensor.dtype));
      const size_t written = told[i].written;
      if (written == kUnset && out[i].bytes > 0) {
        return Fault(StrCat("execute returned OK, and did not set `written` of output ", i, " (",
                            Printable(tensor.name), ")"));
      }
      if (written == kUnset) continue;
      if (written > out[i].bytes || written % element != 0) {
        return Fault(StrCat("execute says that it wrote ", written, " bytes to output ", i, " (",
                            Printable(tensor.name), "), expected ", out[i].bytes));
      }
      // Another length than the declared one: the checker says what it thinks of it.
      const bool whole = written == out[i].bytes;
      if (written == 0 && !IsEmptyShape(tensor)) continue;
      Tensor value(tensor.dtype,
                   whole ? tensor.shape : Shape{static_cast<int64_t>(written / element)});
      if (written > 0) std::memcpy(value.bytes().data(), out[i].data, written);
      CTS_RETURN_IF_ERROR(WriteNpy(result_dir / (ResultName(tensor.name, k) + ".npy"), value));
    }
    return answer;
  }

  static bool IsEmptyShape(const GraphTensor& tensor) {
    return tensor.dtype == DType::kShape && tensor.shape == Shape{0};
  }

  static constexpr size_t kUnset = SIZE_MAX;

  const Plugin plugin_;
  int calls_ = 0;
};

// ---- The protocol ------------------------------------------------------------------------------

// Where the runner is. The plugin gets other standard streams: its standard output is the log.
struct Streams {
  int in = -1, out = -1;
};

Streams TakeStreams() {
  const Streams streams{fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3),
                        fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (streams.in < 0 || streams.out < 0 || nothing < 0)
    Die("no descriptor: ", std::strerror(errno));
  dup2(nothing, STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  close(nothing);
  setvbuf(stdout, nullptr, _IOLBF, 0);
  return streams;
}

void Send(const Streams& streams, const Json& json) {
  const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (fcntl(streams.out, F_GETFD) < 0) Die("the plugin closed what its host answers on");
  Write(streams.out, line);
}

// The next line of a request; nothing at the end of the input.
std::optional<std::string> NextLine(const Streams& streams, std::string& buffered) {
  while (true) {
    if (const size_t end = buffered.find('\n'); end != std::string::npos) {
      std::string line = buffered.substr(0, end);
      buffered.erase(0, end + 1);
      return line;
    }
    char bytes[4096];
    const ssize_t got = read(streams.in, bytes, sizeof(bytes));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) Die("cannot read requests: ", std::strerror(errno));
    if (got == 0) return std::nullopt;
    buffered.append(bytes, static_cast<size_t>(got));
  }
}

Host LoadOrExit(const fs::path& library) {
  host_pid = getpid();
  CatchFatalSignals();
  std::atexit(OnExit);
  try {
    StatusOr<Plugin> plugin = Plugin::Load(library);
    plugin_stage = kNothing;
    if (plugin.ok()) return Host(*std::move(plugin));
    Say(Message(plugin.status()));
  } catch (const std::exception& error) {
    Die(library.string(), ": a C++ exception came out of ", plugin_stage, ": ",
        Printable(error.what()));
  } catch (...) {
    Die(library.string(), ": a C++ exception came out of ", plugin_stage);
  }
  _exit(2);
}

void AnswerFor(Host& host, const Streams& streams, const Json& request) {
  const auto answer = host.RunCase(request["case_dir"].get<std::string>(),
                                   request["result_dir"].get<std::string>());
  if (!answer.ok()) Die("the host's own trouble, not the plugin's: ", Message(answer.status()));
  Json json = {{"case", request["case"]}};
  if (!answer->fault.empty()) {
    json["fault"] = answer->fault;
    Send(streams, json);
    Die(answer->fault);
  }
  json["status"] = answer->status;
  if (!answer->message.empty()) json["message"] = answer->message;
  Send(streams, json);
}

}  // namespace

int ServePlugin(const fs::path& library) {
  const Streams streams = TakeStreams();
  Host host = LoadOrExit(library);
  Json announcement = {{"worker", host.plugin().name()}, {"version", host.plugin().version()}};
  if (!host.plugin().about().empty()) announcement["about"] = host.plugin().about();
  Send(streams, announcement);
  std::string buffered;
  while (const std::optional<std::string> line = NextLine(streams, buffered)) {
    const auto request = ParseJson(*line, "request");
    if (!request.ok()) Die(Message(request.status()));
    for (const char* member : {"case", "case_dir", "result_dir"}) {
      if (!request->is_object() || !request->contains(member) || !(*request)[member].is_string()) {
        Die("found the request ", Printable(*line), ", expected a string \"", member, "\" in it");
      }
    }
    AnswerFor(host, streams, *request);
  }
  return 0;
}

int ServePluginOnce(const fs::path& library, const fs::path& case_dir, const fs::path& result_dir) {
  const Streams streams = TakeStreams();
  Host host = LoadOrExit(library);
  AnswerFor(host, streams,
            {{"case", case_dir.filename().string()},
             {"case_dir", case_dir.string()},
             {"result_dir", result_dir.string()}});
  return 0;
}

}  // namespace cts
