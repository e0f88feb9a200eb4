#include "generator/ops/size_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/generate.h"

namespace cts {
namespace {

using testing::HasSubstr;

Recipe SizesOf(std::vector<std::string> operators) {
  Recipe recipe = *FindRecipe("smoke");
  recipe.operators = std::move(operators);
  recipe.error_cases = recipe.valid_cases = recipe.relations = recipe.repeats = false;
  recipe.sizes = 1000000;
  return recipe;
}

TEST(SizeCases, AreThereForEveryOperatorWithDimensions) {
  for (const OperatorDomain& domain : OperatorDomains()) {
    EXPECT_EQ(HasSizeCases(domain.name), !DimensionsOf(domain.name).empty()) << domain.name;
  }
}

// Generation checks the size of each.
TEST(SizeCases, CrossEveryRungInOneTypeOfEachKind) {
  std::vector<std::string> ids;
  const auto planned = PlanCases(SizesOf({"MATMUL"}));
  ASSERT_TRUE(planned.ok()) << planned.status();
  for (const PlannedCase& c : *planned) ids.push_back(c.id);
  // Four dimensions and a product of nine rungs each, sums of fifteen, three of several dimensions.
  EXPECT_EQ(ids.size(), (4u * 9u + 15u + 3u) * 2u);
  EXPECT_THAT(ids, testing::Contains("matmul/size-c-4096-i8-i32"));
  EXPECT_THAT(ids, testing::Contains("matmul/size-hxw-64-fp32-fp32"));
  EXPECT_THAT(ids, testing::Contains("matmul/size-c-1025-i8-i32"));
  EXPECT_THAT(ids, testing::Contains("matmul/size-hxw-17-fp32-fp32"));
}

TEST(SizeCases, EndAtTheRecipesSize) {
  Recipe recipe = SizesOf({"MATMUL"});
  recipe.sizes = 33;
  EXPECT_EQ(PlanCases(recipe)->size(), 5u * 4u * 2u);
  recipe.sizes = 0;
  EXPECT_FALSE(PlanCases(recipe).ok());
}

// MATMUL of 2 x 3 by 3 x 5, which stands on no rung.
TEST(CheckSize, SaysWhatItFoundAndExpected) {
  const Edition& edition = **FindEdition("tosa-1.0");
  const OperatorSpec& spec = *edition.FindOperator("MATMUL");
  const TypeRow* row = nullptr;
  for (const TypeRow& each : spec.type_rows) {
    if (LadderKind(spec, each) == "float") row = &each;
  }
  ASSERT_NE(row, nullptr);
  const Setting setting{&edition, edition.FindLevel("8K"), &spec, row};
  CaseDraft draft;
  draft.Input("A", Tensor(DType::kFp32, {1, 2, 3}));
  draft.Input("B", Tensor(DType::kFp32, {1, 3, 5}));
  draft.Set("A_zp", int64_t{0});
  draft.Set("B_zp", int64_t{0});
  draft.output_type = DType::kFp32;
  draft.output_shape = {1, 2, 5};
  const auto assembly = AssembleGraph(setting, draft);
  ASSERT_TRUE(assembly.ok()) << assembly.status();
  const SizedDimension& dimension = DimensionsOf("MATMUL")[1];
  const Status status = CheckSize(setting, dimension, dimension.rungs[0], assembly->graph);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("generator/ops/size_cases.cc: MATMUL: found 2, expected the dimension H to "
                        "be 16"));
  EXPECT_TRUE(CheckSize(setting, dimension, {1, 2}, assembly->graph).ok());
  EXPECT_THAT(std::string(CheckSize(setting, dimension, {1, 2}, EmptyGraph()).message()),
              HasSubstr("no such operator in the graph"));
}

}  // namespace
}  // namespace cts
