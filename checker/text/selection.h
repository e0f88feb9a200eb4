// The cases of a suite that a command takes: the cases of a shard, or the cases that match a
// pattern.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/bundle/suite.h"

namespace cts {

// Returns the selected cases in the suite's order; all cases if there is neither shard nor pattern.
// It is an error if a pattern matches no case of the suite, or if the patterns select no case of a
// shard that has cases. Errors name `suite_path`.
StatusOr<std::vector<const SuiteEntry*>> SelectCases(const Suite& suite,
                                                     const std::optional<Shard>& shard,
                                                     const std::vector<std::string>& filter,
                                                     const std::filesystem::path& suite_path);

}  // namespace cts
