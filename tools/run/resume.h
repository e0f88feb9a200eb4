// What run.json says when a run begins, and whether the run goes on with what lies in its folder.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "checker/run_record.h"
#include "reference/base/status.h"
#include "reference/bundle/suite.h"
#include "tools/run/run_options.h"

namespace cts {

// The files that are the implementation.
StatusOr<std::vector<AdapterFile>> FilesOf(const RunOptions& options);

// What run.json says before anything has run. `plugin`: who the plugin says that it is, if it is
// one.
StatusOr<RunRecord> DescribeRun(const RunOptions& options, const Suite& suite,
                                const std::optional<ImplementationName>& plugin);

// Refuses a directory with anything in it but results that `run` continues. Returns the record of
// these, if there are any.
StatusOr<std::optional<RunRecord>> FindEarlierRun(const std::filesystem::path& out,
                                                  const RunRecord& run, bool resume);

// Makes of `run` the record of a run that began as `before` says, and returns where it goes on.
RunPlace GoOn(const RunRecord& before, RunRecord* run);

}  // namespace cts
