#include "tools/program/run/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>

namespace cts {
namespace {

std::atomic<int> interrupt_fd{-1};
std::atomic<bool> interrupt_seen{false};
std::atomic<int> interrupt_count{0};

std::atomic<int> first_signal{0};

void OnInterrupt(int number) {
  const int saved = errno;
  RememberSignal(number);
  ++interrupt_count;
  interrupt_seen = true;
  [[maybe_unused]] const ssize_t written = write(interrupt_fd, "x", 1);
  errno = saved;
}

}  // namespace

const std::atomic<bool>& Interrupted() { return interrupt_seen; }

int InterruptCount() { return interrupt_count; }

int RememberedSignal() { return first_signal; }

void RememberSignal(int number) {
  int none = 0;
  first_signal.compare_exchange_strong(none, number);
}

Status SignalScope::Install() {
  if (pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0) {
    return Unavailable("no pipe: ", std::strerror(errno));
  }
  interrupt_seen = false;
  interrupt_count = 0;
  interrupt_fd = pipe_[1];
  struct sigaction action = {};
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    const bool keeps = kSignals[i] == SIGPIPE || kSignals[i] == SIGCHLD;
    action.sa_handler = !keeps ? OnInterrupt : kSignals[i] == SIGPIPE ? SIG_IGN : SIG_DFL;
    sigaction(kSignals[i], &action, &before_[i]);
    // nohup wants to be obeyed.
    if (kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN) {
      sigaction(SIGHUP, &before_[i], nullptr);
    }
  }
  return absl::OkStatus();
}

SignalScope::~SignalScope() {
  if (pipe_[0] < 0) return;
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  interrupt_fd = -1;
  close(pipe_[0]);
  close(pipe_[1]);
}

void SignalScope::Wake() const { [[maybe_unused]] const ssize_t written = write(pipe_[1], "x", 1); }

}  // namespace cts
