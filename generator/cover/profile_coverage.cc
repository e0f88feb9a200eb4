#include "generator/cover/profile_coverage.h"

#include <algorithm>

#include "generator/recipe/profiles.h"
#include "reference/base/contains.h"

namespace cts {
namespace {

// Whether an alternative within the recipe's profiles has the profile.
bool Needs(const std::vector<std::vector<std::string>>& alternatives, const std::string& profile,
           const Recipe& recipe) {
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const auto& alternative) {
    return Contains(alternative, profile) && IsWithin({alternative}, recipe.profiles);
  });
}

}  // namespace

std::vector<ProfileCoverage> MeasureProfiles(const Parts& asked,
                                             const std::vector<PartCoverage>& parts,
                                             const std::vector<CaseFacts>& cases) {
  std::vector<ProfileCoverage> measured;
  for (const ProfileSpec& profile : asked.edition->profiles) {
    ProfileCoverage& row = measured.emplace_back();
    row.name = profile.name;
    row.is_extension = profile.extension;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i].not_asked.empty()) continue;
      row.type_rows += !parts[i].is_graph &&
                       Needs(asked.parts[i].setting.row->profiles, profile.name, *asked.recipe);
      const auto needs = parts[i].needs.find(profile.name);
      if (needs != parts[i].needs.end()) row.values += needs->second;
    }
    for (const CaseFacts& facts : cases) {
      row.cases +=
          facts.outcome == Outcome::kValid && Needs(facts.profiles, profile.name, *asked.recipe);
    }
    // Main Training: operators on shapes. Only RESHAPE and the like show any of their results.
    if (profile.status == "In development" && row.type_rows > 0 && row.cases == 0) {
      row.excuse =
          "in development: the edition gives it operators whose results none of its own "
          "operators shows";
    }
  }
  return measured;
}

}  // namespace cts
