// The cases that a recipe asks for.
#pragma once

#include <string>
#include <vector>

#include "generator/plan/item.h"
#include "generator/plan/parts.h"
#include "generator/recipe/recipe.h"
#include "reference/base/status.h"

namespace cts {

// An impossible case, other than a combination of parameter values: for example a case at a limit
// of the level, a case for a relation, or a case with long sums. The case is impossible because of
// a condition that only this edition has, or because of the data.
struct LeftOut {
  std::string id;  // the id that the case would have
  // The condition that the case would break; "data": the data set has no such case.
  std::string condition;
  std::string reason;  // why the case is impossible
  // For a case of a relation: all relations that would hold in the case, and the family of its
  // types.
  std::vector<std::string> relations = {};
  std::string family;
};

struct Plan : Parts {
  // The layers that items refer to. Cases with accumulators of fp16 use `layers_of_short_sums`.
  // Other cases with outputs of fp16 or bf16 and data set S3 use `layers_of_few_sums` if the
  // edition's data sets have sums of one sign. All remaining cases use `layers`.
  std::vector<NetworkLayer> layers, layers_of_short_sums, layers_of_few_sums;
  std::vector<Item> items;        // sorted by id
  std::vector<LeftOut> left_out;  // sorted by id
};

// Errors are those of MakeParts. Filters that leave no case are also an error.
StatusOr<Plan> MakePlan(const Recipe& recipe);

}  // namespace cts
