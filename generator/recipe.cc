#include "generator/recipe.h"

#include <filesystem>

#include "cts_recipes.h"
#include "reference/base/json.h"

namespace cts {
namespace {

// "smoke.json" -> "smoke": an embedded recipe is named like its file.
std::string_view Stem(const EmbeddedFile& file) {
  return file.name.substr(0, file.name.size() - std::string_view(".json").size());
}

}  // namespace

StatusOr<Recipe> RecipeFromJson(const Json& json, std::string_view origin) {
  CTS_RETURN_IF_ERROR(ValidateJson(json, "recipe", origin));
  Recipe recipe;
  recipe.name = json["name"];
  recipe.summary = json.value("summary", "");
  recipe.edition = json["edition"];
  recipe.level = json["level"];
  recipe.strength = json["strength"];
  recipe.error_cases = json["error_cases"];
  recipe.samples = json.value("samples", 0);
  recipe.mutants = json.value("mutants", 0);
  recipe.seed = json.value("seed", uint64_t{0});
  recipe.operators = json.value("operators", std::vector<std::string>{});
  recipe.profiles = json.value("profiles", std::vector<std::string>{});
  return recipe;
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
  std::string known;
  for (const std::string& name : RecipeNames()) known += (known.empty() ? "" : ", ") + name;
  return NotFound("found no recipe ", name_or_file, "; expected one of ", known,
                  ", or the path of a .json file");
}

}  // namespace cts
