// The project's only parallel loop. All code that processes many cases or files at a time uses it.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "reference/base/status.h"

namespace cts {

struct ParallelOptions {
  int jobs = 0;  // the greatest number of threads; 0: one per core
  // Once `stop` is true, no further item is begun.
  const std::atomic<bool>* stop = nullptr;
  // Called after every item that succeeded, by one thread at a time.
  std::function<void(size_t done, size_t total)> progress = {};
};

// The number of threads for a given number of jobs: `jobs` itself, or one per core if `jobs` is 0.
int JobsOrCores(int jobs);

// Calls `work` once for every number (item) below `count`. Items are begun in order. After an error
// no later item is begun, and every earlier item is finished. So for any number of threads the
// returned error is that of the failing item with the least number. If `stop` is true at the end,
// the result is kCancelled, "interrupted", even if `work` failed, since an interruption may itself
// make `work` fail. `work` must not throw, except for std::bad_alloc, which becomes kUnavailable.
// `work` runs with PlainArithmetic (plain_arithmetic.h).
Status ParallelFor(size_t count, const ParallelOptions& options,
                   const std::function<Status(size_t)>& work);

}  // namespace cts
