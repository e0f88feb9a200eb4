#include "checker/report/clusters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "reference/base/status.h"

namespace cts {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<int64_t> Where(const Shape& shape,
                           const std::function<bool(const Shape&, int64_t)>& is) {
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < ElementCount(shape); ++i) {
    if (is(Index(shape, i), i)) offsets.push_back(i);
  }
  return offsets;
}

// The best set, as "WORDS: REFUSED of SIZE".
std::string Best(const Shape& shape, const std::function<bool(const Shape&, int64_t)>& is) {
  const std::vector<Cluster> clusters = FindClusters(shape, Where(shape, is));
  if (clusters.empty()) return "nothing";
  return StrCat(clusters[0].words, ": ", clusters[0].refused, " of ", clusters[0].size);
}

const Shape kImage = {2, 9, 10, 6};

TEST(FindClusters, NamesBorders) {
  EXPECT_EQ(Best(kImage, [](const Shape& i, int64_t) { return i[1] == 8; }),
            "the last index (8) of axis 1: 120 of 120");
  EXPECT_EQ(Best(kImage, [](const Shape& i, int64_t) { return i[2] == 0; }),
            "the first index (0) of axis 2: 108 of 108");
  EXPECT_EQ(Best(kImage, [](const Shape& i, int64_t) { return i[2] == 0 || i[2] == 9; }),
            "the first and the last index (0 and 9) of axis 2: 216 of 216");
  EXPECT_EQ(Best(kImage, [](const Shape& i,
                            int64_t) { return i[1] == 0 || i[1] == 8 || i[2] == 0 || i[2] == 9; }),
            "the border of axes 1 and 2: 408 of 408");
}

TEST(FindClusters, NamesAChannelAndABatch) {
  EXPECT_EQ(Best(kImage, [](const Shape& i, int64_t) { return i[3] == 2; }),
            "index 2 of axis 3, the last: 180 of 180");
  EXPECT_EQ(Best(kImage, [](const Shape& i, int64_t) { return i[0] == 1; }),
            "the last index (1) of axis 0, the batch of most layouts: 540 of 540");
}

TEST(FindClusters, NamesAChannelOfWhichOnlyAPartIsRefused) {
  EXPECT_EQ(Best(kImage, [](const Shape& i, int64_t k) { return i[3] == 2 && k % 3 != 1; }),
            "index 2 of axis 3, the last: 180 of 180");
  EXPECT_EQ(Best(kImage, [](const Shape& i, int64_t) { return i[3] == 2 && i[2] % 3 == 1; }),
            "index 2 of axis 3, the last: 54 of 180");
}

TEST(FindClusters, NamesVectorLanes) {
  EXPECT_EQ(Best({5, 32}, [](const Shape& i, int64_t) { return i[1] % 8 == 7; }),
            "the last lane of vectors of 8 of axis 1, the last: 20 of 20");
  EXPECT_EQ(Best({5, 32}, [](const Shape& i, int64_t) { return i[1] % 16 == 3; }),
            "lane 3 of vectors of 16 of axis 1, the last: 10 of 10");
  EXPECT_EQ(Best({5, 32}, [](const Shape& i, int64_t) { return i[1] % 8 >= 6; }),
            "the last 2 lanes of vectors of 8 of axis 1, the last: 40 of 40");
  // 27 elements: one row after the other.
  EXPECT_EQ(Best({99, 27}, [](const Shape&, int64_t k) { return k % 4 == 3; }),
            "the last lane of vectors of 4 of the flat tensor: 668 of 668");
}

TEST(FindClusters, NamesWhatAVectorLoopLeavesOver) {
  EXPECT_EQ(
      Best({7, 37}, [](const Shape& i, int64_t) { return i[1] >= 32; }),
      "what is left after the last whole vector of 8 of axis 1, the last (from 32): 35 of 35");
  EXPECT_EQ(Best({1009}, [](const Shape&, int64_t k) { return k >= 992; }),
            "what is left after the last whole vector of 32 of axis 0 (from 992): 17 of 17");
}

TEST(FindClusters, NamesStridesBlocksAndRuns) {
  EXPECT_EQ(Best({4, 30, 3}, [](const Shape& i, int64_t) { return i[1] % 5 == 2; }),
            "every index 2 modulo 5 of axis 1: 72 of 72");
  EXPECT_EQ(Best({16, 16}, [](const Shape& i,
                              int64_t) { return i[0] >= 4 && i[0] < 9 && i[1] >= 5 && i[1] < 11; }),
            "the block from [4,5] to [8,10]: 30 of 30");
  EXPECT_EQ(Best({50, 50}, [](const Shape&, int64_t k) { return k >= 123 && k < 345; }),
            "the run from element 123 to element 344 of the flat tensor: 222 of 222");
  EXPECT_EQ(Best({3, 5}, [](const Shape&, int64_t) { return true; }), "every element: 15 of 15");
}

TEST(FindClusters, TakesASetThatTheCallerNames) {
  const auto is_border = [](const Shape& i, int64_t) { return i[1] == 0 || i[2] == 0; };
  const std::vector<int64_t> refused = Where(kImage, is_border);
  NamedSet set{"windows that meet the padding", std::vector<bool>(1080)};
  for (const int64_t i : refused) set.has[static_cast<size_t>(i)] = true;
  const std::vector<Cluster> clusters = FindClusters(kImage, refused, {set});
  ASSERT_FALSE(clusters.empty());
  EXPECT_EQ(clusters[0].words, "windows that meet the padding");
  EXPECT_EQ(clusters[0].refused, clusters[0].size);
  // One that has nothing to do with them is not named.
  set.has.flip();
  for (const Cluster& cluster : FindClusters(kImage, refused, {set})) {
    EXPECT_NE(cluster.words, set.words);
  }
}

TEST(FindClusters, SpeaksOfNearlyAllToo) {
  // One element elsewhere.
  const std::string best =
      Best(kImage, [](const Shape& i, int64_t k) { return i[3] == 2 || k == 700; });
  EXPECT_EQ(best, "index 2 of axis 3, the last: 180 of 180");
}

TEST(FindClusters, IsSilentWhereNothingExplains) {
  EXPECT_EQ(Best(kImage, [](const Shape&, int64_t k) { return k == 77; }), "nothing");
  EXPECT_EQ(Best(kImage, [](const Shape&, int64_t) { return false; }), "nothing");
  // Random ones, few and many.
  std::mt19937_64 random(1);
  int spoken = 0;
  for (int round = 0; round < 400; ++round) {
    const uint64_t one_in = 2 + random() % 60;
    const Shape shape = round % 3 == 0 ? kImage : round % 3 == 1 ? Shape{33, 17} : Shape{500};
    spoken +=
        Best(shape, [&](const Shape&, int64_t) { return random() % one_in == 0; }) != "nothing";
  }
  EXPECT_EQ(spoken, 0);
}

}  // namespace
}  // namespace cts
