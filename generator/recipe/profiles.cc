#include "generator/recipe/profiles.h"

#include <algorithm>

#include "reference/base/contains.h"

namespace cts {

Alternatives ProfilesOf(const TypeRow& row, const std::vector<std::string>& extensions) {
  Alternatives profiles = row.profiles;
  for (std::vector<std::string>& alternative : profiles) {
    for (const std::string& extension : extensions) {
      if (!Contains(alternative, extension)) alternative.push_back(extension);
    }
  }
  // An alternative that contains another says nothing: the first of the smallest ones are left.
  Alternatives smallest;
  for (const std::vector<std::string>& alternative : profiles) {
    if (IsWithin(smallest, alternative)) continue;
    std::erase_if(smallest, [&](const auto& other) { return IsWithin({alternative}, other); });
    smallest.push_back(alternative);
  }
  return smallest;
}

bool IsWithin(const Alternatives& alternatives, const std::vector<std::string>& chosen) {
  if (chosen.empty()) return true;
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const auto& alternative) {
    return std::all_of(alternative.begin(), alternative.end(),
                       [&](const std::string& name) { return Contains(chosen, name); });
  });
}

}  // namespace cts
