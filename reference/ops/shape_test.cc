#include "reference/ops/testing.h"

namespace cts {
namespace {

// A shape cannot leave a graph; what it yields shows in the operator that takes it.
TEST(ConstShape, YieldsTheValuesOfItsTensor) {
  for (int64_t offset : {0, 1, 2}) {
    OneOperator op("RESIZE");
    op.Integers(DType::kI8, {1, 1, 4, 1}, {10, 11, 12, 13});
    op.ShapeIn({1, 1, 1, 1}).ShapeIn({0, offset}).ShapeIn({0, offset - 3});
    op.Set("mode", "NEAREST_NEIGHBOR").Out(DType::kI8, {1, 1, 1, 1});
    EXPECT_EQ(op.Run().Integer(0), 10 + offset);
  }
}

}  // namespace
}  // namespace cts
