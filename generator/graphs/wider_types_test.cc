// Cases of several floating-point operators refuse no implementation that complies: the clause on
// sequences of operators lets each be computed in a wider type, and at the end of its own bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "generator/generate.h"
#include "reference/enclosure/adversary_testing.h"
#include "reference/evaluate/evaluate.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

using testing_chains::Adversary;
using testing_chains::RandomWay;
using testing_chains::RefusedElement;

// Whether an operator reads a floating-point result of another one.
bool IsChain(const Graph& graph) {
  std::set<std::string> made;
  for (const Region& region : graph.regions) {
    for (const Block& block : region.blocks) {
      for (const GraphOperator& node : block.operators) {
        if (IsConstant(node)) continue;
        for (const std::string& name : node.inputs) {
          if (made.contains(name)) return true;
        }
        for (const std::string& name : node.outputs) {
          if (IsFloat(block.Find(name)->dtype)) made.insert(name);
        }
      }
    }
  }
  return false;
}

// The adversary has no control flow, no variables, and transforms of two by two elements only.
bool IsPlain(const Graph& graph, const Edition& edition) {
  return std::all_of(graph.main().operators.begin(), graph.main().operators.end(),
                     [&](const GraphOperator& node) {
                       const std::string& group = edition.FindOperator(node.op)->group;
                       return group != "control-flow" && group != "variable" && group != "custom" &&
                              !node.op.ends_with("FFT2D");
                     });
}

// The first element that refuses an implementation in its first execution; empty if none does.
std::string Refusal(const Case& c, const Edition& edition, testing_chains::Random& random) {
  const Level& level = *edition.FindLevel(c.level);
  Adversary adversary(edition, level, random);
  const bool flushes = random.Chance(3), unrounded = random.Chance(2);
  for (const GraphOperator& node : c.graph.main().operators) {
    testing_chains::Way way = RandomWay(random);
    way.flushes = flushes;
    way.flushes_unrounded = unrounded;
    for (const std::string& name : node.outputs) adversary.ways[name] = way;
  }
  if (!adversary.Run(c.graph, c.inputs, flushes)) return "a REQUIRE broke";
  for (const ExpectedOutput& output : c.outputs) {
    if (output.execution != 0) continue;
    const std::string refused = RefusedElement(output, adversary.held(output.name));
    if (!refused.empty()) return StrCat(output.name, refused, flushes ? ", flushes" : "");
  }
  return "";
}

bool IsWhole() { return std::getenv("TENSOR_CTS_WHOLE") != nullptr; }

class SuiteChains : public testing::TestWithParam<std::string> {};

TEST_P(SuiteChains, RefuseNoImplementationThatComplies) {
  GenerateOptions options;
  options.recipe = *FindRecipe(GetParam());
  options.jobs = 1;
  const Edition& edition = **FindEdition(options.recipe.edition);
  int tried = 0, left_out = 0;
  std::mutex mutex;
  CaseFilter filter;
  filter.begins = [&](size_t, const PlannedCase& planned) { return planned.condition.empty(); };
  filter.goes_on = [&](size_t, const Case& c) { return StatusOr<bool>(IsChain(c.graph)); };
  const Status status = ForEachWantedCase(options, filter, [&](size_t i, const Case& c) {
    if (c.outcome != Outcome::kValid || !IsChain(c.graph)) return absl::OkStatus();
    const std::lock_guard lock(mutex);
    for (const ExpectedOutput& output : c.outputs) {
      EXPECT_FALSE(output.rule.enclosure) << c.id << ", " << output.name;
    }
    ++(IsPlain(c.graph, edition) ? tried : left_out);
    if (!IsPlain(c.graph, edition)) return absl::OkStatus();
    testing_chains::Random random(i);
    for (int k = 0; k < (IsWhole() ? 60 : 4); ++k)
      EXPECT_EQ(Refusal(c, edition, random), "") << c.id;
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_GT(tried, 100);
  EXPECT_LT(left_out, tried);
  std::cout << tried << " chains tried, " << left_out
            << " left out: control flow, variables, custom operators, transforms\n";
}

INSTANTIATE_TEST_SUITE_P(Recipes, SuiteChains,
                         testing::ValuesIn(IsWhole() ? std::vector<std::string>{"graphs", "certify",
                                                                                "certify-0.100"}
                                                     : std::vector<std::string>{"graphs"}));

}  // namespace
}  // namespace cts
