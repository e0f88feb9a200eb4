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

}  // namespace
}  // namespace cts
