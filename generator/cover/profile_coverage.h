// The profiles and extensions that the cases of a suite need.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/cover/case_facts.h"
#include "generator/cover/part_coverage.h"
#include "generator/plan/parts.h"

namespace cts {

struct ProfileCoverage {
  std::string name;
  bool is_extension = false;
  // The number of requested type rows that need the profile. A row needs the profile if at least
  // one list of its TypeRow::profiles contains the profile. Lists that the recipe's profiles
  // exclude do not count.
  uint64_t type_rows = 0;
  uint64_t values = 0;  // the number of axis values that need the profile and that a case can have
  // The number of valid cases that need the profile: those with the profile in at least one list of
  // CaseFacts::profiles. Lists that the recipe's profiles exclude do not count.
  uint64_t cases = 0;
  std::string excuse;  // why no case can need the profile; empty if a case can need it

  bool is_hole() const { return (type_rows > 0 || values > 0) && cases == 0 && excuse.empty(); }
};

// Returns all profiles and extensions of the edition. `parts[i]` measures `asked.parts[i]`.
std::vector<ProfileCoverage> MeasureProfiles(const Parts& asked,
                                             const std::vector<PartCoverage>& parts,
                                             const std::vector<CaseFacts>& cases);

}  // namespace cts
