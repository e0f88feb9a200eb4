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

// In the suite's order; all cases if there is neither shard nor pattern. Errors name `suite_path`:
// a pattern that no case matches, a shard or a selection without a case.
StatusOr<std::vector<const SuiteEntry*>> SelectCases(const Suite& suite,
                                                     const std::optional<Shard>& shard,
                                                     const std::vector<std::string>& filter,
                                                     const std::filesystem::path& suite_path);

}  // namespace cts
