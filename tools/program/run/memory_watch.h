// Ends process groups that use more memory than they may.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>

namespace cts {

// Reads the memory use of the groups about every 20 ms. It does not use limits of the kernel:
// RLIMIT_AS and RLIMIT_DATA count reserved memory, which sanitizers, virtual machines and GPU
// drivers reserve by the terabyte. A process that meets such a limit ends with an error that looks
// like any other.
class MemoryWatch {
 public:
  explicit MemoryWatch(uint64_t limit_bytes);
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  uint64_t limit() const { return limit_; }

  void Add(pid_t group);
  // The memory that the group used when it was killed for that; 0 if it was not killed. From now on
  // the group is not watched. Call this before reaping the group's leader, so that no other process
  // with the same number is killed.
  uint64_t Remove(pid_t group);

 private:
  void Watch();

  const uint64_t limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::map<pid_t, uint64_t> groups_;  // groups, and the memory of the killed ones
  std::thread thread_;
};

}  // namespace cts
