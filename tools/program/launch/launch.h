// A suite in shards on an engine, from the first process to the merged results.
#pragma once

#include <filesystem>
#include <vector>

#include "reference/base/status.h"
#include "tools/program/launch/engines.h"
#include "tools/program/launch/plan.h"

namespace cts {

struct LaunchSummary {
  std::filesystem::path whole;  // the merged results; empty if shards are missing
  std::vector<int> missing;
  ShardFailures why;  // of missing shards, as far as it is known
  bool interrupted = false;
};

// Submits the missing shards of the plan, waits, submits again what failed, and merges when all are
// there. Whole shards stay, however it ends. One launch at a time writes into a folder.
StatusOr<LaunchSummary> Launch(const LaunchOptions& options, const LaunchPlan& plan,
                               const LaunchNews& news);

}  // namespace cts
