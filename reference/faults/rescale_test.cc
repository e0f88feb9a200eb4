#include <gmock/gmock.h>

#include "reference/faults/testing.h"

namespace cts {
namespace {

using testing::ElementsAre;

// Four numbers of i32 to their quarters.
OneOperator Quarters(const char* rounding, const std::vector<int64_t>& input) {
  const Shape shape = {static_cast<int64_t>(input.size())};
  OneOperator op("RESCALE");
  op.Integers(DType::kI32, shape, input).Integers(DType::kI32, {1}, {1 << 30});
  op.Integers(DType::kI8, {1}, {32});
  op.Integers(DType::kI32, {1}, {0}).Integers(DType::kI32, {1}, {0});
  op.Set("scale32", true).Set("per_channel", false).Set("rounding_mode", std::string(rounding));
  op.Set("input_unsigned", false).Set("output_unsigned", false);
  return op.Out(DType::kI32, shape);
}

// 1/4 and -1/2 and 1/2 and -1/4, rounded once and twice.
TEST(Rescale, RoundsOnceOrTwice) {
  const std::vector<int64_t> input = {1, -2, 2, -1};
  const OneOperator once = Quarters("SINGLE_ROUND", input), twice = Quarters("DOUBLE_ROUND", input);
  EXPECT_THAT(once.Run().Integers(), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(twice.Run().Integers(), ElementsAre(1, -1, 1, 0));
  EXPECT_THAT(RunFault("rescale.single_round_for_double", twice).Integers(),
              ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(RunFault("rescale.double_round_for_single", once).Integers(),
              ElementsAre(1, -1, 1, 0));
  EXPECT_THAT(RunFault("rescale.double_round_of_positive", twice).Integers(),
              ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(RunFault("rescale.double_round_of_one_sign", twice).Integers(),
              ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(RunFault("rescale.rounds_half_away", once).Integers(), ElementsAre(0, -1, 1, 0));
  EXPECT_THAT(RunFault("rescale.rounds_half_down", once).Integers(), ElementsAre(0, -1, 0, 0));
  EXPECT_THAT(RunFault("rescale.truncates", once).Integers(), ElementsAre(0, -1, 0, -1));
  // 1/2 is rounded up to 1, whose half is rounded up to 1.
  EXPECT_THAT(RunFault("rescale.high_multiply", once).Integers(), ElementsAre(1, 0, 1, 0));
}

// 200 less 200 of unsigned numbers, times one.
TEST(Rescale, ZeroPointOfAnUnsignedInput) {
  OneOperator op("RESCALE");
  op.Integers(DType::kI8, {1}, {200 - 256}).Integers(DType::kI32, {1}, {1 << 30});
  op.Integers(DType::kI8, {1}, {30});
  op.Integers(DType::kI8, {1}, {200 - 256}).Integers(DType::kI16, {1}, {0});
  op.Set("scale32", true).Set("per_channel", false);
  op.Set("rounding_mode", std::string("SINGLE_ROUND"));
  op.Set("input_unsigned", true).Set("output_unsigned", false);
  op.Out(DType::kI16, {1});
  EXPECT_THAT(op.Run().Integers(), ElementsAre(0));
  EXPECT_THAT(RunFault("rescale.signed_zero_point_of_unsigned_input", op).Integers(),
              ElementsAre(256));
}

}  // namespace
}  // namespace cts
