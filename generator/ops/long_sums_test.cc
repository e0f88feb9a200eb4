#include "generator/ops/long_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "generator/generate.h"
#include "generator/plan/plan.h"
#include "reference/ops/size_ladder.h"
#include "reference/spec/precision_table.h"

namespace cts {
namespace {

Recipe SumsOf(const char* edition, std::vector<std::string> operators, int64_t longest) {
  Recipe recipe = *FindRecipe("smoke");
  recipe.edition = edition;
  recipe.operators = std::move(operators);
  recipe.error_cases = recipe.valid_cases = recipe.relations = recipe.repeats = false;
  recipe.sizes = 0;
  recipe.long_sums = longest;
  return recipe;
}

class LongSums : public testing::TestWithParam<const char*> {};

// Each operator of the rule, floating-point type row and length has each set, or a reason why it
// lacks one.
TEST_P(LongSums, AreAskedOfEveryRowWithEverySet) {
  const auto plan = MakePlan(SumsOf(GetParam(), {}, 4096));
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::map<std::string, int> sets;
  for (const Item& item : plan->items) ++sets[item.choice.id.substr(0, item.choice.id.size() - 3)];
  for (const LeftOut& each : plan->left_out) {
    EXPECT_EQ(each.condition, "data");
    ++sets[each.id.substr(0, each.id.size() - 3)];
  }
  for (const auto& [what, count] : sets) EXPECT_EQ(count, 6) << what;
  size_t lengths = 0;
  for (const OperatorSpec& spec : plan->edition->operators) {
    if (LongSumsOf(*plan->edition, spec) == nullptr) continue;
    for (const TypeRow& row : spec.type_rows) {
      const auto type = row.PlainType("in_t") ? row.PlainType("in_t") : row.PlainType("in_out_t");
      // Operators of products have a sum of 64, too.
      const std::string& op = spec.Seen().name;
      if (IsFloat(*type)) lengths += op == "AVG_POOL2D" || op == "REDUCE_SUM" ? 4 : 5;
    }
  }
  EXPECT_EQ(sets.size(), lengths);
}

// FFT2D and RFFT2D have a length that goes by the image, and data sets of all of them.
TEST_P(LongSums, AreOfTheOperatorsOfTheRule) {
  const Edition& edition = **FindEdition(GetParam());
  for (const OperatorSpec& spec : edition.operators) {
    const bool is_transform = spec.name == "FFT2D" || spec.name == "RFFT2D";
    EXPECT_EQ(LongSumsOf(edition, spec) != nullptr,
              edition.precision->IsDotProduct(spec.name) && !is_transform)
        << spec.name;
  }
}

// Generation checks the length of each, and that it notices zeros.
TEST_P(LongSums, HaveAThousandResultsAndTheStatistics) {
  const GenerateOptions options{.recipe = SumsOf(GetParam(), {}, 256)};
  const Status status = ForEachCase(options, [&](size_t, const Case& c) -> Status {
    const ExpectedOutput& output = c.outputs.front();
    EXPECT_GE(ElementCount(output.shape), 1000) << c.id;
    EXPECT_LE(ElementCount(output.shape), 1024) << c.id;
    EXPECT_TRUE(output.rule.variance_limit.has_value()) << c.id;
    EXPECT_EQ(output.rule.bias_limit.has_value(), c.data_set >= "S3") << c.id;
    const int64_t ks = output.rule.kernel_size;
    EXPECT_TRUE(ks == 64 || ks == 256 ||
                (c.op == "MATMUL" && (ks == 1024 || ks == 2048 || ks == 4096)))
        << c.id << ": " << ks;
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

INSTANTIATE_TEST_SUITE_P(Editions, LongSums, testing::Values("tosa-1.0", "tosa-0.100"));

TEST(LongSumsOfMatmul, HaveAllLengths) {
  const auto planned = PlanCases(SumsOf("tosa-1.0", {"MATMUL", "CONV2D"}, 1024));
  ASSERT_TRUE(planned.ok()) << planned.status();
  std::vector<std::string> ids;
  for (const PlannedCase& c : *planned) ids.push_back(c.id);
  EXPECT_THAT(ids, testing::Contains("matmul/sum-4096-fp16-fp32-s2"));
  EXPECT_THAT(ids, testing::Contains("conv2d/sum-1024-fp32-fp32-fp32-s5"));
  EXPECT_THAT(ids, testing::Not(testing::Contains(testing::HasSubstr("conv2d/sum-2048"))));
  EXPECT_FALSE(PlanCases(SumsOf("tosa-1.0", {"MATMUL"}, 0)).ok());
}

}  // namespace
}  // namespace cts
