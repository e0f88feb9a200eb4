#include "checker/rules/shown.h"

#include <gtest/gtest.h>

#include <limits>

#include "checker/rules/comparing_function.h"

namespace cts {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// An fp32 output of these references, and a bound or upper ends beside them.
struct Bundle {
  ExpectedOutput output{.name = "out", .dtype = DType::kFp32, .shape = {}};

  Bundle(RuleKind kind, const std::vector<double>& expected, const std::vector<double>& second) {
    Answer answer{.expected = Column(expected)};
    if (!second.empty()) {
      (kind == RuleKind::kInterval ? answer.upper : answer.bound) = Column(second);
    }
    output.shape = answer.expected.shape();
    output.answers = {std::move(answer)};
    output.rule.kind = kind;
    output.rule.form = std::string(kFlushedZerosName);
    output.rule.ulp = 0.5;
    output.flushing = {{DType::kFp32}, {DType::kFp32}, true};
  }
  static Tensor Column(const std::vector<double>& values) {
    return Tensor::OfFloats(DType::kFp64, {static_cast<int64_t>(values.size())}, values);
  }
  ShownChoices Of(const std::vector<double>& result) const {
    return LookAt(output, output.answers.front(),
                  Tensor::OfFloats(DType::kFp32, output.shape, result));
  }
};

TEST(LookAt, FindsAZeroThatOnlyFlushingAllows) {
  const Bundle ulp(RuleKind::kUlp, {1, 0, 0x1p-150, 0x1p-140, -0x1p-130}, std::vector<double>());
  // Half a unit below the least number, zero is within the rule itself.
  EXPECT_EQ(ulp.Of({1, 0, 0, 0x1p-140, -0x1p-130}).flushed, -1);
  EXPECT_EQ(ulp.Of({1, 0, 0, 0x1p-140, 0}).flushed, 4);
  EXPECT_EQ(ulp.Of({1, 0, 0, -0.0, 0}).flushed, 3);
  const Bundle bound(RuleKind::kAbsoluteBound, {0x1p-130, 0x1p-130, -0x1p-130},
                     {0x1p-130, 0x1p-131, 0x1p-131});
  EXPECT_EQ(bound.Of({0, 0x1p-130, -0x1p-130}).flushed, -1);
  EXPECT_EQ(bound.Of({0, 0, 0}).flushed, 1);
  const Bundle interval(RuleKind::kInterval, {0, 0x1p-149, -0x1p-130},
                        {0x1p-149, 0x1p-130, -0x1p-149});
  EXPECT_EQ(interval.Of({0, 0x1p-149, -0x1p-149}).flushed, -1);
  EXPECT_EQ(interval.Of({0, 0, -0x1p-149}).flushed, 1);
  EXPECT_EQ(interval.Of({0, 0x1p-149, 0}).flushed, 2);
}

TEST(LookAt, FindsASubnormalThatFlushingWouldNotLeave) {
  const Bundle ulp(RuleKind::kUlp, {1, 0x1p-126, 0x1p-130}, {});
  EXPECT_EQ(ulp.Of({1, 0x1p-126, 0}).kept, -1);
  EXPECT_EQ(ulp.Of({1, 0x1p-126, -0x1p-149}).kept, 2);
  EXPECT_EQ(ulp.Of({1, 0x1.fffffcp-127, 0}).kept, 1);
  // A rule that accepts anything shows nothing.
  const Bundle free(RuleKind::kAbsoluteBound, {1, 0x1p-130}, {kInf, 0x1p-149});
  EXPECT_EQ(free.Of({0x1p-140, 0}).kept, -1);
  EXPECT_EQ(free.Of({0x1p-140, 0x1p-130}).kept, 1);
}

// A sum without a limit may be anything; in one with a limit a subnormal number is one that was
// kept.
TEST(LookAt, FindsNoSubnormalWhereADotProductHasNoLimit) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Bundle sums(RuleKind::kDotProduct, {1, 1, 0x1p-130}, {nan, kInf, 0x1p-130});
  sums.output.rule.absolute_limit = 4;
  EXPECT_EQ(sums.Of({0x1p-140, 0x1p-140, 0}).kept, -1);
  EXPECT_EQ(sums.Of({0x1p-140, 0x1p-140, 0x1p-130}).kept, 2);
}

TEST(LookAt, SeesNothingWhereTheBundleOrTheFormIsSilent) {
  Bundle ulp(RuleKind::kUlp, {0x1p-130, 0x1p-130}, {});
  ulp.output.rule.form = std::string(kWidenedEndsName);
  EXPECT_EQ(ulp.Of({0, 0x1p-130}).flushed, -1);
  EXPECT_EQ(ulp.Of({0, 0x1p-130}).kept, -1);
  ulp.output.rule.form = std::string(kFlushedZerosName);
  EXPECT_EQ(ulp.Of({0, 0x1p-130}).flushed, 0);
  ulp.output.flushing.reset();
  EXPECT_EQ(ulp.Of({0, 0x1p-130}).flushed, -1);
  EXPECT_EQ(ulp.Of({0, 0x1p-130}).kept, -1);
}

TEST(LookAt, SeesTheSignOfAZeroThatIsAChoice) {
  Bundle zeros(RuleKind::kExact, {1, 0, -0.0, -0.0}, std::vector<double>());
  EXPECT_EQ(zeros.Of({1, 0, 0, -0.0}).positive_zero, -1);
  zeros.output.rule.zero_sign = true;
  zeros.output.rule.zero_choice = "negate_of_zero";
  EXPECT_EQ(zeros.Of({1, 0, 0, -0.0}).positive_zero, 2);
  EXPECT_EQ(zeros.Of({1, 0, 0, -0.0}).negative_zero, 3);
  EXPECT_EQ(zeros.Of({1, 0, 0, 0}).negative_zero, -1);
}

// An implementation that subtracts from zero gives +0 for +0, and flushes -x to -0.
TEST(LookAt, SeesNoChoiceInAZeroThatWasFlushed) {
  Bundle zeros(RuleKind::kExact, {-0x1p-140, -0.0}, std::vector<double>());
  zeros.output.rule.zero_sign = true;
  zeros.output.rule.zero_choice = "negate_of_zero";
  Answer flushed = zeros.output.answers.front();
  flushed.flushed = true;
  flushed.expected.SetElement(0, -0.0);
  zeros.output.answers.push_back(flushed);
  const ShownChoices shown =
      LookAt(zeros.output, flushed, Tensor::OfFloats(DType::kFp32, {2}, {-0.0, 0}));
  EXPECT_EQ(shown.negative_zero, -1);
  EXPECT_EQ(shown.positive_zero, 1);
}

}  // namespace
}  // namespace cts
