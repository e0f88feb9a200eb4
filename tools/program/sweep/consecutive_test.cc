#include "tools/program/sweep/consecutive.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "reference/numeric/vector_targets_testing.h"

namespace cts {
namespace {

// Also where the numbers begin again; what lies behind them stays.
template <class T>
void ExpectConsecutive(T first, int64_t count) {
  std::vector<T> found(static_cast<size_t>(count) + 3, 77), expected = found;
  for (int64_t i = 0; i < count; ++i) {
    expected[static_cast<size_t>(i)] =
        static_cast<T>(static_cast<uint64_t>(first) + static_cast<uint64_t>(i));
  }
  WriteConsecutive(first, count, found.data());
  EXPECT_EQ(found, expected) << first << " " << count;
}

TEST(Consecutive, AreTheNumbersOnEveryTarget) {
  OnEveryTarget([] {
    for (const int64_t count : {0, 1, 15, 16, 64, 1000, 70000}) {
      ExpectConsecutive<uint32_t>(0, count);
      ExpectConsecutive<uint32_t>(0x3f80'1234, count);
      ExpectConsecutive<uint32_t>(0xffff'fff0, count);
      ExpectConsecutive<uint16_t>(0xff01, count);
    }
  });
}

}  // namespace
}  // namespace cts
