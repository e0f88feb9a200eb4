#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/faults/catalogue.h"

namespace cts {
namespace {

using testing::ElementsAre;

// Returns the result of an operator over `input` and one list, as a fault computes it.
std::vector<int64_t> Execute(const char* fault, const Tensor& input, const char* list,
                             const std::vector<int64_t>& numbers, const Shape& output,
                             const char* edition_id = "tosa-1.0") {
  const StatusOr<const Edition*> edition = FindEdition(edition_id);
  EXPECT_TRUE(edition.ok()) << edition.status();
  const StatusOr<const Fault*> found = FindFault(**edition, fault);
  EXPECT_TRUE(found.ok()) << found.status();
  Graph graph = EmptyGraph();
  Block& block = graph.main();
  block.inputs = {"input"};
  block.outputs = {"output"};
  const Shape length = {static_cast<int64_t>(numbers.size())};
  block.tensors = {{"input", input.dtype(), input.shape(), nullptr},
                   {list, DType::kShape, length,
                    std::make_shared<Tensor>(Tensor::OfIntegers(DType::kShape, length, numbers))},
                   {"output", input.dtype(), output, nullptr}};
  block.operators = {{"CONST_SHAPE", {}, {list}, {}},
                     {(*found)->op, {"input", list}, {"output"}, {}}};
  const std::map<std::string, Tensor> inputs = {{"input", input}};
  const auto results =
      ExecuteFaulty(**found, graph, {&inputs}, **edition, *(*edition)->FindLevel("8K"));
  EXPECT_TRUE(results.ok()) << results.status();
  if (!results.ok() || results->front().outcome != Outcome::kValid) return {};
  return results->front().outputs.at("output").Integers();
}

TEST(Tile, FaultsOfTwoElementsTwiceOver) {
  const Tensor input = Tensor::OfIntegers(DType::kI8, {2}, {7, 9});
  EXPECT_THAT(Execute("tile.repeats_elements", input, "multiples", {2}, {4}),
              ElementsAre(7, 7, 9, 9));
  EXPECT_THAT(Execute("tile.mirrors", input, "multiples", {2}, {4}), ElementsAre(7, 9, 9, 7));
  EXPECT_THAT(Execute("tile.leaves_the_rest", input, "multiples", {2}, {4}),
              ElementsAre(7, 9, 0, 0));
  EXPECT_THAT(Execute("tile.repeats_the_edge", input, "multiples", {2}, {4}),
              ElementsAre(7, 9, 9, 9));
}

// Rows of another length than four lie apart in memory that is aligned to four.
TEST(Reshape, FaultsOfTwoRowsOfThree) {
  const Tensor input = Tensor::OfIntegers(DType::kI8, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(Execute("reshape.reads_aligned_rows", input, "shape", {6}, {6}),
              ElementsAre(1, 2, 3, 0, 4, 5));
  EXPECT_THAT(Execute("reshape.goes_by_columns", input, "shape", {6}, {6}),
              ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(Execute("reshape.moves_one_byte", Tensor::OfIntegers(DType::kI16, {2}, {258, -1}),
                      "shape", {2, 1}, {2, 1}),
              ElementsAre(2, 255));
}

// An image of two rows and two channels, in NHWC of TOSA and in NCHW of RVTensor.
TEST(Reshape, FaultsOfTheOtherLayout) {
  const Tensor nhwc = Tensor::OfIntegers(DType::kI8, {1, 2, 1, 2}, {1, 2, 3, 4});
  EXPECT_THAT(Execute("reshape.takes_channels_first", nhwc, "shape", {4}, {4}),
              ElementsAre(1, 3, 2, 4));
  const Tensor nchw = Tensor::OfIntegers(DType::kI8, {1, 2, 2, 1}, {1, 2, 3, 4});
  EXPECT_THAT(Execute("reshape.takes_channels_last", nchw, "shape", {4}, {4}, "rvtensor"),
              ElementsAre(1, 3, 2, 4));
}

// A fault of four bits leaves all other constants as they are.
TEST(Const, FaultsOfATypeSpoilThatType) {
  const StatusOr<const Edition*> edition = FindEdition("tosa-1.0");
  ASSERT_TRUE(edition.ok()) << edition.status();
  Graph graph = EmptyGraph();
  Block& block = graph.main();
  block.tensors = {{"four",
                    DType::kI4,
                    {2},
                    std::make_shared<Tensor>(Tensor::OfIntegers(DType::kI4, {2}, {-3, 5}))},
                   {"float",
                    DType::kFp32,
                    {1},
                    std::make_shared<Tensor>(Tensor::OfFloats(DType::kFp32, {1}, {-1.5}))}};
  block.operators = {{"CONST", {}, {"four"}, {}}, {"CONST", {}, {"float"}, {}}};
  const StatusOr<const Fault*> fault = FindFault(**edition, "const.reads_nibbles_unsigned");
  ASSERT_TRUE(fault.ok()) << fault.status();
  (*(*fault)->As<GraphRewrite>())(graph);
  EXPECT_THAT(graph.main().Find("four")->values->Integers(), ElementsAre(0, 5));
  EXPECT_THAT(graph.main().Find("float")->values->Elements(), ElementsAre(-1.5));
}

}  // namespace
}  // namespace cts
