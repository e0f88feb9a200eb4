// Every error case of the recipes once more behind CUSTOM: what its data were is no longer known,
// and the condition that it breaks is found all the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "generator/generate.h"
#include "reference/base/contains.h"
#include "reference/evaluate/evaluate.h"

namespace cts {
namespace {

// The case with a CUSTOM between each input of its graph and what takes it.
std::pair<Graph, std::map<std::string, Tensor>> BehindCustom(const Case& c) {
  Graph graph = c.graph;
  std::map<std::string, Tensor> inputs;
  Block& block = graph.main();
  std::vector<GraphOperator> customs;
  for (std::string& name : block.inputs) {
    const std::string before = name + "_before";
    GraphTensor tensor = *block.Find(name);
    tensor.name = before;
    block.tensors.push_back(std::move(tensor));
    if (const auto given = c.inputs.find(name); given != c.inputs.end()) {
      inputs.emplace(before, given->second);
    }
    customs.push_back({.op = "CUSTOM",
                       .inputs = {before},
                       .outputs = {name},
                       .attributes = {{"operator_name", std::string("warp")},
                                      {"domain_name", std::string("example.org")},
                                      {"implementation_attrs", std::string()}}});
    name = before;
  }
  block.operators.insert(block.operators.begin(), customs.begin(), customs.end());
  return {std::move(graph), std::move(inputs)};
}

class BehindCustomTest : public testing::TestWithParam<const char*> {};

TEST_P(BehindCustomTest, EveryConditionIsFoundThatNoValueOfItDecides) {
  GenerateOptions options;
  options.recipe = *FindRecipe("errors");
  options.recipe.edition = GetParam();
  options.recipe.full_domains = true;
  options.recipe.graphs = true;
  options.recipe.neighbours = false;
  std::mutex mutex;
  int64_t found = 0;
  std::map<std::string, std::string> missed;
  const CaseFilter errors{
      .begins = [](size_t, const PlannedCase& planned) { return !planned.condition.empty(); }};
  const Status status = ForEachWantedCase(options, errors, [&](size_t, const Case& c) -> Status {
    const auto [graph, inputs] = BehindCustom(c);
    CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(c.edition));
    CTS_ASSIGN_OR_RETURN(const Evaluation evaluation,
                         Evaluate(graph, inputs, *edition, *edition->FindLevel(c.level)));
    const std::lock_guard<std::mutex> lock(mutex);
    // A graph of control flow runs or not by a condition that is no longer known.
    const bool runs_or_not =
        evaluation.outcome == Outcome::kUnsupported && (c.op == "COND_IF" || c.op == "WHILE_LOOP");
    if (!runs_or_not && evaluation.outcome != Outcome::kError) {
      missed.emplace(c.id, c.condition);
      return absl::OkStatus();
    }
    const std::vector<Violation>& broken =
        runs_or_not ? evaluation.possible : evaluation.violations;
    if (broken.size() != 1 || broken[0].condition != c.condition) missed.emplace(c.id, c.condition);
    found += !runs_or_not;
    return absl::OkStatus();
  });
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_GT(found, 3000);
  for (const auto& [id, condition] : missed) ADD_FAILURE() << id << ": " << condition;
}

INSTANTIATE_TEST_SUITE_P(Editions, BehindCustomTest, testing::Values("tosa-1.0", "tosa-0.100"));

}  // namespace
}  // namespace cts
