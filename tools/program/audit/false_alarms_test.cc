#include "tools/program/audit/false_alarms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/base/json.h"

namespace cts {
namespace {

using testing::HasSubstr;

FalseAlarmOptions Of(const std::string& op, const std::string& type,
                     std::vector<std::string> legal) {
  FalseAlarmOptions options;
  options.recipe.name = "some";
  options.recipe.edition = "tosa-1.0";
  options.recipe.level = "8K";
  options.recipe.operators = {op};
  options.recipe.types = {type};
  options.legal = std::move(legal);
  return options;
}

TEST(FalseAlarms, OtherAnswersAreGivenAndAccepted) {
  const auto runs = FindFalseAlarms(Of("RSQRT", "fp16", {"lowest", "highest"}));
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 2u);
  for (const LegalRun& run : *runs) {
    SCOPED_TRACE(run.id);
    EXPECT_GT(run.cases, 0u);
    // RSQRT may be off by more than one unit in the last place: other values are within its bound.
    EXPECT_GT(run.differs, 0u);
    EXPECT_EQ(run.refused, 0u) << run.first << ": " << run.said;
  }
}

// One assignment of the named choices has to explain all cases of each.
TEST(FalseAlarms, WhoeverChoosesOnceIsNotRefused) {
  for (const char* op : {"NEGATE", "ABS", "MUL", "MAXIMUM", "EXP"}) {
    const auto runs = FindFalseAlarms(Of(op, "fp32", {"*negate_from_zero", "flush_*"}));
    ASSERT_TRUE(runs.ok()) << runs.status();
    for (const LegalRun& run : *runs) {
      EXPECT_GT(run.cases, 0u) << op << " " << run.id;
      EXPECT_EQ(run.refused, 0u) << op << " " << run.id << ": " << run.first << ": " << run.said;
      const bool differs = op == std::string("NEGATE") && run.id.ends_with("negate_from_zero");
      EXPECT_GE(run.differs, differs ? 1u : 0u) << op << " " << run.id;
    }
  }
}

// Both are legal readings of nan_mode IGNORE: only of signalling NaNs do they differ, and no case
// that decides anything has one.
TEST(FalseAlarms, NeitherExtremumOfIeee754IsRefused) {
  for (const char* op :
       {"ARGMAX", "CLAMP", "MAXIMUM", "MAX_POOL2D", "MINIMUM", "REDUCE_MAX", "REDUCE_MIN"}) {
    for (const char* type : {"fp16", "bf16", "fp32"}) {
      const auto runs = FindFalseAlarms(Of(op, type, {"max_num_2008", "maximum_number_2019"}));
      ASSERT_TRUE(runs.ok()) << runs.status();
      ASSERT_EQ(runs->size(), 2u);
      for (const LegalRun& run : *runs) {
        EXPECT_EQ(run.refused, 0u)
            << op << " " << type << " " << run.id << ": " << run.first << ": " << run.said;
      }
      EXPECT_EQ(runs->front().disputed, 1u) << op << " " << type;
      EXPECT_EQ(runs->back().disputed, 0u) << op << " " << type;
      const Status valid = ValidateJson(FalseAlarmsToJson(*runs), "false_alarms", "test");
      EXPECT_TRUE(valid.ok()) << valid;
    }
  }
}

// Such a case is excused only by the output that the point reaches.
TEST(FalseAlarms, ARefusedOutputIsExcusedOnlyWhereThePointReachesIt) {
  Case c;
  c.disputed = "this clause against that one";
  const Tensor expected = Tensor::OfIntegers(DType::kI32, {1}, {7});
  for (const char* name : {"reached", "other"}) {
    ExpectedOutput output;
    output.name = name;
    output.dtype = DType::kI32;
    output.shape = {1};
    output.rule.form = "tosa-1.0";
    output.answers = {{.expected = expected}};
    output.undisputed = c.outputs.size() == 1;
    c.outputs.push_back(output);
  }
  const auto refused = [&](int64_t reached, int64_t other) {
    NativeResult result;
    result.outputs = {{"reached", Tensor::OfIntegers(DType::kI32, {1}, {reached})},
                      {"other", Tensor::OfIntegers(DType::kI32, {1}, {other})}};
    return RefusalOf(c, std::vector<NativeResult>{result}, nullptr);
  };
  EXPECT_EQ(refused(7, 7).message, "");
  EXPECT_THAT(refused(8, 7).message, HasSubstr("got 8"));
  EXPECT_TRUE(refused(8, 7).disputed);
  EXPECT_THAT(refused(8, 9).message, HasSubstr("got 9"));
  EXPECT_FALSE(refused(8, 9).disputed);
  EXPECT_FALSE(refused(7, 9).disputed);
  NativeResult refusal;
  refusal.outcome = Outcome::kError;
  refusal.message = "no";
  EXPECT_TRUE(RefusalOf(c, std::vector<NativeResult>{refusal}, nullptr).disputed);
  EXPECT_FALSE(RefusalOf(c, std::vector<NativeResult>{}, nullptr).disputed);
}

TEST(FalseAlarms, CasesOfIntegersCountForNone) {
  const auto runs = FindFalseAlarms(Of("BITWISE_AND", "i8", {"lowest"}));
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_EQ(runs->front().cases, 0u);
  // An implementation that was not asked has passed nothing.
  EXPECT_THAT(FormatFalseAlarms(FalseAlarmsToJson(*runs)), HasSubstr("0 of 1 legal"));
}

TEST(FalseAlarms, AreTheSameForAnyNumberOfJobsAndAsTheSchemaHasThem) {
  FalseAlarmOptions options = Of("ADD", "fp16", {"lowest", "highest", "alternating"});
  const auto once = FindFalseAlarms(options);
  ASSERT_TRUE(once.ok()) << once.status();
  ASSERT_EQ(once->size(), 3u);
  options.jobs = 3;
  const auto again = FindFalseAlarms(options);
  ASSERT_TRUE(again.ok()) << again.status();
  const Json json = FalseAlarmsToJson(*once);
  EXPECT_EQ(json, FalseAlarmsToJson(*again));
  const Status valid = ValidateJson(json, "false_alarms", "test");
  EXPECT_TRUE(valid.ok()) << valid;
}

TEST(FalseAlarms, AreNamedWithWhatWasSaid) {
  const std::vector<LegalRun> runs = {
      {.id = "one", .sentence = "does this", .clause = "ADD", .cases = 3, .differs = 2},
      {.id = "two",
       .sentence = "does that",
       .clause = "ADD",
       .cases = 3,
       .differs = 2,
       .refused = 1,
       .first = "add/x",
       .said = "off by 2 ulp"}};
  const Json json = FalseAlarmsToJson(runs);
  const Status valid = ValidateJson(json, "false_alarms", "test");
  EXPECT_TRUE(valid.ok()) << valid;
  const std::string text = FormatFalseAlarms(json);
  EXPECT_THAT(text, HasSubstr("two, first in add/x\n  off by 2 ulp\n"));
  EXPECT_THAT(text, HasSubstr("1 of 2 legal implementations pass every case"));
}

TEST(FalseAlarms, NamesTheNearestOfOneThatThereIsNot) {
  const auto runs = FindFalseAlarms(Of("ADD", "fp16", {"lowes"}));
  ASSERT_FALSE(runs.ok());
  EXPECT_THAT(std::string(runs.status().message()), HasSubstr("lowest"));
}

TEST(FalseAlarms, IntegersOfAnIntervalArePushedToItsEnds) {
  FalseAlarmOptions options = Of("RESCALE", "i8", {"lowest", "highest"});
  options.recipe.ids = {"rescale/*-inexact-*"};
  const auto runs = FindFalseAlarms(options);
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 2u);
  for (const LegalRun& run : *runs) {
    EXPECT_GT(run.differs, 0u) << run.id;
    EXPECT_EQ(run.refused, 0u) << run.id << ": " << run.first << ": " << run.said;
  }
}

}  // namespace
}  // namespace cts
