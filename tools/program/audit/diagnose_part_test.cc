#include "tools/program/audit/diagnose_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/base/status.h"

namespace cts {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TriedCase Failing(std::vector<std::string> features, bool reproduced) {
  TriedCase tried{.features = std::move(features), .failing = true};
  if (reproduced) tried.elements = 3;
  return tried;
}

TriedCase Passing(std::vector<std::string> features, bool contradicts) {
  return {.features = std::move(features), .contradicts = contradicts};
}

TEST(BestPart, IsTheWholeOperatorWhereNothingContradicts) {
  const auto best = BestPart({Failing({"a"}, true), Failing({"b"}, true), Passing({"c"}, false)});
  ASSERT_TRUE(best.has_value());
  EXPECT_THAT(best->part, IsEmpty());
  EXPECT_EQ(best->cases, 2U);
  EXPECT_EQ(best->elements, 6U);
  EXPECT_EQ(best->of_passing, 1U);
}

TEST(BestPart, LeavesOutThePassingCasesOfOtherKernels) {
  std::vector<TriedCase> tried = {Failing({"a", "x"}, true), Failing({"a", "y"}, true)};
  for (int k = 0; k < 10; ++k) tried.push_back(Passing({"b", "x"}, true));
  tried.push_back(Passing({"a", "y"}, false));
  const auto best = BestPart(tried);
  ASSERT_TRUE(best.has_value());
  EXPECT_THAT(best->part, ElementsAre("a"));
  EXPECT_EQ(best->contradicted, 0U);
  EXPECT_EQ(best->of_passing, 1U);
}

TEST(BestPart, TakesSeveralFeaturesWhereOneIsNotEnough) {
  const auto best =
      BestPart({Failing({"a", "x"}, true), Failing({"a", "x"}, true), Passing({"a", "y"}, true),
                Passing({"a", "y"}, true), Passing({"b", "x"}, true), Passing({"b", "x"}, true)});
  ASSERT_TRUE(best.has_value());
  EXPECT_THAT(best->part, ElementsAre("a", "x"));
}

// A refusal has no wrong elements: nothing but a passing case can speak against it.
TEST(BestPart, IsNoneWhereEverythingIsRefused) {
  std::vector<TriedCase> tried = {Failing({"a"}, true), Failing({"a"}, true)};
  tried[0].elements = tried[1].elements = 0;
  for (int k = 0; k < 2; ++k) tried.push_back(Passing({"b"}, true));
  EXPECT_FALSE(BestPart(tried).has_value());
  tried.push_back(Passing({"a"}, false));
  EXPECT_TRUE(BestPart(tried).has_value());
}

TEST(BestPart, IsOfOneFeatureWhereOutcomesAreWrong) {
  std::vector<TriedCase> tried = {Failing({"a", "x"}, true), Failing({"a", "x"}, true)};
  for (int k = 0; k < 2; ++k) {
    tried.push_back(Passing({"a", "y"}, true));
    tried.push_back(Passing({"b", "x"}, true));
  }
  tried.push_back(Passing({"a", "x"}, false));
  EXPECT_TRUE(BestPart(tried).has_value());
  tried[0].elements = tried[1].elements = 0;
  EXPECT_FALSE(BestPart(tried).has_value());
}

TEST(BestPart, IsNoneWhereEveryPassingCaseContradicts) {
  EXPECT_FALSE(BestPart({Failing({}, true), Failing({}, true), Failing({}, true), Failing({}, true),
                         Failing({}, true), Passing({}, true), Passing({}, true), Passing({}, true),
                         Passing({}, true)})
                   .has_value());
}

// One case that fits by chance finds a part of its own.
TEST(BestPart, IsNoneOfASingleCaseOrOfFewOfMany) {
  EXPECT_FALSE(BestPart({Failing({"a"}, true), Passing({"b"}, true)}).has_value());
  EXPECT_FALSE(BestPart({Failing({"a"}, true), Failing({"a"}, true), Failing({"a"}, false),
                         Failing({"a"}, false), Failing({"a"}, false), Passing({"b"}, true),
                         Passing({"b"}, true)})
                   .has_value());
}

TEST(BestPart, IsNoneWithoutACaseThatIsReproduced) {
  EXPECT_FALSE(BestPart({}).has_value());
  EXPECT_FALSE(BestPart({Failing({"a"}, false), Passing({"a"}, false)}).has_value());
}

}  // namespace
}  // namespace cts
