#include "tools/program/run/plugin_process.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>

#include "checker/text/printable.h"
#include "tools/program/run/plugin_buffer.h"

namespace cts {
namespace {

// Every message of a host on standard error begins like this. The last one says what a crash was.
constexpr std::string_view kSays = "plugin-host: ";

constexpr int kPluginFailed = 70;  // EX_SOFTWARE of sysexits.h
// For a host whose plugin closed its streams: the log may be one of them.
constexpr int kStreamsClosed = 113;
constexpr const char* kClosed = "the plugin closed descriptors of its host";

void Write(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

[[noreturn]] void End(int code, const std::string& words) {
  fflush(stdout);  // what the plugin had to say
  Write(STDERR_FILENO, StrCat(kSays, words, "\n"));
  _exit(code);
}

// The process that loaded the plugin. A child that the plugin forks must not answer for it.
pid_t host_pid = 0;

void OnExit() {
  if (plugin_stage == nullptr || getpid() != host_pid) return;
  fflush(stdout);
  Write(STDERR_FILENO, StrCat(kSays, "the plugin called exit in ", plugin_stage, "\n"));
}

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
  const char* const stage = plugin_stage;
  text << kSays << (name == nullptr ? "a signal" : name);
  if (stage == nullptr) {
    text << " between calls";
  } else {
    text << " in " << stage;
  }
  if (getpid() != host_pid) text << ", in a process that the plugin forked";
  const bool address = (number == SIGSEGV || number == SIGBUS) && info->si_code > 0;
  const char* const at = static_cast<const char*>(info->si_addr);
  if (const PluginArea* const area = address ? FindPluginArea(at) : nullptr; area != nullptr) {
    if (at < area->data) {
      text << ", at an address " << static_cast<uint64_t>(area->data - at) << " bytes before ";
    } else if (at < area->data + area->bytes) {
      text << ", which wrote to ";
    } else {
      text << ", at an address " << static_cast<uint64_t>(at - area->data - area->bytes)
           << " bytes behind the end of ";
    }
    text << static_cast<const char*>(area->what) << static_cast<const char*>(area->note);
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

// ---- Streams -----------------------------------------------------------------------------------

// A descriptor, and what it is open on: a plugin may close it and open something else.
struct Held {
  int fd = -1;
  dev_t device = 0;
  ino_t inode = 0;

  static Held Of(int fd) {
    struct stat found = {};
    if (fd < 0 || fstat(fd, &found) != 0) return {};
    return {fd, found.st_dev, found.st_ino};
  }
  bool StillHeld() const {
    const Held now = Of(fd);
    return now.fd >= 0 && now.device == device && now.inode == inode;
  }
};
Held held_in, held_out;

}  // namespace

std::string WhatPluginDid(const Process::Exit& exit, const std::string& log) {
  const size_t begin = log.rfind(kSays);
  if (begin == std::string::npos) {
    return exit.signal == 0 && exit.code == kStreamsClosed ? kClosed : "";
  }
  const size_t end = std::min(log.find('\n', begin), log.size());
  return Printable(log.substr(begin, end - begin).substr(kSays.size()));
}

void EndPluginHost(const std::string& words) { End(kPluginFailed, words); }
void EndUnusable(const std::string& words) { End(2, words); }

PluginStreams PluginStreams::Take() {
  PluginStreams streams;
  streams.in_ = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  streams.out_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  held_in = Held::Of(streams.in_), held_out = Held::Of(streams.out_);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (held_in.fd < 0 || held_out.fd < 0 || nothing < 0) {
    EndPluginHost(StrCat("no descriptor: ", std::strerror(errno)));
  }
  dup2(nothing, STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  close(nothing);
  setvbuf(stdout, nullptr, _IOLBF, 0);
  return streams;
}

void PluginStreams::Send(const std::string& line) const { Write(out_, line + "\n"); }

std::optional<std::string> PluginStreams::NextLine() {
  while (true) {
    if (const size_t end = buffered_.find('\n'); end != std::string::npos) {
      std::string line = buffered_.substr(0, end);
      buffered_.erase(0, end + 1);
      return line;
    }
    char bytes[4096];
    const ssize_t got = read(in_, bytes, sizeof(bytes));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) EndPluginHost(StrCat("cannot read requests: ", std::strerror(errno)));
    if (got == 0) return std::nullopt;
    buffered_.append(bytes, static_cast<size_t>(got));
  }
}

Plugin LoadPluginOrEnd(const std::filesystem::path& library) {
  host_pid = getpid();
  CatchFatalSignals();
  std::atexit(OnExit);
  const std::string place = library.string();
  try {
    StatusOr<Plugin> plugin = Plugin::Load(library);
    plugin_stage = nullptr;
    if (plugin.ok()) return *std::move(plugin);
    End(2, Message(plugin.status()));
  } catch (const std::exception& error) {
    EndPluginHost(StrCat(place, ": a C++ exception came out of ", plugin_stage, ": ",
                         Printable(error.what())));
  } catch (...) {
    EndPluginHost(StrCat(place, ": a C++ exception came out of ", plugin_stage));
  }
}

int CallPlugin(const char* stage, const std::function<int()>& call) {
  static int calls = 0;
  const int serial = ++calls;
  int status = 0;
  // Exceptions end here, as they do in JSON and main: these are the plugin's.
  try {
    status = InPlugin(stage, call);
  } catch (const std::exception& error) {
    EndPluginHost(StrCat("a C++ exception came out of ", stage, ": ", Printable(error.what())));
  } catch (...) {
    EndPluginHost(StrCat("a C++ exception, or the end of the thread, came out of ", stage));
  }
  if (getpid() != host_pid) {
    EndPluginHost(StrCat("the plugin forked in ", stage,
                         ", and its child returned from there, too; it is ended"));
  }
  if (serial != calls || plugin_stage != stage) {
    EndPluginHost(StrCat("a call of ", stage, " returned a second time, out of ",
                         plugin_stage == nullptr ? "no call" : plugin_stage,
                         ": longjmp into a function that is over?"));
  }
  if (!held_in.StillHeld() || !held_out.StillHeld()) {
    End(kStreamsClosed, StrCat(kClosed, " in ", stage));
  }
  plugin_stage = nullptr;
  return status;
}

}  // namespace cts
