// Faults that are made from the operators' arguments and conditions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference/faults/catalogue.h"
#include "reference/faults/testing.h"

namespace cts {
namespace {

using testing::ElementsAre;

// 10 and 20 plus a constant 1 and 2.
TEST(Systematic, AConstantIsFoldedAsASplat) {
  const StatusOr<const Edition*> edition = FindEdition("tosa-1.0");
  ASSERT_TRUE(edition.ok()) << edition.status();
  const StatusOr<const Fault*> fault = FindFault(**edition, "add.folds_constants_as_splats");
  ASSERT_TRUE(fault.ok()) << fault.status();
  Graph graph = EmptyGraph();
  Block& block = graph.main();
  block.inputs = {"input"};
  block.outputs = {"output"};
  const auto constant = std::make_shared<Tensor>(Tensor::OfIntegers(DType::kI32, {2}, {1, 2}));
  block.tensors = {{"input", DType::kI32, {2}, nullptr},
                   {"constant", DType::kI32, {2}, constant},
                   {"output", DType::kI32, {2}, nullptr}};
  block.operators = {{"CONST", {}, {"constant"}, {}},
                     {"ADD", {"input", "constant"}, {"output"}, {}}};
  const std::map<std::string, Tensor> inputs = {
      {"input", Tensor::OfIntegers(DType::kI32, {2}, {10, 20})}};
  const auto results =
      ExecuteFaulty(**fault, graph, {&inputs}, **edition, *(*edition)->FindLevel("8K"));
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(results->front().outputs.at("output").Integers(), ElementsAre(11, 21));
}

TEST(Systematic, NanModesAreTakenForEachOther) {
  const auto run = [](const char* fault, const char* mode) {
    OneOperator maximum("MAXIMUM");
    maximum.Floats(DType::kFp32, {1}, {NAN}).Floats(DType::kFp32, {1}, {1});
    maximum.Set("nan_mode", std::string(mode)).Out(DType::kFp32, {1});
    return RunFault(fault, maximum).Element(0);
  };
  EXPECT_EQ(run("maximum.always_ignores_nan", "PROPAGATE"), 1);
  EXPECT_EQ(run("maximum.always_ignores_nan", "IGNORE"), 1);
  EXPECT_TRUE(std::isnan(run("maximum.ignores_nan_mode", "IGNORE")));
}

// 0.100 has no nan_mode, so a fault in it would do nothing there.
TEST(Systematic, NanModesAreOfEditionsThatHaveThem) {
  const StatusOr<const Edition*> draft = FindEdition("tosa-0.100");
  ASSERT_TRUE(draft.ok()) << draft.status();
  EXPECT_FALSE(FindFault(**draft, "maximum.always_ignores_nan").ok());
}

// 0.100 has tensors of rank 0 for attributes and marks no compile-time constants.
TEST(Systematic, ArgumentsOf0100AreWhatTheyAreIn10) {
  const StatusOr<const Edition*> draft = FindEdition("tosa-0.100");
  ASSERT_TRUE(draft.ok()) << draft.status();
  for (const char* id : {"fft2d.always_inverse", "arithmetic_right_shift.always_round",
                         "rescale.always_input_unsigned", "mul.ignores_shift", "mul.shift_one_less",
                         "resize.scale_3_one_more", "resize.swaps_offset", "dim.axis_one_more"}) {
    EXPECT_TRUE(FindFault(**draft, id).ok()) << id;
  }
  // A flag and a mode have no neighbouring number, a uid is a name, and no value of DIM's operand
  // decides its one element.
  for (const char* id : {"fft2d.inverse_one_more", "rescale.scale32_i48.double_round_0_one_less",
                         "resize.mode_one_less", "variable.level_rank.uid_0_one_more",
                         "dim.folds_constants_as_splats", "dim.repeats_the_last_but_one",
                         "concat_shape.folds_constants_as_splats"}) {
    EXPECT_FALSE(FindFault(**draft, id).ok()) << id;
  }
}

// An attribute in 0.100, of a number or a boolean, and an operand in 1.0.
TEST(Systematic, ThePaddingIsTakenForZero) {
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    OneOperator pad("PAD", edition);
    pad.Floats(DType::kFp16, {1}, {3}).ShapeIn({1, 0});
    if (std::string_view(edition) == "tosa-1.0") {
      pad.Floats(DType::kFp16, {1}, {2.5});
    } else {
      pad.Set("pad_const", 2.5);
    }
    pad.Out(DType::kFp16, {2});
    EXPECT_THAT(RunFault("pad.ignores_pad_const", pad).Elements(), ElementsAre(0, 3)) << edition;
  }
  OneOperator pad("PAD", "tosa-0.100");
  pad.Integers(DType::kBool, {1}, {1}).ShapeIn({0, 1}).Set("pad_const", true);
  pad.Out(DType::kBool, {2});
  EXPECT_THAT(RunFault("pad.ignores_pad_const", pad).Integers(), ElementsAre(1, 0));
}

TEST(Systematic, WhatWasFoundHasItsReport) {
  const StatusOr<const Edition*> edition = FindEdition("tosa-1.0");
  ASSERT_TRUE(edition.ok()) << edition.status();
  const auto report = [&](const char* id) {
    const StatusOr<const Fault*> fault = FindFault(**edition, id);
    return fault.ok() ? (*fault)->report : std::string(fault.status().message());
  };
  EXPECT_EQ(report("resize.downscale_limit.scale_3_one_less"), "pytorch/executorch#19069");
  EXPECT_EQ(report("slice.start_negative.accepted"), "llvm/llvm-project#181889");
  EXPECT_EQ(report("resize.negative_remainder"), "llvm/llvm-project#184799");
  EXPECT_EQ(report("rescale.product_of_32_bits"), "iree-org/iree#8731");
  EXPECT_EQ(report("cond_if.refuses_greatest_nesting"), "llvm/llvm-project#136194");
}

}  // namespace
}  // namespace cts
