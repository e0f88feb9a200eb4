// Recipes, from which suites are made (schemas/recipe.schema.json).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generator/networks/layer.h"
#include "reference/base/json_fwd.h"
#include "reference/base/status.h"

namespace cts {

struct Recipe {
  std::string name;
  std::string summary;
  std::string edition;
  std::string level;
  int strength = 1;           // every combination of the values of this number of parameters occurs
  bool full_domains = false;  // Axis::more as well
  std::vector<std::string> operators;  // all, if empty
  std::vector<std::string> profiles;   // profiles and extensions; all, if empty
  std::string needs;                   // only cases that need this extension, if not empty
  std::vector<std::string> data_sets;  // if empty, all except the exhaustive ones
  bool valid_cases = true;
  bool error_cases = true;  // with the legal neighbour of each, if neighbours
  bool neighbours = false;
  bool limits = false;     // cases at the limits of the level
  bool relations = false;  // cases in which each relation of parameters and shapes holds
  int64_t sizes = 0;       // cases at each rung of the ladder of sizes, up to this size
  // Cases of long sums up to this length, with each of appendix A's data sets. Unless it is 0,
  // MATMUL has cases of all lengths.
  int64_t long_sums = 0;
  std::optional<LayerSize> networks;  // layers of published networks
  bool graphs = false;                // graphs of several operators
  bool repeats = false;               // cases whose graph runs several times
  bool symbolic = false;              // symbolic programs, legal and illegal ones
  int samples = 0;                    // further combinations for every type row, drawn at random
  int mutants = 0;  // further error cases for every type row: a random change to a random case
  uint64_t seed = 0;
  // Filters; none, if empty.
  std::vector<std::string> types;       // of an operand or a result: "i8"
  std::vector<std::string> conditions;  // of error cases
  std::vector<std::string> ids;         // patterns with '*' and '?'
  // Part `shard` of `shards` parts of a suite. Every case is in exactly one part.
  int shard = 1, shards = 1;
};

// Validates against the schema; `origin` is the path for messages.
StatusOr<Recipe> RecipeFromJson(const Json& json, std::string_view origin);

// "2/4": shard 2 of 4.
Status SetShard(std::string_view text, Recipe& recipe);

// Writes JSON that RecipeFromJson reads, without defaults; suite.json holds it.
Json RecipeToJson(const Recipe& recipe);

// The names of the embedded recipes.
std::vector<std::string> RecipeNames();

// An embedded recipe by its name, or a file: a text that ends in ".json" or holds a '/' is a path.
// An unknown name is an error that names the nearest.
StatusOr<Recipe> FindRecipe(std::string_view name_or_file);

}  // namespace cts
