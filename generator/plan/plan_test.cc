#include "generator/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "generator/generate.h"
#include "generator/recipe/space.h"
#include "reference/bundle/suite.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

Recipe Smoke(std::vector<std::string> operators = {}) {
  Recipe recipe = *FindRecipe("smoke");
  recipe.operators = std::move(operators);
  return recipe;
}

std::set<std::string> Ids(const Recipe& recipe) {
  std::set<std::string> ids;
  const auto planned = PlanCases(recipe);
  EXPECT_TRUE(planned.ok()) << planned.status();
  for (const PlannedCase& c : *planned) ids.insert(c.id);
  return ids;
}

TEST(MakePlan, FiltersByType) {
  Recipe recipe = Smoke({"ADD", "CAST", "TANH"});
  recipe.types = {"FP16"};
  const auto ids = Ids(recipe);
  EXPECT_GT(ids.size(), 20u);
  for (const std::string& id : ids) EXPECT_THAT(id, HasSubstr("fp16"));
}

TEST(MakePlan, FiltersByConditionAndKeepsTheNeighbours) {
  Recipe recipe = Smoke();
  recipe.conditions = {"conv2d.pad_negative"};
  for (const std::string& id : Ids(recipe)) EXPECT_THAT(id, HasSubstr("conv2d/error-pad_negative"));
  const size_t errors = Ids(recipe).size();
  recipe.neighbours = true;
  const auto with = Ids(recipe);
  EXPECT_GT(with.size(), errors);
  EXPECT_TRUE(with.contains("conv2d/legal-pad_negative-i8-i8-i32"));
}

TEST(MakePlan, FiltersByIdPattern) {
  Recipe recipe = Smoke();
  recipe.ids = {"conv2d/*-k3x3x3-*", "exp/fp16*"};
  const auto ids = Ids(recipe);
  EXPECT_GT(ids.size(), 5u);
  for (const std::string& id : ids) {
    EXPECT_TRUE(id.starts_with("exp/fp16") ||
                (id.starts_with("conv2d/") && id.find("-k3x3x3-") != id.npos))
        << id;
  }
}

// Bool, integers, fp8 and wider floats each have their own error case.
TEST(MakePlan, HasAnErrorCaseForEveryTypeFamily) {
  Recipe recipe = Smoke({"CONCAT"});
  recipe.conditions = {"concat.axis_range"};
  std::string all;
  for (const std::string& id : Ids(recipe)) all += id + " ";
  EXPECT_THAT(all,
              AllOf(HasSubstr("-bool"), HasSubstr("-i8"), HasSubstr("-fp8"), HasSubstr("-fp16")));
}

TEST(MakePlan, SplitsIntoShardsOfLikeNumber) {
  for (const char* name : {"certify", "graphs"}) {
    Recipe recipe = *FindRecipe(name);
    const size_t whole = PlanCases(recipe)->size();
    recipe.shards = 4;
    size_t sum = 0;
    for (recipe.shard = 1; recipe.shard <= 4; ++recipe.shard) {
      const size_t part = PlanCases(recipe)->size();
      EXPECT_GT(part, whole / 8) << name << " " << recipe.shard;
      sum += part;
    }
    EXPECT_EQ(sum, whole);
  }
}

TEST(MakePlan, RefusesAShardWithoutCases) {
  Recipe recipe = Smoke({"ABS"});
  recipe.shards = recipe.shard = 5000;
  EXPECT_THAT(Message(PlanCases(recipe).status()),
              AllOf(HasSubstr("5000/5000"), HasSubstr("no case is left")));
}

TEST(MakePlan, RefusesAPatternThatNoIdMatches) {
  Recipe recipe = Smoke();
  recipe.ids = {"abs/*", "conv2/*"};
  EXPECT_THAT(Message(PlanCases(recipe).status()),
              AllOf(HasSubstr("no case has an id like conv2/*"), HasSubstr("conv2d/")));
}

TEST(MakePlan, SaysWhyAConditionHasNoCase) {
  Recipe recipe = Smoke();
  recipe.conditions = {"slice.list_length"};
  EXPECT_THAT(Message(PlanCases(recipe).status()), HasSubstr("cannot be broken alone"));
}

TEST(MakePlan, SplitsIntoShardsOfLikeCost) {
  const std::set<std::string> whole = Ids(Smoke({"CONV2D", "ADD", "EXP", "REDUCE_SUM"}));
  std::multiset<std::string> parts;
  std::vector<double> bytes;
  for (int shard = 1; shard <= 3; ++shard) {
    GenerateOptions options;
    options.recipe = Smoke({"CONV2D", "ADD", "EXP", "REDUCE_SUM"});
    options.recipe.shard = shard;
    options.recipe.shards = 3;
    options.jobs = 1;  // what counts below is of one thread
    bytes.push_back(0);
    ASSERT_TRUE(ForEachCase(options, [&](size_t, const Case& c) {
                  parts.insert(c.id);
                  for (const BundleFile& file : EncodeCase(c)) {
                    bytes.back() += static_cast<double>(file.bytes.size());
                  }
                  return absl::OkStatus();
                }).ok());
  }
  EXPECT_EQ(std::set<std::string>(parts.begin(), parts.end()), whole);
  EXPECT_EQ(parts.size(), whole.size());
  const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
  EXPECT_LT(*most, 1.5 * *least);
}

// Digests of the bundles of a recipe's cases, by id.
std::map<std::string, std::string> Digests(const Recipe& recipe) {
  GenerateOptions options;
  options.recipe = recipe;
  options.jobs = 1;
  std::map<std::string, std::string> digests;
  EXPECT_TRUE(ForEachCase(options, [&](size_t, const Case& c) {
                digests[c.id] = BundleDigest(EncodeCase(c));
                return absl::OkStatus();
              }).ok());
  return digests;
}

// More values in a domain add cases; those that stay keep their names and their bytes.
TEST(MakePlan, KeepsIdsAndBytesWhenDomainsGrow) {
  Recipe small = Smoke({"CAST", "EXP", "CLZ"});
  small.strength = 3;  // all that there are of axes, so that no combination gives way to another
  Recipe full = small;
  full.full_domains = true;
  const auto few = Digests(small), many = Digests(full);
  EXPECT_GT(many.size(), few.size());
  for (const auto& [id, digest] : few) {
    const auto same = many.find(id);
    ASSERT_NE(same, many.end()) << id;
    EXPECT_EQ(same->second, digest) << id;
  }
}

// Full domains break conditions in more ways. The ids of the others stay, and the new ones follow.
TEST(MakePlan, BreaksConditionsInMoreWaysInFullDomains) {
  Recipe small = *FindRecipe("errors");
  small.operators = {"TRANSPOSE", "ADD", "ARGMAX", "COND_IF"};
  Recipe full = small;
  full.full_domains = true;
  const auto few = Digests(small), many = Digests(full);
  for (const auto& [id, digest] : few) {
    const auto same = many.find(id);
    ASSERT_NE(same, many.end()) << id;
    EXPECT_EQ(same->second, digest) << id;
  }
  for (const char* id : {"transpose/error-perm_repeated-i8-4", "argmax/error-axis_range-i8-i32-4",
                         "add/error-type_row-i32-5", "cond_if/error-then_inputs-any-6"}) {
    EXPECT_TRUE(many.contains(id) && !few.contains(id)) << id;
  }
}

// An implementation without EXT-DOUBLEROUND is asked for no double rounding, and misses nothing
// else.
TEST(MakePlan, LeavesOutValuesWhoseExtensionIsNotChosen) {
  Recipe recipe = Smoke({"RESCALE"});
  recipe.profiles = {"PRO-INT"};
  const auto without = Ids(recipe);
  for (const std::string& id : without) {
    EXPECT_THAT(id, testing::Not(testing::AnyOf(HasSubstr("-double-"), HasSubstr("-inexact-"))));
  }
  recipe.profiles = {"PRO-INT", "EXT-DOUBLEROUND"};
  recipe.needs = "EXT-DOUBLEROUND";
  const auto needing = Ids(recipe);
  EXPECT_FALSE(needing.empty());
  for (const std::string& id : needing) {
    EXPECT_TRUE(id.starts_with("rescale/error-") || id.starts_with("rescale/size-") ||
                id.find("-double-") != id.npos)
        << id;
  }
}

bool IsFloatRow(const Setting& setting) {
  for (const ArgumentSpec& argument : setting.spec->arguments) {
    const auto type = setting.row->PlainType(argument.element_type);
    if (type && argument.category == ArgumentCategory::kInput) return IsFloat(*type);
  }
  return false;
}

// A label that no axis has would leave a condition unbroken without a word.
TEST(MakePlan, FindsAStartForEveryBreakerAndLimit) {
  for (const char* name : {"certify", "certify-0.100"}) {
    const auto plan = MakeParts(*FindRecipe(name));
    ASSERT_TRUE(plan.ok()) << plan.status();
    std::map<std::string, bool> found;  // by what is broken and the kind of types
    const auto add = [&](const Part& part, const std::string& what, const Labels& labels,
                         const SettingTest& applies) {
      if (applies != nullptr && !applies(part.setting)) return;
      found[StrCat(part.setting.spec->name, " ", what, IsFloatRow(part.setting) ? " float" : "")] |=
          StartOf(*part.domain, part.setting, *plan->recipe, labels, applies).has_value();
    };
    for (const Part& part : plan->parts) {
      if (part.is_graph) continue;
      int nth = 0;
      for (const Breaker& breaker : part.domain->breakers) {
        // REDUCE_SUM has the same breakers for the shapes of integers and for those of floats.
        const bool twice = part.setting.spec->name == "REDUCE_SUM";
        add(part, StrCat(breaker.condition, twice ? 0 : ++nth), breaker.labels, breaker.applies);
      }
      for (const LimitCase& limit : part.domain->limits) {
        add(part, StrCat(limit.limit, " ", limit.what), limit.labels, limit.applies);
      }
    }
    EXPECT_GT(found.size(), 1000u);
    for (const auto& [what, has_start] : found) EXPECT_TRUE(has_start) << name << ": " << what;
  }
}

TEST(MakePlan, NamesTheLegalNeighbourOfEveryErrorCase) {
  Recipe recipe = *FindRecipe("errors");
  recipe.operators = {"CONV2D", "RESIZE", "CLAMP", "ADD"};
  const auto plan = MakePlan(recipe);
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::set<std::string> ids;
  for (const Item& item : plan->items) ids.insert(item.choice.id);
  int errors = 0;
  for (const Item& item : plan->items) {
    const auto* const error = item.As<purpose::Error>();
    if (error == nullptr) continue;
    EXPECT_TRUE(ids.contains(error->neighbour)) << item.choice.id << ": " << error->neighbour;
    EXPECT_THAT(error->neighbour, HasSubstr("/legal-"));
    ++errors;
  }
  EXPECT_GT(errors, 100);
}

TEST(MakePlan, RefusesContradictions) {
  Recipe recipe = Smoke();
  recipe.profiles = {"PRO-INT"};
  recipe.needs = "EXT-INT16";
  EXPECT_THAT(Message(PlanCases(recipe).status()),
              AllOf(HasSubstr("EXT-INT16"), HasSubstr("profiles")));
  recipe = Smoke({"ADD"});
  recipe.data_sets = {"S0"};
  EXPECT_THAT(Message(PlanCases(recipe).status()), AllOf(HasSubstr("S0"), HasSubstr("full-range")));
  recipe = Smoke({"TANH"});
  recipe.profiles = {"PRO-INT"};
  EXPECT_THAT(Message(PlanCases(recipe).status()), HasSubstr("no case is left"));
}

// The greatest number of results of a network's layer whose sums of S3 become this type.
int64_t MostSumsOfNetworks(const char* recipe, DType type) {
  const auto plan = MakePlan(*FindRecipe(recipe));
  EXPECT_TRUE(plan.ok()) << plan.status();
  int64_t most = 0;
  for (const Item& item : plan->items) {
    const NetworkLayer* const layer = item.layer();
    if (layer == nullptr || layer->SumLength() == 1 || item.data_set() != "S3") continue;
    if (item.choice.setting.row->PlainType("out_t") != type) continue;
    most = std::max(most, ElementCount(layer->output));
  }
  return most;
}

// notes.md, "data sets, S3 in 0.100": legal orders of more sums of one sign exceed the limit of
// their errors. S3 of later editions has both signs.
TEST(MakePlan, KeepsFewSumsOfOneSignInNarrowTypes) {
  for (const DType type : {DType::kFp16, DType::kBf16}) {
    SCOPED_TRACE(Name(type));
    // 4,096, but for one layer whose kernel spans 37 positions.
    EXPECT_LE(MostSumsOfNetworks("networks-0.100", type), 21 * 21 * 16);
    EXPECT_GT(MostSumsOfNetworks("networks", type), 500'000);
  }
  EXPECT_GT(MostSumsOfNetworks("networks-0.100", DType::kFp32), 100'000);
}

}  // namespace
}  // namespace cts
