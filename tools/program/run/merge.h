// Joins the results of shards to the results of the whole suite.
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
  std::filesystem::path out;                  // must not exist, or be empty
  const std::atomic<bool>* stop = nullptr;    // once true, ends the merge, which then leaves
                                              // nothing
  bool partial = false;                       // shards may be missing: then the whole is incomplete
};

struct MergeSummary {
  size_t shards = 0, cases = 0;
  size_t of = 0;  // shards that there must be
};

// Refuses shards that are unfinished, filtered or changed since they ran; shards of different
// suites, implementations, numbers of shards or repeats; a shard or a case that is there twice or,
// unless `partial`, not at all. `out` appears whole or not at all; its files are hard links where
// that is possible, and packs if one of the shards is packed.
StatusOr<MergeSummary> MergeResults(const MergeOptions& options);

struct CopyOptions {
  std::filesystem::path results;  // as `run` or `merge` wrote them
  std::filesystem::path out;      // must not exist
  const std::atomic<bool>* stop = nullptr;
};

// Copies the results of the whole suite, in the form that they have, and returns their run.json.
// Refuses results that are unfinished, filtered, of a shard, of another suite or changed since they
// were made.
StatusOr<RunRecord> CopyWholeResults(const CopyOptions& options, const Suite& suite);

// Why the shards that run.json names are not a division of these results; empty if they are.
// `ids`: the cases of the suite, in its order.
std::vector<std::string> ShardFaults(const RunRecord& run, const std::vector<std::string>& ids,
                                     const ResultDigests& results);

}  // namespace cts
