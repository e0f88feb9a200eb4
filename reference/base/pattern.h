// Patterns for ids, such as the ids of cases. Patterns occur on command lines, in recipes and in
// waivers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"

namespace cts {

// Whether a shell pattern matches the whole id. Patterns may have '*' (also across '/'), '?' and
// '[a-z]', without escapes. Every id matches itself, even if it contains these characters.
bool MatchesPattern(const std::string& pattern, const std::string& id);
// Whether the id matches at least one pattern. An empty list matches no id.
bool MatchesAny(const std::vector<std::string>& patterns, const std::string& id);

// An error if a pattern matches none of the ids. The error begins with `place`, and suggests a
// wider pattern or the nearest ids.
Status CheckPatterns(const std::vector<std::string>& patterns, const std::vector<std::string>& ids,
                     std::string_view place);

}  // namespace cts
