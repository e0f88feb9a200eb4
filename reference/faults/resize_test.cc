#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "reference/faults/catalogue.h"
#include "reference/faults/testing.h"

namespace cts {
namespace {

using testing::ElementsAre;

// 10 and 20 in one row, two positions to an element, from -1 to 3; integers keep the scale of 2.
std::vector<int64_t> Execute(const char* fault) {
  const StatusOr<const Edition*> edition = FindEdition("tosa-1.0");
  EXPECT_TRUE(edition.ok()) << edition.status();
  const StatusOr<const Fault*> found = FindFault(**edition, fault);
  EXPECT_TRUE(found.ok()) << found.status();
  Graph graph = EmptyGraph();
  Block& block = graph.main();
  block.inputs = {"input"};
  block.outputs = {"output"};
  block.tensors = {{"input", DType::kI8, {1, 1, 2, 1}, nullptr},
                   {"output", DType::kI32, {1, 1, 5, 1}, nullptr}};
  const auto list = [&](const char* name, const std::vector<int64_t>& numbers) {
    const Shape length = {static_cast<int64_t>(numbers.size())};
    block.tensors.push_back(
        {name, DType::kShape, length,
         std::make_shared<Tensor>(Tensor::OfIntegers(DType::kShape, length, numbers))});
    block.operators.push_back({"CONST_SHAPE", {}, {name}, {}});
  };
  list("scale", {1, 1, 2, 1});
  list("offset", {0, -1});
  list("border", {0, 1});
  block.operators.push_back({"RESIZE",
                             {"input", "scale", "offset", "border"},
                             {"output"},
                             {{"mode", std::string("BILINEAR")}}});
  const std::map<std::string, Tensor> inputs = {
      {"input", Tensor::OfIntegers(DType::kI8, {1, 1, 2, 1}, {10, 20})}};
  const auto results =
      ExecuteFaulty(**found, graph, {&inputs}, **edition, *(*edition)->FindLevel("8K"));
  EXPECT_TRUE(results.ok()) << results.status();
  if (!results.ok() || results->front().outcome != Outcome::kValid) return {};
  return results->front().outputs.at("output").Integers();
}

TEST(Resize, FaultsOfANegativePosition) {
  // A fault that has no effect here: what is right.
  EXPECT_THAT(Execute("resize.sums_in_32_bits"), ElementsAre(20, 20, 30, 40, 40));
  EXPECT_THAT(Execute("resize.truncates_negative_coordinates"), ElementsAre(10, 20, 30, 40, 40));
  EXPECT_THAT(Execute("resize.divides_by_the_scale"), ElementsAre(10, 10, 15, 20, 20));
  EXPECT_THAT(Execute("resize.subtracts_offset"), ElementsAre(30, 40, 40, 40, 40));
  EXPECT_THAT(Execute("resize.wraps_at_the_border"), ElementsAre(20, 20, 30, 40, 30));
}

TEST(Resize, ANegativeRemainderOverflows) {
  OneOperator resize("RESIZE");
  resize.Floats(DType::kFp16, {1, 1, 2, 1}, {65504, 65504})
      .ShapeIn({1, 1, 2, 1})
      .ShapeIn({0, -1})
      .ShapeIn({0, -1})
      .Set("mode", std::string("BILINEAR"))
      .Out(DType::kFp16, {1, 1, 3, 1});
  EXPECT_THAT(resize.Run().Elements(), ElementsAre(65504, 65504, 65504));
  EXPECT_THAT(RunFault("resize.negative_remainder", resize).Elements(),
              ElementsAre(std::numeric_limits<double>::infinity(), 65504, 65504));
}

}  // namespace
}  // namespace cts
