#include "generator/symbolic/symbolic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "generator/generate.h"
#include "generator/graphs/testing.h"
#include "reference/evaluate/native.h"
#include "reference/graph/symbolic_structure.h"
#include "reference/graph/symbols.h"
#include "reference/ops/operator.h"
#include "reference/symbolic/resolver.h"

namespace cts {
namespace {

using testing_graphs::Cases;

const Edition& Tosa10() { return **FindEdition("tosa-1.0"); }

const Cases& All() {
  static const Cases& cases = *new Cases(testing_graphs::CasesOf(*FindRecipe("symbolic")));
  return cases;
}

TEST(SymbolicGraphs, HaveEveryOperator) {
  std::set<std::string> found;
  for (const auto& [id, c] : All()) {
    if (c.outcome != Outcome::kValid) continue;
    for (const GraphOperator& op : c.graph.main().operators) found.insert(op.op);
  }
  for (const OperatorSpec& op : Tosa10().operators) {
    // Programs have no control flow (notes.md, Symbolic shapes).
    const bool may = op.group != "control-flow" && op.group != "variable" && op.group != "custom";
    EXPECT_EQ(found.contains(op.name), may) << op.name;
  }
  for (const std::string_view op : SymbolicOperatorNames()) {
    EXPECT_TRUE(found.contains(std::string(op))) << op;
  }
}

TEST(SymbolicGraphs, HaveACaseOfEveryDomain) {
  std::set<std::string_view> names;
  for (const GraphDomain& graph : SymbolicGraphs()) {
    EXPECT_TRUE(names.insert(graph.name).second) << graph.name << " occurs twice";
    const std::string prefix = StrCat("symbolic/", graph.name, "-");
    const auto found = All().lower_bound(prefix);
    EXPECT_TRUE(found != All().end() && found->first.starts_with(prefix)) << graph.name;
  }
}

// One program, several bindings: no two are the same, and no size is only ever one.
TEST(SymbolicGraphs, HaveSeveralBindings) {
  for (const auto& [id, c] : All()) {
    ASSERT_EQ(c.bindings.size(), static_cast<size_t>(c.executions())) << id;
    if (c.outcome != Outcome::kValid || id.starts_with("symbolic/legal-")) continue;
    EXPECT_EQ(c.bindings.size(), 3u) << id;
    EXPECT_EQ(std::set<Binding>(c.bindings.begin(), c.bindings.end()).size(), 3u) << id;
    for (const auto& [symbol, value] : c.bindings[0]) {
      EXPECT_GE(value, 1) << id;
      // As many as there are channels, which the weight says.
      if (id.starts_with("symbolic/bias-") && symbol == "C") continue;
      std::set<int64_t> sizes;
      for (const Binding& binding : c.bindings) sizes.insert(binding.at(symbol));
      EXPECT_GT(sizes.size(), 1u) << id << ", " << symbol;
    }
  }
}

// A result's shape says which binding it belongs to, so a result of another binding is noticed.
TEST(SymbolicGraphs, HaveOutputsOfSeveralShapes) {
  int same = 0, all = 0;
  for (const auto& [id, c] : All()) {
    if (c.bindings.size() < 3) continue;
    std::map<std::string, std::set<Shape>> shapes;
    for (const ExpectedOutput& output : c.outputs) shapes[output.name].insert(output.shape);
    for (const auto& [name, different] : shapes) {
      ++all;
      same += different.size() < 2;
    }
  }
  // A list of two dimensions has two elements, whatever they are.
  EXPECT_LT(same * 10, all);
}

// Nothing else is normative of a floating-point sum of products (notes.md).
TEST(SymbolicGraphs, HaveDotProductsOfAppendixAOnly) {
  int tensors = 0;
  for (const auto& [id, c] : All()) {
    for (const ExpectedOutput& output : c.outputs) {
      if (output.rule.kind != RuleKind::kDotProduct) continue;
      ++tensors;
      EXPECT_TRUE(c.data_set == "S1" || c.data_set == "S4") << id;
      EXPECT_EQ(output.rule.data_set, c.data_set[1] - '0') << id;
      // RFFT2D counts the elements of its input.
      EXPECT_GE(ElementCount(output.shape), c.op == "RFFT2D" ? 500 : 1000) << id;
      EXPECT_TRUE(output.rule.variance_limit.has_value()) << id;
    }
  }
  EXPECT_GT(tensors, 250);
}

TEST(SymbolicGraphs, BreakEveryConditionOfPrograms) {
  std::set<std::string> broken;
  for (const auto& [id, c] : All()) {
    if (c.outcome != Outcome::kError) continue;
    broken.insert(c.condition);
    EXPECT_EQ(c.bindings.size(), 1u) << id;
    // The program itself is a legal one.
    EXPECT_TRUE(CheckSymbolicStructure(c.graph, Tosa10()).ok()) << id;
  }
  for (const Condition& condition : SymbolConditions()) {
    EXPECT_TRUE(broken.contains(std::string(condition.id))) << condition.id;
  }
  // Conditions on data, and conditions that a constant would have broken.
  for (const char* id : {"slice.end_range", "slice.start_negative", "pad.padding_negative",
                         "conv2d.pad_negative", "transpose_conv2d.stride_below_one"}) {
    EXPECT_TRUE(broken.contains(id)) << id;
  }
}

// An implementation that has one value for everything computes these results.
TEST(SymbolicGraphs, AreWhatAnImplementationComputes) {
  int exact = 0;
  for (const auto& [id, c] : All()) {
    const auto results = ExecuteNativeSequence(c.graph, c.InputsOfExecutions(), Tosa10(),
                                               *Tosa10().FindLevel(c.level));
    ASSERT_TRUE(results.ok()) << id << ": " << results.status();
    if (c.outcome == Outcome::kError) {
      EXPECT_EQ(results->back().outcome, Outcome::kError) << id;
      EXPECT_THAT(results->back().message, testing::HasSubstr(c.condition)) << id;
      continue;
    }
    for (const ExpectedOutput& output : c.outputs) {
      const NativeResult& result = (*results)[static_cast<size_t>(output.execution)];
      ASSERT_EQ(result.outcome, Outcome::kValid) << id << ": " << result.message;
      if (IsFloat(output.dtype) || output.rule.kind != RuleKind::kExact) continue;
      EXPECT_EQ(result.outputs.at(output.name), output.answers[0].expected) << id;
      ++exact;
    }
  }
  EXPECT_GT(exact, 1000);
}

// No symbol is a 1 that broadcasts, whichever operator does.
TEST(SymbolicGraphs, AskEveryOperatorThatBroadcasts) {
  std::set<std::string> asked;
  for (const auto& [id, c] : All()) {
    if (c.condition == "symbol.broadcast") asked.insert(c.op);
  }
  const std::set<std::string> groups = {"elementwise-binary", "elementwise-ternary", "comparison"};
  for (const OperatorSpec& op : Tosa10().operators) {
    // TABLE has a list of values for its second operand, CONV2D a bias.
    const bool broadcasts = groups.contains(op.group) && op.name != "TABLE";
    EXPECT_EQ(asked.contains(op.name), broadcasts || op.name == "CONV2D") << op.name;
  }
}

// No two cases are one under two names.
TEST(SymbolicGraphs, HaveNoCaseTwice) {
  std::map<std::string, std::string> known;  // by all but the id
  for (const auto& [id, c] : All()) {
    if (c.outcome != Outcome::kError) continue;
    Case unnamed = c;
    unnamed.id = "symbolic/any";
    std::string bytes;
    for (const BundleFile& file : EncodeCase(unnamed)) bytes += file.path + file.bytes;
    const auto [found, added] = known.emplace(std::move(bytes), id);
    EXPECT_TRUE(added) << id << " is " << found->second;
  }
}

}  // namespace
}  // namespace cts
