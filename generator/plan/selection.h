// The planned cases that a recipe wants.
#pragma once

#include <vector>

#include "generator/plan/item.h"
#include "generator/recipe/recipe.h"
#include "reference/base/status.h"

namespace cts {

// Keeps those with the recipe's ids, profiles and conditions. It is an error if none is left, or if
// no case has an id like one that the recipe names.
Status Select(const Recipe& recipe, std::vector<Item>& items);

// Keeps the recipe's shard: the costliest cases first, each goes to the shard that has least so
// far.
Status KeepShard(const Recipe& recipe, std::vector<Item>& items);

}  // namespace cts
