// How commands write to a terminal: progress, colour, verbosity and width.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace cts {

// --quiet and --verbose.
enum class Volume { kQuiet, kUsual, kVerbose };
Volume TheVolume();
void SetVolume(Volume volume);

// The width of a stream (1 or 2) in columns: the environment variable COLUMNS; if it is not set,
// the width of the terminal; if there is no terminal, 100.
size_t Columns(int fd);

// Whether output to a stream is coloured: never with NO_COLOR; otherwise with CLICOLOR_FORCE, or if
// the stream is a terminal that is not dumb.
bool TakesColour(int fd);

// Returns text without control characters. If the stream takes colour, the important parts are
// coloured: verdicts, headings, the beginning of an error.
std::string Painted(const std::string& printable, int fd);

// "run [##..] 12/40  8/s, 4 s left; 9 ok, 3 error": done and total, the rate since the clock's
// start, the remaining time at that rate (unless `seconds` is too short for an estimate), and the
// note. Never wider than `width`: first the bar shrinks, then the note is left out, then the rate.
struct ProgressState {
  std::string_view what, note;
  int done = 0, total = 0;
  int since = 0;  // the value of `done` at the clock's start
  double seconds = 0;
};
std::string ProgressLine(const ProgressState& state, size_t width);

// Shows a progress bar on standard error if that is a terminal. Otherwise writes a line every ten
// seconds with --verbose. Writes nothing with --quiet.
class ProgressBar {
 public:
  explicit ProgressBar(std::string what);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  // Call it from one thread at a time. Calls `note` only when the note is shown.
  template <class Note>
  void Update(int done, int total, const Note& note) {
    if (IsDue(done, total)) Show(done, total, note());
  }
  void Update(int done, int total) {
    Update(done, total, [] { return std::string(); });
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool IsDue(int done, int total);
  void Show(int done, int total, const std::string& note);

  const std::string what_;
  const bool terminal_;
  int since_ = -1;  // `done` at the first update
  Clock::time_point begin_, shown_;
};

// From now on SIGINT, SIGTERM and SIGHUP print one line and end the program, unless a command
// handles them itself (CatchInterrupts, SignalScope).
void EndInterruptsWithALine();
// Ends the program as if by the signal: a shell sees exit code 128 + the signal, 130 for Ctrl-C,
// and stops its own loop.
[[noreturn]] void EndBySignal(int number);

}  // namespace cts
