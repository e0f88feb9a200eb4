#include "tools/program/sweep/unwritten.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "reference/numeric/vector_targets_testing.h"

namespace cts {
namespace {

constexpr size_t kSizes[] = {0, 1, 15, 64, 255, 256, 257, 1000};

TEST(Unwritten, IsFoundToTheBitOnEveryTarget) {
  OnEveryTarget([] {
    for (const uint8_t filling : {Unwritten(DType::kFp32), Unwritten(DType::kI32)}) {
      for (const size_t bytes : kSizes) {
        // Aligned to nothing; the bytes in front and behind do not count.
        std::vector<uint8_t> memory(bytes + 2, filling);
        memory.front() = memory.back() = 0;
        uint8_t* const results = memory.data() + 1;
        EXPECT_TRUE(IsFilled(results, bytes, filling)) << bytes;
        for (size_t at = 0; at < bytes; ++at) {
          results[at] ^= static_cast<uint8_t>(1 << at % 8);
          EXPECT_FALSE(IsFilled(results, bytes, filling)) << bytes << " " << at;
          results[at] = filling;
        }
      }
    }
  });
}

TEST(Unwritten, IsLeftWhereResultsWereTaken) {
  OnEveryTarget([] {
    for (const size_t bytes : kSizes) {
      std::vector<uint8_t> results(bytes + 2), copy(bytes + 2, 0), expected(bytes + 2, 0);
      std::iota(results.begin(), results.end(), uint8_t{3});
      std::iota(expected.begin() + 1, expected.end() - 1, uint8_t{4});
      const uint8_t first = results.front(), last = results.back();
      TakeResults(results.data() + 1, bytes, copy.data() + 1, 0xA5);
      EXPECT_EQ(copy, expected) << bytes;
      EXPECT_TRUE(IsFilled(results.data() + 1, bytes, 0xA5)) << bytes;
      EXPECT_EQ(results.front(), first);
      EXPECT_EQ(results.back(), last);
    }
  });
}

}  // namespace
}  // namespace cts
