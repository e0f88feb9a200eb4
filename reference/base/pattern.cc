#include "reference/base/pattern.h"

#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "reference/base/contains.h"
#include "reference/base/nearest.h"

namespace cts {
namespace {

std::string FolderOf(const std::string& id) { return id.substr(0, id.find('/')); }

// The nearest ids of the nearest folder.
std::string NearestIds(const std::vector<std::string>& ids, const std::string& pattern) {
  constexpr size_t kShown = 5;
  std::set<std::string> folders;
  for (const std::string& id : ids) folders.insert(FolderOf(id));
  const std::vector<std::string> nearest =
      NearestNames({folders.begin(), folders.end()}, FolderOf(pattern), 1);
  std::vector<std::string> there;
  for (const std::string& id : ids) {
    if (Contains(nearest, FolderOf(id))) there.push_back(id);
  }
  std::string text;
  for (const std::string& id : NearestNames(there, pattern, kShown)) {
    text += StrCat(text.empty() ? "" : ", ", id);
  }
  return text;
}

}  // namespace

bool MatchesPattern(const std::string& pattern, const std::string& id) {
  return pattern == id || fnmatch(pattern.c_str(), id.c_str(), FNM_NOESCAPE) == 0;
}

bool MatchesAny(const std::vector<std::string>& patterns, const std::string& id) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return MatchesPattern(pattern, id); });
}

Status CheckPatterns(const std::vector<std::string>& patterns, const std::vector<std::string>& ids,
                     std::string_view place) {
  for (const std::string& pattern : patterns) {
    const auto matches = [&](const std::string& id) { return MatchesPattern(pattern, id); };
    if (std::any_of(ids.begin(), ids.end(), matches)) continue;
    const auto containing = std::count_if(ids.begin(), ids.end(), [&](const std::string& id) {
      return MatchesPattern(StrCat("*", pattern, "*"), id);
    });
    if (containing > 0) {
      return InvalidArgument(place, ": none of its ", ids.size(), " cases has the id '", pattern,
                             "'; '*", pattern, "*' matches ", containing, " of them");
    }
    return InvalidArgument(place, ": none of its ", ids.size(), " cases has an id like '", pattern,
                           "'; the nearest: ", NearestIds(ids, pattern));
  }
  return absl::OkStatus();
}

}  // namespace cts
