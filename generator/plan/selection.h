// The planned cases that a recipe selects.
#pragma once

#include <vector>

#include "generator/plan/item.h"
#include "generator/recipe/recipe.h"
#include "reference/base/status.h"

namespace cts {

// Keeps the cases that fit the recipe's filters for ids, profiles and conditions. It is an error if
// no case is left, or if one of the recipe's ids matches no case.
Status Select(const Recipe& recipe, std::vector<Item>& items);

// Keeps the cases of the recipe's shard. The cases are assigned in descending order of cost, each
// to the shard with the least total cost so far.
Status KeepShard(const Recipe& recipe, std::vector<Item>& items);

}  // namespace cts
