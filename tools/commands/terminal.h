// The things that commands print beside their answers: progress, colour, how much, and how wide.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace cts {

// --quiet and --verbose.
enum class Volume { kQuiet, kUsual, kVerbose };
Volume TheVolume();
void SetVolume(Volume volume);

// The width for what goes to a stream (1 or 2): COLUMNS, else that of the terminal, else 100.
size_t Columns(int fd);

// Whether a stream takes colour: never with NO_COLOR, else with CLICOLOR_FORCE, else a terminal
// that is not dumb.
bool TakesColour(int fd);

// Text without control characters, with colour on the lines that decide if the stream takes it:
// verdicts, headings, the beginning of an error.
std::string Painted(const std::string& printable, int fd);

// "run [##..] 12/40  8/s, 4 s left; 9 ok, 3 error": done and total, the rate since `since` were
// done and what is left at that rate (if `seconds` are enough to tell), and the note. Never wider
// than `width`: the bar shrinks first, then the note goes, then the rate.
struct ProgressState {
  std::string_view what, note;
  int done = 0, total = 0;
  int since = 0;  // done when the clock began
  double seconds = 0;
};
std::string ProgressLine(const ProgressState& state, size_t width);

// A progress bar on standard error if that is a terminal. With --verbose, where it is none, a line
// each ten seconds; with --quiet nothing.
class ProgressBar {
 public:
  explicit ProgressBar(std::string what);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  // From one thread at a time. `note` is asked for only when it is shown.
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

// Ends the program as SIGINT, SIGTERM or SIGHUP ends it, after one line, unless a command listens
// to them itself (CatchInterrupts, SignalScope).
void EndInterruptsWithALine();
// Ends as the signal would have: a shell sees 128 + the signal, 130 for Ctrl-C, and ends its loop.
[[noreturn]] void EndBySignal(int number);

}  // namespace cts
