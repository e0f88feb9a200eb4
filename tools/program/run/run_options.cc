#include "tools/program/run/run_options.h"

namespace cts {

Status CheckRunOptions(const RunOptions& options) {
  if (int{!options.builtin.empty()} + int{!options.adapter.empty()} +
          int{!options.plugin.empty()} !=
      1) {
    return InvalidArgument(
        "expected either an embedded implementation (--implementation builtin:NAME), an adapter ",
        "(--adapter COMMAND) or a plugin (--plugin LIB.so)");
  }
  if (!options.plugin.empty() && options.symbolic) {
    return InvalidArgument("--symbolic goes with --adapter: a plugin has no symbols");
  }
  if (!options.plugin.empty() && options.worker) {
    return InvalidArgument("--worker goes with --adapter; a plugin runs many cases anyway");
  }
  if (!options.builtin.empty()) {
    if (options.worker) {
      return InvalidArgument("--worker goes with --adapter, not with an embedded implementation");
    }
    if (options.memory_mb != 0) {
      return InvalidArgument(
          "--memory goes with --adapter: an embedded implementation runs inside ",
          "of this program");
    }
  }
  if (!(options.timeout_seconds > 0)) {
    return InvalidArgument("found a timeout of ", options.timeout_seconds,
                           " seconds, expected more than 0");
  }
  if (options.memory_mb < 0 || options.repeats < 1) {
    return InvalidArgument("found a limit of ", options.memory_mb, " MB and ", options.repeats,
                           " repeats, expected at least 0 and 1");
  }
  if (!options.balance.empty() && !options.shard) {
    return InvalidArgument("--balance goes with --shard: it says how the shards are cut");
  }
  if (options.jobs < 0) {
    return InvalidArgument("found ", options.jobs, " jobs, expected 0 (one per core) or more");
  }
  return absl::OkStatus();
}

std::string CommandText(const RunOptions& options) {
  if (!options.builtin.empty()) return "builtin:" + options.builtin;
  if (!options.plugin.empty()) return "plugin:" + options.plugin.string();
  return options.adapter + (options.worker ? " --worker" : "");
}

}  // namespace cts
