// The cases that a recipe asks for.
#pragma once

#include <vector>

#include "generator/item.h"
#include "generator/parts.h"
#include "generator/recipe.h"
#include "reference/base/status.h"

namespace cts {

struct Plan : Parts {
  // Of the items of networks; those of short sums are for accumulators of fp16.
  std::vector<NetworkLayer> layers, layers_of_short_sums;
  std::vector<Item> items;  // sorted by id
};

// Errors are those of MakeParts, and of a filter that leaves nothing.
StatusOr<Plan> MakePlan(const Recipe& recipe);

}  // namespace cts
