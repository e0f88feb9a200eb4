#include "reference/base/permute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cts {
namespace {

using ::testing::ElementsAre;

TEST(Permute, MovesElementsWithTheirDimensions) {
  // [[0, 1, 2], [3, 4, 5]] turned over.
  const Tensor tensor = Tensor::OfIntegers(DType::kI16, {2, 3}, {0, 1, 2, 3, 4, 5});
  const Tensor turned = Permute(tensor, {1, 0});
  EXPECT_EQ(turned.shape(), (Shape{3, 2}));
  EXPECT_THAT(turned.Integers(), ElementsAre(0, 3, 1, 4, 2, 5));
  // Channels before rows to channels last.
  const Tensor nchw = Tensor::OfIntegers(DType::kI8, {1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_THAT(Permute(nchw, {0, 2, 3, 1}).Integers(), ElementsAre(1, 5, 2, 6, 3, 7, 4, 8));
}

TEST(Permute, IsUndoneByItsInverse) {
  Tensor tensor(DType::kBf16, {2, 3, 1, 4});
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.SetBits(i, static_cast<uint64_t>(i));
  const AxisOrder order = {3, 0, 2, 1};
  EXPECT_THAT(Inverse(order), ElementsAre(1, 3, 2, 0));
  EXPECT_EQ(Permute(Permute(tensor, order), Inverse(order)), tensor);
  EXPECT_NE(Permute(tensor, order), tensor);
}

TEST(Permute, LeavesOtherRanksAlone) {
  const Tensor tensor = Tensor::OfIntegers(DType::kI8, {2, 1}, {1, 2});
  EXPECT_EQ(Permute(tensor, {}), tensor);
  EXPECT_EQ(Permute(tensor, {0, 2, 1}), tensor);
  EXPECT_EQ(Permute(Shape{2, 1}, {0, 2, 1}), (Shape{2, 1}));
  EXPECT_EQ(Permute(Tensor(DType::kI8, {}), {}), Tensor(DType::kI8, {}));
}

}  // namespace
}  // namespace cts
