// A child process with which a caller exchanges lines.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"

namespace cts {

class MemoryWatch;

using Clock = std::chrono::steady_clock;

// A shell command in a process group of its own, with pipes to its standard streams. The destructor
// kills all processes of the group. An Adoption ends the processes that left the group.
class Process {
 public:
  // The most bytes that a line on standard output may have.
  static constexpr size_t kMaxLine = 1 << 20;
  // The most bytes of standard error that are kept: the last ones.
  static constexpr size_t kMaxLog = 8 << 10;

  struct Exit {
    int code = 0;    // 128 + signal, if the shell reports the signal
    int signal = 0;  // 0 if the process ended by itself
    bool Clean() const { return code == 0 && signal == 0; }
  };

  enum class Event {
    kLine,
    kTooLong,      // a line longer than kMaxLine
    kEnd,          // standard output is closed, or the process has exited
    kDeadline,     // no line came before the deadline
    kInterrupted,  // `wake_fd` became readable
  };

  // Runs `command` by /bin/sh, with `arguments` appended unchanged. If `input` is false, its
  // standard input is empty. If `watch` is not null, it limits the memory of the group. The caller
  // must ignore SIGPIPE.
  static StatusOr<std::unique_ptr<Process>> Start(const std::string& command,
                                                  const std::vector<std::string>& arguments,
                                                  bool input, int wake_fd,
                                                  MemoryWatch* watch = nullptr);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Queues the text. The function Next writes the queued text and reads at the same time, so that
  // two full pipes cannot block parent and child.
  void Send(std::string_view bytes) { to_send_ += bytes; }
  // Closes standard input once the queued text is written.
  void CloseInput() { close_input_ = true; }

  // Waits for the next line, and stores it in `line` without its line end.
  Event Next(Clock::time_point deadline, std::string* line);

  // Waits for the process to exit. Returns nullopt if the process did not exit in time, or if the
  // wait was interrupted. In any case, kills the group.
  std::optional<Exit> Finish(Clock::time_point deadline);

  // Returns the standard error since the previous call of TakeLog, at most its last kMaxLog bytes.
  std::string TakeLog();
  // Returns the standard output after the last line that Next returned, at most its first kMaxLog
  // bytes.
  std::string TakeOutput();

  // Call it after Finish. Returns the bytes that the group used when it was killed for exceeding
  // its memory limit; 0 if the group was not killed for that reason.
  uint64_t over_memory() const { return over_memory_; }

 private:
  Process(pid_t pid, int in, int out, int err, int wake_fd, MemoryWatch* watch)
      : pid_(pid), in_(in), out_(out), err_(err), wake_fd_(wake_fd), watch_(watch) {}

  bool HasExited();
  void Kill();
  // Polls once, and reads and writes the streams that are ready; returns true if interrupted.
  bool Pump(Clock::time_point deadline, std::chrono::milliseconds longest);
  void Write();
  void ReadLog();
  void ReadOutput();

  pid_t pid_;  // also the id of the group; 0 once the process is gone
  int in_, out_, err_, wake_fd_;
  MemoryWatch* watch_;
  uint64_t over_memory_ = 0;
  bool close_input_ = false;
  std::string to_send_, output_, log_;
  size_t scanned_ = 0;  // the length of the beginning of output_ that has no end of line
  Exit exit_;
};

// "was killed by signal 11 (Segmentation fault)", "exited with code 3".
std::string ExitText(const Process::Exit& exit);

// While an Adoption exists, descendants whose parents have ended become children of this process,
// even if they have a session of their own. The destructor kills these children.
class Adoption {
 public:
  Adoption();
  ~Adoption();
  Adoption(const Adoption&) = delete;
  Adoption& operator=(const Adoption&) = delete;

 private:
  std::vector<pid_t> before_;  // children that this object must not end
  bool was_adopting_ = false;
};

}  // namespace cts
