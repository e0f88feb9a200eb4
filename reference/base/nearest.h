// Suggestions for a name that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cts {

// Returns at most `count` names: first those that contain `name`, then the nearest to it by edit
// distance.
std::vector<std::string> NearestNames(const std::vector<std::string>& names, std::string_view name,
                                      size_t count);

// "; did you mean CLAMP?", "; did you mean ABS or ADD?", or "" if `name` does not look like a
// misspelling of any name in `names`.
std::string DidYouMean(const std::vector<std::string>& names, std::string_view name);

}  // namespace cts
