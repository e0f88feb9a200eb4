#include "generator/trivial_results.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cts {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Case CaseOf(DType dtype, const Rule& rule, Tensor expected, std::optional<Tensor> bound = {}) {
  Case c;
  ExpectedOutput output{"y", dtype, expected.shape(), rule, {}, 0};
  output.answers.push_back({false, std::move(expected), std::move(bound), std::nullopt});
  c.outputs.push_back(std::move(output));
  return c;
}

Case Integers(const std::vector<int64_t>& values) {
  const Shape shape = {static_cast<int64_t>(values.size())};
  return CaseOf(DType::kI8, {.kind = RuleKind::kExact},
                Tensor::OfIntegers(DType::kI8, shape, values));
}

Case Floats(RuleKind kind, const std::vector<double>& values, const std::vector<double>& bounds) {
  const Shape shape = {static_cast<int64_t>(values.size())};
  Rule rule{.kind = kind};
  rule.absolute_limit = 4;
  return CaseOf(DType::kFp32, rule, Tensor::OfFloats(DType::kFp64, shape, values),
                Tensor::OfFloats(DType::kFp64, shape, bounds));
}

// Three of ten elements are zero, two at one end, four at the other: the most common value is
// refused six times.
TEST(NoticedShare, AreWhatTheBestTrivialResultLeaves) {
  const Case c = Integers({0, 0, 0, -128, -128, 127, 127, 127, 127, 5});
  EXPECT_EQ(NoticedShareOf(c, false).share, 0.6);
  EXPECT_EQ(NoticedShareOf(c, false).elements, 6);
}

TEST(NoticedShare, AreNoneWhereAllElementsAreEqual) {
  const Case c = Integers({7, 7, 7, 7, 7, 7, 7, 7, 7, 7});
  EXPECT_FALSE(NoticedShareOf(c, false).Suffice());
  EXPECT_TRUE(NoticedShareOf(c, true).Suffice()) << "they are so for a reason";
}

TEST(NoticedShare, OfFewElementsIgnoreThatTheyAreEqual) {
  EXPECT_TRUE(NoticedShareOf(Integers({7}), false).Suffice());
  EXPECT_FALSE(NoticedShareOf(Integers({0}), false).Suffice());
  EXPECT_FALSE(NoticedShareOf(Integers({127, 127}), false).Suffice());
}

TEST(NoticedShare, SufficeBySixteenElementsOfMany) {
  std::vector<int64_t> values(1000, 0);
  for (int i = 0; i < 15; ++i) values[i] = i + 1;
  EXPECT_FALSE(NoticedShareOf(Integers(values), false).Suffice());
  values[15] = 16;
  EXPECT_TRUE(NoticedShareOf(Integers(values), false).Suffice());
}

TEST(NoticedShare, AreNoneWhereTheBoundsReachZero) {
  EXPECT_FALSE(
      NoticedShareOf(Floats(RuleKind::kAbsoluteBound, {1, -2, 3}, {1, 2, 3}), false).Suffice());
  EXPECT_TRUE(NoticedShareOf(Floats(RuleKind::kAbsoluteBound, {1, -2, 3}, {0.9, 1.9, 2.9}), false)
                  .Suffice());
}

// Half the least normal number of fp32, and four times that number.
TEST(NoticedShare, AreNoneWhereZeroStandsForASubnormal) {
  const Shape shape = {2};
  const Rule rule{.kind = RuleKind::kUlp, .ulp = 1};
  const auto of = [&](const std::vector<double>& values) {
    return NoticedShareOf(CaseOf(DType::kFp32, rule, Tensor::OfFloats(DType::kFp64, shape, values)),
                          false);
  };
  EXPECT_FALSE(of({0x1p-127, -0x1p-127}).Suffice());
  EXPECT_EQ(of({0x1p-127, 0x1p-124}).elements, 1);
  EXPECT_TRUE(of({0x1p-124, -0x1p-124}).Suffice());
}

TEST(NoticedShare, AreNoneWhereAnythingIsAccepted) {
  const std::vector<double> values = {1, 2, 3};
  EXPECT_EQ(NoticedShareOf(
                Floats(RuleKind::kAbsoluteBound, values, {kInfinity, kInfinity, kInfinity}), false)
                .elements,
            0);
  // A dot product whose bound exceeds the type may overflow.
  EXPECT_EQ(
      NoticedShareOf(Floats(RuleKind::kDotProduct, values, {1e39, 1e39, 1e39}), false).elements, 0);
  EXPECT_EQ(NoticedShareOf(Floats(RuleKind::kDotProduct, values, {10, 10, 10}), false).elements, 3);
}

TEST(NoticedShare, AreNoneWhereEverythingOverflowed) {
  EXPECT_FALSE(
      NoticedShareOf(Floats(RuleKind::kAbsoluteBound, {kInfinity, kInfinity}, {0, 0}), false)
          .Suffice());
}

TEST(NoticedShare, CountNanAsOneValue) {
  std::vector<double> values(20, std::nan(""));
  const std::vector<double> bounds(20, 0);
  EXPECT_FALSE(NoticedShareOf(Floats(RuleKind::kAbsoluteBound, values, bounds), false).Suffice());
  values[3] = 1;
  EXPECT_EQ(NoticedShareOf(Floats(RuleKind::kAbsoluteBound, values, bounds), false).share, 0.05);
}

// An implementation may flush: the answer that notices less counts.
TEST(NoticedShare, LookAtEveryAnswer) {
  Case c = Floats(RuleKind::kAbsoluteBound, {1, 2}, {0, 0});
  Answer flushed = c.outputs[0].answers[0];
  flushed.flushed = true;
  flushed.expected = Tensor(DType::kFp64, {2});
  c.outputs[0].answers.push_back(std::move(flushed));
  EXPECT_EQ(NoticedShareOf(c, false).elements, 0);
}

TEST(NoticedShare, OfBooleansAreTheRarerValue) {
  std::vector<int64_t> values(100, 1);
  for (int i = 0; i < 10; ++i) values[i] = 0;
  const Case c = CaseOf(DType::kBool, {.kind = RuleKind::kExact},
                        Tensor::OfIntegers(DType::kBool, {100}, values));
  EXPECT_EQ(NoticedShareOf(c, false).share, 0.1);
}

// In 1.0 a sum has no limit if its greatest value, twice the bound here, is beyond the type.
TEST(NoticedShare, KnowsWhenASumHasNoLimit) {
  Rule rule{.kind = RuleKind::kDotProduct, .form = std::string(kFlushedZerosName)};
  rule.absolute_limit = 2048;
  rule.variance_limit = 1;
  const auto share = [&](double bound) {
    return NoticedShareOfSums(CaseOf(DType::kFp16, rule,
                                     Tensor::OfFloats(DType::kFp64, {2}, {40000, -50000}),
                                     Tensor::OfFloats(DType::kFp64, {2}, {bound, bound})))
        .share;
  };
  EXPECT_EQ(share(30000), 1);
  EXPECT_EQ(share(33000), 0);
  rule.form = std::string(kWidenedEndsName);
  EXPECT_EQ(share(33000), 1);
}

}  // namespace
}  // namespace cts
