// Every operator of a case's graph agrees with what the case says it needs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "generator/generate.h"
#include "generator/plan/plan.h"
#include "generator/recipe/recipe.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"
#include "reference/evaluate/resolve.h"
#include "reference/graph/symbols.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

const Edition& EditionOf(std::string_view id) { return **FindEdition(id); }

// The alternative, and what the edition builds its extensions upon where that is one profile. Main
// Inference has to run the graphs of Base Inference (0.100, introduction, Main Inference Profile
// Compliance). The draft does not say what its extensions build upon: 1.0 does.
std::set<std::string> WithBases(const Edition& edition, const std::vector<std::string>& names) {
  std::set<std::string> all(names.begin(), names.end());
  const bool is_draft = edition.id == "tosa-0.100";
  for (const ProfileSpec& profile : (is_draft ? EditionOf("tosa-1.0") : edition).profiles) {
    if (profile.base.size() != 1 || !all.contains(profile.name)) continue;
    const bool integer = profile.base[0] == "PRO-INT";
    all.insert(!is_draft ? profile.base[0] : integer ? "BI" : "MI");
  }
  if (all.contains("MI")) all.insert("BI");
  return all;
}

// Whether the row has the types of the operator's tensors.
bool Fits(const OperatorSpec& spec, const TypeRow& row, const GraphOperator& op,
          const Block& block) {
  size_t input = 0, output = 0;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category == ArgumentCategory::kAttribute) continue;
    const bool is_output = argument.category == ArgumentCategory::kOutput;
    const std::vector<std::string>& names = is_output ? op.outputs : op.inputs;
    size_t& next = is_output ? output : input;
    const size_t count = argument.type.ends_with("list_t") ? names.size() - next : 1;
    const auto type = row.PlainType(argument.element_type);
    for (size_t k = 0; k < count && next < names.size(); ++k, ++next) {
      if (type && block.Find(names[next])->dtype != *type) return false;
    }
  }
  return true;
}

class Profiles : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(Profiles, OfACaseHaveEveryOperatorOfItsGraph) {
  const auto& [recipe, edition_id] = GetParam();
  const Edition& edition = EditionOf(edition_id);
  GenerateOptions options;
  options.recipe = *FindRecipe(recipe);
  options.recipe.edition = edition_id;
  options.recipe.error_cases = false;
  options.jobs = 2;
  std::mutex mutex;
  size_t checked = 0;
  const auto check = [&](const Case& c, const Block& block, const GraphOperator& op) {
    const OperatorSpec& spec = *edition.FindOperator(op.op);
    for (const std::vector<std::string>& alternative : c.profiles) {
      const std::set<std::string> chosen = WithBases(edition, alternative);
      const auto is_within = [&](const std::vector<std::string>& needed) {
        return std::all_of(needed.begin(), needed.end(),
                           [&](const std::string& name) { return chosen.contains(name); });
      };
      const bool found =
          std::any_of(spec.type_rows.begin(), spec.type_rows.end(), [&](const TypeRow& row) {
            return Fits(spec, row, op, block) &&
                   std::any_of(row.profiles.begin(), row.profiles.end(), is_within);
          });
      EXPECT_TRUE(found) << c.id << ": " << op.op << " of " << op.outputs.front() << " with "
                         << testing::PrintToString(alternative);
      ++checked;
    }
  };
  const Status status = ForEachCase(options, [&](size_t, const Case& c) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (c.outcome != Outcome::kValid) return absl::OkStatus();
    Graph graph = c.graph;
    if (!c.bindings.empty()) {
      const auto resolution =
          Resolve(graph, c.bindings[0], c.inputs, edition, *edition.FindLevel(c.level));
      if (!resolution.ok()) return resolution.status();
      graph = *resolution->graph;
    }
    for (const Region& region : graph.regions) {
      for (const Block& block : region.blocks) {
        for (const GraphOperator& op : block.operators) check(c, block, op);
      }
    }
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_GT(checked, edition.operators.size() < 20 ? 500u : 1000u);
}

INSTANTIATE_TEST_SUITE_P(
    Recipes, Profiles,
    testing::Values(std::pair("smoke", "tosa-1.0"), std::pair("smoke-0.100", "tosa-0.100"),
                    std::pair("smoke-rvtensor", "rvtensor"), std::pair("graphs", "tosa-1.0"),
                    std::pair("symbolic", "tosa-1.0"), std::pair("graphs", "tosa-0.100")));

// No alternative of a case contains another one, which would say nothing.
TEST(Profiles, OfACarrierStandOnce) {
  GenerateOptions options;
  options.recipe = *FindRecipe("smoke");
  options.recipe.operators = {"CONST_SHAPE"};
  const Status status = ForEachCase(options, [](size_t, const Case& c) {
    const bool is_float = c.parameters.at("carrier") == "fp32";
    const std::vector<std::vector<std::string>> expected = {{is_float ? "PRO-FP" : "PRO-INT"}};
    EXPECT_EQ(c.profiles, expected) << c.id;
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

// One id is one case, whatever profiles are chosen.
TEST(ErrorCases, AreTheSameWithFewerProfiles) {
  GenerateOptions options;
  options.recipe = *FindRecipe("smoke");
  options.recipe.valid_cases = false;
  options.recipe.neighbours = true;
  options.recipe.operators = {};
  std::mutex mutex;
  options.jobs = 2;
  const auto bundles = [&](std::vector<std::string> profiles) {
    options.recipe.profiles = std::move(profiles);
    std::map<std::string, std::string> digests;
    const Status status = ForEachCase(options, [&](size_t, const Case& c) {
      std::string digest = BundleDigest(EncodeCase(c));
      const std::lock_guard<std::mutex> lock(mutex);
      digests[c.id] = std::move(digest);
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return digests;
  };
  const auto all = bundles({});
  std::set<std::string> of_control_flow;  // and what is wrong, but for the numbers of several ways
  for (const auto& [id, digest] : bundles({"PRO-FP", "EXT-CONTROLFLOW"})) {
    // Another type row of other operators may stand for those that are not chosen.
    const bool is_control_flow = id.starts_with("cond_if/") || id.starts_with("while_loop/");
    if (!is_control_flow && !id.starts_with("const_shape/") && !all.contains(id)) continue;
    ASSERT_TRUE(all.contains(id)) << id;
    EXPECT_EQ(digest, all.at(id)) << id;
    const size_t end = id.find("-any");
    if (is_control_flow && id.find("/error-") != id.npos) of_control_flow.insert(id.substr(0, end));
  }
  // Floats break each condition of the two, both operators' graph.attribute, and COND_IF's
  // graph.type_row and graph.operand_count.
  EXPECT_EQ(of_control_flow.size(), 13u + 2u + 2u);
}

// An operand that the profiles want constant, of a type row.
struct RunTimeOperand {
  std::string op, name, mode;
  auto operator<=>(const RunTimeOperand&) const = default;
};

std::ostream& operator<<(std::ostream& out, const RunTimeOperand& operand) {
  return out << operand.op << ", " << operand.name << ", " << operand.mode;
}

// The operands that valid cases of certify-ext-dynamic take from outside of the graph.
std::set<RunTimeOperand> TakenAtRunTime(const Plan& plan) {
  std::set<RunTimeOperand> taken;
  for (const Item& item : plan.items) {
    if (item.is_error()) continue;
    const Setting& setting = item.choice.setting;
    const StatusOr<Assembly> assembly = AssembleGraph(setting, item.domain->build(item.choice));
    EXPECT_TRUE(assembly.ok()) << item.choice.id;
    if (!assembly.ok()) continue;
    const Block& block = assembly->graph.main();
    for (const GraphOperator& op : block.operators) {
      if (op.op != setting.spec->name) continue;
      size_t next = 0;  // no list among the operands of these operators
      for (const ArgumentSpec& argument : setting.spec->arguments) {
        if (argument.category != ArgumentCategory::kInput || next >= op.inputs.size()) continue;
        const std::string& tensor = op.inputs[next++];
        if (argument.ctc_remove.empty()) continue;
        const bool outside =
            std::find(block.inputs.begin(), block.inputs.end(), tensor) != block.inputs.end();
        if (outside) taken.insert({op.op, argument.name, setting.row->mode});
      }
    }
  }
  return taken;
}

// EXT-DYNAMIC removes the constant state of every operand that has it. This cannot mean a shape: a
// graph takes no shapes (Operator Graphs), and operators that yield one in 1.0 are constant
// themselves.
TEST(ExtDynamic, TakesEveryFreedOperandOfEveryTypeRowAtRunTime) {
  const Edition& edition = EditionOf("tosa-1.0");
  std::set<RunTimeOperand> freed, of_profiles;
  size_t shapes = 0, operands = 0;
  const auto is_profile = [](const std::string& name) { return name.starts_with("PRO-"); };
  for (const OperatorSpec& spec : edition.operators) {
    for (const ArgumentSpec& argument : spec.arguments) {
      if (argument.category == ArgumentCategory::kOutput && argument.type == "shape_t") {
        EXPECT_FALSE(argument.ctc.empty()) << spec.name;
        EXPECT_TRUE(argument.ctc_remove.empty()) << spec.name;
      }
      if (argument.ctc.empty() || argument.category != ArgumentCategory::kInput) continue;
      EXPECT_EQ(argument.ctc_remove, std::vector<std::string>{"EXT-DYNAMIC"}) << spec.name;
      ++operands;
      if (argument.type == "shape_t") {
        ++shapes;
        continue;
      }
      for (const TypeRow& row : spec.type_rows) {
        freed.insert({spec.name, argument.name, row.mode});
        for (const std::vector<std::string>& alternative : row.profiles) {
          if (!std::all_of(alternative.begin(), alternative.end(), is_profile)) continue;
          of_profiles.insert({spec.name, argument.name, row.mode});
        }
      }
    }
  }
  // By hand, from the tables of the operators' compile-time constants.
  EXPECT_EQ(operands, 29u);
  EXPECT_EQ(shapes, 8u);
  Recipe recipe = *FindRecipe("certify-ext-dynamic");
  const StatusOr<Plan> plan = MakePlan(recipe);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(TakenAtRunTime(*plan), of_profiles);
  // With all other extensions, too.
  recipe.profiles.clear();
  recipe.strength = 1;
  const StatusOr<Plan> all = MakePlan(recipe);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(TakenAtRunTime(*all), freed);
}

// Without the extension every one of them is a constant.
TEST(ExtDynamic, IsAskedOfNobodyElse) {
  Recipe recipe = *FindRecipe("certify-ext-dynamic");
  recipe.needs.clear();
  recipe.profiles = {"PRO-INT", "PRO-FP"};
  recipe.strength = 1;
  recipe.operators = {"AVG_POOL2D", "CONV2D", "CONV3D", "DEPTHWISE_CONV2D", "MATMUL",
                      "MUL",        "NEGATE", "PAD",    "TRANSPOSE_CONV2D", "RESCALE",
                      "RESHAPE",    "SLICE",  "TILE",   "RESIZE",           "TABLE"};
  const StatusOr<Plan> plan = MakePlan(recipe);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_GT(plan->items.size(), 1000u);
  EXPECT_EQ(TakenAtRunTime(*plan), std::set<RunTimeOperand>());
}

}  // namespace
}  // namespace cts
