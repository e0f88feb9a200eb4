// The level by which a case or a graph is judged.
#pragma once

#include <string>

#include "reference/base/status.h"
#include "reference/spec/edition.h"

namespace cts {

// The edition's level with this name; an error lists the edition's levels.
StatusOr<const Level*> FindLevel(const Edition& edition, const std::string& name);

// The same, but an empty name means the edition's narrowest level.
StatusOr<const Level*> FindLevelOrNarrowest(const Edition& edition, const std::string& name);

}  // namespace cts
