// Runs an implementation on the cases of a suite, and stores the implementation's statuses and
// output tensors.
#pragma once

#include <filesystem>

#include "checker/judge/run_record.h"
#include "reference/base/status.h"
#include "tools/program/run/run_options.h"

namespace cts {

// Writes OUT/run.json and, for every case, OUT/<id>/result.json and the outputs. A result directory
// appears by a single rename, so it is always complete. When every case has a result, writes the
// digests of the results to OUT/results.json. Refuses an OUT with results of another suite or of
// another adapter. Unless `resume` is set, also refuses an OUT with results of this suite.
//
// An implementation with a forbidden name, or with another name than the claimed one, is refused
// before its first answer is stored.
StatusOr<RunSummary> RunSuite(const RunOptions& options, const Progress& progress);

// Writes run.json. Calls the witness's WritesRecord before the write, and WroteRecord after it. The
// witness may be null.
Status RecordRun(const std::filesystem::path& results, const RunRecord& run, RunWitness* witness);

// Checks a plugin's name before the suite exists. Does nothing for adapters, whose names are still
// unknown then.
Status CheckPluginName(const RunOptions& options);

}  // namespace cts
