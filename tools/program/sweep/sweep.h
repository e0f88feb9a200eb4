// `tensor-cts sweep`: runs every input of an operator through a plugin, and stores only the
// findings.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/bundle/suite.h"
#include "tools/program/sweep/sweep_report.h"

namespace cts {

struct SweepOptions {
  SweepQuestion question;
  std::filesystem::path plugin;
  std::string worker;               // instead of a plugin: the command of a worker
  std::vector<std::string> code;    // of the worker: as RunOptions::code
  std::optional<SweepRange> range;  // sweep only these inputs
  std::optional<Shard> shard;       // sweep only the I-th of N parts of the inputs
  int jobs = 0;                     // 0: one per core; each job has a process for the plugin
  double timeout_seconds = 10;      // the time limit of a block
  std::filesystem::path out;        // the report, or the state of an unfinished sweep; may be empty
  bool resume = false;              // continue the unfinished sweep in `out`
  bool filter = true;               // false: the reference judges all results
  std::filesystem::path executable = "/proc/self/exe";  // tensor-cts, which runs the plugin
};

struct SweepSummary {
  SweepReport report;
  bool interrupted = false;
  bool gave_up = false;  // the sweep gave up after kMaxFaults blocks without results
};

// A sweep gives up after this number of blocks that crash, hang or are refused.
inline constexpr size_t kMaxFaults = 8;

// Called after every block, by one thread at a time.
using SweepProgress = std::function<void(uint64_t done, uint64_t total)>;

// The report is the same for any number of threads, and whether or not the sweep was interrupted
// and resumed. Errors: a question that cannot be swept; a plugin that cannot be loaded, that does
// not offer the operator (kUnimplemented) or that fails to prepare it (kFailedPrecondition). An
// existing `out` is an error, too, unless it is a report of the same sweep that `resume` can
// continue.
StatusOr<SweepSummary> RunSweep(const SweepOptions& options, const SweepProgress& progress);

}  // namespace cts
