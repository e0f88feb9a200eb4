// The planned cases that a recipe selects.
#pragma once

#include <vector>

#include "generator/plan/item.h"
#include "generator/recipe/recipe.h"
#include "reference/base/status.h"

namespace cts {

// Keeps those with the recipe's ids, profiles and conditions. It is an error if no case is left, or
// if no case matches an id of the recipe.
Status Select(const Recipe& recipe, std::vector<Item>& items);

// Keeps the recipe's shard. From the costliest on, each case goes to the shard with the least cost
// so far.
Status KeepShard(const Recipe& recipe, std::vector<Item>& items);

}  // namespace cts
