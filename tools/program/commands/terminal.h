// The output of commands besides their answers: progress, colour, amount and width.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace cts {

// --quiet and --verbose.
enum class Volume { kQuiet, kUsual, kVerbose };
Volume TheVolume();
void SetVolume(Volume volume);

// The width of a stream (1 or 2): COLUMNS; if it is not set, the width of the terminal; if there is
// no terminal, 100.
size_t Columns(int fd);

// Whether a stream takes colour: never with NO_COLOR; otherwise with CLICOLOR_FORCE, and on a
// terminal that is not dumb.
bool TakesColour(int fd);

// Text without control characters. If the stream takes colour, the important parts have it:
// verdicts, headings, the beginning of an error.
std::string Painted(const std::string& printable, int fd);

// "run [##..] 12/40  8/s, 4 s left; 9 ok, 3 error": done and total, the rate since `since` were
// done, the remaining time at that rate (if `seconds` are enough to tell), and the note. Never
// wider than `width`: the bar shrinks first, then the note goes, then the rate.
struct ProgressState {
  std::string_view what, note;
  int done = 0, total = 0;
  int since = 0;  // done at the clock's start
  double seconds = 0;
};
std::string ProgressLine(const ProgressState& state, size_t width);

// A progress bar on standard error if that is a terminal. If it is not, with --verbose a line each
// ten seconds; with --quiet nothing.
class ProgressBar {
 public:
  explicit ProgressBar(std::string what);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  // Call it from one thread at a time. `note` is asked for only when it is shown.
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
  int since_ = -1;  // done at the first update
  Clock::time_point begin_, shown_;
};

// SIGINT, SIGTERM and SIGHUP end the program after one line, unless a command handles them itself
// (CatchInterrupts, SignalScope).
void EndInterruptsWithALine();
// Ends in the same way as by the signal: a shell sees 128 + the signal, 130 for Ctrl-C, and ends
// its loop.
[[noreturn]] void EndBySignal(int number);

}  // namespace cts
