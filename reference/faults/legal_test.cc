// Legal implementations of examples that can be worked out by hand.
#include "reference/faults/legal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/ops/testing.h"

namespace cts {
namespace {

using testing::ElementsAre;

NativeResult Execute(std::string_view id, const OneOperator& op) {
  for (const LegalImplementation& legal : LegalImplementations()) {
    if (legal.id != id) continue;
    Case c;
    c.graph = op.graph();
    c.inputs = op.inputs();
    const auto results = ExecuteLegal(legal, c, op.edition(), *op.edition().FindLevel("8K"));
    if (results.ok() && results->front().outcome == Outcome::kValid) return results->front();
  }
  ADD_FAILURE() << id << ": no result";
  return {};
}

TEST(LegalImplementations, AreThirtyOrMore) { EXPECT_GE(LegalImplementations().size(), 30u); }

TEST(LegalImplementations, TransformByHalves) {
  const auto fft = [](const Shape& shape, const std::vector<double>& real, bool inverse) {
    OneOperator one("FFT2D");
    one.Floats(DType::kFp32, shape, real);
    one.Floats(DType::kFp32, shape, std::vector<double>(real.size()));
    one.Set("inverse", inverse).Set("local_bound", false);
    one.Out(DType::kFp32, shape).AndOut(DType::kFp32, shape);
    return Execute("fft_by_halves", one);
  };
  const NativeResult square = fft({1, 2, 2}, {1, 2, 3, 4}, false);
  EXPECT_THAT(square.outputs.at("out").Floats(), ElementsAre(10, -2, -4, 0));
  EXPECT_THAT(square.outputs.at("out2").Floats(), ElementsAre(0, 0, 0, 0));
  // The second of four: 1, -i, -1, i; turned the other way by the inverse.
  EXPECT_THAT(fft({1, 1, 4}, {0, 1, 0, 0}, false).outputs.at("out2").Floats(),
              ElementsAre(0, -1, testing::DoubleNear(0, 1e-6), 1));
  EXPECT_THAT(fft({1, 4, 1}, {0, 1, 0, 0}, true).outputs.at("out2").Floats(),
              ElementsAre(0, 1, testing::DoubleNear(0, 1e-6), -1));
}

TEST(LegalImplementations, FlushOneTypeAlone) {
  const auto negated = [](std::string_view id, DType type, double x) {
    OneOperator negate("NEGATE");
    negate.Floats(type, {1}, {x}).Floats(type, {1}, {0}).Floats(type, {1}, {0});
    return Execute(id, negate.Out(type, {1})).outputs.at("out").Float(0);
  };
  EXPECT_EQ(negated("flush_fp16", DType::kFp16, 0x1p-24), 0);
  EXPECT_EQ(negated("flush_fp16", DType::kFp32, 0x1p-140), -0x1p-140);
  EXPECT_EQ(negated("flush_all", DType::kFp32, 0x1p-140), 0);
}

}  // namespace
}  // namespace cts
