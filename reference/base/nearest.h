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

// "; did you mean CLAMP?", "; did you mean ABS or ADD?", or "" if no name of `names` is so near to
// `name` that `name` may be a mistyped form of it.
std::string DidYouMean(const std::vector<std::string>& names, std::string_view name);

}  // namespace cts
