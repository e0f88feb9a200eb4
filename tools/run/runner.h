// Runs an implementation over a suite: cases out, statuses and tensors in.
#pragma once

#include "reference/base/status.h"
#include "tools/run/run_options.h"

namespace cts {

// Writes OUT/run.json and, for every case, OUT/<id>/result.json and the outputs. A result directory
// appears by rename, whole or not at all. When every case has one: OUT/results.json, with digests.
// Refuses an OUT that holds the results of another suite, or of this one unless `resume`, or of
// another adapter.
StatusOr<RunSummary> RunSuite(const RunOptions& options, const Progress& progress);

}  // namespace cts
