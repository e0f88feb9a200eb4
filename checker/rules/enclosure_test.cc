#include "checker/rules/enclosure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "checker/rules/match.h"

namespace cts {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

ExpectedOutput Enclosed(DType dtype, const std::vector<double>& least,
                        const std::vector<double>& greatest) {
  const Shape shape{static_cast<int64_t>(least.size())};
  ExpectedOutput output{
      "output", dtype, shape, {.kind = RuleKind::kInterval, .form = "tosa-1.0"}, {}};
  output.rule.enclosure = true;
  const DType stored = IsFloat(dtype) ? DType::kFp64 : dtype;
  Answer answer{.expected = Tensor(stored, shape), .upper = Tensor(stored, shape)};
  for (int64_t i = 0; i < shape[0]; ++i) {
    const double lo = least[static_cast<size_t>(i)], hi = greatest[static_cast<size_t>(i)];
    if (IsFloat(dtype)) {
      answer.expected.SetElement(i, lo);
      answer.upper->SetElement(i, hi);
    } else {
      answer.expected.SetInteger(i, static_cast<int64_t>(lo));
      answer.upper->SetInteger(i, static_cast<int64_t>(hi));
    }
  }
  output.answers.push_back(std::move(answer));
  return output;
}

TEST(WithinEnclosure, TakesWhatLiesBetweenTheEndsAndNoNan) {
  EXPECT_TRUE(WithinEnclosure(1, 1, 2));
  EXPECT_TRUE(WithinEnclosure(2, 1, 2));
  EXPECT_FALSE(WithinEnclosure(0.5, 1, 2));
  EXPECT_FALSE(WithinEnclosure(2.5, 1, 2));
  EXPECT_FALSE(WithinEnclosure(kNoLimit, 1, 2));
  EXPECT_TRUE(WithinEnclosure(kNoLimit, 1, kNoLimit));
  EXPECT_FALSE(WithinEnclosure(kNoNumber, 1, 2));
  EXPECT_FALSE(WithinEnclosure(kNoNumber, 1, kNoLimit));
}

TEST(WithinEnclosure, TakesAnythingBetweenTheInfinities) {
  for (const double x : {kNoNumber, kNoLimit, -kNoLimit, 0.0, -3.0})
    EXPECT_TRUE(WithinEnclosure(x, -kNoLimit, kNoLimit));
}

// The fast way and the slow one are the same rule: each result of both.
TEST(MeasureTensor, OfAnEnclosureAcceptsNanBetweenTheInfinitiesOnly) {
  const ExpectedOutput output =
      Enclosed(DType::kFp32, {1, -kNoLimit, -kNoLimit, 0}, {2, kNoLimit, 7, 0});
  ASSERT_TRUE(ValidateAnswer(output, output.answers[0]).ok());
  const auto refused = [&](const std::vector<double>& values) {
    return MeasureTensor(output, output.answers[0], Tensor::OfFloats(DType::kFp32, {4}, values))
        .mismatches;
  };
  EXPECT_EQ(refused({1.5, kNoNumber, 7, 0}), 0);
  EXPECT_EQ(refused({1.5, kNoLimit, -kNoLimit, -0.0}), 0);
  EXPECT_EQ(refused({kNoNumber, 1, kNoNumber, 0x1p-149}), 3);
  EXPECT_EQ(refused({2.5, 1, 7.5, 1}), 3);
}

TEST(WidthsOf, CountsWhatSaysLittleOrNothing) {
  // 0.1 of two; 0.6 of the greatest; both signs; no number beside 3 and more; every one; a point.
  const ExpectedOutput output =
      Enclosed(DType::kFp32, {1.8, 0.4, -1, 3, -kNoLimit, 5}, {2, 1, 1, kNoLimit, kNoLimit, 5});
  const EnclosureFigures figures = WidthsOf(output, output.answers[0]);
  EXPECT_EQ(figures.elements, 6);
  EXPECT_EQ(figures.unlimited, 1);
  EXPECT_EQ(figures.wide, 3);
  EXPECT_DOUBLE_EQ(figures.median_width, 0.6);
  EXPECT_FALSE(figures.SaysNothing());
}

TEST(WidthsOf, SaysThatABooleanOfEitherValueSaysNothing) {
  const ExpectedOutput output = Enclosed(DType::kBool, {0, 0}, {1, 1});
  EXPECT_TRUE(WidthsOf(output, output.answers[0]).SaysNothing());
  const ExpectedOutput settled = Enclosed(DType::kBool, {0, 1}, {1, 1});
  EXPECT_FALSE(WidthsOf(settled, settled.answers[0]).SaysNothing());
}

}  // namespace
}  // namespace cts
