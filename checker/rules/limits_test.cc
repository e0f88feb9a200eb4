#include "checker/rules/limits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "checker/rules/match.h"
#include "reference/base/float_format.h"

namespace cts {
namespace {

constexpr double kBeyondAll = std::numeric_limits<double>::infinity();
constexpr double kNoNumberAtAll = std::numeric_limits<double>::quiet_NaN();

// Every number of a type with at most 16 bits: no infinity, no NaN.
std::vector<double> EveryNumberOf(DType dtype) {
  std::vector<double> numbers;
  Tensor one(dtype, {1});
  for (uint64_t bits = 0; bits < uint64_t{1} << Info(dtype).bits; ++bits) {
    one.SetBits(0, bits);
    if (std::isfinite(one.Element(0))) numbers.push_back(one.Element(0));
  }
  return numbers;
}

ExpectedOutput OutputByRule(RuleKind kind, DType dtype, const char* form) {
  ExpectedOutput output{"output", dtype, {1}, {.kind = kind, .form = form}, {}};
  output.rule.absolute_limit = 6;
  return output;
}

// By its definition: the rule refuses some number.
bool RefusesSomeNumber(const ExpectedOutput& output, const Answer& answer,
                       const std::vector<double>& numbers) {
  Tensor result(output.dtype, {1});
  for (const double number : numbers) {
    result.SetElement(0, number);
    if (!ElementJudge(output, answer, result).Accepts(0)) return true;
  }
  return false;
}

// Bounds and references below, at and beyond every edge; `second` is a bound or an upper end.
TEST(LimitsOf, CountsWhereTheRuleRefusesSomeNumber) {
  int64_t undefined = 0, limited = 0;
  for (const DType dtype : {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp16}) {
    const std::vector<double> numbers = EveryNumberOf(dtype);
    const double max = Format(dtype).max, low = Format(dtype).normal_min();
    const std::vector<double> ends = {-kBeyondAll, -2 * max,  -max,    -max / 2,  -low,
                                      -0.0,        low,       1,       max / 2,   max * 0.875,
                                      max,         max * 1.5, 2 * max, 2.5 * max, kBeyondAll};
    for (const char* const form : {"tosa-1.0", "tosa-0.100"}) {
      for (const RuleKind kind :
           {RuleKind::kAbsoluteBound, RuleKind::kDotProduct, RuleKind::kInterval}) {
        ExpectedOutput output = OutputByRule(kind, dtype, form);
        // With so wide a limit every number may be within it although nothing overflows.
        for (const double limit : {6.0, 3000.0}) {
          output.rule.absolute_limit = limit;
          for (const double first : ends) {
            for (double second : ends) {
              const bool interval = kind == RuleKind::kInterval;
              if (interval ? second < first : std::signbit(second)) continue;
              Answer answer{.expected = Tensor::OfFloats(DType::kFp64, {1}, {first})};
              (interval ? answer.upper : answer.bound) =
                  Tensor::OfFloats(DType::kFp64, {1}, {second});
              const Limits limits = LimitsOf(output, answer);
              EXPECT_EQ(limits.limited, RefusesSomeNumber(output, answer, numbers))
                  << Name(dtype) << " " << form << " " << Name(kind) << " " << first << " "
                  << second << " limit " << limit;
              EXPECT_EQ(limits.limited + limits.undefined, 1);
              undefined += limits.undefined;
              limited += limits.limited;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(undefined, 100);
  EXPECT_GT(limited, 1000);
}

TEST(LimitsOf, HoldsNanToBeAnAnswerAndItsBoundToBeNone) {
  ExpectedOutput output = OutputByRule(RuleKind::kDotProduct, DType::kFp16, "tosa-1.0");
  output.shape = {3};
  Answer answer{.expected = Tensor::OfFloats(DType::kFp64, {3}, {kNoNumberAtAll, 1, 1})};
  answer.bound = Tensor::OfFloats(DType::kFp64, {3}, {kNoNumberAtAll, kNoNumberAtAll, 1});
  EXPECT_EQ(LimitsOf(output, answer), (Limits{.elements = 3, .limited = 2, .undefined = 1}));
}

TEST(LimitsOf, CountsIntervalsThatAreAllOfAnIntegerType) {
  struct Row {
    DType dtype;
    bool is_unsigned;
    int64_t least, greatest;  // as stored
    bool limited;
  };
  for (const Row& row : {Row{DType::kI8, false, -128, 127, false},
                         {DType::kI8, false, -127, 127, true},
                         {DType::kI8, true, 0, -1, false},
                         {DType::kI8, true, 1, -1, true},
                         {DType::kI4, false, -7, 7, false},
                         {DType::kBool, false, 0, 1, false},
                         {DType::kBool, false, 1, 1, true},
                         {DType::kI48, false, 0, 5, true},
                         {DType::kI64, false, INT64_MIN, INT64_MAX, false},
                         {DType::kI64, false, INT64_MIN, INT64_MAX - 1, true}}) {
    ExpectedOutput output = OutputByRule(RuleKind::kInterval, row.dtype, "tosa-1.0");
    output.rule.is_unsigned = row.is_unsigned;
    Answer answer{.expected = Tensor::OfIntegers(row.dtype, {1}, {row.least})};
    answer.upper = Tensor::OfIntegers(row.dtype, {1}, {row.greatest});
    EXPECT_EQ(LimitsOf(output, answer).limited, row.limited) << Name(row.dtype) << row.least;
    if (row.is_unsigned) continue;
    output.rule.enclosure = true;
    EXPECT_EQ(LimitsOf(output, answer).unlimited, row.limited ? 0 : 1);
  }
}

TEST(Limits, AreEnoughFrom95PercentOn) {
  EXPECT_TRUE((Limits{.elements = 100, .unlimited = 5}).LimitsEnough());
  EXPECT_FALSE((Limits{.elements = 100, .unlimited = 6}).LimitsEnough());
  EXPECT_FALSE((Limits{.elements = 19, .unlimited = 1}).LimitsEnough());
  EXPECT_TRUE((Limits{.elements = 20, .unlimited = 1}).LimitsEnough());
  EXPECT_TRUE((Limits{.elements = 0}).LimitsEnough());
  // Elements that the specification leaves undefined are no fault of an enclosure.
  EXPECT_TRUE((Limits{.elements = 4, .undefined = 3}).LimitsEnough());
}

}  // namespace
}  // namespace cts
