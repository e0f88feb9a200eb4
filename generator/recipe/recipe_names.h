// The names in a recipe, checked and spelled as the edition does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generator/recipe/recipe.h"
#include "reference/base/status.h"
#include "reference/spec/edition.h"

namespace cts {

// Spells edition, level, operators, profiles, types and conditions; returns the edition. An unknown
// name is an error that lists the nearest known ones. An edition that cannot be executed and a
// shard that does not exist are errors, too.
StatusOr<const Edition*> ResolveRecipe(Recipe& recipe);

// Replaces each name by the known one that equals it except for case. `what` names their kind, for
// the error.
Status ResolveNames(std::string_view what, const std::vector<std::string>& known,
                    std::vector<std::string>& names);

}  // namespace cts
