#include "tools/false_alarms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cts {
namespace {

FalseAlarmOptions Of(const std::string& op, const std::string& ids,
                     std::vector<std::string> legal) {
  FalseAlarmOptions options;
  options.recipe.name = "legal";
  options.recipe.edition = "tosa-1.0";
  options.recipe.level = "8K";
  options.recipe.operators = {op};
  options.recipe.ids = {ids};
  options.legal = std::move(legal);
  return options;
}

TEST(FalseAlarms, IntegersOfAnIntervalArePushedToItsEnds) {
  const auto runs = FindFalseAlarms(Of("RESCALE", "rescale/*-inexact-*", {"lowest", "highest"}));
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 2u);
  for (const LegalRun& run : *runs) {
    EXPECT_GT(run.differs, 0u) << run.id;
    EXPECT_EQ(run.refused, 0u) << run.id << ": " << run.first << ": " << run.said;
  }
}

TEST(FalseAlarms, IntegersThatAreExactCountForNone) {
  const auto runs = FindFalseAlarms(Of("BITWISE_NOT", "bitwise_not/*", {"lowest"}));
  ASSERT_TRUE(runs.ok()) << runs.status();
  EXPECT_EQ(runs->front().cases, 0u);
}

TEST(FalseAlarms, NamesTheNearest) {
  const auto runs = FindFalseAlarms(Of("ADD", "add/*", {"flush_fp17"}));
  ASSERT_FALSE(runs.ok());
  EXPECT_THAT(std::string(runs.status().message()), testing::HasSubstr("flush_fp16"));
}

}  // namespace
}  // namespace cts
