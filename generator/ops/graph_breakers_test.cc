// The argument tables, held against the error cases of every operator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "generator/generate.h"
#include "generator/recipe/recipe.h"
#include "reference/base/file.h"
#include "reference/bundle/case.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

class GraphErrors : public testing::TestWithParam<std::string> {
 protected:
  // The error cases of argument tables, by operator.
  const std::map<std::string, std::vector<Case>>& Cases() {
    static std::map<std::string, std::map<std::string, std::vector<Case>>> known;
    std::map<std::string, std::vector<Case>>& cases = known[GetParam()];
    if (!cases.empty()) return cases;
    GenerateOptions options;
    options.recipe = *FindRecipe(GetParam() == "tosa-1.0"     ? "smoke"
                                 : GetParam() == "tosa-0.100" ? "smoke-0.100"
                                                              : "smoke-rvtensor");
    options.recipe.valid_cases = false;
    options.recipe.conditions = {"graph.type_row", "graph.rank", "graph.shape", "graph.attribute",
                                 "graph.operand_count"};
    std::mutex mutex;
    const Status status = ForEachCase(options, [&](size_t, const Case& c) {
      const std::lock_guard<std::mutex> lock(mutex);
      cases[c.op].push_back(c);
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return cases;
  }
  const Edition& edition() { return **FindEdition(GetParam()); }
};

bool BuildsItsGraph(const OperatorSpec& spec) {
  return spec.group == "control-flow" || spec.group == "variable" || spec.name == "CUSTOM";
}

size_t Count(const std::vector<Case>& cases, std::string_view condition) {
  size_t count = 0;
  for (const Case& c : cases) count += c.condition == condition;
  return count;
}

// Whenever a case is made, it is checked that it breaks its condition and no other.
TEST_P(GraphErrors, BreakEveryOperandAndAttribute) {
  const auto& cases = Cases();
  for (const OperatorSpec& spec : edition().operators) {
    if (BuildsItsGraph(spec) || spec.name.starts_with("CONST")) continue;
    SCOPED_TRACE(spec.name);
    ASSERT_TRUE(cases.contains(spec.name));
    size_t tensors = 0, attributes = 0;
    for (const ArgumentSpec& argument : spec.arguments) {
      const bool attribute = argument.category == ArgumentCategory::kAttribute;
      const bool fixed =
          argument.category == ArgumentCategory::kOutput && argument.type.starts_with("shape");
      attributes += attribute && !argument.optional;
      tensors += !attribute && !fixed;
    }
    EXPECT_GE(Count(cases.at(spec.name), "graph.type_row"), tensors);
    EXPECT_GE(Count(cases.at(spec.name), "graph.attribute"), 2 * attributes);
    EXPECT_GE(Count(cases.at(spec.name), "graph.operand_count"), 1u);
  }
}

// Control flow builds its own graphs: the condition is the one operand that no list holds.
TEST_P(GraphErrors, BreakTheConditionOfCondIf) {
  if (edition().FindOperator("COND_IF") == nullptr) {
    GTEST_SKIP() << "the edition has no control flow";
  }
  const std::vector<Case>& cases = Cases().at("COND_IF");
  ASSERT_GE(Count(cases, "graph.operand_count"), 1u);
  ASSERT_GE(Count(cases, "graph.type_row"), 1u);
  for (const Case& c : cases) {
    const Block& main = c.graph.main();
    const GraphOperator& cond_if = main.operators.back();
    EXPECT_EQ(cond_if.op, "COND_IF") << c.id;
    if (c.condition == "graph.operand_count") {
      EXPECT_TRUE(cond_if.inputs.empty()) << c.id;
    } else if (c.condition == "graph.type_row") {
      EXPECT_NE(main.Find(cond_if.inputs.at(0))->dtype, DType::kBool) << c.id;
    }
  }
}

TEST_P(GraphErrors, AreReadBackAsTheyWere) {
  const std::filesystem::path directory =
      std::filesystem::path(testing::TempDir()) / ("graph_errors-" + GetParam());
  for (const auto& [op, cases] : Cases()) {
    std::set<std::string> seen;
    for (const Case& c : cases) {
      // Each way of each condition once.
      if (!seen.insert(StrCat(c.condition, c.id.substr(c.id.rfind('-')))).second) continue;
      for (const BundleFile& file : EncodeCase(c)) {
        ASSERT_TRUE(WriteFile(directory / c.id / file.path, file.bytes).ok());
      }
      const StatusOr<Case> read = ReadCase(directory / c.id);
      ASSERT_TRUE(read.ok()) << c.id << ": " << read.status();
      EXPECT_EQ(read->condition, c.condition);
    }
  }
  std::filesystem::remove_all(directory);
}

// An argument that has a rank of its own gets two small ranks, one for each side.
TEST_P(GraphErrors, BreakRanksOnBothSides) {
  const auto& cases = Cases();
  for (const std::string op : {"CONV2D", "MATMUL", "GATHER", "MAX_POOL2D"}) {
    if (edition().FindOperator(op) == nullptr) continue;
    EXPECT_GE(Count(cases.at(op), "graph.rank"), 4u) << op;
  }
}

// All operands agree with one another, so that only the table of types tells that they are wrong.
TEST(LenientValidators, MeetTypesThatAnOperatorLacksInAllItsOperands) {
  GenerateOptions options;
  options.recipe = *FindRecipe("errors");
  options.recipe.full_domains = true;
  options.recipe.neighbours = false;
  options.recipe.conditions = {"graph.type_row"};
  options.recipe.operators = {"ADD", "EXP", "LOGICAL_AND", "REDUCE_SUM", "CLAMP", "GATHER"};
  std::mutex mutex;
  std::map<std::string, std::set<DType>> types;  // of the cases in which all are one
  const Status status = ForEachCase(options, [&](size_t, const Case& c) {
    const GraphOperator& op = c.graph.main().operators.back();
    const DType dtype = c.graph.main().Find(op.outputs[0])->dtype;
    const std::string& first = op.inputs[0];
    const std::string& last = op.op == "GATHER" ? first : op.inputs.back();
    const std::lock_guard<std::mutex> lock(mutex);
    if (c.graph.main().Find(first)->dtype == dtype && c.graph.main().Find(last)->dtype == dtype) {
      types[op.op].insert(dtype);
    }
    return absl::OkStatus();
  });
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(types["ADD"], testing::IsSupersetOf({DType::kI8, DType::kI16}));
  EXPECT_THAT(types["EXP"], testing::Contains(DType::kI8));
  EXPECT_THAT(types["LOGICAL_AND"], testing::IsSupersetOf({DType::kI8, DType::kI16}));
  EXPECT_THAT(types["REDUCE_SUM"], testing::IsSupersetOf({DType::kI8, DType::kI16}));
  EXPECT_THAT(types["CLAMP"], testing::Contains(DType::kI32));
  EXPECT_THAT(types["GATHER"], testing::Contains(DType::kI48));
}

INSTANTIATE_TEST_SUITE_P(Editions, GraphErrors,
                         testing::Values("tosa-1.0", "tosa-0.100", "rvtensor"),
                         [](const auto& each) {
                           return each.param == "tosa-1.0"     ? "Tosa10"
                                  : each.param == "tosa-0.100" ? "Tosa0100"
                                                               : "Rvtensor";
                         });

}  // namespace
}  // namespace cts
