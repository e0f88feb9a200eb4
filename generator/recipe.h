// Recipes: what makes a suite (schemas/recipe.schema.json).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"

namespace cts {

struct Recipe {
  std::string name;
  std::string summary;
  std::string edition;
  std::string level;
  int strength = 1;  // every combination of the values of so many parameters occurs
  std::vector<std::string> operators;  // all, if empty
  std::vector<std::string> profiles;   // profiles and extensions; all, if empty
  bool error_cases = true;
  int samples = 0;  // further combinations for every type row, drawn at random
  int mutants = 0;  // further error cases for every type row: a random change to a random case
  uint64_t seed = 0;
};

// Validates against the schema; `origin` is the path for messages.
StatusOr<Recipe> RecipeFromJson(const Json& json, std::string_view origin);

// The names of the embedded recipes.
std::vector<std::string> RecipeNames();

// An embedded recipe by its name, or a file: what ends in ".json" or holds a '/'. An unknown name
// is an error that lists the known ones.
StatusOr<Recipe> FindRecipe(std::string_view name_or_file);

}  // namespace cts
