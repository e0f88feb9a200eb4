// The level that a case or a graph is judged by.
#pragma once

#include <string>

#include "reference/base/status.h"
#include "reference/spec/edition.h"

namespace cts {

// The edition's level of that name, or an error that lists those it has.
StatusOr<const Level*> FindLevel(const Edition& edition, const std::string& name);

// Likewise; the edition's narrowest if the name is empty.
StatusOr<const Level*> FindLevelOrNarrowest(const Edition& edition, const std::string& name);

}  // namespace cts
