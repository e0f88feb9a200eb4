// The contents of run.json when a run begins, and whether the run continues with the results in its
// folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/judge/run_record.h"
#include "reference/base/status.h"
#include "reference/bundle/suite.h"
#include "tools/program/run/run_options.h"

namespace cts {

// The files of the implementation, in their present state.
StatusOr<std::vector<AdapterFile>> FilesOf(const RunOptions& options, const RunRecord& run);

// Whether a file counts as the implementation's only because of its place beside a script.
bool IsBeside(const std::string& file, const RunRecord& run);

// The contents of run.json before anything has run. `plugin`: the name and version that the plugin
// gives, if it is one.
StatusOr<RunRecord> DescribeRun(const RunOptions& options, const Suite& suite,
                                const std::optional<ImplementationName>& plugin);

// Refuses a directory that holds anything except results that `run` continues. Returns the record
// of these results, if there are any; then `run` gets the files that the worker announced before.
StatusOr<std::optional<RunRecord>> FindEarlierRun(const RunOptions& options, RunRecord* run);

// The part of the run that goes on, or was the last.
RunPlace& LastPart(RunRecord& run);

// Turns `run` into the record of a run that began as in `before`, and returns the place where it
// continues. If the last part was killed, `witness` may know when its last result came.
RunPlace GoOn(const RunRecord& before, const RunWitness* witness, RunRecord* run);

}  // namespace cts
