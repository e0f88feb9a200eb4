#include "generator/plan/repeated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "generator/generate.h"
#include "generator/graphs/testing.h"

namespace cts {
namespace {

Recipe Repeated(const char* recipe_name, std::vector<std::string> ids) {
  Recipe recipe = *FindRecipe(recipe_name);
  recipe.ids = std::move(ids);
  return recipe;
}

std::set<std::string> PlannedIds(const Recipe& recipe) {
  std::set<std::string> ids;
  const auto planned = PlanCases(recipe);
  EXPECT_TRUE(planned.ok()) << planned.status();
  for (const PlannedCase& c : *planned) ids.insert(c.id);
  return ids;
}

const ExpectedOutput& OutputOf(const Case& c, int execution) {
  for (const ExpectedOutput& output : c.outputs) {
    if (output.execution == execution) return output;
  }
  ADD_FAILURE() << c.id << " has no output of execution " << execution;
  return c.outputs.front();
}

TEST(Repeated, RunsWithOtherDataAndWithTheFirstAgain) {
  const auto cases = testing_graphs::CasesOf(Repeated("smoke", {"*/again-*"}));
  EXPECT_GT(cases.size(), 350u);
  for (const auto& [id, c] : cases) {
    ASSERT_GE(c.executions(), 3) << id;
    EXPECT_NE(c.later_inputs[0], c.inputs) << id;
    EXPECT_EQ(c.later_inputs.back(), c.inputs) << id;
    const Tensor &first = OutputOf(c, 0).answers[0].expected,
                 &other = OutputOf(c, 1).answers[0].expected;
    EXPECT_TRUE(first == OutputOf(c, c.executions() - 1).answers[0].expected) << id;
    EXPECT_EQ(first.shape(), other.shape()) << id;
    EXPECT_FALSE(first == other) << id;
  }
}

// An implementation that knows inputs by their first 16 bytes takes the second execution for the
// first.
TEST(Repeated, KeepsTheFirstBytesOfTheInputs) {
  const auto cases = testing_graphs::CasesOf(Repeated("smoke", {"add/again-i32-*"}));
  ASSERT_EQ(cases.size(), 1u);
  const Case& c = cases.begin()->second;
  for (const auto& [name, tensor] : c.inputs) {
    for (int64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(tensor.Bits(i), c.later_inputs[0].at(name).Bits(i)) << name;
    }
  }
}

// An implementation that knows inputs by their last 16 bytes, or by all but one of them, takes an
// execution for the one before it.
TEST(Repeated, ThenKeepsTheLastBytesAndThenAllInputsButOne) {
  const auto cases = testing_graphs::CasesOf(Repeated("smoke", {"matmul/again-i8-i32-*"}));
  ASSERT_EQ(cases.size(), 1u);
  const Case& c = cases.begin()->second;
  ASSERT_EQ(c.executions(), 5);
  const auto &second = c.later_inputs[0], &third = c.later_inputs[1], &fourth = c.later_inputs[2];
  for (const auto& [name, tensor] : third) {
    EXPECT_FALSE(tensor == second.at(name)) << name;
    for (int64_t i = tensor.size() - 16; i < tensor.size(); ++i) {
      EXPECT_EQ(tensor.Bits(i), second.at(name).Bits(i)) << name;
    }
  }
  EXPECT_EQ(fourth.at("A"), c.inputs.at("A"));
  EXPECT_EQ(fourth.at("B"), third.at("B"));
}

// Data sets S0 to S5 are the same however often they are drawn.
TEST(Repeated, OfADotProductTakesTwoDataSets) {
  const auto cases = testing_graphs::CasesOf(Repeated("smoke", {"matmul/again-fp32-*"}));
  ASSERT_EQ(cases.size(), 1u);
  const Case& c = cases.begin()->second;
  EXPECT_EQ(c.data_set, "S1+S3");
  EXPECT_EQ(c.outputs[0].rule.data_set, -1);  // no statistics: each execution is of its own set
}

TEST(Repeated, EveryTypeRowHasOneWhoseAnswerDependsOnData) {
  const auto ids = PlannedIds(Repeated("smoke", {"*/again-*"}));
  size_t rows = 0;
  for (const OperatorSpec& spec : (*FindEdition("tosa-1.0"))->operators) {
    const bool has_none = spec.group == "variable" || spec.group == "shape" ||
                          spec.group == "custom" || spec.name == "CONST";
    if (!has_none) rows += spec.type_rows.size();
  }
  EXPECT_EQ(ids.size(), rows);
}

TEST(Repeated, AQuarterOfTheGraphsHasOneAndKeepsItsId) {
  const auto ids = PlannedIds(Repeated("graphs", {}));
  size_t repeated = 0;
  for (const std::string& id : ids) {
    const size_t again = id.find("/again-");
    if (again == id.npos) continue;
    ++repeated;
    EXPECT_TRUE(ids.contains("graphs/" + id.substr(again + 7))) << id;
  }
  EXPECT_GE(4 * repeated, ids.size() - repeated - 200);  // those of constants have none
}

// Other recipes do not have them, and theirs are the same cases.
TEST(Repeated, IsAskedForByTheRecipe) {
  Recipe recipe = Repeated("smoke", {});
  const auto with = PlannedIds(recipe);
  recipe.repeats = false;
  const auto without = PlannedIds(recipe);
  EXPECT_LE(with.size() - without.size(), 400u);
  for (const std::string& id : without) EXPECT_TRUE(with.contains(id)) << id;
  for (const std::string& id : with) {
    EXPECT_EQ(without.contains(id), id.find("/again-") == id.npos) << id;
  }
}

}  // namespace
}  // namespace cts
