// Faults that are made from the operators' arguments and conditions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference/faults/fault.h"
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
    return RunFault(fault, maximum).Float(0);
  };
  EXPECT_EQ(run("maximum.always_ignores_nan", "PROPAGATE"), 1);
  EXPECT_EQ(run("maximum.always_ignores_nan", "IGNORE"), 1);
  EXPECT_TRUE(std::isnan(run("maximum.ignores_nan_mode", "IGNORE")));
}

// 0.100 has no nan_mode: what does nothing is no fault there.
TEST(Systematic, NanModesAreOfEditionsThatHaveThem) {
  const StatusOr<const Edition*> draft = FindEdition("tosa-0.100");
  ASSERT_TRUE(draft.ok()) << draft.status();
  EXPECT_FALSE(FindFault(**draft, "maximum.always_ignores_nan").ok());
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
