// The level by which a case or a graph is judged.
#pragma once

#include <string>

#include "reference/base/status.h"
#include "reference/spec/edition.h"

namespace cts {

// Returns the edition's level with this name. The error for an unknown name lists the edition's
// levels.
StatusOr<const Level*> FindLevel(const Edition& edition, const std::string& name);

// Does the same, but an empty name means the edition's narrowest level.
StatusOr<const Level*> FindLevelOrNarrowest(const Edition& edition, const std::string& name);

}  // namespace cts
