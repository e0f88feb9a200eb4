// Checks the names in a recipe, and spells them as the edition does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generator/recipe/recipe.h"
#include "reference/base/status.h"
#include "reference/spec/edition.h"

namespace cts {

// Spells edition, level, operators, profiles, types and conditions as the edition does, and returns
// the edition. An unknown name is an error that lists the nearest known names. An edition that
// cannot be executed and a shard that does not exist are errors, too.
StatusOr<const Edition*> ResolveRecipe(Recipe& recipe);

// Replaces each name by the known name that differs from it only in upper and lower case. A name
// may also lack the prefix "PRO-" or "EXT-" of the known name. `what` is the kind of the names, for
// the error.
Status ResolveNames(std::string_view what, const std::vector<std::string>& known,
                    std::vector<std::string>& names);

}  // namespace cts
