// The engines that run shards. Whether the results of a shard are complete ("whole") is read from
// the shard's folder alone (IsWhole), and does not depend on the report of the engine.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "tools/program/launch/plan.h"

namespace cts {

// Functions that are called during a launch, by one thread at a time.
struct LaunchNews {
  // Gets a line for people, such as the news that a shard failed or that a host is gone.
  std::function<void(const std::string& line)> tell;
  // `total`: the number of shards that were missing at the beginning; `done`: how many of these
  // shards are whole now.
  std::function<void(int done, int total)> progress;
};

// The reasons why shards failed, by the number of the shard.
using ShardFailures = std::map<int, std::string>;

// Each of these functions runs the shards `missing`. After a failure, a shard runs again, at most
// LaunchOptions::retries times. A failed shard is no error. Errors: the engine accepts no shard, or
// no longer reports the states of the shards.
StatusOr<ShardFailures> RunLocally(const LaunchOptions& options, const std::vector<int>& missing,
                                   const LaunchNews& news);
StatusOr<ShardFailures> RunBySsh(const LaunchOptions& options, const std::vector<int>& missing,
                                 const LaunchNews& news);
StatusOr<ShardFailures> RunBySlurm(const LaunchOptions& options, const std::vector<int>& missing,
                                   const LaunchNews& news);
StatusOr<ShardFailures> RunByKubernetes(const LaunchOptions& options,
                                        const std::vector<int>& missing, const LaunchNews& news);

}  // namespace cts
