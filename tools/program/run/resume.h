// Determines the contents of run.json when a run begins, and whether the run continues with the
// results in its folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/judge/run_record.h"
#include "reference/base/status.h"
#include "reference/bundle/suite.h"
#include "tools/program/run/run_options.h"

namespace cts {

// Returns the files of the implementation with their present digests.
StatusOr<std::vector<AdapterFile>> FilesOf(const RunOptions& options, const RunRecord& run);

// Whether a file counts as a file of the implementation only because it is beside a script.
bool IsBeside(const std::string& file, const RunRecord& run);

// The contents of run.json before the first case runs. `plugin`: the name and version that the
// plugin gives, if the implementation is a plugin.
StatusOr<RunRecord> DescribeRun(const RunOptions& options, const Suite& suite,
                                const std::optional<ImplementationName>& plugin);

// Refuses a directory that contains anything except results that `run` continues. Returns the
// record of these results; nullopt if there are no results. If the workers of the earlier run
// announced their code, `run` gets the announced files.
StatusOr<std::optional<RunRecord>> FindEarlierRun(const RunOptions& options, RunRecord* run);

// The part of the run that is in progress, or the last part if the run has ended.
RunPlace& LastPart(RunRecord& run);

// Continues the run that `before` records: completes its new record, `run`, from `before`. Returns
// the RunPlace of the run's new part. If the previous part was killed, `witness` may supply the
// time of that part's last result.
RunPlace GoOn(const RunRecord& before, const RunWitness* witness, RunRecord* run);

}  // namespace cts
