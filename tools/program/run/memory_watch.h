// Kills process groups that exceed their memory limit.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>

namespace cts {

// Reads the memory use of the groups about every 20 ms, or less often if reading takes long. The
// watch does not use limits of the kernel: RLIMIT_AS and RLIMIT_DATA count reserved memory, which
// sanitizers, virtual machines and GPU drivers reserve by the terabyte. A process that reaches such
// a limit fails with an error that cannot be told from other errors.
class MemoryWatch {
 public:
  explicit MemoryWatch(uint64_t limit_bytes);
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  uint64_t limit() const { return limit_; }

  void Add(pid_t group);
  // Stops watching the group. Returns the memory, in bytes, that the group used when it was killed
  // for exceeding the limit; 0 if it was not killed. Call this before reaping the group's leader,
  // so that no other process with the same number is killed.
  uint64_t Remove(pid_t group);

 private:
  void Watch();

  const uint64_t limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::map<pid_t, uint64_t> groups_;  // watched groups; the memory used if killed, otherwise 0
  std::thread thread_;
};

}  // namespace cts
