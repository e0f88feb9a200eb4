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
  int strength = 1;                    // every combination of values of any `strength` axes occurs
  bool full_domains = false;           // use the values of Axis::more, too
  std::vector<std::string> operators;  // if empty, all
  std::vector<std::string> profiles;   // profiles and extensions that cases may need; if empty, all
  std::string needs;                   // if not empty, only cases that need this extension
  std::vector<std::string> data_sets;  // if empty, all except the exhaustive ones
  bool valid_cases = true;
  // Cases that break a condition; with `neighbours`, each with its nearest legal case.
  bool error_cases = true;
  bool neighbours = false;
  bool limits = false;  // cases at the limits of the level
  // For each relation of parameters and shapes, cases in which the relation holds.
  bool relations = false;
  int64_t sizes = 0;  // cases at each rung of the ladder of sizes
                      // (reference/ops/size_ladder.h), up to this size
  // Cases of long sums up to this length, with each of appendix A's data sets. Unless this member
  // is 0, MATMUL has cases of all lengths, even above this length.
  int64_t long_sums = 0;
  std::optional<LayerSize> networks;  // layers of published networks
  bool graphs = false;                // graphs of several operators
  bool repeats = false;               // cases whose graph runs several times
  bool symbolic = false;              // symbolic programs, legal and illegal ones
  int samples = 0;                    // the number of further random combinations for every type
                                      // row
  // The number of further error cases for every type row, each a random change to a random case.
  int mutants = 0;
  uint64_t seed = 0;
  // Filters; an empty list does not filter.
  std::vector<std::string> types;  // an operand or a result must be of one of these types: "i8"
  std::vector<std::string> conditions;  // conditions that the error cases break
  std::vector<std::string> ids;         // patterns of ids, with '*' and '?'
  // The suite has only the cases of shard number `shard` of `shards`. Every case is in exactly one
  // shard.
  int shard = 1, shards = 1;
};

// Validates the JSON against the schema. `origin` is the path for messages.
StatusOr<Recipe> RecipeFromJson(const Json& json, std::string_view origin);

// Sets the recipe's shard from a text such as "2/4": shard 2 of 4.
Status SetShard(std::string_view text, Recipe& recipe);

// Returns JSON that RecipeFromJson can read. Leaves out members that have their default value.
// suite.json holds this JSON.
Json RecipeToJson(const Recipe& recipe);

// The names of the embedded recipes.
std::vector<std::string> RecipeNames();

// Returns an embedded recipe by its name, or reads a file. A text that ends in ".json" or contains
// a '/' is a path. An unknown name is an error that lists the nearest names.
StatusOr<Recipe> FindRecipe(std::string_view name_or_file);

}  // namespace cts
