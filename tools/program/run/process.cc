#include "tools/program/run/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "reference/base/contains.h"
#include "tools/program/run/memory_watch.h"

// NOLINTNEXTLINE(readability-redundant-declaration): POSIX leaves it to us, glibc has it too.
extern char** environ;

namespace cts {
namespace {

using std::chrono::milliseconds;

void Close(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

// A pipe whose ends no child inherits.
struct Pipe {
  int read_end = -1;
  int write_end = -1;

  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    Close(read_end);
    Close(write_end);
  }
  bool Open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
};

// Every child of this process.
std::vector<pid_t> Children() {
  std::vector<pid_t> children;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc/self/task", error), end; !error && it != end;
       it.increment(error)) {
    std::ifstream file(it->path() / "children");
    for (pid_t pid = 0; file >> pid;) children.push_back(pid);
  }
  return children;
}

// Our end must not block. The other end is an open file of its own and stays as it is.
int Take(int& fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return std::exchange(fd, -1);
}

}  // namespace

StatusOr<std::unique_ptr<Process>> Process::Start(const std::string& command,
                                                  const std::vector<std::string>& arguments,
                                                  bool input, int wake_fd, MemoryWatch* watch) {
  Pipe in, out, err;
  if ((input && !in.Open()) || !out.Open() || !err.Open()) {
    return Unavailable("cannot start \"", command, "\": no pipe: ", std::strerror(errno));
  }
  // The shell appends the arguments itself, so that none of them needs quoting.
  const std::string script = command + " \"$@\"";
  std::vector<std::string> words = {"/bin/sh", "-c", script, "sh"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input) {
    posix_spawn_file_actions_adddup2(&actions, in.read_end, STDIN_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end, STDERR_FILENO);
  // SIGPIPE is ignored here, and children inherit that.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults, mask;
  sigemptyset(&mask);
  sigemptyset(&defaults);
  for (int signal : {SIGPIPE, SIGINT, SIGTERM}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return Unavailable("cannot start \"", command, "\" by /bin/sh: ", std::strerror(error));
  }
  if (watch != nullptr) watch->Add(pid);
  return std::unique_ptr<Process>(new Process(pid, input ? Take(in.write_end) : -1,
                                              Take(out.read_end), Take(err.read_end), wake_fd,
                                              watch));
}

Process::~Process() {
  Kill();
  Close(in_);
  Close(out_);
  Close(err_);
}

// Leaves the dead process unreaped. As long as it lies there, no other process gets its number, and
// Kill cannot hit a stranger's group.
bool Process::HasExited() {
  if (pid_ == 0) return true;
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid != 0;
}

void Process::Kill() {
  if (pid_ == 0) return;
  if (watch_ != nullptr) over_memory_ = watch_->Remove(pid_);
  kill(-pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  exit_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  exit_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  // The shell stands between us and the command: this is how it reports a signal.
  if (exit_.code > 128 && sigdescr_np(exit_.code - 128) != nullptr) {
    exit_.signal = exit_.code - 128;
  }
  // Members whose parents died are our children, if there is an Adoption. They may take a moment to
  // die. All must be gone before their case runs again.
  for (int i = 0; i < 200; ++i) {
    const pid_t reaped = waitpid(-pid_, nullptr, WNOHANG);
    if (reaped < 0 && errno != EINTR) break;
    if (reaped == 0) std::this_thread::sleep_for(milliseconds(1));
  }
  pid_ = 0;
}

void Process::Write() {
  const ssize_t written = write(in_, to_send_.data(), to_send_.size());
  if (written >= 0) {
    to_send_.erase(0, static_cast<size_t>(written));
  } else if (errno != EAGAIN && errno != EINTR) {
    Close(in_);  // the process reads no more; its standard output shows why
  }
}

void Process::ReadLog() {
  char bytes[4096];
  ssize_t got = 0;
  // Bounded, so that an endless log cannot keep us from looking at the clock.
  for (int i = 0; i < 64 && err_ >= 0 && (got = read(err_, bytes, sizeof(bytes))) > 0; ++i) {
    log_.append(bytes, static_cast<size_t>(got));
    if (log_.size() > kMaxLog) log_.erase(0, log_.size() - kMaxLog);
  }
  if (err_ >= 0 && (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))) Close(err_);
}

void Process::ReadOutput() {
  char bytes[1 << 16];
  const ssize_t got = read(out_, bytes, sizeof(bytes));
  if (got > 0) output_.append(bytes, static_cast<size_t>(got));
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) Close(out_);
}

bool Process::Pump(Clock::time_point deadline, milliseconds longest) {
  if (to_send_.empty() && close_input_) Close(in_);
  pollfd fds[] = {{wake_fd_, POLLIN, 0},
                  {out_, POLLIN, 0},
                  {err_, POLLIN, 0},
                  {to_send_.empty() ? -1 : in_, POLLOUT, 0}};
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
  const auto wait = std::clamp(left, milliseconds(0), longest);
  while (poll(fds, 4, static_cast<int>(wait.count())) < 0 && errno == EINTR) {
  }
  if (fds[3].revents != 0) Write();
  if (fds[2].revents != 0) ReadLog();
  if (fds[1].revents != 0) ReadOutput();
  return fds[0].revents != 0;
}

Process::Event Process::Next(Clock::time_point deadline, std::string* line) {
  if (!to_send_.empty() && in_ >= 0) Write();
  bool silent = false;
  while (true) {
    const size_t end = output_.find('\n', scanned_);
    if (std::min(end, output_.size()) > kMaxLine) return Event::kTooLong;
    if (end != std::string::npos) {
      *line = output_.substr(0, end);
      output_.erase(0, end + 1);
      scanned_ = 0;
      ReadLog();
      return Event::kLine;
    }
    scanned_ = output_.size();
    if (out_ < 0) {
      if (output_.empty()) return Event::kEnd;
      *line = std::exchange(output_, {});  // the last line may lack its end
      scanned_ = 0;
      return Event::kLine;
    }
    if (Clock::now() >= deadline) return Event::kDeadline;
    // A descendant may hold standard output open when the process itself is dead: look now and
    // then. Everything that the process wrote is in the pipe by then.
    const bool exited = silent && HasExited();
    if (Pump(deadline, exited ? milliseconds(0) : milliseconds(100))) return Event::kInterrupted;
    silent = output_.size() == scanned_;
    if (exited && silent) Close(out_);
  }
}

std::optional<Process::Exit> Process::Finish(Clock::time_point deadline) {
  Close(in_);
  milliseconds wait(1);
  bool in_time = true;
  while (in_time && !HasExited()) {
    in_time = !Pump(deadline, wait) && Clock::now() < deadline;
    output_.clear();
    // With all pipes closed nothing wakes the poll when it exits.
    wait = std::min(wait * 2, milliseconds(20));
  }
  Kill();
  ReadLog();
  if (!in_time) return std::nullopt;
  return exit_;
}

std::string Process::TakeLog() {
  ReadLog();
  return std::exchange(log_, {});
}

std::string Process::TakeOutput() {
  std::string output = std::exchange(output_, {});
  scanned_ = 0;
  output.resize(std::min(output.size(), kMaxLog));
  return output;
}

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

Adoption::Adoption() : before_(Children()) {
  int adopting = 0;
  prctl(PR_GET_CHILD_SUBREAPER, &adopting);
  was_adopting_ = adopting != 0;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Adoption::~Adoption() {
  // Ending a parent brings its children here: several rounds, and no endless race with something
  // that forks all the time.
  for (int round = 0; round < 100; ++round) {
    bool any = false;
    for (const pid_t child : Children()) {
      if (Contains(before_, child)) continue;
      any = true;
      kill(child, SIGKILL);
      for (int i = 0; i < 10 && waitpid(child, nullptr, WNOHANG) == 0; ++i) {
        std::this_thread::sleep_for(milliseconds(1));
      }
    }
    if (!any) break;
  }
  prctl(PR_SET_CHILD_SUBREAPER, was_adopting_ ? 1 : 0);
}

}  // namespace cts
