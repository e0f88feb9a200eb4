#include "generator/draft/case_draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/spec/edition.h"

namespace cts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Setting FirstRow(std::string_view edition_id, std::string_view op) {
  const Edition* edition = *FindEdition(edition_id);
  const OperatorSpec* spec = edition->FindOperator(op);
  return {edition, edition->FindLevel("8K"), spec, &spec->type_rows.front()};
}

CaseDraft MatmulDraft() {
  CaseDraft draft;
  draft.Input("A", Tensor(DType::kI8, {1, 2, 3}));
  draft.Input("B", Tensor(DType::kI8, {1, 3, 4}), true);
  draft.Set("A_zp", int64_t{-128});
  draft.Set("B_zp", int64_t{5});
  draft.output_type = DType::kI32;
  draft.output_shape = {1, 2, 4};
  return draft;
}

TEST(SettingDeathTest, AsksOnlyForTypesThatTheRowBinds) {
  EXPECT_EQ(FirstRow("tosa-1.0", "MATMUL").Type("in_t"), DType::kI8);
  EXPECT_DEATH((void)FirstRow("tosa-1.0", "MATMUL").Type("in_out_t"),
               "MATMUL, row .*: found no type for in_out_t, expected a type without scales");
}

TEST(CaseDraftDeathTest, OnlyAWholeDraftHasAGraphOfItsOwn) {
  CaseDraft draft = MatmulDraft();
  EXPECT_DEATH((void)draft.Whole(), "a draft: found a draft of one operator, expected one with a");
  draft.whole.emplace();
  EXPECT_EQ(&draft.Whole(), &*draft.whole);
}

TEST(AssembleGraph, MakesConstantInputsWhereTheEditionWantsThem) {
  const auto assembly = AssembleGraph(FirstRow("tosa-1.0", "MATMUL"), MatmulDraft());
  ASSERT_TRUE(assembly.ok()) << assembly.status();
  const Block& block = assembly->graph.main();
  EXPECT_THAT(block.inputs, ElementsAre("A"));
  ASSERT_EQ(block.operators.size(), 4u);  // three constants first
  EXPECT_EQ(block.operators[0].op, "CONST");
  EXPECT_EQ(block.operators[3].op, "MATMUL");
  EXPECT_THAT(block.operators[3].inputs, ElementsAre("A", "B", "A_zp", "B_zp"));
  EXPECT_TRUE(block.operators[3].attributes.empty());
  EXPECT_EQ(*block.Find("A_zp")->values, Tensor::OfIntegers(DType::kI8, {1}, {-128}));
}

TEST(AssembleGraph, MakesAttributesWhereTheEditionWantsThem) {
  const auto assembly = AssembleGraph(FirstRow("tosa-0.100", "MATMUL"), MatmulDraft());
  ASSERT_TRUE(assembly.ok()) << assembly.status();
  const GraphOperator& op = assembly->graph.main().operators.back();
  EXPECT_THAT(op.inputs, ElementsAre("A", "B"));
  EXPECT_EQ(std::get<int64_t>(op.attributes.at("A_zp")), -128);
}

TEST(AssembleGraph, NamesSeveralOutputsAsTheEditionDoes) {
  CaseDraft draft;
  draft.Input("input_real", Tensor(DType::kFp32, {1, 2, 4}));
  draft.output_type = DType::kFp32;
  draft.output_shape = {1, 2, 3};
  draft.more_outputs = {{DType::kFp16, {5}}};
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    const auto assembly = AssembleGraph(FirstRow(edition, "RFFT2D"), draft);
    ASSERT_TRUE(assembly.ok()) << assembly.status();
    const Block& block = assembly->graph.main();
    EXPECT_THAT(block.outputs, ElementsAre("output_real", "output_imag"));
    EXPECT_EQ(block.operators.back().outputs, block.outputs);
    EXPECT_EQ(block.Find("output_real")->shape, (Shape{1, 2, 3}));
    EXPECT_EQ(block.Find("output_imag")->dtype, DType::kFp16);
    EXPECT_EQ(block.Find("output_imag")->shape, (Shape{5}));
  }
}

CaseDraft MulDraft() {
  CaseDraft draft;
  draft.Input("input1", Tensor(DType::kI8, {2}));
  draft.Input("input2", Tensor(DType::kI8, {2}));
  draft.Set("shift", int64_t{0});
  draft.output_type = DType::kI32;
  draft.output_shape = {2};
  return draft;
}

// [1] in 1.0, rank 0 in 0.100.
TEST(AssembleGraph, GivesAConstantTheShapeOfTheEdition) {
  EXPECT_EQ(
      AssembleGraph(FirstRow("tosa-1.0", "MUL"), MulDraft())->graph.main().Find("shift")->shape,
      Shape{1});
  EXPECT_EQ(
      AssembleGraph(FirstRow("tosa-0.100", "MUL"), MulDraft())->graph.main().Find("shift")->shape,
      Shape{});
}

TEST(AssembleGraph, RefusesAnArgumentThatTheEditionLacks) {
  CaseDraft draft = MulDraft();
  draft.Set("nan_mode", "IGNORE");
  const auto assembly = AssembleGraph(FirstRow("tosa-1.0", "MUL"), draft);
  ASSERT_FALSE(assembly.ok());
  EXPECT_THAT(Message(assembly.status()), HasSubstr("MUL of tosa-1.0 has no argument nan_mode"));
}

TEST(AssembleGraph, RefusesAMissingArgument) {
  CaseDraft draft = MulDraft();
  draft.arguments.erase("shift");
  const auto assembly = AssembleGraph(FirstRow("tosa-1.0", "MUL"), draft);
  ASSERT_FALSE(assembly.ok());
  EXPECT_THAT(Message(assembly.status()), HasSubstr("argument shift is missing"));
}

TEST(AssembleGraph, NamesTheExtensionThatAnEnumerationValueNeeds) {
  CaseDraft draft;
  draft.Input("input", Tensor(DType::kI8, {2}));
  draft.Input("multiplier", Tensor(DType::kI32, {1}), true);
  draft.Input("shift", Tensor(DType::kI8, {1}), true);
  draft.Set("input_zp", int64_t{0});
  draft.Set("output_zp", int64_t{0});
  draft.Set("rounding_mode", "DOUBLE_ROUND");
  for (const char* flag : {"scale32", "per_channel", "input_unsigned", "output_unsigned"}) {
    draft.Set(flag, false);
  }
  const auto assembly = AssembleGraph(FirstRow("tosa-1.0", "RESCALE"), draft);
  ASSERT_TRUE(assembly.ok()) << assembly.status();
  EXPECT_THAT(assembly->extensions, ElementsAre("EXT-DOUBLEROUND"));
}

TEST(ParseShape, ReadsLabels) {
  EXPECT_EQ(ParseShape("scalar"), Shape{});
  EXPECT_EQ(ParseShape("12"), Shape{12});
  EXPECT_EQ(ParseShape("2x30x4"), (Shape{2, 30, 4}));
}

TEST(ParseNumbers, ReadsNegativeNumbers) {
  EXPECT_EQ(ParseNumbers("1-0-m12"), (std::vector<int64_t>{1, 0, -12}));
}

}  // namespace
}  // namespace cts
