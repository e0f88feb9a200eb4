#include "tools/program/shrink/case_size.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace cts {
namespace {

// Each is simpler than the one behind it.
template <class Number>
void ExpectIncreasing(const std::vector<Number>& numbers) {
  for (size_t i = 1; i < numbers.size(); ++i) {
    EXPECT_LT(Complexity(numbers[i - 1]), Complexity(numbers[i]))
        << numbers[i - 1] << " and " << numbers[i];
  }
}

TEST(Complexity, OrdersIntegersByDigitsThenBySign) {
  ExpectIncreasing<int64_t>({0, 1, -1, 2, -2});
  ExpectIncreasing<int64_t>({2, 3, 4, 5, 8, 100, 128, 1000});
  ExpectIncreasing<int64_t>({127, 128, -128});
  // The least has no magnitude of its type.
  ExpectIncreasing<int64_t>({std::numeric_limits<int64_t>::max() / 2,
                             std::numeric_limits<int64_t>::max(),
                             std::numeric_limits<int64_t>::min()});
}

TEST(Complexity, OrdersFloatsByDigitsThenByScaleThenBySign) {
  ExpectIncreasing<double>({0.0, 1.0, -1.0, std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity()});
  ExpectIncreasing<double>({1.0, 2.0, 3.0, 7.0, 0.1});
  // One digit each: by the distance of the exponent from 0, either way.
  ExpectIncreasing<double>({1.0, 2.0, 4.0, 0x1p10, 0x1p100});
  ExpectIncreasing<double>({1.0, 0.5, 0.25, 0x1p-10, 0x1p-100});
  ExpectIncreasing<double>({2.0, -2.0, 3.0});
  ExpectIncreasing<double>({0.0, 1.0, std::nan("")});
  EXPECT_LT(Complexity(0.0), Complexity(-0.0));
}

// x and a constant, through an operator with attributes.
Case Small() {
  Case c;
  c.edition = "tosa-1.0";
  c.graph = EmptyGraph();
  Block& block = c.graph.main();
  block.tensors = {{"x", DType::kI32, {2, 1}},
                   {"k",
                    DType::kI32,
                    {2},
                    std::make_shared<const Tensor>(Tensor::OfIntegers(DType::kI32, {2}, {0, 1}))},
                   {"y", DType::kI32, {2, 3}}};
  block.inputs = {"x"};
  block.outputs = {"y"};
  block.operators = {{"CONST", {}, {"k"}, {}}, {"ADD", {"x", "k"}, {"y"}, {{"flag", true}}}};
  c.inputs = {{"x", Tensor::OfIntegers(DType::kI32, {2, 1}, {0, 1})}};
  return c;
}

TEST(CaseSize, CountsWhatIsThere) {
  const CaseSize size = SizeOf(Small());
  EXPECT_EQ(size.operators, 1) << "a constant is none";
  EXPECT_EQ(size.executions, 1);
  EXPECT_EQ(size.elements, 4) << "of x and k";
  EXPECT_EQ(size.ranks, 5) << "of x, k and y";
  EXPECT_EQ(size.outputs, 6);
  EXPECT_EQ(size.attributes, 1);
  EXPECT_EQ(size.values, 2) << "two ones";
}

TEST(CaseSize, EarlierMembersCountMore) {
  CaseSize fewer{.operators = 1, .elements = 100, .values = 1000};
  CaseSize more{.operators = 2};
  EXPECT_LT(fewer, more);
  EXPECT_LT((CaseSize{.elements = 1, .ranks = 9}), (CaseSize{.elements = 2}));
  EXPECT_LT((CaseSize{.attributes = 1, .outputs = 9}), (CaseSize{.attributes = 2}));
}

TEST(EnumPosition, IsThatAmongTheValues) {
  const Edition& edition = **FindEdition("tosa-1.0");
  EXPECT_EQ(EnumPosition(edition, "PROPAGATE"), 0);
  EXPECT_EQ(EnumPosition(edition, "IGNORE"), 1);
  EXPECT_EQ(EnumPosition(edition, "the name of a graph"), 0);
}

}  // namespace
}  // namespace cts
