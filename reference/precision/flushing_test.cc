#include "reference/precision/flushing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "reference/ops/facts.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr DType kFp16 = DType::kFp16, kBf16 = DType::kBf16, kFp32 = DType::kFp32;

const Edition& EditionOf(std::string_view id) { return **FindEdition(id); }

Graph GraphOf(const std::string& op, DType read, DType yielded) {
  Graph graph = EmptyGraph();
  Block& block = graph.main();
  block.inputs = {"in"};
  block.outputs = {"out"};
  block.tensors = {{"in", read, {1}, nullptr}, {"out", yielded, {1}, nullptr}};
  block.operators = {{op, {"in"}, {"out"}, {}}};
  return graph;
}

FlushingEvidence Of(const std::string& op, DType read, DType yielded) {
  return FlushingEvidenceOf(GraphOf(op, read, yielded), EditionOf("tosa-1.0"));
}

TEST(FlushingEvidence, SpeaksOfTheTypesThatMayBeFlushed) {
  EXPECT_THAT(Of("ABS", kFp32, kFp32).kept, ElementsAre(kFp32));
  EXPECT_THAT(Of("ABS", kFp32, kFp32).flushed, ElementsAre(kFp32));
  EXPECT_THAT(Of("CAST", DType::kFp8E5M2, kFp32).flushed, ElementsAre(kFp32));
  EXPECT_THAT(Of("CAST", DType::kI8, DType::kI32).flushed, IsEmpty());
}

TEST(FlushingEvidence, KeepingShowsNothingWhereTheTextIsSilentOrMoves) {
  for (const char* op :
       {"ARGMAX", "COND_IF", "CONCAT", "CONST", "GATHER", "IDENTITY", "PAD", "REDUCE_SUM",
        "RESHAPE", "RESIZE", "REVERSE", "SCATTER", "SLICE", "TILE", "TRANSPOSE", "VARIABLE_READ",
        "WHILE_LOOP", "DATA_DEPENDENT_PAD", "EXPAND_DIMS"}) {
    EXPECT_THAT(Of(op, kFp32, kFp32).kept, IsEmpty()) << op;
    EXPECT_THAT(Of(op, kFp32, kFp32).flushed, ElementsAre(kFp32)) << op;
  }
  // To bool, the text knows zero and not zero only.
  EXPECT_THAT(Of("CAST", kFp32, DType::kBool).kept, IsEmpty());
  EXPECT_THAT(Of("CAST", kFp32, DType::kI8).kept, ElementsAre(kFp32));
}

TEST(FlushingEvidence, KeepingShowsNothingWhereAnOperatorIsNotKnown) {
  EXPECT_THAT(Of("NO_SUCH_OPERATOR", kFp32, kFp32).kept, IsEmpty());
  Graph graph = GraphOf("ABS", kFp32, kFp32);
  graph.main().operators.push_back({"NO_SUCH_OPERATOR", {"out"}, {"out"}, {}});
  EXPECT_THAT(FlushingEvidenceOf(graph, EditionOf("tosa-1.0")).kept, IsEmpty());
}

TEST(FlushingEvidence, SaysWhetherAnOperandWasMoved) {
  for (const char* op : {"ABS", "CLAMP", "MAXIMUM", "MAX_POOL2D", "MINIMUM", "NEGATE", "REDUCE_MAX",
                         "REDUCE_MIN", "SELECT"}) {
    EXPECT_TRUE(Of(op, kFp32, kFp32).moved) << op;
  }
  for (const char* op : {"ADD", "MUL", "EXP", "CAST", "EQUAL", "CONV2D", "REVERSE"}) {
    EXPECT_FALSE(Of(op, kFp32, kFp32).moved) << op;
  }
  // Laid out besides, it shows nothing at all.
  Graph graph = GraphOf("ABS", kFp32, kFp32);
  graph.main().operators.push_back({"TRANSPOSE", {"out"}, {"out"}, {}});
  EXPECT_FALSE(FlushingEvidenceOf(graph, EditionOf("tosa-1.0")).moved);
}

TEST(FlushingEvidence, IsStatedForEveryOperator) {
  for (const Operator& op : Operators())
    EXPECT_NE(op.facts().keeping, Keeping::kUnstated) << op.name;
  EXPECT_EQ(FactsOf("NO_SUCH_OPERATOR").keeping, Keeping::kUnstated);
  EXPECT_THAT(Of("NO_SUCH_OPERATOR", kFp32, kFp32).kept, IsEmpty());
}

TEST(FlushingEvidence, ConstantOperandsAndSizesDoNotSilenceOthers) {
  for (const char* op : {"CONST", "CONST_SHAPE", "GET_DIM", "DATA_DEPENDENT_CONV2D"}) {
    Graph graph = GraphOf("ABS", kFp32, kFp32);
    graph.main().operators.push_back({op, {}, {"out"}, {}});
    EXPECT_THAT(FlushingEvidenceOf(graph, EditionOf("tosa-1.0")).kept, ElementsAre(kFp32)) << op;
  }
  Graph graph = GraphOf("ABS", kFp32, kFp32);
  graph.main().operators.push_back({"TRANSPOSE", {"out"}, {"out"}, {}});
  EXPECT_THAT(FlushingEvidenceOf(graph, EditionOf("tosa-1.0")).kept, IsEmpty());
}

TEST(FlushingEvidence, SpeaksOfTheTypeThatDecides) {
  const auto of = [](const std::string& op, DType read, DType yielded) {
    const FlushingEvidence found = Of(op, read, yielded);
    return std::make_pair(found.kept, found.flushed);
  };
  using Types = std::set<DType>;
  const auto both = [](const Types& kept, const Types& flushed) {
    return std::make_pair(kept, flushed);
  };
  // 2^-24, the least of fp16, is an ordinary number of the others.
  EXPECT_EQ(of("CAST", kFp16, kFp32), both({kFp16}, {kFp16}));
  EXPECT_EQ(of("CAST", kFp16, kBf16), both({kFp16}, {kFp16}));
  EXPECT_EQ(of("MATMUL", kFp16, kFp32), both({kFp16}, {kFp16}));
  EXPECT_EQ(of("CAST", kFp32, kBf16), both({kFp32}, {kBf16, kFp32}));
  EXPECT_EQ(of("CAST", kBf16, kFp32), both({kBf16}, {kBf16, kFp32}));
  // An ordinary fp32 number may become a subnormal fp16 one, whatever becomes of subnormal fp32.
  EXPECT_EQ(of("CAST", kFp32, kFp16), both({kFp16, kFp32}, {kFp16, kFp32}));
  EXPECT_EQ(of("MATMUL", kBf16, kFp32), both({kBf16, kFp32}, {kBf16, kFp32}));
  // Behind another operator it is unknown.
  Graph graph = GraphOf("CAST", kFp16, kFp32);
  graph.main().operators.push_back({"ABS", {"out"}, {"out"}, {}});
  EXPECT_EQ(FlushingEvidenceOf(graph, EditionOf("tosa-1.0")).flushed, Types({kFp16, kFp32}));
}

// Floating-Point Precision Requirements of 1.0 demand one choice; 0.100 lets values be flushed.
TEST(FlushingEvidence, SaysWhetherTheEditionDemandsOneChoice) {
  const Graph graph = GraphOf("ABS", kFp32, kFp32);
  EXPECT_TRUE(FlushingEvidenceOf(graph, EditionOf("tosa-1.0")).all_or_none);
  EXPECT_TRUE(FlushingEvidenceOf(graph, EditionOf("rvtensor")).all_or_none);
  EXPECT_FALSE(FlushingEvidenceOf(graph, EditionOf("tosa-0.100")).all_or_none);
}

// Every output with two answers says what they show, so that no author of a case can forget it.
TEST(FlushingEvidence, StandsWithEveryOutputOfTwoAnswers) {
  OneOperator op("ABS");
  op.Floats(kFp32, {2}, {0x1p-140, 1});
  op.Out(kFp32, {2});
  const ExpectedOutput two = op.Output();
  ASSERT_EQ(two.answers.size(), 2U);
  ASSERT_TRUE(two.flushing.has_value());
  EXPECT_THAT(two.flushing->kept, ElementsAre(kFp32));
  OneOperator ordinary("ABS");
  ordinary.Floats(kFp32, {2}, {2, 1});
  ordinary.Out(kFp32, {2});
  EXPECT_EQ(ordinary.Output().answers.size(), 1U);
  EXPECT_FALSE(ordinary.Output().flushing.has_value());
}

// A result below the normal numbers, of normal operands: a zero or a subnormal shows it.
TEST(FlushingEvidence, StandsWhereAResultMayBeSubnormal) {
  const auto mul = [](std::string_view edition, double x) {
    OneOperator op("MUL", edition);
    op.Floats(kFp32, {1}, {x}).Floats(kFp32, {1}, {0x1p-40});
    const Shape shift = edition == "tosa-1.0" ? Shape{1} : Shape{};
    return op.Integers(DType::kI8, shift, {0}).Out(kFp32, {1}).Output();
  };
  const ExpectedOutput small = mul("tosa-1.0", 0x1p-100);
  EXPECT_EQ(small.answers.size(), 1U);
  ASSERT_TRUE(small.flushing.has_value());
  EXPECT_THAT(small.flushing->kept, ElementsAre(kFp32));
  EXPECT_THAT(small.flushing->flushed, ElementsAre(kFp32));
  EXPECT_FALSE(small.flushing->moved);
  EXPECT_FALSE(mul("tosa-1.0", 0x1p-86).flushing.has_value());
  EXPECT_FALSE(mul("tosa-1.0", 0).flushing.has_value());
  // 0.100 takes zero for any such number.
  EXPECT_FALSE(mul("tosa-0.100", 0x1p-100).flushing.has_value());
  // A normal fp32 number that is subnormal in fp16.
  OneOperator cast("CAST");
  cast.Floats(kFp32, {1}, {0x1p-20});
  const ExpectedOutput narrow = cast.Out(kFp16, {1}).Output();
  ASSERT_TRUE(narrow.flushing.has_value());
  EXPECT_THAT(narrow.flushing->flushed, ElementsAre(kFp16));
}

}  // namespace
}  // namespace cts
