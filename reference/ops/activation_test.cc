#include <algorithm>
#include <cmath>

#include "reference/ops/testing.h"

namespace cts {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

OneOperator Clamp(Tensor input, AttributeValue low, AttributeValue high,
                  std::string_view edition = kDefaultEdition,
                  const std::string& nan_mode = "PROPAGATE") {
  OneOperator op("CLAMP", edition);
  const DType type = input.dtype();
  const Shape shape = input.shape();
  op.In(std::move(input)).Set("min_val", std::move(low)).Set("max_val", std::move(high));
  if (edition != "tosa-0.100") op.Set("nan_mode", nan_mode);
  return op.Out(type, shape);
}

TEST(Clamp, BoundsEveryInteger) {
  for (DType type : {DType::kI8, DType::kI16}) {
    const std::vector<int64_t> values = EveryValue(type);
    const Tensor input = Tensor::OfIntegers(type, {static_cast<int64_t>(values.size())}, values);
    for (const auto& [low, high] : std::vector<std::pair<int64_t, int64_t>>{
             {-128, 127}, {-5, 100}, {7, 7}, {-128, -128}, {127, 127}}) {
      const Tensor result = Clamp(input, low, high).Run();
      for (size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(result.Integer(i), std::max(low, std::min(high, values[i])));
      }
    }
  }
}

TEST(Clamp, BoundsEveryFp16AndTreatsNanByMode) {
  const Tensor input = EveryPattern(DType::kFp16);
  for (const std::string mode : {"PROPAGATE", "IGNORE"}) {
    const OneOperator op = Clamp(input, -2.5, 1.0, "tosa-1.0", mode);
    const Tensor result = op.Run(), native = op.RunNative();
    for (int64_t i = 0; i < input.size(); ++i) {
      const double x = input.Float(i);
      if (std::isnan(x) && mode == "PROPAGATE") {
        ASSERT_TRUE(std::isnan(result.Float(i)) && std::isnan(native.Float(i)));
        continue;
      }
      const double expected = std::isnan(x) ? -2.5 : std::fmax(-2.5, std::fmin(1.0, x));
      ASSERT_EQ(result.Float(i), expected);
      ASSERT_EQ(native.Float(i), expected);
    }
  }
}

TEST(Clamp, KeepsNanIn0100) {
  const Tensor input = Tensor::OfFloats(DType::kBf16, {2}, {kNan, 9});
  const Tensor result = Clamp(input, -1.0, 2.0, "tosa-0.100").Run();
  EXPECT_TRUE(std::isnan(result.Float(0)));
  EXPECT_EQ(result.Float(1), 2);
}

TEST(Clamp, TakesInfiniteBounds) {
  const Tensor input = Tensor::OfFloats(DType::kFp32, {2}, {-3, INFINITY});
  EXPECT_EQ(Clamp(input, -INFINITY, INFINITY).Run().Floats(), input.Floats());
}

// apply_clip_s would make it unpredictable, too: the ERROR_IF is taken to end the operator.
TEST(Clamp, RejectsMaximumBelowMinimum) {
  const Tensor input(DType::kI8, {3});
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_EQ(Clamp(input, int64_t{3}, int64_t{3}, edition).Verdict(), "valid");
    EXPECT_EQ(Clamp(input, int64_t{4}, int64_t{3}, edition).Verdict(), "error: clamp.bounds_order");
  }
}

TEST(Clamp, RejectsNanBoundsWhichTheDraftLeavesUnpredictable) {
  const Tensor input(DType::kFp16, {3});
  EXPECT_EQ(Clamp(input, 0.0, 1.0).Verdict(), "valid");
  EXPECT_EQ(Clamp(input, kNan, 1.0).Verdict(), "error: clamp.nan_bounds");
  EXPECT_EQ(Clamp(input, 0.0, kNan).Verdict(), "error: clamp.nan_bounds");
  EXPECT_EQ(Clamp(input, 0.0, kNan, "tosa-0.100").Verdict(), "unpredictable: apply_clip_s.bounds");
}

TEST(Clamp, LimitsTheRankToTheLevel) {
  const OneOperator op = Clamp(Tensor(DType::kI8, {1, 1, 1}), int64_t{0}, int64_t{1});
  EXPECT_TRUE(op.Breaks("clamp.level_rank", {{"MAX_RANK", 2}}));
  EXPECT_FALSE(op.Breaks("clamp.level_rank", {{"MAX_RANK", 3}}));
}

}  // namespace
}  // namespace cts
