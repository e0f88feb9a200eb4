#include "generator/recipe/recipe.h"

#include <filesystem>

#include "cts_recipes.h"
#include "reference/base/json.h"
#include "reference/base/nearest.h"
#include "reference/bundle/suite.h"

namespace cts {
namespace {

// "smoke.json" -> "smoke": an embedded recipe is named like its file.
std::string_view Stem(const EmbeddedFile& file) {
  return file.name.substr(0, file.name.size() - std::string_view(".json").size());
}

}  // namespace

StatusOr<Recipe> RecipeFromJson(const Json& json, std::string_view origin) {
  CTS_RETURN_IF_ERROR(ValidateJson(json, "recipe", origin));
  const std::vector<std::string> none;
  Recipe recipe;
  recipe.name = json["name"];
  recipe.summary = json.value("summary", "");
  recipe.edition = json["edition"];
  recipe.level = json["level"];
  recipe.strength = json["strength"];
  recipe.full_domains = json.value("domains", "small") == "full";
  recipe.operators = json.value("operators", none);
  recipe.profiles = json.value("profiles", none);
  recipe.needs = json.value("needs", "");
  recipe.data_sets = json.value("data_sets", none);
  recipe.valid_cases = json.value("valid_cases", true);
  recipe.error_cases = json.value("error_cases", true);
  recipe.neighbours = json.value("neighbours", false);
  recipe.limits = json.value("limits", false);
  recipe.relations = json.value("relations", false);
  recipe.sizes = json.value("sizes", int64_t{0});
  recipe.long_sums = json.value("long_sums", int64_t{0});
  if (json.contains("networks")) {
    recipe.networks = json["networks"] == "small" ? LayerSize::kSmall : LayerSize::kPublished;
  }
  recipe.graphs = json.value("graphs", false);
  recipe.repeats = json.value("repeats", false);
  recipe.symbolic = json.value("symbolic", false);
  recipe.samples = json.value("samples", 0);
  recipe.mutants = json.value("mutants", 0);
  recipe.seed = json.value("seed", uint64_t{0});
  recipe.types = json.value("types", none);
  recipe.conditions = json.value("conditions", none);
  recipe.ids = json.value("ids", none);
  if (json.contains("shard"))
    CTS_RETURN_IF_ERROR(SetShard(json["shard"].get<std::string>(), recipe));
  return recipe;
}

Json RecipeToJson(const Recipe& recipe) {
  Json json = {{"name", recipe.name},
               {"edition", recipe.edition},
               {"level", recipe.level},
               {"strength", recipe.strength},
               {"seed", recipe.seed}};
  const auto add = [&](const char* name, const auto& value, const auto& usual) {
    if (value != usual) json[name] = value;
  };
  const std::vector<std::string> none;
  add("summary", recipe.summary, std::string());
  if (recipe.full_domains) json["domains"] = "full";
  add("operators", recipe.operators, none);
  add("profiles", recipe.profiles, none);
  add("needs", recipe.needs, std::string());
  add("data_sets", recipe.data_sets, none);
  add("valid_cases", recipe.valid_cases, true);
  add("error_cases", recipe.error_cases, true);
  add("neighbours", recipe.neighbours, false);
  add("limits", recipe.limits, false);
  add("relations", recipe.relations, false);
  add("sizes", recipe.sizes, 0);
  add("long_sums", recipe.long_sums, 0);
  if (recipe.networks) {
    json["networks"] = *recipe.networks == LayerSize::kSmall ? "small" : "published";
  }
  add("graphs", recipe.graphs, false);
  add("repeats", recipe.repeats, false);
  add("symbolic", recipe.symbolic, false);
  add("samples", recipe.samples, 0);
  add("mutants", recipe.mutants, 0);
  add("types", recipe.types, none);
  add("conditions", recipe.conditions, none);
  add("ids", recipe.ids, none);
  if (recipe.shards != 1) json["shard"] = StrCat(recipe.shard, "/", recipe.shards);
  return json;
}

Status SetShard(std::string_view text, Recipe& recipe) {
  CTS_ASSIGN_OR_RETURN(const Shard shard, ParseShard(text));
  recipe.shard = shard.index;
  recipe.shards = shard.of;
  return absl::OkStatus();
}

std::vector<std::string> RecipeNames() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : EmbeddedRecipes()) names.emplace_back(Stem(file));
  return names;
}

StatusOr<Recipe> FindRecipe(std::string_view name_or_file) {
  if (name_or_file.ends_with(".json") || name_or_file.find('/') != name_or_file.npos) {
    CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(std::filesystem::path(name_or_file), ""));
    return RecipeFromJson(json, name_or_file);
  }
  for (const EmbeddedFile& file : EmbeddedRecipes()) {
    if (Stem(file) != name_or_file) continue;
    CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(file.text, file.name));
    return RecipeFromJson(json, file.name);
  }
  std::string nearest;
  for (const std::string& name : NearestNames(RecipeNames(), name_or_file, 3)) {
    nearest += StrCat(nearest.empty() ? "" : ", ", name);
  }
  return NotFound(
      "found no recipe ", name_or_file, "; the nearest are ", nearest,
      "; expected one that `tensor-cts list recipes` shows, or the path of a .json file");
}

}  // namespace cts
