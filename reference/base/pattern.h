// Patterns for ids, such as the ids of cases. Patterns occur on command lines, in recipes and in
// waivers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"

namespace cts {

// Whether a shell pattern matches the whole id. A pattern may contain '*' (which also matches '/'),
// '?' and '[a-z]'. A pattern has no escapes. A pattern that equals the id always matches it.
bool MatchesPattern(const std::string& pattern, const std::string& id);
// Whether the id matches at least one pattern. An empty list matches no id.
bool MatchesAny(const std::vector<std::string>& patterns, const std::string& id);

// Returns an error if a pattern matches no id. The error begins with `place`, and suggests a wider
// pattern or the nearest ids.
Status CheckPatterns(const std::vector<std::string>& patterns, const std::vector<std::string>& ids,
                     std::string_view place);

}  // namespace cts
