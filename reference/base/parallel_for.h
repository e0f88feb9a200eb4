// The project's only parallel loop. All code that processes cases or files in parallel uses it.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "reference/base/status.h"

namespace cts {

struct ParallelOptions {
  int jobs = 0;  // the greatest number of threads; 0: one thread per core
  // Once `*stop` is true, no further item is begun. `stop` may be null.
  const std::atomic<bool>* stop = nullptr;
  // Called after every item that succeeded, by only one thread at a time. `done` counts these
  // items.
  std::function<void(size_t done, size_t total)> progress = {};
};

// Returns `jobs`, or the number of cores if `jobs` is 0.
int JobsOrCores(int jobs);

// Calls `work` once for every item, a number from 0 to `count` - 1. Items are begun in order. After
// an error, no further item is begun, and every item already begun is finished. So the returned
// error is that of the failing item with the least number, whatever the number of threads. If
// `*stop` is true at the end, the result is kCancelled, "interrupted", even if `work` failed, since
// an interruption may make `work` fail. The only exception that `work` may throw is std::bad_alloc,
// which becomes kUnavailable. `work` runs with PlainArithmetic (plain_arithmetic.h).
Status ParallelFor(size_t count, const ParallelOptions& options,
                   const std::function<Status(size_t)>& work);

}  // namespace cts
