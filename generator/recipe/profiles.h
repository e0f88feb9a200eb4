// The profiles and extensions that a case needs, as alternatives: it is enough to have all names of
// one alternative.
#pragma once

#include <string>
#include <vector>

#include "reference/spec/edition.h"

namespace cts {

using Alternatives = std::vector<std::vector<std::string>>;

// Returns the alternatives of the type row, each with the extensions that the case needs in
// addition. An alternative that contains another one is left out.
Alternatives ProfilesOf(const TypeRow& row, const std::vector<std::string>& extensions);

// Whether the chosen profiles include all names of at least one alternative. True if no profiles
// are chosen.
bool IsWithin(const Alternatives& alternatives, const std::vector<std::string>& chosen);

}  // namespace cts
