#include "tools/sweep/unwritten.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "reference/numeric/vector_targets_testing.h"

namespace cts {
namespace {

TEST(Unwritten, IsFoundToTheByteOnEveryTarget) {
  OnEveryTarget([] {
    for (const size_t bytes : {0, 1, 15, 64, 255, 256, 257, 1000}) {
      // Aligned to nothing; the bytes in front and behind do not count.
      std::vector<uint8_t> memory(bytes + 2, 0xFF);
      memory.front() = memory.back() = 0;
      uint8_t* const results = memory.data() + 1;
      EXPECT_TRUE(IsUnwritten(results, bytes)) << bytes;
      for (size_t at = 0; at < bytes; ++at) {
        results[at] = 0xFE;
        EXPECT_FALSE(IsUnwritten(results, bytes)) << bytes << " " << at;
        results[at] = 0xFF;
      }
    }
  });
}

TEST(Unwritten, IsLeftWhereResultsWereTaken) {
  OnEveryTarget([] {
    for (const size_t bytes : {0, 1, 15, 64, 255, 256, 257, 1000}) {
      std::vector<uint8_t> results(bytes + 2), copy(bytes + 2, 0), expected(bytes + 2, 0);
      std::iota(results.begin(), results.end(), uint8_t{3});
      std::iota(expected.begin() + 1, expected.end() - 1, uint8_t{4});
      const uint8_t first = results.front(), last = results.back();
      TakeResults(results.data() + 1, bytes, copy.data() + 1);
      EXPECT_EQ(copy, expected) << bytes;
      EXPECT_TRUE(IsUnwritten(results.data() + 1, bytes)) << bytes;
      EXPECT_EQ(results.front(), first);
      EXPECT_EQ(results.back(), last);
    }
  });
}

}  // namespace
}  // namespace cts
