// Each engine brings shards; where their results are whole is seen in their folders alone.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "tools/program/launch/plan.h"

namespace cts {

// Called while a launch goes on, by one thread at a time.
struct LaunchNews {
  std::function<void(const std::string& line)> tell;  // a shard failed, a host is gone
  std::function<void(int done, int total)> progress;  // shards that are whole
};

// Why shards failed, by their numbers.
using ShardFailures = std::map<int, std::string>;

// Runs the shards, each as often as the options say. An error: the engine took none of them.
StatusOr<ShardFailures> RunLocally(const LaunchOptions& options, const std::vector<int>& missing,
                                   const LaunchNews& news);
StatusOr<ShardFailures> RunBySsh(const LaunchOptions& options, const std::vector<int>& missing,
                                 const LaunchNews& news);
StatusOr<ShardFailures> RunBySlurm(const LaunchOptions& options, const std::vector<int>& missing,
                                   const LaunchNews& news);
StatusOr<ShardFailures> RunByKubernetes(const LaunchOptions& options,
                                        const std::vector<int>& missing, const LaunchNews& news);

}  // namespace cts
