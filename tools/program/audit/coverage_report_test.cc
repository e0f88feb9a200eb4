#include "tools/program/audit/coverage_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/base/json.h"

namespace cts {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A made-up operator, of whose tuples 30 are open, as many as `holes` says of them listed.
Coverage SomeCoverage(size_t holes) {
  Coverage coverage;
  coverage.suite.name = "made-up";
  coverage.suite.edition = "tosa-1.0";
  coverage.suite.level = "8K";
  coverage.suite.generator = "tensor-cts <0>";
  coverage.suite.digest = std::string(64, 'a');
  coverage.suite.cases = {
      {"some/i8-1", "SOME", "valid", std::string(64, 'b'), {}, 0.5},
      {"some/error-1", "SOME", "error", std::string(64, 'c'), {"some.one"}, {}}};
  coverage.recipe.name = "made-up";
  coverage.recipe.edition = "tosa-1.0";
  coverage.recipe.level = "8K";
  coverage.recipe.strength = 2;
  coverage.valid_cases = coverage.error_cases = coverage.counted_cases = 1;
  coverage.least_teeth = {"some/i8-1", 0.5};
  PartCoverage part;
  part.prefix = "some/i8";
  part.op = "SOME";
  part.mode = "signed 8";
  part.axes = 2;
  part.cases = part.any_cases = 1;
  part.tuples = {1000 + holes, 999, 1};
  part.tuples.all = 1000 + holes;
  part.impossible = {{"some.<condition> & \"more\"", 1}};
  for (size_t i = 0; i < holes; ++i) {
    part.holes.push_back({{{"kernel", StrCat(i, "x", i)}, {"data", "special"}}});
  }
  coverage.parts = {part};
  coverage.conditions = {{"some.one", "SOME", "error_if", ConditionState::kCovered, "", 1},
                         {"some.two", "SOME", "require", ConditionState::kNeverACase, "", 0}};
  coverage.profiles = {{"PRO-INT", false, 1, 0, 1, ""}, {"EXT-SOME", true, 0, 0, 0, ""}};
  return coverage;
}

TEST(CoverageReport, SaysWhyAProfileHasNoCase) {
  Coverage coverage = SomeCoverage(0);
  coverage.profiles.push_back({"PRO-NEW", false, 2, 0, 0, "in <development>"});
  const Json json = CoverageToJson(coverage);
  const Status status = ValidateJson(json, "coverage", "test");
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(json["complete"], true);
  EXPECT_THAT(FormatCoverage(json), HasSubstr("Profile PRO-NEW is excused: in <development>"));
  EXPECT_THAT(CoverageToHtml(json), HasSubstr(">0: in &lt;development&gt;<"));
}

TEST(CoverageReport, IsJsonAsTheSchemaHasIt) {
  for (const size_t holes : {0, 30}) {
    Coverage coverage = SomeCoverage(holes);
    const Json json = CoverageToJson(coverage);
    const Status status = ValidateJson(json, "coverage", "test");
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(json["complete"], holes == 0);
    EXPECT_EQ(json["holes"].size(), holes);
    EXPECT_EQ(json["totals"]["tuples"],
              (Json{{"all", 1000 + holes}, {"covered", 999}, {"impossible", 1}, {"holes", holes}}));
    EXPECT_EQ(json["totals"]["never_a_case"], 1);
  }
}

TEST(CoverageReport, ShowsTheFirstTwentyHolesToPeople) {
  const std::string text = FormatCoverage(CoverageToJson(SomeCoverage(30)));
  EXPECT_THAT(text, AllOf(HasSubstr("30 holes:\n"), HasSubstr("and 10 more; --json lists all"),
                          HasSubstr("some/i8: no case has data=special, kernel=19x19\n"),
                          Not(HasSubstr("kernel=20x20"))));
  EXPECT_THAT(text, AllOf(HasSubstr("What to do: "), HasSubstr("tensor-cts <0>")));
  // 999 of 1029.
  EXPECT_THAT(text, HasSubstr("Tuples      999 of 1029 (97.0 %); 1 more are impossible\n"));
}

TEST(CoverageReport, TellsThatThereIsNoHole) {
  const std::string text = FormatCoverage(CoverageToJson(SomeCoverage(0)));
  EXPECT_THAT(text, AllOf(HasSubstr("999 of 999 (100.0 %)"), HasSubstr("No holes."),
                          HasSubstr("0.5 at least: some/i8-1"), Not(HasSubstr("What to do"))));
}

TEST(CoverageReport, SaysWhichLimitsHaveNoCase) {
  Coverage coverage = SomeCoverage(0);
  coverage.left_out = {{"some/limit-max_rank-i8", "some.own", "more than <3> elements"}};
  const Json json = CoverageToJson(coverage);
  const Status status = ValidateJson(json, "coverage", "test");
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(json["complete"], true);
  EXPECT_THAT(FormatCoverage(json),
              HasSubstr("forbid: 1\n  some/limit-max_rank-i8: some.own: more than <3> elements\n"));
  EXPECT_THAT(CoverageToHtml(json), HasSubstr("some.own: more than &lt;3&gt; elements</li>"));
}

// One hole in a thousand is not nothing.
TEST(CoverageReport, RoundsNothingUpToAll) {
  Coverage coverage = SomeCoverage(1);
  coverage.parts[0].tuples = {10001, 10000, 0};
  EXPECT_THAT(FormatCoverage(CoverageToJson(coverage)), HasSubstr("(99.9 %)"));
}

TEST(CoverageReport, IsAPageThatLoadsNothingAndEscapesEverything) {
  Coverage coverage = SomeCoverage(3);
  coverage.suite.name = "<script>alert(1)</script>";
  const std::string html = CoverageToHtml(CoverageToJson(coverage));
  EXPECT_THAT(html, AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("&lt;script&gt;"),
                          HasSubstr("some.&lt;condition&gt; &amp; &quot;more&quot;"),
                          HasSubstr("default-src 'none'"), HasSubstr("prefers-color-scheme: dark"),
                          HasSubstr("kernel=2x2")));
  EXPECT_THAT(html,
              AllOf(Not(HasSubstr("<script")), Not(HasSubstr("http:")), Not(HasSubstr("https")),
                    Not(HasSubstr(" src=")), Not(HasSubstr("url("))));
}

}  // namespace
}  // namespace cts
