// The profiles and extensions that a case needs, as alternatives. An implementation can run the
// case if it has all names of one alternative.
#pragma once

#include <string>
#include <vector>

#include "reference/spec/edition.h"

namespace cts {

using Alternatives = std::vector<std::vector<std::string>>;

// Returns the alternatives of the type row. Adds `extensions`, which the case also needs, to each
// of them. Leaves out an alternative that contains another alternative.
Alternatives ProfilesOf(const TypeRow& row, const std::vector<std::string>& extensions);

// Whether the chosen profiles include all names of at least one alternative. True if no profiles
// are chosen.
bool IsWithin(const Alternatives& alternatives, const std::vector<std::string>& chosen);

}  // namespace cts
