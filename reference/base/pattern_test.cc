#include "reference/base/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cts {
namespace {

using testing::HasSubstr;

TEST(MatchesPattern, MatchesWholeIds) {
  EXPECT_TRUE(MatchesPattern("conv2d/*-k3x3*", "conv2d/i8-k3x3-s1"));
  EXPECT_TRUE(MatchesPattern("*", "conv2d/i8"));
  EXPECT_TRUE(MatchesPattern("*2d/i?", "conv2d/i8"));
  EXPECT_TRUE(MatchesPattern("conv[23]d/i8", "conv3d/i8"));
  EXPECT_FALSE(MatchesPattern("conv2d", "conv2d/i8"));
  EXPECT_FALSE(MatchesPattern("conv2d/", "conv2d/i8"));
  EXPECT_FALSE(MatchesPattern("add/*", "padd/i8"));
}

TEST(MatchesPattern, AnIdMatchesItself) {
  EXPECT_TRUE(MatchesPattern("add/[2]", "add/[2]"));
  EXPECT_TRUE(MatchesPattern("add/a\\b", "add/a\\b"));
}

TEST(MatchesAny, OneOfThemSuffices) {
  EXPECT_TRUE(MatchesAny({"add/*", "mul/*"}, "mul/a"));
  EXPECT_FALSE(MatchesAny({"add/*", "mul/*"}, "sub/a"));
  EXPECT_FALSE(MatchesAny({}, "sub/a"));
}

TEST(CheckPatterns, EachHasToMatch) {
  const std::vector<std::string> ids = {"add/fp32", "add/i32", "clz/i32"};
  EXPECT_TRUE(CheckPatterns({}, ids, "suite").ok());
  EXPECT_TRUE(CheckPatterns({"add/*", "clz/i32"}, ids, "suite").ok());
  EXPECT_EQ(Message(CheckPatterns({"add/*", "cls/i32"}, ids, "suite.json")),
            "suite.json: none of its 3 cases has an id like 'cls/i32'; the nearest: clz/i32");
  EXPECT_THAT(Message(CheckPatterns({"/i32"}, ids, "suite.json")),
              HasSubstr("none of its 3 cases has the id '/i32'; '*/i32*' matches 2 of them"));
}

}  // namespace
}  // namespace cts
