// Suggestions for a name that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cts {

// At most `count` of the names that contain `name` or lie nearest to it by edit distance, the best
// first.
std::vector<std::string> NearestNames(const std::vector<std::string>& names, std::string_view name,
                                      size_t count);

// "; did you mean CLAMP?", "; did you mean ABS or ADD?", or "" if no name is near enough for a
// typing error.
std::string DidYouMean(const std::vector<std::string>& names, std::string_view name);

}  // namespace cts
