// Patterns of ids, such as those of cases: on command lines, in recipes and in waivers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"

namespace cts {

// A shell pattern of the whole id: '*' (also across '/'), '?', '[a-z]'; no escapes. An id matches
// itself, whatever it holds.
bool MatchesPattern(const std::string& pattern, const std::string& id);
// Whether the id matches at least one pattern. An empty list matches no id.
bool MatchesAny(const std::vector<std::string>& patterns, const std::string& id);

// Refuses a pattern that none of the ids matches; the error begins with `place` and names the
// nearest of them.
Status CheckPatterns(const std::vector<std::string>& patterns, const std::vector<std::string>& ids,
                     std::string_view place);

}  // namespace cts
