#include "reference/base/contains.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace cts {
namespace {

TEST(Contains, LooksAtEveryElement) {
  const std::vector<std::string> names = {"a", "b"};
  EXPECT_TRUE(Contains(names, "a"));
  EXPECT_TRUE(Contains(names, std::string_view("b")));
  EXPECT_FALSE(Contains(names, ""));
  EXPECT_FALSE(Contains(std::vector<int>(), 0));
  constexpr int kNumbers[] = {1, 2, 3};
  EXPECT_TRUE(Contains(kNumbers, 3));
  EXPECT_FALSE(Contains(kNumbers, 4));
  EXPECT_TRUE(Contains({1, 2}, 2));
}

}  // namespace
}  // namespace cts
