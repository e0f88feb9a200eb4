// Divides a suite into shards, runs them by an engine, and merges their results.
#pragma once

#include <filesystem>
#include <vector>

#include "reference/base/status.h"
#include "tools/program/launch/engines.h"
#include "tools/program/launch/plan.h"

namespace cts {

struct LaunchSummary {
  // The merged results; empty if shards are missing or the launch was interrupted.
  std::filesystem::path whole;
  std::vector<int> missing;
  ShardFailures why;  // the reasons why shards are missing, as far as they are known
  bool interrupted = false;
};

// Runs the missing shards of the plan, and runs failed shards again. When all shards are whole,
// merges them into OUT/whole. Shards that are whole stay in OUT, even if the launch fails or is
// interrupted. Locks OUT, so that only one launch at a time writes into it.
StatusOr<LaunchSummary> Launch(const LaunchOptions& given, const LaunchPlan& plan,
                               const LaunchNews& news);

}  // namespace cts
