#include "reference/graph/disputed.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

namespace cts {
namespace {

// MAXIMUM of x and of a constant, by way of `between` if that is an operator.
Graph MaximumOf(DType dtype, const std::string& nan_mode, uint64_t constant) {
  Tensor values(dtype, {1});
  values.SetBits(0, constant);
  Graph graph = EmptyGraph();
  Block& block = graph.main();
  block.inputs = {"x"};
  block.outputs = {"out"};
  block.tensors = {{"x", dtype, {1}},
                   {"y", dtype, {1}, std::make_shared<const Tensor>(std::move(values))},
                   {"moved", dtype, {1}},
                   {"out", dtype, {1}}};
  block.operators = {
      {.op = "CONST", .inputs = {}, .outputs = {"y"}, .attributes = {}},
      {.op = "NEGATE", .inputs = {"x"}, .outputs = {"moved"}, .attributes = {}},
      {.op = "MAXIMUM", .inputs = {"moved", "y"}, .outputs = {"out"}, .attributes = {}}};
  if (!nan_mode.empty()) block.operators.back().attributes["nan_mode"] = nan_mode;
  return graph;
}

bool IsDisputed(const Graph& graph, DType dtype, uint64_t input) {
  Tensor x(dtype, {1});
  x.SetBits(0, input);
  const std::map<std::string, Tensor> inputs = {{"x", std::move(x)}};
  return !DisputeOf(graph, {&inputs}).empty();
}

// IEEE 754-2008: the first bit of a quiet NaN's fraction is 1. OCP OFP8 tells no kinds apart.
TEST(Disputed, KnowsSignallingNansOfTheTypesThatMayHaveOneNanAlone) {
  for (const uint64_t bits : {0x7C01, 0x7DFF, 0xFC01}) {
    EXPECT_TRUE(IsSignallingNan(DType::kFp16, bits)) << bits;
  }
  for (const uint64_t bits : {0x7C00, 0x7E00, 0x7FFF, 0xFE01, 0x7BFF, 0x0001}) {
    EXPECT_FALSE(IsSignallingNan(DType::kFp16, bits)) << bits;
  }
  EXPECT_TRUE(IsSignallingNan(DType::kBf16, 0x7F81));
  EXPECT_FALSE(IsSignallingNan(DType::kBf16, 0x7FC0));
  EXPECT_TRUE(IsSignallingNan(DType::kFp32, 0xFFBFFFFF));
  EXPECT_FALSE(IsSignallingNan(DType::kFp32, 0x7FC00000));
  for (const uint64_t bits : {0x7D, 0x7E, 0x7F, 0xFD}) {
    EXPECT_FALSE(IsSignallingNan(DType::kFp8E5M2, bits)) << bits;
  }
  EXPECT_FALSE(IsSignallingNan(DType::kFp8E4M3, 0x7F));
}

TEST(Disputed, IsASignallingNanThatIsIgnoredAndNothingElse) {
  constexpr uint64_t kSignal = 0x7F800001, kQuiet = 0x7FC00001, kOne = 0x3F800000;
  const DType fp32 = DType::kFp32;
  EXPECT_TRUE(IsDisputed(MaximumOf(fp32, "IGNORE", kOne), fp32, kSignal));
  EXPECT_TRUE(IsDisputed(MaximumOf(fp32, "IGNORE", kSignal), fp32, kOne));
  EXPECT_FALSE(IsDisputed(MaximumOf(fp32, "IGNORE", kQuiet), fp32, kQuiet));
  EXPECT_FALSE(IsDisputed(MaximumOf(fp32, "PROPAGATE", kSignal), fp32, kSignal));
  EXPECT_FALSE(IsDisputed(MaximumOf(fp32, "", kSignal), fp32, kSignal));
  EXPECT_FALSE(IsDisputed(MaximumOf(DType::kI32, "IGNORE", kSignal), DType::kI32, kSignal));
}

Graph OfOneIgnoredAndOneOther() {
  Graph graph = MaximumOf(DType::kFp32, "IGNORE", 0x3F800000);
  Block& block = graph.main();
  const Shape one = {1};
  for (const char* name : {"other", "behind"}) {
    block.tensors.push_back({name, DType::kFp32, one});
    block.outputs.push_back(name);
  }
  block.operators.push_back({.op = "EXP", .inputs = {"moved"}, .outputs = {"other"}});
  block.operators.push_back({.op = "EXP", .inputs = {"out"}, .outputs = {"behind"}});
  return graph;
}

constexpr uint64_t kSignal = 0x7F800001, kQuiet = 0x7FC00001, kOne = 0x3F800000;

std::map<std::string, Tensor> Inputs(const std::map<std::string, uint64_t>& bits) {
  std::map<std::string, Tensor> inputs;
  for (const auto& [name, value] : bits) {
    Tensor tensor(DType::kFp32, {1});
    tensor.SetBits(0, value);
    inputs.emplace(name, std::move(tensor));
  }
  return inputs;
}

using Names = std::set<std::string>;

TEST(Disputed, ReachesWhatStandsBehindTheOperatorThatIgnoresNan) {
  const Graph graph = OfOneIgnoredAndOneOther();
  const auto inputs = Inputs({{"x", kSignal}});
  EXPECT_EQ(DisputedTensors(graph, {&inputs}, 0), (Names{"out", "behind"}));
  const auto quiet = Inputs({{"x", kQuiet}});
  EXPECT_EQ(DisputedTensors(graph, {&quiet}, 0), Names());
}

// The operator ignores the quiet NaN of one input; the signalling one goes elsewhere.
TEST(Disputed, DoesNotReachAnOperatorToWhichNoSignallingNanComes) {
  Graph graph = OfOneIgnoredAndOneOther();
  Block& block = graph.main();
  block.inputs.push_back("z");
  block.tensors.push_back({"z", DType::kFp32, Shape{1}});
  block.tensors.push_back({"of_z", DType::kFp32, Shape{1}});
  block.outputs.push_back("of_z");
  block.operators.push_back({.op = "EXP", .inputs = {"z"}, .outputs = {"of_z"}});
  const auto inputs = Inputs({{"x", kQuiet}, {"z", kSignal}});
  EXPECT_EQ(DisputedTensors(graph, {&inputs}, 0), Names());
}

TEST(Disputed, ReachesNoExecutionBeforeTheSignallingNan) {
  const Graph graph = OfOneIgnoredAndOneOther();
  const auto first = Inputs({{"x", kQuiet}}), second = Inputs({{"x", kSignal}});
  EXPECT_EQ(DisputedTensors(graph, {&first, &second}, 0), Names());
  EXPECT_EQ(DisputedTensors(graph, {&first, &second}, 1), (Names{"out", "behind"}));
  // Without a variable nothing of an execution stays.
  EXPECT_EQ(DisputedTensors(graph, {&second, &first}, 1), Names());
}

TEST(Disputed, ReachesWhatAVariableMayHaveCarried) {
  Graph graph = OfOneIgnoredAndOneOther();
  Block& block = graph.main();
  block.tensors.push_back({"held", DType::kFp32, Shape{1}});
  block.outputs.push_back("held");
  block.operators.push_back({.op = "VARIABLE_READ", .inputs = {}, .outputs = {"held"}});
  const auto first = Inputs({{"x", kSignal}}), second = Inputs({{"x", kOne}});
  EXPECT_TRUE(DisputedTensors(graph, {&first, &second}, 1).contains("held"));
  EXPECT_EQ(DisputedTensors(graph, {&second}, 0), Names());
}

// x goes to a graph that control flow runs, and which ignores NaN, does not, or reads a variable.
TEST(Disputed, ReachesWhatControlFlowYieldsIfItRunsSuchAnOperator) {
  const Graph ignoring = MaximumOf(DType::kFp32, "IGNORE", kOne);
  for (const std::string inside : {"ignores", "propagates", "reads"}) {
    Graph graph = OfOneIgnoredAndOneOther();
    Region then = inside == "ignores" ? ignoring.regions[0]
                                      : MaximumOf(DType::kFp32, "PROPAGATE", kOne).regions[0];
    then.name = "then";
    if (inside == "reads")
      then.blocks[0].operators[2] = {.op = "VARIABLE_READ", .outputs = {"out"}};
    graph.regions.push_back(then);
    Block& block = graph.main();
    block.tensors.push_back({"chosen", DType::kFp32, Shape{1}});
    block.outputs.push_back("chosen");
    block.operators.push_back({.op = "COND_IF",
                               .inputs = {"x"},
                               .outputs = {"chosen"},
                               .attributes = {{"then_graph", std::string("then")}}});
    const auto inputs = Inputs({{"x", kSignal}});
    EXPECT_EQ(DisputedTensors(graph, {&inputs}, 0).contains("chosen"), inside != "propagates");
  }
}

TEST(Disputed, QuietsSignallingNansAndNothingElse) {
  Tensor tensor(DType::kBf16, {4});
  const uint64_t before[] = {0x7F81, 0xFFBF, 0x7F80, 0x3F81};
  const uint64_t after[] = {0x7FC1, 0xFFFF, 0x7F80, 0x3F81};
  for (int64_t i = 0; i < 4; ++i) tensor.SetBits(i, before[i]);
  EXPECT_TRUE(QuietNans(tensor));
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(tensor.Bits(i), after[i]) << i;
  EXPECT_FALSE(QuietNans(tensor));
}

}  // namespace
}  // namespace cts
