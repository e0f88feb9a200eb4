#include "tools/commands/command.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "reference/base/file.h"

namespace cts {

ProgressBar::ProgressBar(std::string what) : what_(std::move(what)), terminal_(isatty(2) == 1) {}

ProgressBar::~ProgressBar() {
  if (terminal_ && shown_ >= 0) std::fputs("\r\033[K", stderr);
}

void ProgressBar::Update(int done, int total) {
  if (!terminal_ || total <= 0) return;
  const int permille = static_cast<int>(1000LL * done / total);
  if (permille == shown_) return;
  shown_ = permille;
  constexpr int kWidth = 40;
  const int filled = permille * kWidth / 1000;
  std::fprintf(stderr, "\r\033[K%s [%s%s] %d/%d", what_.c_str(),
               std::string(static_cast<size_t>(filled), '#').c_str(),
               std::string(static_cast<size_t>(kWidth - filled), '.').c_str(), done, total);
  std::fflush(stderr);
}

Status Emit(const std::string& place, const std::string& text) {
  if (place != "-") return WriteFile(place, text);
  std::cout << text << std::flush;
  if (!std::cout) return Unavailable("standard output: cannot be written");
  return absl::OkStatus();
}

}  // namespace cts
