// The one loop over threads. Everything that works on many cases or files at a time uses it.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "reference/base/status.h"

namespace cts {

struct ParallelOptions {
  int jobs = 0;  // threads at most; 0: one per core
  // Once true, no further item is begun.
  const std::atomic<bool>* stop = nullptr;
  // Called after every item that succeeded, by one thread at a time.
  std::function<void(size_t done, size_t total)> progress = {};
};

// The number of threads that `jobs` asks for: itself, or one per core if it is 0.
int JobsOrCores(int jobs);

// Calls `work` once for every number below `count`. Items are begun in order. After an error no
// later item is begun, and every earlier one is finished. So the returned error is that of the
// first item that fails, for any number of threads. Once `stop` is true, the result is kCancelled,
// "interrupted", even if work failed, since work that is being ended fails as well. `work` must not
// throw, except for std::bad_alloc, which becomes kUnavailable. It runs with PlainArithmetic.
Status ParallelFor(size_t count, const ParallelOptions& options,
                   const std::function<Status(size_t)>& work);

}  // namespace cts
