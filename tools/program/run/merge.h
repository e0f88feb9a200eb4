// Joins the results of shards into the results of the whole suite.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "checker/judge/run_record.h"
#include "reference/base/status.h"
#include "reference/bundle/suite.h"
#include "tools/program/run/result_digests.h"

namespace cts {

struct MergeOptions {
  std::vector<std::filesystem::path> shards;  // as `run --shard` wrote them, in any order
  std::filesystem::path out;                  // a new folder, or an empty one
  // Once true, the merge ends with an error and leaves nothing behind.
  const std::atomic<bool>* stop = nullptr;
  bool partial = false;  // shards may be missing; then the merged results are incomplete
};

struct MergeSummary {
  size_t shards = 0, cases = 0;
  size_t of = 0;  // the number of all shards of the suite
};

// Refuses shards that are unfinished, that are filtered, or whose results have changed since they
// ran. Refuses shards that differ in suite, implementation, number of shards or repeats. Refuses a
// duplicate shard or case and, unless `partial` is set, a missing shard or case. `out` appears
// complete or not at all. If one of the shards is packed, the merged results are packs. Otherwise
// their files are hard links to the files of the shards, if possible.
StatusOr<MergeSummary> MergeResults(const MergeOptions& options);

struct CopyOptions {
  std::filesystem::path results;  // as `run` or `merge` wrote them
  std::filesystem::path out;      // a new folder
  const std::atomic<bool>* stop = nullptr;
  bool pack = false;  // writes packs, whatever the form of the results
};

// Returns run.json of the results of the whole suite. Refuses results that are unfinished, that are
// filtered, that belong to a single shard or to another suite, or that have changed since they were
// made.
StatusOr<RunRecord> CheckWholeResults(const std::filesystem::path& results, const Suite& suite,
                                      const std::atomic<bool>* stop);
// Copies the results of the whole suite and returns their run.json. The copy has the same form as
// `results`, unless `pack` is set. The refusals are those of CheckWholeResults.
StatusOr<RunRecord> CopyWholeResults(const CopyOptions& options, const Suite& suite);

// Returns the reasons why the shards in run.json do not divide these results completely and without
// overlap; returns no reason if they do. `ids`: the cases of the suite, in its order.
std::vector<std::string> ShardFaults(const RunRecord& run, const std::vector<std::string>& ids,
                                     const ResultDigests& results);

}  // namespace cts
