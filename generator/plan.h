// The cases that a recipe asks for.
#pragma once

#include <vector>

#include "generator/item.h"
#include "generator/parts.h"
#include "generator/recipe.h"
#include "reference/base/status.h"

namespace cts {

struct Plan : Parts {
  std::vector<NetworkLayer> layers;  // of the items of networks
  std::vector<Item> items;           // sorted by id
};

// Errors are those of MakeParts, and of a filter that leaves nothing.
StatusOr<Plan> MakePlan(const Recipe& recipe);

}  // namespace cts
