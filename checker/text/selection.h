// The cases of a suite that a command takes: those that are in a shard and match a pattern.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/bundle/suite.h"

namespace cts {

// Returns the selected cases in the suite's order. `filter` is a list of patterns of ids. Without a
// shard, cases of all shards are selected. If `filter` is empty, cases with any id are selected. It
// is an error if a pattern matches no case of the suite, or if the patterns select no case of a
// shard that has cases. Errors name `suite_path`.
StatusOr<std::vector<const SuiteEntry*>> SelectCases(const Suite& suite,
                                                     const std::optional<Shard>& shard,
                                                     const std::vector<std::string>& filter,
                                                     const std::filesystem::path& suite_path);

}  // namespace cts
