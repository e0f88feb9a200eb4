#include "reference/base/parallel_for.h"

#include <algorithm>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "reference/base/out_of_memory.h"
#include "reference/base/plain_arithmetic.h"

namespace cts {

int JobsOrCores(int jobs) {
  return jobs > 0 ? jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

Status ParallelFor(size_t count, const ParallelOptions& options,
                   const std::function<Status(size_t)>& work) {
  // New threads begin with the mode of the one that starts them.
  const PlainArithmetic plain;
  const auto stopped = [&] { return options.stop != nullptr && *options.stop; };
  std::atomic<size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;  // of everything below
  size_t done = 0;
  size_t first_failed = count;
  Status failure;
  const auto take_items = [&] {
    for (size_t i; !failed && !stopped() && (i = next++) < count;) {
      Status status = CatchBadAlloc("", [&] { return work(i); });
      const std::lock_guard<std::mutex> lock(mutex);
      if (status.ok()) {
        if (options.progress) options.progress(++done, count);
        continue;
      }
      failed = true;
      if (i < first_failed) {
        first_failed = i;
        failure = std::move(status);
      }
    }
  };
  std::vector<std::thread> others;
  const size_t threads = std::min(static_cast<size_t>(JobsOrCores(options.jobs)), count);
  others.reserve(threads);
  try {
    for (size_t i = 1; i < threads; ++i) others.emplace_back(take_items);
  } catch (const std::system_error&) {
    // No more threads are to be had: those that there are do the work.
  } catch (const std::bad_alloc&) {
  }
  take_items();
  for (std::thread& thread : others) thread.join();
  if (stopped()) return absl::CancelledError("interrupted");
  return failure;
}

}  // namespace cts
