// The cases that a recipe asks for.
#pragma once

#include <string>
#include <vector>

#include "generator/plan/item.h"
#include "generator/plan/parts.h"
#include "generator/recipe/recipe.h"
#include "reference/base/status.h"

namespace cts {

// A case beside the combinations (at a limit of the level, of a relation, of a long sum) that is
// impossible: a condition of the edition's own forbids it, or the data do.
struct LeftOut {
  std::string id;         // the id that it would have
  std::string condition;  // the condition that it would break; "data": the data set has no such
                          // case
  std::string reason;     // what that condition forbids
  // For a case of a relation: all relations that hold in it, and the family of its types.
  std::vector<std::string> relations = {};
  std::string family;
};

struct Plan : Parts {
  // The layers that items refer to; those of short sums are for accumulators of fp16.
  std::vector<NetworkLayer> layers, layers_of_short_sums;
  std::vector<Item> items;        // sorted by id
  std::vector<LeftOut> left_out;  // likewise
};

// Errors are those of MakeParts, and of a filter that leaves nothing.
StatusOr<Plan> MakePlan(const Recipe& recipe);

}  // namespace cts
