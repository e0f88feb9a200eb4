// Joins the results of shards to the results of the whole suite.
#pragma once

#include <atomic>
#include <filesystem>
#include <vector>

#include "reference/base/status.h"

namespace cts {

struct MergeOptions {
  std::vector<std::filesystem::path> shards;  // as `run --shard` wrote them, in any order
  std::filesystem::path out;                  // must not exist, or be empty
  const std::atomic<bool>* stop = nullptr;    // once true, ends the merge, which then leaves
                                              // nothing
};

struct MergeSummary {
  size_t shards = 0, cases = 0;
};

// Refuses shards that are unfinished, filtered or changed since they ran; shards of different
// suites, implementations, numbers of shards or repeats; a shard or a case that is there twice or
// not at all. `out` appears whole or not at all; its files are hard links where that is possible,
// and packs if one of the shards is packed.
StatusOr<MergeSummary> MergeResults(const MergeOptions& options);

}  // namespace cts
