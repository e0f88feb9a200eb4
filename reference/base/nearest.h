// Suggests existing names in place of a name that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cts {

// Returns at most `count` of `names`: first the names that contain `name`, then the other names.
// Both groups are in the order of their edit distance to `name`.
std::vector<std::string> NearestNames(const std::vector<std::string>& names, std::string_view name,
                                      size_t count);

// Returns "; did you mean CLAMP?" or "; did you mean ABS or ADD?". Returns "" if `name` does not
// look like a misspelling of any name in `names`.
std::string DidYouMean(const std::vector<std::string>& names, std::string_view name);

}  // namespace cts
