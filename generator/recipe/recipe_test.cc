#include "generator/recipe/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "reference/base/file.h"

namespace cts {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(FindRecipe, FindsEveryEmbeddedRecipeByTheNameItGivesItself) {
  EXPECT_THAT(RecipeNames(), Contains("smoke"));
  for (const std::string& name : RecipeNames()) {
    const auto recipe = FindRecipe(name);
    ASSERT_TRUE(recipe.ok()) << recipe.status();
    EXPECT_EQ(recipe->name, name);
  }
}

TEST(FindRecipe, ListsTheKnownOnesForAnUnknownName) {
  const auto recipe = FindRecipe("smok");
  ASSERT_FALSE(recipe.ok());
  EXPECT_THAT(Message(recipe.status()), HasSubstr("found no recipe smok"));
  EXPECT_THAT(Message(recipe.status()), HasSubstr("the nearest are smoke, smoke-0.100"));
}

TEST(FindRecipe, ReadsAFile) {
  const auto path = std::filesystem::path(testing::TempDir()) / "own.json";
  ASSERT_TRUE(WriteFile(path, R"({"name": "own", "edition": "tosa-1.0", "level": "none",
      "strength": 2, "error_cases": false, "operators": ["ADD"]})")
                  .ok());
  const auto recipe = FindRecipe(path.string());
  ASSERT_TRUE(recipe.ok()) << recipe.status();
  EXPECT_EQ(recipe->strength, 2);
  EXPECT_EQ(recipe->operators, std::vector<std::string>{"ADD"});
  EXPECT_FALSE(recipe->error_cases);
}

TEST(FindRecipe, NamesTheFileAndThePlaceOfAMistake) {
  const auto path = std::filesystem::path(testing::TempDir()) / "bad.json";
  ASSERT_TRUE(WriteFile(path, R"({"name": "bad", "edition": "tosa-1.0", "level": "8K",
      "strength": 7, "error_cases": true})")
                  .ok());
  const auto recipe = FindRecipe(path.string());
  ASSERT_FALSE(recipe.ok());
  EXPECT_THAT(Message(recipe.status()), HasSubstr("bad.json"));
  EXPECT_THAT(Message(recipe.status()), HasSubstr("strength"));
  EXPECT_FALSE(FindRecipe("/nowhere/missing.json").ok());
}

}  // namespace
}  // namespace cts
