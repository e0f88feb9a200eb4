// The profiles and extensions that a case needs, as alternatives.
#pragma once

#include <string>
#include <vector>

#include "reference/spec/edition.h"

namespace cts {

using Alternatives = std::vector<std::vector<std::string>>;

// The profiles of the type row; each alternative also has the extensions that the case needs.
Alternatives ProfilesOf(const TypeRow& row, const std::vector<std::string>& extensions);

// Whether one of the alternatives lies within the chosen profiles. True if no profiles are chosen.
bool IsWithin(const Alternatives& alternatives, const std::vector<std::string>& chosen);

}  // namespace cts
