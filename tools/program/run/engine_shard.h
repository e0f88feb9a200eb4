// Chooses the shard of a suite for one task of a job scheduler or CI system (an engine): `--shard
// auto`, `--balance`.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "reference/bundle/suite.h"

namespace cts {

// Returns the value of an environment variable; nullopt if it is not set, or empty.
using TaskVariables = std::function<std::optional<std::string>(std::string_view name)>;
std::optional<std::string> VariableOfProcess(std::string_view name);

// "2/4" is the second of four shards. "auto" takes the number of this task and the number of tasks
// from the environment variables that the engine sets. With "auto/16", there must be 16 tasks; it
// is an error if the engine sets another number.
//
// Known engines: Slurm, Kubernetes, GitLab, CircleCI, Buildkite, Bazel, AWS Batch, PBS, HTCondor.
// Errors: no engine, two engines, an unknown number of tasks, a task whose number does not fit the
// number of tasks, a task array with gaps.
StatusOr<Shard> ShardOfTask(std::string_view text,
                            const TaskVariables& environment = VariableOfProcess);

// Chooses the cases of `shard` so that all shards of the suite take about the same time. The times
// are the seconds of an earlier run, from a report of `check --json`. Cases are assigned in order
// from the slowest, each to the shard with the least time so far. If the report lacks a case, the
// mean time of the other cases is used for this case. The result depends only on the suite, the
// bytes of the report and the number of shards.
Status BalanceShard(const std::filesystem::path& report, const Suite& suite, Shard* shard);
// Divides the suite into `of` shards as BalanceShard does, and returns all of the shards. Reads the
// report only once.
StatusOr<std::vector<Shard>> BalanceShards(const std::filesystem::path& report, const Suite& suite,
                                           int of);

}  // namespace cts
