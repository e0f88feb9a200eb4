#include "generator/cover/coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>

#include "generator/generate.h"
#include "generator/graphs/patterns.h"
#include "generator/plan/parts.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/bundle/case.h"
#include "reference/graph/symbols.h"
#include "reference/ops/conditions.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using Values = std::map<std::string, std::string>;  // by axis

Recipe RecipeOf(std::vector<std::string> operators, int strength) {
  Recipe recipe = *FindRecipe("smoke");
  recipe.operators = std::move(operators);
  recipe.strength = strength;
  return recipe;
}

// A suite in a directory that goes away.
class SuiteDirectory {
 public:
  explicit SuiteDirectory(const Recipe& recipe) {
    std::string pattern = testing::TempDir() + "/coverage_test-XXXXXX";
    root_ = mkdtemp(pattern.data());
    GenerateOptions options;
    options.recipe = recipe;
    options.out = path();
    options.jobs = 2;
    const StatusOr<Suite> suite = Generate(options);
    EXPECT_TRUE(suite.ok()) << suite.status();
  }
  ~SuiteDirectory() { fs::remove_all(root_); }

  fs::path path() const { return root_ / "suite"; }
  Coverage Measured() const {
    StatusOr<Coverage> coverage = MeasureCoverage(path(), 2);
    EXPECT_TRUE(coverage.ok()) << coverage.status();
    return coverage.ok() ? *std::move(coverage) : Coverage();
  }
  std::string Error() const { return Message(MeasureCoverage(path(), 1).status()); }

  void Change(const std::function<void(Suite&)>& change) const {
    Suite suite = *ReadSuite(path());
    change(suite);
    suite.digest = SuiteDigest(suite.cases);
    EXPECT_TRUE(SaveJson(path() / "suite.json", SuiteToJson(suite)).ok());
  }
  // Returns how many cases it removed.
  size_t Remove(const std::function<bool(const SuiteEntry&)>& is_removed) const {
    size_t removed = 0;
    Change([&](Suite& suite) { removed = std::erase_if(suite.cases, is_removed); });
    return removed;
  }

 private:
  fs::path root_;
};

// Returns the values that a case was made from, read without the code under test.
Values ValuesOf(const fs::path& suite, const std::string& id) {
  const Json json = *LoadJson(suite / id / "case.json", "");
  Values values = json["parameters"].get<Values>();
  values["data"] = json["data_set"].get<std::string>();
  return values;
}

// Every `strength` of them.
std::set<Values> TuplesOf(const Values& values, int strength) {
  std::set<Values> tuples;
  for (unsigned mask = 0; mask < 1u << values.size(); ++mask) {
    if (__builtin_popcount(mask) != strength) continue;
    Values tuple;
    unsigned axis = 0;
    for (const auto& value : values) {
      if ((mask >> axis++ & 1) != 0) tuple.insert(value);
    }
    tuples.insert(tuple);
  }
  return tuples;
}

std::set<Values> HolesOf(const PartCoverage& part) {
  std::set<Values> holes;
  for (const OpenTuple& hole : part.holes) holes.emplace(hole.values.begin(), hole.values.end());
  EXPECT_EQ(holes.size(), part.tuples.holes());
  return holes;
}

const PartCoverage& PartOf(const Coverage& coverage, std::string_view prefix) {
  return *std::find_if(coverage.parts.begin(), coverage.parts.end(),
                       [&](const PartCoverage& part) { return part.prefix == prefix; });
}

const ConditionCoverage& ConditionOf(const Coverage& coverage, std::string_view id) {
  return *std::find_if(coverage.conditions.begin(), coverage.conditions.end(),
                       [&](const ConditionCoverage& condition) { return condition.id == id; });
}

// By brute force: every tuple of every row that the constraints of the domain allow.
TEST(Coverage, CountsWhatIsPossibleAndWhatIsNot) {
  for (const int strength : {1, 2, 3}) {
    const SuiteDirectory suite(RecipeOf({"RESHAPE", "CLAMP", "COND_IF"}, strength));
    const Coverage coverage = suite.Measured();
    const Parts plan = *MakeParts(coverage.recipe);
    ASSERT_EQ(coverage.parts.size(), plan.parts.size());
    uint64_t impossible = 0;
    for (size_t i = 0; i < plan.parts.size(); ++i) {
      const Part& part = plan.parts[i];
      std::vector<Values> rows = {{}}, allowed;
      for (const Axis& axis : part.domain->axes(part.setting)) {
        std::vector<Values> longer;
        for (const Values& row : rows) {
          for (const std::string& value : axis.values) {
            if (value.starts_with("exhaustive")) continue;
            longer.push_back(row);
            longer.back()[axis.name] = value;
          }
        }
        rows = std::move(longer);
      }
      std::set<Values> all_tuples, possible;
      for (const Values& row : rows) {
        Labels labels;
        for (const auto& [axis, value] : row) labels.Set(axis, value);
        const auto& constraints = part.domain->constraints;
        const bool is_allowed = std::all_of(
            constraints.begin(), constraints.end(),
            [&](const Constraint& constraint) { return constraint.holds(part.setting, labels); });
        for (const Values& tuple : TuplesOf(row, std::min<int>(strength, row.size()))) {
          all_tuples.insert(tuple);
          if (is_allowed) possible.insert(tuple);
        }
      }
      const PartCoverage& measured = coverage.parts[i];
      EXPECT_EQ(measured.tuples.all, all_tuples.size()) << measured.prefix;
      EXPECT_EQ(measured.tuples.covered, possible.size()) << measured.prefix;
      EXPECT_EQ(measured.tuples.impossible, all_tuples.size() - possible.size());
      uint64_t reasons = 0;
      for (const auto& [reason, count] : measured.impossible) reasons += count;
      EXPECT_EQ(reasons, measured.tuples.impossible);
      impossible += measured.tuples.impossible;
    }
    EXPECT_EQ(impossible > 10, strength > 1);
    EXPECT_EQ(coverage.Holes(), 0u);
  }
}

TEST(Coverage, FindsExactlyTheTuplesThatARemovedCaseAloneHad) {
  for (const int strength : {1, 2}) {
    const SuiteDirectory suite(RecipeOf({"CLAMP"}, strength));
    const Suite whole = *ReadSuite(suite.path());
    ASSERT_EQ(suite.Measured().Holes(), 0u);
    size_t found = 0;
    for (const SuiteEntry& removed : whole.cases) {
      if (!removed.id.starts_with("clamp/i16-")) continue;
      std::set<Values> expected = TuplesOf(ValuesOf(suite.path(), removed.id), strength);
      for (const SuiteEntry& other : whole.cases) {
        if (!other.id.starts_with("clamp/i16-") || other.id == removed.id) continue;
        for (const Values& tuple : TuplesOf(ValuesOf(suite.path(), other.id), strength)) {
          expected.erase(tuple);
        }
      }
      suite.Change([&](Suite& changed) {
        changed = whole;
        std::erase_if(changed.cases, [&](const SuiteEntry& e) { return e.id == removed.id; });
      });
      const Coverage coverage = suite.Measured();
      EXPECT_EQ(HolesOf(PartOf(coverage, "clamp/i16")), expected) << removed.id;
      EXPECT_EQ(coverage.missing, std::vector<std::string>{removed.id});
      EXPECT_EQ(coverage.Holes(), expected.size() + 1);
      found += expected.size();
    }
    EXPECT_GT(found, 5u);
  }
}

TEST(Coverage, MissesATypeRowWithoutAValidCase) {
  const SuiteDirectory suite(RecipeOf({"CLAMP"}, 1));
  const auto is_of_i8 = [](const SuiteEntry& e) {
    return e.id.starts_with("clamp/i8-") || e.id.starts_with("clamp/again-i8-") ||
           (e.id.starts_with("clamp/size-") && e.id.ends_with("-i8"));
  };
  EXPECT_GT(suite.Remove(is_of_i8), 3u);
  const Coverage coverage = suite.Measured();
  EXPECT_EQ(coverage.TypeRows().holes(), 1u);
  const PartCoverage& part = PartOf(coverage, "clamp/i8");
  EXPECT_EQ(part.tuples.holes(), part.tuples.all);
}

TEST(Coverage, MissesAConditionThatNoCaseBreaks) {
  const SuiteDirectory suite(RecipeOf({"CLAMP", "SLICE", "TILE"}, 1));
  const auto remove = [&](const std::string& condition) {
    const size_t removed = suite.Remove([&](const SuiteEntry& entry) {
      return entry.conditions == std::vector<std::string>{condition};
    });
    EXPECT_GT(removed, 0u) << condition;
    return removed;
  };
  const size_t removed = remove("clamp.bounds_order") + remove("graph.shape");
  const Coverage coverage = suite.Measured();
  EXPECT_EQ(ConditionOf(coverage, "clamp.bounds_order").state, ConditionState::kHole);
  EXPECT_EQ(ConditionOf(coverage, "graph.shape").state, ConditionState::kHole);
  EXPECT_EQ(ConditionOf(coverage, "graph.type_row").state, ConditionState::kCovered);
  EXPECT_EQ(ConditionOf(coverage, "graph.rank").state, ConditionState::kCovered);
  EXPECT_EQ(ConditionOf(coverage, "slice.list_length").state, ConditionState::kNotAlone);
  EXPECT_EQ(ConditionOf(coverage, "conv2d.pad_negative").state, ConditionState::kNotAsked);
  EXPECT_EQ(coverage.Conditions().holes(), 2u);
  EXPECT_EQ(coverage.missing.size(), removed);
  EXPECT_EQ(coverage.Holes(), 2 + removed);
}

TEST(Coverage, ExcusesNoConditionOfAnOperatorThatIsNotAsked) {
  const Coverage coverage = SuiteDirectory(RecipeOf({"ABS"}, 1)).Measured();
  EXPECT_EQ(coverage.Holes(), 0u);
  for (const ConditionCoverage& condition : coverage.conditions) {
    EXPECT_NE(condition.state, ConditionState::kNotAlone) << condition.id;
  }
}

TEST(Coverage, AsksForNothingButTheConditionsOfTheRecipe) {
  Recipe recipe = RecipeOf({"CLAMP", "COND_IF"}, 2);
  recipe.graphs = recipe.neighbours = true;
  recipe.conditions = {"clamp.bounds_order"};
  const SuiteDirectory suite(recipe);
  const Coverage whole = suite.Measured();
  EXPECT_GT(whole.valid_cases, 0u);  // neighbours
  EXPECT_EQ(whole.Holes(), 0u);
  EXPECT_EQ(whole.Tuples().all, 0u);
  EXPECT_EQ(ConditionOf(whole, "graph.shape").state, ConditionState::kNotAsked);
  // A neighbour would do: only the error cases go.
  const size_t errors =
      suite.Remove([](const SuiteEntry& entry) { return entry.outcome == "error"; });
  const Coverage coverage = suite.Measured();
  EXPECT_EQ(ConditionOf(coverage, "clamp.bounds_order").state, ConditionState::kHole);
  EXPECT_EQ(coverage.Holes(), 1 + errors);
}

// clamp.nan_bounds can be broken with floats only.
TEST(Coverage, TellsConditionsThatTheProfilesCannotBreak) {
  Recipe recipe = RecipeOf({"CLAMP"}, 1);
  recipe.profiles = {"PRO-INT"};
  const Coverage coverage = SuiteDirectory(recipe).Measured();
  EXPECT_EQ(ConditionOf(coverage, "clamp.bounds_order").state, ConditionState::kCovered);
  EXPECT_EQ(ConditionOf(coverage, "clamp.nan_bounds").state, ConditionState::kNotWithin);
  EXPECT_EQ(ConditionOf(coverage, "clamp.nan_bounds").reason,
            "no graph of these profiles breaks it");
  EXPECT_EQ(ConditionOf(coverage, "conv2d.pad_negative").state, ConditionState::kNotAsked);
  EXPECT_EQ(coverage.Holes(), 0u);
  recipe.profiles.clear();
  recipe.types = {"i8"};
  EXPECT_EQ(ConditionOf(SuiteDirectory(recipe).Measured(), "clamp.nan_bounds").reason,
            "no graph of these types and data sets breaks it");
}

TEST(Coverage, CountsEveryConditionOfTheEdition) {
  const Coverage coverage = SuiteDirectory(RecipeOf({"CLAMP"}, 1)).Measured();
  size_t expected = 0, never = 0;
  const auto count = [&](const Conditions& conditions) {
    for (const Condition& condition : conditions) {
      if (!StandsIn(condition, **FindEdition("tosa-1.0"))) continue;
      ++expected;
      never += condition.kind != ConditionKind::kErrorIf;
    }
  };
  const Edition& edition = **FindEdition("tosa-1.0");
  for (const OperatorSpec& spec : edition.operators) {
    count(ConditionsOf(*FindOperator(spec.name), edition));
  }
  count(GraphConditions());
  count(LibraryConditions());
  count(SymbolConditions());
  EXPECT_EQ(coverage.conditions.size(), expected);
  EXPECT_EQ(coverage.Conditions().all, expected - never);
}

// A case at a limit or beside an error is a valid one of its type row, but what it was made from
// was changed afterwards.
TEST(Coverage, CountsNoTupleOfCasesThatWereChanged) {
  Recipe recipe = RecipeOf({"RESHAPE"}, 1);
  recipe.neighbours = true;
  const SuiteDirectory suite(recipe);
  suite.Remove([](const SuiteEntry& entry) {
    return entry.outcome == "valid" && !entry.id.starts_with("reshape/legal-");
  });
  const Coverage coverage = suite.Measured();
  EXPECT_GT(coverage.valid_cases, 3u);
  EXPECT_EQ(coverage.counted_cases, 0u);
  EXPECT_EQ(coverage.Tuples().covered, 0u);
  EXPECT_GT(coverage.TypeRows().covered, 0u);
}

// No tuple, type row or condition speaks of this relation. The other cases of rank 4 have no
// permutation but rotated, reversed, identity and swapped ones.
TEST(Coverage, MissesARelationThatNoCaseHolds) {
  const SuiteDirectory suite(RecipeOf({"TRANSPOSE"}, 1));
  const auto find = [&](const std::string& family) {
    const Coverage coverage = suite.Measured();
    for (const RelationCoverage& relation : coverage.relations) {
      if (relation.relation == "perms_1032" && relation.family == family) return relation;
    }
    ADD_FAILURE() << "no relation perms_1032 of " << family;
    return RelationCoverage();
  };
  EXPECT_EQ(find("i8").cases, 2u);
  EXPECT_FALSE(find("i8").is_hole());
  EXPECT_EQ(suite.Measured().Relations().holes(), 0u);
  ASSERT_EQ(suite.Remove([](const SuiteEntry& entry) {
    return entry.id == "transpose/relation-rank4-i8" ||
           entry.id == "transpose/relation-rank4-odd-i8";
  }),
            2u);
  EXPECT_EQ(find("i8").cases, 0u);
  EXPECT_TRUE(find("i8").is_hole());
  EXPECT_FALSE(find("fp16").is_hole());
}

TEST(Coverage, MissesEveryPlannedCase) {
  Recipe recipe = RecipeOf({"CLAMP"}, 1);
  recipe.limits = recipe.neighbours = true;
  recipe.samples = recipe.mutants = 1;
  const SuiteDirectory suite(recipe);
  const Suite whole = *ReadSuite(suite.path());
  const Coverage before = suite.Measured();
  EXPECT_EQ(before.planned.all, whole.cases.size());
  EXPECT_EQ(before.planned.covered, whole.cases.size());
  EXPECT_EQ(before.Holes(), 0u);
  for (const std::string_view beginning :
       {"clamp/limit-", "clamp/legal-", "clamp/error-mutant-", "clamp/error-bounds_order-fp16"}) {
    const auto removed =
        std::find_if(whole.cases.begin(), whole.cases.end(),
                     [&](const SuiteEntry& entry) { return entry.id.starts_with(beginning); });
    ASSERT_NE(removed, whole.cases.end()) << beginning;
    suite.Change([&](Suite& changed) {
      changed = whole;
      std::erase_if(changed.cases, [&](const SuiteEntry& e) { return e.id == removed->id; });
    });
    const Coverage coverage = suite.Measured();
    EXPECT_EQ(coverage.missing, std::vector<std::string>{removed->id});
    EXPECT_EQ(coverage.planned.covered, whole.cases.size() - 1);
    EXPECT_EQ(coverage.Holes(), 1u) << removed->id;
  }
}

TEST(Coverage, MissesASingleCaseOfAGraph) {
  Recipe recipe = RecipeOf({}, 1);
  recipe.valid_cases = recipe.error_cases = false;
  recipe.graphs = true;
  recipe.types = {"i8"};
  const SuiteDirectory suite(recipe);
  const Suite whole = *ReadSuite(suite.path());
  EXPECT_EQ(suite.Measured().Holes(), 0u);
  suite.Change([](Suite& changed) { changed.cases.pop_back(); });
  EXPECT_EQ(suite.Measured().missing, std::vector<std::string>{whole.cases.back().id});
}

TEST(Coverage, FindsCasesThatTheRecipeDoesNotMake) {
  const SuiteDirectory suite(RecipeOf({"CLAMP", "TILE"}, 1));
  std::vector<std::string> of_tile;
  suite.Change([&](Suite& changed) {
    for (const SuiteEntry& entry : changed.cases) {
      if (entry.op == "TILE") of_tile.push_back(entry.id);
    }
    Recipe recipe = *RecipeFromJson(*ParseJson(changed.recipe, ""), "");
    recipe.operators = {"CLAMP"};
    changed.recipe = RecipeToJson(recipe).dump();
  });
  const Coverage coverage = suite.Measured();
  EXPECT_GT(of_tile.size(), 3u);
  EXPECT_EQ(coverage.unplanned, of_tile);
  EXPECT_EQ(coverage.planned.holes(), 0u);
  EXPECT_EQ(coverage.Holes(), of_tile.size());
}

TEST(Coverage, TakesNoCaseThatWasChanged) {
  const SuiteDirectory suite(RecipeOf({"CLAMP"}, 1));
  const Suite whole = *ReadSuite(suite.path());
  const std::string& id = whole.cases.back().id;
  const fs::path file = suite.path() / id / "case.json";
  const std::string text = *ReadFile(file);
  ASSERT_TRUE(WriteFile(file, text + "\n").ok());
  EXPECT_THAT(suite.Error(), AllOf(HasSubstr(id), HasSubstr("found files with the digest"),
                                   HasSubstr(whole.cases.back().digest), HasSubstr("generate")));
  ASSERT_TRUE(WriteFile(file, text).ok());
  const fs::path tensor = suite.path() / id / "input.npy";
  std::string bytes = *ReadFile(tensor);
  bytes.back() ^= 1;
  ASSERT_TRUE(WriteFile(tensor, bytes).ok());
  EXPECT_THAT(suite.Error(), AllOf(HasSubstr(id), HasSubstr("digest")));
}

// A swap is seen in the manifest alone, and together with the case.
TEST(Coverage, TakesNoConditionThatWasSwapped) {
  const SuiteDirectory suite(RecipeOf({"CLAMP"}, 1));
  std::string id;
  const auto swap = [&](Suite& changed) {
    for (SuiteEntry& entry : changed.cases) {
      if (entry.conditions != std::vector<std::string>{"clamp.bounds_order"}) continue;
      id = entry.id;
      entry.conditions = {"clamp.nan_bounds"};
    }
  };
  suite.Change(swap);
  ASSERT_FALSE(id.empty());
  EXPECT_THAT(suite.Error(), AllOf(HasSubstr("suite.json"), HasSubstr("clamp.nan_bounds"),
                                   HasSubstr("recipe has clamp.bounds_order"), HasSubstr("again")));
  // If the recipe does not plan the case, case.json says what it breaks.
  suite.Change([](Suite& changed) {
    Recipe recipe = *RecipeFromJson(*ParseJson(changed.recipe, ""), "");
    recipe.error_cases = false;
    changed.recipe = RecipeToJson(recipe).dump();
  });
  EXPECT_THAT(suite.Error(), AllOf(HasSubstr("case.json: /condition: found clamp.bounds_order"),
                                   HasSubstr("the manifest has clamp.nan_bounds")));
}

// No type row needs them: values of an axis do.
TEST(Coverage, MissesAnExtensionThatOnlyValuesNeed) {
  const SuiteDirectory suite(RecipeOf({"RESCALE"}, 1));
  const auto holes = [&] {
    std::vector<std::string> names;
    for (const ProfileCoverage& profile : suite.Measured().profiles) {
      if (profile.is_hole()) names.push_back(profile.name);
    }
    return names;
  };
  EXPECT_EQ(holes(), std::vector<std::string>());
  EXPECT_GT(suite.Remove([&](const SuiteEntry& entry) {
    return entry.outcome == "valid" && ValuesOf(suite.path(), entry.id)["rounding"] == "double";
  }),
            1u);
  EXPECT_EQ(holes(), std::vector<std::string>{"EXT-DOUBLEROUND"});
}

// The profiles that the graph of a control flow needs are known only once it is built.
TEST(Coverage, LeavesOutWhatTakesOtherProfiles) {
  Recipe recipe = RecipeOf({"COND_IF"}, 2);
  recipe.profiles = {"PRO-INT", "EXT-CONTROLFLOW"};
  const SuiteDirectory suite(recipe);
  const Coverage coverage = suite.Measured();
  EXPECT_EQ(coverage.Holes(), 0u);
  ASSERT_EQ(coverage.parts.size(), 1u);
  EXPECT_GT(
      coverage.parts[0].impossible.at("it takes other profiles or extensions than the recipe's"),
      0u);
  for (const ProfileCoverage& profile : coverage.profiles) {
    EXPECT_EQ(profile.cases > 0, profile.name == "PRO-INT" || profile.name == "EXT-CONTROLFLOW")
        << profile.name;
  }
}

TEST(Coverage, MissesAProfileThatOnlyTypeRowsSpeakOf) {
  const SuiteDirectory suite(RecipeOf({"CLAMP"}, 1));
  suite.Remove([](const SuiteEntry& entry) { return entry.id.find("bf16") != entry.id.npos; });
  const Coverage coverage = suite.Measured();
  for (const ProfileCoverage& profile : coverage.profiles) {
    EXPECT_EQ(profile.is_hole(), profile.name == "EXT-BF16") << profile.name;
  }
}

// Main Training has nothing that shows a shape.
TEST(Coverage, ExcusesAProfileInDevelopment) {
  Recipe recipe = RecipeOf({"ADD_SHAPE"}, 1);
  recipe.edition = "tosa-0.100";
  const SuiteDirectory suite(recipe);
  const Coverage coverage = suite.Measured();
  EXPECT_EQ(coverage.Holes(), 0u);
  for (const ProfileCoverage& profile : coverage.profiles) {
    EXPECT_EQ(profile.excuse.empty(), profile.name != "MT") << profile.name;
    EXPECT_EQ(profile.cases > 0, profile.name == "BI" || profile.name == "MI") << profile.name;
  }
}

TEST(Coverage, TellsThatARecipeIsFiltered) {
  Recipe recipe = RecipeOf({"CLAMP"}, 1);
  recipe.ids = {"clamp/i8-*"};
  recipe.shard = 1;
  recipe.shards = 2;
  const Coverage coverage = SuiteDirectory(recipe).Measured();
  EXPECT_EQ(coverage.filters, (std::vector<std::string>{"id clamp/i8-*", "shard 1/2"}));
  EXPECT_GT(coverage.Holes(), 0u);
}

TEST(Coverage, AsksForNothingButErrorsOfARecipeOfErrors) {
  Recipe recipe = RecipeOf({"CLAMP"}, 2);
  recipe.valid_cases = false;
  const Coverage coverage = SuiteDirectory(recipe).Measured();
  EXPECT_EQ(coverage.Holes(), 0u);
  EXPECT_EQ(coverage.Tuples().all, 0u);
  EXPECT_EQ(coverage.TypeRows().covered, 0u);
  EXPECT_GT(coverage.Conditions().covered, 1u);
}

TEST(Coverage, NamesCustomAsWhatCannotBeAskedFor) {
  Recipe recipe = RecipeOf({"CUSTOM", "CLAMP"}, 1);
  const Coverage coverage = SuiteDirectory(recipe).Measured();
  EXPECT_EQ(coverage.Holes(), 0u);
  EXPECT_EQ(coverage.TypeRows().impossible, 1u);
}

TEST(Coverage, NamesWhatItCannotRead) {
  const SuiteDirectory suite(RecipeOf({"CLAMP"}, 1));
  const Suite whole = *ReadSuite(suite.path());
  const std::string id = whole.cases.back().id;
  const auto with_recipe = [&](const std::string& recipe) {
    suite.Change([&](Suite& changed) { changed = whole, changed.recipe = recipe; });
    return suite.Error();
  };
  EXPECT_THAT(with_recipe(""),
              AllOf(HasSubstr("suite.json"), HasSubstr("no \"recipe\""), HasSubstr("generate")));
  EXPECT_THAT(with_recipe(R"({"name": "x"})"), HasSubstr("suite.json: /recipe"));
  EXPECT_THAT(with_recipe(R"({"name":"x","edition":"tosa-0.100","level":"8K","strength":1})"),
              AllOf(HasSubstr("tosa-0.100"), HasSubstr("a suite of tosa-1.0")));
  EXPECT_THAT(
      with_recipe(
          R"({"name":"x","edition":"tosa-1.0","level":"8K","strength":1,"operators":["CLAM"]})"),
      AllOf(HasSubstr("suite.json: /recipe"), HasSubstr("CLAM"), HasSubstr("CLAMP")));
  with_recipe(whole.recipe);
  fs::rename(suite.path() / id / "case.json", suite.path() / id / "case.txt");
  EXPECT_THAT(suite.Error(), HasSubstr(id));
  // Another case in its place.
  fs::copy(suite.path() / whole.cases.front().id / "case.json", suite.path() / id / "case.json");
  EXPECT_THAT(suite.Error(), HasSubstr(id));
}

TEST(Coverage, TellsTheLeastTeeth) {
  const SuiteDirectory suite(RecipeOf({"CLAMP"}, 1));
  const Suite whole = *ReadSuite(suite.path());
  suite.Change([&](Suite& changed) {
    for (SuiteEntry& entry : changed.cases) {
      if (entry.outcome == "valid") entry.teeth = 0.9;
    }
    changed.cases.back().teeth = 0.25;
  });
  const Coverage coverage = suite.Measured();
  ASSERT_TRUE(coverage.least_teeth);
  EXPECT_EQ(coverage.least_teeth->first, whole.cases.back().id);
  EXPECT_EQ(coverage.least_teeth->second, 0.25);
}

// The id of an edition like acme-0.1 whose POOL_MAX takes no steps of 2 along both axes.
std::string EditionWithoutStepsOfTwo() {
  const std::string id = "acme-without-steps-of-two";
  const auto text = [&](const std::string& file) {
    std::string read = *ReadFile(fs::path(CTS_SOURCE_DIR) / "tools/develop/testdata/acme" / file);
    const std::string old = "acme-0.1";
    for (size_t at = read.find(old); at != read.npos; at = read.find(old, at + id.size())) {
      read.replace(at, old.size(), id);
    }
    return read;
  };
  Json edition = *ParseJson(text("acme-0.1.json"), "acme-0.1.json");
  for (Json& op : edition["operators"]) {
    if (op["name"] != "POOL_MAX") continue;
    op["conditions"] = {{{"id", "pool_max.steps_of_two"},
                         {"kind", "error_if"},
                         {"paraphrase", "both steps are 2"},
                         {"broken", "step_y == 2 && step_x == 2"},
                         {"example", {{"step", {2, 2}}}}}};
  }
  const fs::path folder = fs::path(testing::TempDir()) / id;
  fs::create_directories(folder / "precision");
  EXPECT_TRUE(WriteFile(folder / "edition.json", FormatJson(edition)).ok());
  EXPECT_TRUE(
      WriteFile(folder / "precision" / (id + ".json"), text("precision/acme-0.1.json")).ok());
  const Status added = AddEdition(folder / "edition.json");
  EXPECT_TRUE(added.ok()) << added;
  fs::remove_all(folder);
  return id;
}

TEST(MeasureRelations, ExcusesOnlyWhatTheConditionForbids) {
  Recipe recipe = *FindRecipe("certify");
  recipe.edition = EditionWithoutStepsOfTwo();
  recipe.operators = {"POOL_MAX"};
  const auto plan = MakePlan(recipe);
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::map<std::string, std::set<std::string>> families;  // that are excused, by relation
  for (const RelationCoverage& relation : MeasureRelations(*plan, {})) {
    families[relation.relation];
    if (relation.impossible.empty()) continue;
    EXPECT_THAT(relation.impossible, HasSubstr("pool_max.steps_of_two"));
    families[relation.relation].insert(relation.family);
  }
  EXPECT_EQ(families.at("stride_equal"), (std::set<std::string>{"fp16", "fp32", "i8"}));
  EXPECT_THAT(families.at("stride_different"), testing::IsEmpty());
  EXPECT_THAT(families.at("pad_left"), testing::IsEmpty());
}

// Without a case every pattern that the recipe's graphs are to have is a hole.
TEST(MeasurePatterns, FindsWhatNoGraphHas) {
  const auto whole = MakePlan(*FindRecipe("graphs"));
  ASSERT_TRUE(whole.ok()) << whole.status();
  const std::vector<PatternCoverage> none = MeasurePatterns(*whole, {});
  EXPECT_EQ(none.size(), GraphPatterns().size());
  for (const PatternCoverage& pattern : none) EXPECT_TRUE(pattern.is_hole()) << pattern.name;

  CaseFacts facts;
  facts.patterns = {"diamond"};
  for (const PatternCoverage& pattern : MeasurePatterns(*whole, {facts, facts})) {
    EXPECT_EQ(pattern.cases, pattern.name == "diamond" ? 2U : 0U) << pattern.name;
  }

  // No graph of CLAMP repeats an operator.
  Recipe clamps = *FindRecipe("graphs");
  clamps.operators = {"CLAMP"};
  const auto some = MakePlan(clamps);
  ASSERT_TRUE(some.ok()) << some.status();
  for (const PatternCoverage& pattern : MeasurePatterns(*some, {})) {
    if (pattern.name == "clamp_of_clamp") {
      EXPECT_TRUE(pattern.is_hole());
    }
    if (pattern.name == "operator_twice") {
      EXPECT_THAT(pattern.impossible, HasSubstr("its graphs: equal-values"));
    }
  }

  // No case of an extension is a graph of types that the extension does not add.
  const auto int16 = MakePlan(*FindRecipe("certify-ext-int16"));
  ASSERT_TRUE(int16.ok()) << int16.status();
  for (const PatternCoverage& pattern : MeasurePatterns(*int16, {})) {
    if (pattern.name == "product_with_zero") {
      EXPECT_FALSE(pattern.is_hole());
    }
  }

  Recipe without = RecipeOf({"CLAMP"}, 1);
  without.graphs = false;
  EXPECT_TRUE(MeasurePatterns(*MakePlan(without), {}).empty());
}

}  // namespace
}  // namespace cts
