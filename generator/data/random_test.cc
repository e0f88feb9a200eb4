#include "generator/data/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace cts {
namespace {

using testing::ElementsAre;

// Known answers of Random123 (file kat_vectors, philox4x32 10).
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_THAT(Philox4x32({0, 0, 0, 0}, {0, 0}),
              ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_THAT(Philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
              ElementsAre(0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu));
  // Digits of pi.
  EXPECT_THAT(
      Philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      ElementsAre(0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u));
}

TEST(Random, DiffersBySeedCaseAndTensor) {
  std::set<uint64_t> first;
  for (uint64_t seed : {0, 1}) {
    for (std::string_view id : {"add/i32-a", "add/i32-b"}) {
      for (std::string_view tensor : {"input1", "input2"}) {
        first.insert(Random(seed, id, tensor).Next64());
      }
    }
  }
  EXPECT_EQ(first.size(), 8u);
  EXPECT_EQ(Random(1, "a", "b").Next64(), Random(1, "a", "b").Next64());
}

// SHA-256("1\nadd/i32\ninput1") begins with 0e6230a2 b0e4755f (sha256sum).
TEST(Random, TakesItsKeyFromTheHash) {
  const auto block = Philox4x32({0, 0, 0, 0}, {0x0e6230a2, 0xb0e4755f});
  Random random(1, "add/i32", "input1");
  EXPECT_EQ(random.Next32(), block[0]);
  EXPECT_EQ(random.Next32(), block[1]);
}

TEST(Random, StaysWithinItsBoundsAndReachesThem) {
  Random random(7, "case", "tensor");
  int counts[7] = {};
  for (int i = 0; i < 7000; ++i) ++counts[random.Below(7)];
  // Six standard deviations of a binomial (7000, 1/7): 176.
  for (int count : counts) EXPECT_NEAR(count, 1000, 176);
  std::set<int64_t> values;
  for (int i = 0; i < 200; ++i) values.insert(random.Between(-2, 1));
  EXPECT_THAT(values, ElementsAre(-2, -1, 0, 1));
}

TEST(Random, TakesTheWholeRangeOfInt64) {
  Random random(7, "case", "tensor");
  bool negative = false, large = false;
  for (int i = 0; i < 100; ++i) {
    const int64_t value = random.Between(INT64_MIN, INT64_MAX);
    negative |= value < INT64_MIN / 2;
    large |= value > INT64_MAX / 2;
  }
  EXPECT_TRUE(negative);
  EXPECT_TRUE(large);
  EXPECT_EQ(random.Between(INT64_MAX, INT64_MAX), INT64_MAX);
}

}  // namespace
}  // namespace cts
