#include "tools/program/exchange/runner_results.h"

#include <gtest/gtest.h>

namespace cts {
namespace {

TEST(ParseXunit, ReadsNamesVerdictsAndEntities) {
  const auto tests = ParseXunit(
      "<testsuites><testcase classname=\"r\" name=\"x/a&amp;lt;\" time=\"0.1\"/>"
      "<testcase name=\"b\" classname=\"r\"><skipped/></testcase>"
      "<testcase name=\"c\" classname=\"r\"><failure m=\"n\">&lt;1&gt;</failure></testcase>");
  ASSERT_EQ(tests.size(), 3u);
  EXPECT_EQ(tests[0].name, "x/a&lt;");
  EXPECT_EQ(tests[0].runner, "r");
  EXPECT_FALSE(tests[0].skipped || tests[0].failure);
  EXPECT_TRUE(tests[1].skipped);
  EXPECT_EQ(tests[2].failure, "<1>");
}

TEST(ParseXunit, TakesNoAttributeOutOfTheValueOfAnother) {
  const auto tests = ParseXunit("<testcase classname=\"r name=\" name=\"a\"/>");
  ASSERT_EQ(tests.size(), 1u);
  EXPECT_EQ(tests[0].name, "a");
  EXPECT_EQ(tests[0].runner, "r name=");
}

}  // namespace
}  // namespace cts
