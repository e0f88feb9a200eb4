// Ends process groups that use more memory than they may.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>

namespace cts {

// Looks at what the groups hold in memory, about every 20 ms. Not a limit of the kernel's:
// RLIMIT_AS and RLIMIT_DATA count what is reserved, which sanitizers, virtual machines and GPU
// drivers do by the terabyte, and end in an error that looks like any other.
class MemoryWatch {
 public:
  explicit MemoryWatch(uint64_t limit_bytes);
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  uint64_t limit() const { return limit_; }

  void Add(pid_t group);
  // So much the group used when it was killed for it; 0: it was not. From now on the group is left
  // alone; whoever reaps its leader calls this before, so that no stranger of that number is hit.
  uint64_t Remove(pid_t group);

 private:
  void Watch();

  const uint64_t limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::map<pid_t, uint64_t> groups_;  // and what those used that were killed
  std::thread thread_;
};

}  // namespace cts
