// The part of a suite that an engine's task takes: `--shard auto`, `--balance`.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "reference/bundle/suite.h"

namespace cts {

// A variable of the environment; nullopt if it is not set or empty.
using TaskVariables = std::function<std::optional<std::string>(std::string_view name)>;
std::optional<std::string> VariableOfProcess(std::string_view name);

// "2/4": the second of four. "auto": the number of this task, and how many there are, from the
// variables that the engine sets; "auto/16": the engine must agree that there are 16, or not say.
//
// Known engines: Slurm, Kubernetes, GitLab, CircleCI, Buildkite, Bazel, AWS Batch, PBS, HTCondor.
// Errors: no engine, two engines, a number outside of 1 to N, an unknown N, an array with gaps.
StatusOr<Shard> ShardOfTask(std::string_view text,
                            const TaskVariables& environment = VariableOfProcess);

// Gives `shard` its cases of a suite that is cut by the seconds of an earlier run, as a report of
// `check --json` has them. The slowest case goes first, each to the part that has the least to do.
// A case that the report lacks counts as the mean of those that it has. The parts depend on the
// suite, the bytes of the report and the number of parts alone.
Status BalanceShard(const std::filesystem::path& report, const Suite& suite, Shard* shard);

}  // namespace cts
