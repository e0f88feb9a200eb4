#include "reference/base/nearest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cts {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NearestNames, PreferWhatContainsTheNameThenWhatIsNear) {
  const std::vector<std::string> names = {"add/i32-1", "conv2d/fp16-1", "conv2d/fp16-12",
                                          "mul/i32"};
  EXPECT_THAT(NearestNames(names, "fp16-1", 2), ElementsAre("conv2d/fp16-1", "conv2d/fp16-12"));
  EXPECT_THAT(NearestNames(names, "ad/i32-1", 1), ElementsAre("add/i32-1"));
  EXPECT_THAT(NearestNames(names, "mul/i33", 1), ElementsAre("mul/i32"));
}

TEST(NearestNames, AreNoMoreThanThereAre) {
  EXPECT_THAT(NearestNames({"a"}, "b", 3), ElementsAre("a"));
  EXPECT_THAT(NearestNames({}, "b", 3), IsEmpty());
}

TEST(DidYouMean, NamesWhatASlipOfTheFingerExplains) {
  EXPECT_EQ(DidYouMean({"run", "render", "judge"}, "jduge"), "; did you mean judge?");
  EXPECT_EQ(DidYouMean({"--json", "--junit"}, "--jsn"), "; did you mean --json?");
  EXPECT_EQ(DidYouMean({"ABS", "ADD"}, "AS"), "; did you mean ABS?");
  EXPECT_EQ(DidYouMean({"ABS", "ADD", "MUL"}, "ADS"), "; did you mean ABS or ADD?");
}

TEST(DidYouMean, IsSilentIfNothingIsNear) {
  EXPECT_EQ(DidYouMean({"run", "render"}, "xylophone"), "");
  EXPECT_EQ(DidYouMean({"ls"}, "go"), "");
  EXPECT_EQ(DidYouMean({}, "run"), "");
}

}  // namespace
}  // namespace cts
