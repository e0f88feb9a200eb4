// How commands write to a terminal: progress, colour, verbosity and width.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace cts {

// How much commands write, as --quiet and --verbose choose.
enum class Volume { kQuiet, kUsual, kVerbose };
Volume TheVolume();
void SetVolume(Volume volume);

// The width of a stream (1 or 2) in columns. If the environment variable COLUMNS is a positive
// number, it is the width; otherwise the width is that of the terminal. A width below 40 counts as
// 40. Without the variable and without a terminal, the width is 100.
size_t Columns(int fd);

// Whether output to a stream is coloured. If the environment variable NO_COLOR is set, colours are
// off. Otherwise, if CLICOLOR_FORCE is set, colours are on, or off if its value is 0. An empty
// variable counts as not set. If neither variable is set, output is coloured only on a terminal
// whose type (TERM) is not "dumb".
bool TakesColour(int fd);

// Returns `printable`, a text without control characters. If the stream takes colour, verdicts,
// headings and the beginning of an error are coloured.
std::string Painted(const std::string& printable, int fd);

// "run [##..] 12/40  8/s, 4 s left; 9 ok, 3 error": done and total, the rate since the clock's
// start, the remaining time at that rate, and the note. If `seconds` is too short for an estimate,
// the rate and the time are left out. If `width` is too narrow, first the bar shrinks, then the
// note is left out, then the rate.
struct ProgressState {
  std::string_view what, note;
  int done = 0, total = 0;
  int since = 0;  // the value of `done` at the clock's start
  double seconds = 0;
};
std::string ProgressLine(const ProgressState& state, size_t width);

// Shows a progress bar on standard error if that is a terminal. If it is no terminal, writes a line
// every ten seconds, but only with --verbose. With --quiet, writes nothing.
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

// After this call, SIGINT, SIGTERM and SIGHUP (unless they were ignored before) print one line and
// end the program. A command may replace this handling of signals (CatchInterrupts, SignalScope).
void EndInterruptsWithALine();
// Ends the program as if the signal `number` had ended it. A shell then sees the exit code 128 +
// `number` (130 for Ctrl-C), and stops its own loop.
[[noreturn]] void EndBySignal(int number);

}  // namespace cts
