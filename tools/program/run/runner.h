// Runs an implementation over a suite: cases out, statuses and tensors in.
#pragma once

#include <filesystem>

#include "checker/judge/run_record.h"
#include "reference/base/status.h"
#include "tools/program/run/run_options.h"

namespace cts {

// Writes OUT/run.json and, for every case, OUT/<id>/result.json and the outputs. A result directory
// appears by rename, whole or not at all. When every case has a result, writes OUT/results.json,
// with digests. Refuses an OUT that holds results of another suite or of another adapter, and one
// that holds results of this suite unless `resume`.
//
// An implementation with a forbidden name, or with another name than the claimed one, is refused
// before any of its answers is taken.
StatusOr<RunSummary> RunSuite(const RunOptions& options, const Progress& progress);

// Writes run.json, and tells the witness before and after. The witness may be null.
Status RecordRun(const std::filesystem::path& results, const RunRecord& run, RunWitness* witness);

// Refuses a plugin for its name, before there is a suite. The names of adapters are unknown at that
// time.
Status CheckPluginName(const RunOptions& options);

}  // namespace cts
