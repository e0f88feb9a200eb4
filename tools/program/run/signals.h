// Signals that end a run: they make a file descriptor readable instead of ending the program.
#pragma once

#include <signal.h>

#include <atomic>

#include "reference/base/status.h"

namespace cts {

// Whether SIGINT, SIGTERM or SIGHUP came since the last SignalScope was installed.
const std::atomic<bool>& Interrupted();
// How many of these signals came since the last SignalScope was installed.
int InterruptCount();

// The first signal that RememberSignal recorded; 0 if there was no signal.
int RememberedSignal();
void RememberSignal(int number);

// While an object exists, SIGINT, SIGTERM and SIGHUP make `wake_fd` readable, and it stays
// readable. If SIGHUP was ignored before, as by nohup, it stays ignored. A write to a process that
// has ended is an error instead of a signal, and this process can wait for its children. Only one
// object may exist at a time.
class SignalScope {
 public:
  SignalScope() = default;
  ~SignalScope();
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

  Status Install();
  int wake_fd() const { return pipe_[0]; }
  // Makes `wake_fd` readable as a signal does, but does not change Interrupted.
  void Wake() const;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD};
  struct sigaction before_[std::size(kSignals)];
  int pipe_[2] = {-1, -1};
};

}  // namespace cts
