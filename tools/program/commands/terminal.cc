#include "tools/program/commands/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "checker/text/printable.h"
#include "reference/base/status.h"

namespace cts {
namespace {

constexpr size_t kDefaultColumns = 100;
constexpr size_t kLeastColumns = 40;
constexpr char kErase[] = "\r\033[K";

Volume volume = Volume::kUsual;
std::atomic<bool> bar_is_shown{false};

// Returns the value of an environment variable; empty if it is not set.
std::string_view Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

size_t TerminalColumns(int fd) {
  winsize window = {};
  return ioctl(fd, TIOCGWINSZ, &window) == 0 ? window.ws_col : 0;
}

// "45 s", "3 min", "2.1 h".
std::string Duration(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  char text[32];
  if (seconds < 2 * kMinute) {
    std::snprintf(text, sizeof text, "%.0f s", seconds);
  } else if (seconds < 2 * kHour) {
    std::snprintf(text, sizeof text, "%.0f min", seconds / kMinute);
  } else {
    std::snprintf(text, sizeof text, "%.1f h", seconds / kHour);
  }
  return text;
}

// " 410/s, 15 s left"; empty while the rate is unknown.
std::string Rate(const ProgressState& state) {
  constexpr double kEnough = 1;
  const int gone = state.done - state.since;
  if (state.seconds < kEnough || gone <= 0) return "";
  const double rate = gone / state.seconds;
  char text[32];
  std::snprintf(text, sizeof text, rate < 10 ? "  %.1f/s" : "  %.0f/s", rate);
  if (state.done >= state.total) return text;
  return StrCat(text, ", ", Duration((state.total - state.done) / rate), " left");
}

// For what begins a line, the parameters of its colour.
constexpr std::pair<std::string_view, std::string_view> kPaint[] = {
    {"CONFORMANT", "1;32"},  {"NOT CONFORMANT", "1;31"}, {"GATE PASSED", "1;32"},
    {"GATE FAILED", "1;31"}, {"tensor-cts:", "1;31"},    {"Failures", "1"},
    {"Not supported", "1"},  {"Findings", "1"},          {"operator  ", "1"},
    {"type  ", "1"},         {"profile  ", "1"},         {"rule  ", "1"},
};

void OnInterrupt(int number) {
  constexpr std::string_view kMessage = "tensor-cts: interrupted\n";
  [[maybe_unused]] ssize_t written = 0;
  if (bar_is_shown) written = write(2, kErase, sizeof kErase - 1);
  written = write(2, kMessage.data(), kMessage.size());
  EndBySignal(number);
}

}  // namespace

Volume TheVolume() { return volume; }
void SetVolume(Volume now) { volume = now; }

size_t Columns(int fd) {
  const std::string_view asked = Environment("COLUMNS");
  size_t columns = 0;
  const char* const end = asked.data() + asked.size();
  const auto [rest, error] = std::from_chars(asked.data(), end, columns);
  if (asked.empty() || error != std::errc{} || rest != end || columns == 0) {
    columns = TerminalColumns(fd);
  }
  return columns == 0 ? kDefaultColumns : std::max(columns, kLeastColumns);
}

bool TakesColour(int fd) {
  if (!Environment("NO_COLOR").empty()) return false;
  if (const std::string_view forced = Environment("CLICOLOR_FORCE"); !forced.empty()) {
    return forced != "0";
  }
  return isatty(fd) == 1 && Environment("TERM") != "dumb";
}

std::string Painted(const std::string& printable, int fd) {
  if (!TakesColour(fd)) return printable;
  std::string text;
  for (size_t at = 0; at < printable.size();) {
    const size_t end = std::min(printable.find('\n', at), printable.size());
    const std::string_view line = std::string_view(printable).substr(at, end - at);
    const auto paint = std::find_if(std::begin(kPaint), std::end(kPaint),
                                    [&](const auto& each) { return line.starts_with(each.first); });
    if (paint == std::end(kPaint)) {
      text += line;
    } else {
      // An error has colour only in the name of the program that speaks.
      const size_t length = line.starts_with("tensor-cts:") ? paint->first.size() : line.size();
      text += StrCat("\033[", paint->second, "m", line.substr(0, length), "\033[0m",
                     line.substr(length));
    }
    if (end < printable.size()) text += '\n';
    at = end + 1;
  }
  return text;
}

std::string ProgressLine(const ProgressState& state, size_t width) {
  constexpr size_t kLeastBar = 4, kMostBar = 30;
  const std::string count = StrCat(" ", state.done, "/", state.total);
  std::string rate = Rate(state);
  std::string note = state.note.empty() ? "" : StrCat("; ", state.note);
  // "what [####]": the column behind the last is left free, or the terminal would scroll.
  const auto fixed = [&] {
    return state.what.size() + 3 + count.size() + rate.size() + note.size() + 1;
  };
  if (fixed() + kLeastBar > width) note.clear();
  if (fixed() + kLeastBar > width) rate.clear();
  const size_t bar = fixed() > width ? kLeastBar : std::clamp(width - fixed(), kLeastBar, kMostBar);
  const size_t filled = static_cast<size_t>(state.done) * bar / static_cast<size_t>(state.total);
  return StrCat(state.what, " [", std::string(filled, '#'), std::string(bar - filled, '.'), "]",
                count, rate, note);
}

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)), terminal_(isatty(2) == 1), shown_(Clock::now()) {}

ProgressBar::~ProgressBar() {
  if (bar_is_shown.exchange(false)) std::fputs(kErase, stderr);
}

bool ProgressBar::IsDue(int done, int total) {
  using std::chrono::milliseconds;
  if (total <= 0 || volume == Volume::kQuiet) return false;
  if (!terminal_ && volume != Volume::kVerbose) return false;
  const Clock::time_point now = Clock::now();
  const bool first = since_ < 0;
  if (first) {
    since_ = done;
    begin_ = now;
  }
  const milliseconds pause(terminal_ ? 100 : 10000);
  if (now - shown_ < pause && !(terminal_ && (first || done == total))) return false;
  shown_ = now;
  return true;
}

void ProgressBar::Show(int done, int total, const std::string& note) {
  const double seconds = std::chrono::duration<double>(shown_ - begin_).count();
  const std::string clean = Printable(note);
  const ProgressState state = {what_, clean, done, total, since_, seconds};
  if (terminal_) {
    bar_is_shown = true;
    std::fprintf(stderr, "%s%s", kErase, ProgressLine(state, Columns(2)).c_str());
  } else {
    std::fprintf(stderr, "%s %d/%d%s%s%s\n", what_.c_str(), done, total, Rate(state).c_str(),
                 note.empty() ? "" : "; ", clean.c_str());
  }
  std::fflush(stderr);
}

void EndInterruptsWithALine() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {}, action = {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_DFL) continue;
    action.sa_handler = OnInterrupt;
    action.sa_flags = SA_NODEFER;
    sigaction(number, &action, nullptr);
  }
}

void EndBySignal(int number) {
  std::signal(number, SIG_DFL);
  std::raise(number);
  // The first process of a container does not die of a signal.
  constexpr int kShellsOffset = 128;
  _exit(kShellsOffset + number);
}

}  // namespace cts
